#include "maker.h"

#include <gtest/gtest.h>

#include <random>

#include "dsl/tensor/bind.h"
#include "dsl/tensor/print.h"
#include "dsl/tensor/verify.h"
#include "passes/lower/lower.h"
#include "passes/lower/width.h"
#include "runtime/executor.h"
#include "runtime/sim_device.h"

namespace cdsl::test {

ExprId Maker::size(const std::string& name) {
  const SymbolId symbol = arena().add_symbol(name, SymbolKind::Size);
  tir::Size made;
  made.symbol = symbol;
  made.is_parameter = true;
  f.sizes.push_back(made);
  return arena().symbol_ref(symbol);
}

ExprId Maker::scalar(const std::string& name, ScalarType type) {
  const SymbolId symbol = arena().add_symbol(name, SymbolKind::Scalar, evaluation_type(type));
  f.parameters.push_back({static_cast<uint32_t>(f.scalars.size())});
  f.scalars.push_back({symbol, type, {}});
  return arena().symbol_ref(symbol);
}

std::pair<SymbolId, ExprId> Maker::index(const std::string& name) {
  const SymbolId symbol = arena().add_symbol(name, SymbolKind::Index);
  return {symbol, arena().symbol_ref(symbol)};
}

TensorId Maker::tensor(const std::string& name, ScalarType type, std::vector<ExprId> shape,
                       tir::Role role) {
  return tensor(name, scalar_record(type), std::move(shape), role);
}

TensorId Maker::tensor(const std::string& name, RecordType element, std::vector<ExprId> shape,
                       tir::Role role) {
  tir::Tensor made;
  made.name = name;
  made.element = RecordId(f.records.size());
  f.records.push_back(std::move(element));
  made.shape = std::move(shape);
  made.role = role;
  made.declared = true;
  f.tensors.push_back(std::move(made));
  const TensorId id(f.tensors.size() - 1);
  if (role != tir::Role::Temporary) f.parameters.push_back({id});
  return id;
}

ExprId Maker::read(TensorId tensor, std::vector<ExprId> subscripts, Boundary mode, Bounds bounds,
                   uint32_t leaf) {
  AxisRule rule;
  rule.boundary = mode;
  rule.bounds = bounds;
  return read(tensor, subscripts, std::vector<AxisRule>(subscripts.size(), rule), leaf);
}

ExprId Maker::read(TensorId tensor, std::vector<ExprId> subscripts, std::vector<AxisRule> rules,
                   uint32_t leaf) {
  return arena().read(tensor, leaf, f.leaf(tensor, leaf).type, subscripts, rules);
}

ExprId Maker::reduce(Monoid monoid, std::vector<Axis> axes, ExprId term, ExprId guard,
                     uint32_t part) {
  Reduction r;
  r.monoid = monoid;
  r.axes = std::move(axes);
  r.guard = guard;
  if (monoid != Monoid::Count) r.types = {arena().type(term)};
  r.lifted = {term};
  return arena().reduce(arena().add_reduction(std::move(r)), part);
}

tir::Target Maker::target(TensorId tensor, std::vector<ExprId> subscripts, ExprId value,
                          Bounds bounds, uint32_t leaf) {
  tir::Target made;
  made.tensor = tensor;
  made.leaf = leaf;
  made.subscripts = std::move(subscripts);
  made.value = value;
  made.bounds = bounds;
  return made;
}

tir::Stage Maker::stage(std::vector<Axis> axes, std::vector<tir::Target> targets, ExprId guard) {
  return {tir::Domain{std::move(axes), guard}, std::move(targets), {}};
}

tir::Scatter Maker::scatter(std::vector<Axis> axes, tir::ScatterOp op, tir::Target target,
                            bool deterministic) {
  return {tir::Domain{std::move(axes), {}}, op, std::move(target), deterministic, {}};
}

tir::Loop Maker::loop(tir::Loop::Kind kind, SymbolId index, ExprId lo, ExprId hi,
                      std::vector<tir::Statement> body) {
  tir::Loop made;
  made.kind = kind;
  made.index = index;
  made.lo = lo;
  made.hi = hi;
  made.body = std::make_unique<tir::Block>();
  for (tir::Statement& statement : body) made.body->statements.push_back(std::move(statement));
  return made;
}

Arguments arguments(const tir::Function& f, std::map<std::string, int64_t> sizes, uint64_t seed) {
  Arguments result;
  result.sizes = std::move(sizes);
  tir::Bindings bindings;
  for (const tir::Size& size : f.sizes)
    bindings[size.symbol] = Value::of_int(result.sizes.at(f.arena.symbol(size.symbol).name));
  std::mt19937_64 random(seed);
  for (std::size_t k = 0; k < f.tensors.size(); ++k) {
    const tir::Tensor& tensor = f.tensors[k];
    if ((tensor.role != tir::Role::Input && tensor.role != tir::Role::InOut) || tensor.is_constant)
      continue;
    std::vector<int64_t> shape;
    for (ExprId extent : tensor.shape)
      shape.push_back(tir::evaluate_constant(f.arena, extent, bindings).i);
    Array array = Array::zeros(f.element(TensorId(k)), shape);
    for (int64_t e = 0; e < array.count(); ++e) {
      for (uint32_t leaf = 0; leaf < array.element.leaves.size(); ++leaf) {
        const ScalarType type = array.element.leaves[leaf].type;
        for (int64_t w = 0; w < array.element.leaves[leaf].count(); ++w) {
          const int64_t value = static_cast<int64_t>(random() % 9) -
                                (is_float(type) || is_signed_integer(type) ? 4 : 0);
          array.set(
              e,
              is_float(type) ? Value::of_float(static_cast<double>(value)) : Value::of_int(value),
              leaf, w);
        }
      }
    }
    result.arrays[tensor.name] = std::move(array);
  }
  return result;
}

Lowered lowered(const tir::Function& f, const Schedule& schedule) {
  Lowered result;
  PassContext context{schedule, result.remarks};
  result.program = narrow_indices(cdsl::Lowered{f, lower(f, context)}, context);
  result.text = loop::to_string(result.program);
  return result;
}

void expect_equal(const tir::Function& f, const Arguments& arguments, const Schedule& schedule) {
  const auto broken = tir::verify(f);
  ASSERT_TRUE(broken.empty()) << broken[0] << "\n" << tir::to_string(f);
  const Lowered made = lowered(f, schedule);
  const auto problems = loop::verify(made.program);
  ASSERT_TRUE(problems.empty()) << problems[0] << "\n" << made.text;
  const eval::Outcome expected = eval::evaluate(f, arguments, eval::Mode::Strict);
  ASSERT_TRUE(expected.errors.empty()) << expected.errors[0].message;
  runtime::SimDevice device(made.program);
  const runtime::Execution got =
      runtime::execute(f, made.program.plan, made.program.sites, arguments, device);
  ASSERT_TRUE(got.errors.empty()) << got.errors[0].message;
  EXPECT_TRUE(got.faults.empty()) << got.faults[0].message << "\n" << made.text;
  EXPECT_EQ(got.reports.empty(), expected.reports.empty()) << made.text;
  for (const auto& [name, output] : expected.outputs) {
    ASSERT_TRUE(got.outputs.contains(name)) << name;
    EXPECT_EQ(got.outputs.at(name).bytes, output.array.bytes) << name << "\n" << made.text;
  }
}

}  // namespace cdsl::test
