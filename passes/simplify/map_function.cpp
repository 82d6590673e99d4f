#include "passes/simplify/map_function.h"

namespace cdsl::simplification {
namespace {

using Map = std::function<ExprId(ExprId)>;

void apply(ExprId& id, const Map& map) {
  if (id.valid()) id = map(id);
}

void map_domain(tir::Domain& domain, const Map& map) {
  for (Axis& axis : domain.axes) {
    apply(axis.lo, map);
    apply(axis.hi, map);
  }
  apply(domain.guard, map);
}

void map_target(tir::Target& target, const Map& map) {
  for (ExprId& subscript : target.subscripts) apply(subscript, map);
  apply(target.value, map);
}

void map_block(tir::Block& block, const Map& map);

void map_statement(tir::Stage& stage, const Map& map) {
  map_domain(stage.domain, map);
  for (tir::Target& target : stage.targets) map_target(target, map);
}

void map_statement(tir::Scatter& scatter, const Map& map) {
  map_domain(scatter.domain, map);
  map_target(scatter.target, map);
}

void map_statement(tir::Loop& loop, const Map& map) {
  apply(loop.lo, map);
  apply(loop.hi, map);
  map_block(*loop.body, map);
  apply(loop.until, map);
}

void map_block(tir::Block& block, const Map& map) {
  for (tir::Statement& statement : block.statements) {
    std::visit([&](auto& s) { map_statement(s, map); }, statement);
  }
}

}  // namespace

void map_expressions(tir::Function& function, const Map& map) {
  for (tir::Tensor& tensor : function.tensors) {
    for (ExprId& extent : tensor.shape) apply(extent, map);
  }
  map_block(function.body, map);
  for (tir::Check& check : function.checks) {
    apply(check.condition, map);
    for (ExprId& operand : check.operands) apply(operand, map);
  }
  for (tir::Fact& fact : function.facts) apply(fact.condition, map);
}

}  // namespace cdsl::simplification
