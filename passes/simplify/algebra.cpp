#include "passes/simplify/algebra.h"

#include <array>
#include <bit>

#include "dsl/expr/walk.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::simplification {
namespace {

// Every rule moves towards a simpler form; this many steps at one node mean that two of them
// disagree.
constexpr int kMostSteps = 64;

bool can_report(const ExprArena& arena, ExprId id) {
  if (const auto* reduce = arena.get_if<Reduce>(id)) {
    const Monoid monoid = arena.reduction(reduce->reduction).monoid;
    return monoid == Monoid::ArgMin || monoid == Monoid::ArgMax;
  }
  if (arena.get_if<Read>(id) == nullptr) return false;
  for (const AxisRule& rule : arena.rules(id)) {
    if (rule.boundary == Boundary::None && rule.bounds == Bounds::PerElement) return true;
  }
  return false;
}

// A constant, where all operands are constants and the operator is correctly rounded in every
// implementation.
std::optional<ExprId> fold_constant(Algebra& algebra, ExprId id) {
  ExprArena& arena = algebra.arena();
  const Op op = arena.get_if<Apply>(id)->op;
  const auto args = arena.args(id);
  std::array<Value, 3> values;
  if (args.size() > values.size()) return std::nullopt;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const Value* value = arena.constant_value(args[k]);
    if (value == nullptr) return std::nullopt;
    values[k] = *value;
  }
  const ScalarType from = arena.type(args[0]), to = arena.type(id);
  if (op == Op::Cast) {
    if (is_storage_only(to))
      return std::nullopt;  // stays a cast: storage types have no constants of their own
    return arena.constant(to, convert(values[0], from, to));
  }
  const ScalarType operand = op == Op::Select ? arena.type(args[1]) : from;
  const double error = operand == ScalarType::F64 ? info(op).ulp_f64 : info(op).ulp_f32;
  if (error > 0.5 || info(op).op_class == OpClass::Random || is_complex(operand) ||
      is_storage_only(operand))
    return std::nullopt;
  return arena.constant(to, apply(op, operand, std::span(values).first(args.size())));
}

constexpr Rule kConstantRules[] = {{"fold constants", "17 % 5 -> 2", fold_constant}};

}  // namespace

std::span<const Rule> constant_rules() {
  return kConstantRules;
}

std::span<const RuleFamily> rule_families() {
  static const RuleFamily families[] = {{"constant", constant_rules()},
                                        {"integer", integer_rules()},
                                        {"float", float_rules()},
                                        {"logic", logic_rules()},
                                        {"cast", cast_rules()}};
  return families;
}

bool Algebra::is_integer_value(ExprId id, int64_t value) const {
  const Value* constant = arena_.constant_value(id);
  return constant != nullptr && is_integer(arena_.type(id)) && constant->i == value;
}

bool Algebra::is_float_value(ExprId id, double value) const {
  const Value* constant = arena_.constant_value(id);
  const bool is_real = is_float(arena_.type(id));
  return constant != nullptr && is_real &&
         std::bit_cast<uint64_t>(constant->re) == std::bit_cast<uint64_t>(value);
}

bool Algebra::can_drop(ExprId id) {
  const auto found = droppable_.find(id.value);
  if (found != droppable_.end()) return found->second;
  for (ExprId node : postorder(arena_, std::span(&id, 1))) {
    if (droppable_.contains(node.value)) continue;
    bool droppable = !can_report(arena_, node);
    for_each_child(arena_, node, [&](ExprId child) { droppable &= droppable_.at(child.value); });
    droppable_[node.value] = droppable;
  }
  return droppable_.at(id.value);
}

std::optional<ExprId> Algebra::step(ExprId id) {
  if (arena_.get_if<Apply>(id) == nullptr) return std::nullopt;
  const auto try_all = [&](std::span<const Rule> rules) -> std::optional<ExprId> {
    for (const Rule& rule : rules) {
      const auto better = rule.apply(*this, id);
      if (!better || *better == id) continue;
      ++fired_[rule.name];
      return better;
    }
    return std::nullopt;
  };
  if (const auto folded = try_all(constant_rules())) return folded;
  const ScalarType operand = arena_.type(arg(id, 0));
  if (is(id, Op::Cast)) return try_all(cast_rules());
  if (const auto better = try_all(logic_rules())) return better;
  if (is_integer(operand)) return try_all(integer_rules());
  if (operand == ScalarType::F32 || operand == ScalarType::F64) return try_all(float_rules());
  return std::nullopt;
}

ExprId Algebra::simplest(ExprId id) {
  for (int k = 0; k < kMostSteps; ++k) {
    const auto better = step(id);
    if (!better) break;
    id = *better;
  }
  return id;
}

}  // namespace cdsl::simplification
