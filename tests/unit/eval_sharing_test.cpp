// The evaluator on chains of choices that share an operand: linear, and the same values.
#include <gtest/gtest.h>

#include "dsl/eval/evaluator.h"
#include "dsl/eval/sharing.h"

namespace cdsl {
namespace {

// y[i] = a(depth), a(k) = if i > k { a(k-1) + 1 } else { a(k-1) * 2 }, a(0) = i + ... + i.
tir::Function chain(int depth) {
  tir::Function f;
  f.name = "f";
  ExprArena& arena = f.arena;
  f.records.push_back(scalar_record(ScalarType::I64));
  tir::Tensor y;
  y.name = "y";
  y.element = RecordId(0);
  y.shape = {arena.integer(8)};
  y.may_be_one = {false};
  y.role = tir::Role::Output;
  f.tensors.push_back(y);
  f.parameters.push_back({TensorId(0)});
  const SymbolId i = arena.add_symbol("i", SymbolKind::Index);
  ExprId a = arena.symbol_ref(i);
  for (int k = 0; k < 20; ++k) a = arena.apply(Op::Add, {a, arena.integer(0)});
  for (int k = 0; k < depth; ++k) {
    const ExprId more = arena.apply(Op::Gt, {arena.symbol_ref(i), arena.integer(k)});
    a = arena.apply(Op::Select, {more, arena.apply(Op::Add, {a, arena.integer(1)}), arena.apply(Op::Mul, {a, arena.integer(2)})});
  }
  tir::Stage stage;
  stage.domain.axes = {{i, arena.integer(0), arena.integer(8)}};
  stage.targets.push_back({TensorId(0), 0, {arena.symbol_ref(i)}, a, Bounds::Proved, {}});
  f.body.statements.emplace_back(std::move(stage));
  return f;
}

TEST(EvalSharing, AChainOfChoicesIsLinear) {
  const eval::Outcome outcome = eval::evaluate(chain(60), {}, eval::Mode::Strict);
  ASSERT_TRUE(outcome.errors.empty());
  for (int64_t i = 0; i < 8; ++i) {
    int64_t expected = i;
    for (int64_t k = 0; k < 60; ++k) expected = i > k ? expected + 1 : static_cast<int64_t>(2 * static_cast<uint64_t>(expected));
    EXPECT_EQ(outcome.outputs.at("y").array.get(i).i, expected) << i;
  }
}

TEST(EvalSharing, WhatIsSharedKnowsItsIndices) {
  const tir::Function f = chain(3);
  const auto& stage = std::get<tir::Stage>(f.body.statements[0]);
  const auto shared = eval::shared_expressions(f.arena, {stage.targets[0].value});
  ASSERT_EQ(shared.size(), 3u);
  for (const auto& [id, uses] : shared) EXPECT_EQ(uses, std::vector<SymbolId>{stage.domain.axes[0].index});
}

}  // namespace
}  // namespace cdsl
