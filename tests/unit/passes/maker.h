// Small functions of Tensor IR made by hand, and the check that the general path computes what the
// evaluator says.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "dsl/eval/evaluator.h"
#include "dsl/expr/integer.h"
#include "dsl/loop/program.h"
#include "dsl/schedule/remark.h"
#include "dsl/schedule/schedule.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::test {

struct Range {
  SymbolId index;
  ExprId lo, hi;
};

/// A function in the making. Sizes are parameters; all inputs get data from `arguments`.
class Maker {
 public:
  explicit Maker(std::string name) { f.name = std::move(name); }

  tir::Function f;
  ExprArena& arena() { return f.arena; }

  ExprId size(const std::string& name);
  ExprId scalar(const std::string& name, ScalarType type);
  ExprId n(int64_t value) { return arena().integer(value); }
  ExprId real(double value, ScalarType type = ScalarType::F32) { return arena().real(value, type); }
  /// An index symbol and its value.
  std::pair<SymbolId, ExprId> index(const std::string& name);
  TensorId tensor(const std::string& name, ScalarType type, std::vector<ExprId> shape,
                  tir::Role role);
  TensorId tensor(const std::string& name, RecordType element, std::vector<ExprId> shape,
                  tir::Role role);

  ExprId read(TensorId tensor, std::vector<ExprId> subscripts, Boundary mode = Boundary::None,
              Bounds bounds = Bounds::Proved, uint32_t leaf = 0);
  ExprId read(TensorId tensor, std::vector<ExprId> subscripts, std::vector<AxisRule> rules,
              uint32_t leaf = 0);
  ExprId op(Op op, std::initializer_list<ExprId> args) { return arena().apply(op, args); }
  ExprId add(ExprId a, ExprId b) { return op(Op::Add, {a, b}); }
  ExprId sub(ExprId a, ExprId b) { return op(Op::Sub, {a, b}); }
  ExprId mul(ExprId a, ExprId b) { return op(Op::Mul, {a, b}); }
  ExprId reduce(Monoid monoid, std::vector<Axis> axes, ExprId term, ExprId guard = {},
                uint32_t part = 0);

  tir::Target target(TensorId tensor, std::vector<ExprId> subscripts, ExprId value,
                     Bounds bounds = Bounds::Proved, uint32_t leaf = 0);
  tir::Stage stage(std::vector<Axis> axes, std::vector<tir::Target> targets, ExprId guard = {});
  tir::Scatter scatter(std::vector<Axis> axes, tir::ScatterOp op, tir::Target target,
                       bool deterministic = false);
  tir::Loop loop(tir::Loop::Kind kind, SymbolId index, ExprId lo, ExprId hi,
                 std::vector<tir::Statement> body);
  void add(tir::Statement statement) { f.body.statements.push_back(std::move(statement)); }
};

/// Data for every input and inout: small integers, so that all arithmetic on them is exact.
Arguments arguments(const tir::Function& f, std::map<std::string, int64_t> sizes,
                    uint64_t seed = 1);

struct Lowered {
  loop::Program program;
  std::string text;
  Remarks remarks;
};
Lowered lowered(const tir::Function& f, const Schedule& schedule = {});

/// Lowers, verifies, simulates with checks, and expects no faults, and outputs and the fact of
/// reports as the evaluator's.
void expect_equal(const tir::Function& f, const Arguments& arguments,
                  const Schedule& schedule = {});

}  // namespace cdsl::test
