// Random expressions over every type and operator: simplify keeps the value bit for bit, and has
// nothing left to do when it is run again.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"
#include "dsl/tensor/verify.h"
#include "dsl/types/arithmetic.h"
#include "passes/simplify/algebra.h"
#include "passes/simplify/simplify.h"
#include "random_trees.h"

namespace cdsl::test {
namespace {

constexpr int kFunctions = 800, kTrees = 16, kBindings = 8;

using Values = std::unordered_map<uint32_t, Value>;

/// By the language's arithmetic, node by node; no rule of simplify takes part.
Value evaluated(const ExprArena& arena, ExprId root, const Values& symbols) {
  Values values;
  for (const ExprId id : postorder(arena, std::span(&root, 1))) {
    if (const Value* constant = arena.constant_value(id)) {
      values[id.value] = *constant;
    } else if (const auto* symbol = arena.get_if<Symbol>(id)) {
      values[id.value] = symbols.at(symbol->symbol.value);
    } else {
      const Op op = arena.get_if<Apply>(id)->op;
      const auto args = arena.args(id);
      std::vector<Value> operands;
      for (const ExprId arg : args) operands.push_back(values.at(arg.value));
      const ScalarType type = arena.type(args[op == Op::Select ? 1 : 0]);
      values[id.value] =
          op == Op::Cast ? convert(operands[0], type, arena.type(id)) : apply(op, type, operands);
    }
  }
  return values.at(root.value);
}

bool equal_reals(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool equal(const Value& a, const Value& b, ScalarType type) {
  if (is_complex(type)) return equal_reals(a.re, b.re) && equal_reals(a.im, b.im);
  return is_float(type) ? equal_reals(a.re, b.re) : a.i == b.i;
}

/// The values of all stages, in order.
std::vector<ExprId> values_of(const tir::Function& function) {
  std::vector<ExprId> values;
  for (const tir::Statement& statement : function.body.statements)
    values.push_back(std::get<tir::Stage>(statement).targets.at(0).value);
  return values;
}

std::string bindings_text(const ExprArena& arena, ExprId root, const Values& symbols) {
  std::string text;
  for (const SymbolId symbol : free_symbols(arena, root)) {
    const SymbolInfo& known = arena.symbol(symbol);
    text += "\n  " + known.name + " = " + to_string(symbols.at(symbol.value), known.type);
  }
  return text;
}

/// One function of many trees, its values before simplify, after it and after it again: ids of one
/// arena.
struct Case {
  explicit Case(Random& random) {
    Maker m("f");
    before = random_trees(m, random, kTrees);
    for (std::size_t k = 0; k < before.size(); ++k) {
      const ExprId tree = before[k];
      const TensorId y =
          m.tensor("y" + std::to_string(k), m.arena().type(tree), {}, tir::Role::Output);
      m.add(m.stage({}, {m.target(y, {}, tree)}));
    }
    const Schedule schedule;
    PassContext context{schedule, remarks};
    function = simplify(std::move(m.f), context);
    after = values_of(function);
    EXPECT_TRUE(tir::verify(function).empty()) << tir::verify(function)[0];
    function = simplify(std::move(function), context);
    again = values_of(function);
  }

  std::string text(ExprId id) const { return to_string(function.arena, id, {}); }

  tir::Function function;
  Remarks remarks;
  std::vector<ExprId> before, after, again;
};

void expect_idempotent(const Case& c) {
  ASSERT_EQ(c.after.size(), c.before.size());
  ASSERT_EQ(c.again.size(), c.before.size());
  for (std::size_t k = 0; k < c.after.size(); ++k)
    EXPECT_EQ(c.after[k], c.again[k]) << c.text(c.before[k]) << "\n  ->  " << c.text(c.after[k])
                                      << "\n  ->  " << c.text(c.again[k]);
}

void expect_same_values(const Case& c, const Values& symbols) {
  const ExprArena& arena = c.function.arena;
  for (std::size_t k = 0; k < c.before.size(); ++k) {
    const ScalarType type = arena.type(c.before[k]);
    const Value expected = evaluated(arena, c.before[k], symbols),
                found = evaluated(arena, c.after[k], symbols);
    EXPECT_TRUE(equal(expected, found, type))
        << c.text(c.before[k]) << "\n  ->  " << c.text(c.after[k]) << "\n  "
        << to_string(expected, type) << "  ->  " << to_string(found, type)
        << bindings_text(arena, c.before[k], symbols);
  }
}

TEST(SimplifyRandom, KeepsValuesAndIsIdempotent) {
  std::set<std::string> fired;
  for (int seed = 1; seed <= kFunctions && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(static_cast<uint64_t>(seed));
    const Case c(random);
    for (const Remark::Number& number : c.remarks.at(0).numbers) fired.insert(number.name);
    expect_idempotent(c);
    for (int binding = 0; binding < kBindings; ++binding) {
      Values symbols;
      for (const tir::ScalarParameter& scalar : c.function.scalars)
        symbols[scalar.symbol.value] = random_value(random, scalar.declared);
      expect_same_values(c, symbols);
    }
  }
  for (const simplification::RuleFamily& family : simplification::rule_families())
    for (const simplification::Rule& rule : family.rules)
      EXPECT_TRUE(fired.contains(std::string(rule.name)))
          << "no tree made '" << rule.name << "' fire";
}

}  // namespace
}  // namespace cdsl::test
