// One input on which each rule of simplify fires, and near misses on which it must not. A rule
// without a row fails, as does a row without a rule.
#include <gtest/gtest.h>

#include <set>

#include "api/pipeline.h"
#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"
#include "passes/simplify/algebra.h"

namespace cdsl {
namespace {

using namespace simplification;

struct Row {
  const char* family;
  const char* rule;
  const char* fires;
  const char* result;               // as IR text
  std::vector<const char*> misses;  // the rule leaves them; others may fire
};

// `p[p[0]]` may report at run time, so that no rule may drop it.
const Row kRows[] = {
    {"constant", "fold constants", "i32(17) % i32(5)", "i32(2)", {"n % 5", "exp(f32(1))"}},

    {"integer", "constant to the right", "1 + n", "n + i32(1)", {"1 - n", "n + 1"}},
    {"integer", "add nothing", "n + 0", "n", {"0 - n", "n & 0"}},
    {"integer", "multiply by one", "n / 1", "n", {"1 / n", "n * -1", "n % 1"}},
    {"integer", "multiply by zero", "n * 0", "i32(0)", {"p[p[0]] * 0", "n | 0", "n / 0"}},
    {"integer", "remainder of one", "n % 1", "i32(0)", {"1 % n", "n % 0", "p[p[0]] % 1"}},
    {"integer", "subtract itself", "n - n", "i32(0)", {"n - m", "p[p[0]] - p[p[0]]", "n / n"}},
    {"integer", "same operand", "max(n, n)", "n", {"max(n, m)", "n + n"}},
    {"integer", "double negation", "-(-n)", "n", {"-(~n)", "~(-n)"}},
    {"integer", "negate by subtracting", "0 - n", "-n", {"1 - n", "n - 0", "n / -1"}},
    {"integer",
     "add a negative",
     "n + -m",
     "n - m",
     {"-n + m", "n + -2147483648", "u + 4294967295"}},
    {"integer", "gather a sum", "(n + 1) + 2", "n + i32(3)", {"(1 - n) + 2", "(n + m) + 2"}},
    {"integer", "gather a product", "(n * 2) * 3", "n * i32(6)", {"(n / 2) * 3", "(n & 6) | 3"}},
    {"integer", "cancel", "(n + m) - m", "n", {"(n - m) - m", "(n + p[p[0]]) - p[p[0]]"}},

    {"float", "multiply by one", "x * 1", "x", {"1 / x", "x * -1"}},
    {"float", "negate by multiplying", "x * -1", "-x", {"-1 / x", "x * 1"}},
    {"float", "subtract zero", "x - 0", "x", {"x + 0", "0 - x", "x - -0.0"}},
    {"float", "double negation", "-(-x)", "x", {"-abs(x)"}},
    {"float", "add a negative", "x + -y", "x - y", {"-x + y"}},
    {"float",
     "divide by a power of two",
     "x / 4",
     "x * 0.25",
     {"x / 3", "4 / x", "x / 0", "x / inf", "x / 1.7014118346046923e38", "x / 1e-45"}},
    {"float", "same operand", "max(x, x)", "x", {"x - x", "max(x, y)"}},
    {"float", "absolute value", "abs(-x)", "abs(x)", {"-abs(x)", "abs(x - y)"}},

    {"logic",
     "known operand of && or ||",
     "true && b",
     "b",
     {"p[p[0]] == 1 && false", "p[p[0]] == 1 || true", "b && c"}},
    {"logic", "same condition twice", "b && b", "b", {"b && !b", "b ^ b"}},
    {"logic", "double not", "!!b", "b", {"!(b && c)"}},
    {"logic", "not of a comparison", "!(n < m)", "n >= m", {"!(x < y)", "!(x >= y)", "!b"}},
    {"logic", "compare with itself", "n <= n", "true", {"x == x", "p[p[0]] == p[p[0]]", "n <= m"}},
    {"logic", "known choice", "if true { x } else { y }", "x", {"if b { x } else { y }"}},
    {"logic",
     "same arms",
     "if b { x } else { x }",
     "x",
     {"if p[p[0]] == 1 { x } else { x }", "if b { x } else { -x }"}},
    {"logic",
     "swapped arms",
     "if !b { x } else { y }",
     "(if b { y } else { x })",
     {"if b { -x } else { x }", "if !(x < y) || b { x } else { y }"}},
    {"logic",
     "choice of truth",
     "if b { true } else { false }",
     "b",
     {"if b { true } else { c }", "if b { true } else { true }"}},

    {"cast",
     "cast of a cast",
     "i32(i64(n))",
     "n",
     {"i64(i32(l))", "i32(f32(n))", "f32(f16(x))", "i32(f64(u))", "i8(f32(s))", "u16(f32(s))"}},
    {"cast",
     "rounded constant",
     "f32(f16(f32(0.1)))",
     "0.099975586",
     {"f32(f16(x))", "f32(f64(x))"}},
};

std::string name_of(const Row& row) {
  return std::string(row.family) + ": " + row.rule;
}

const Rule* find(const Row& row) {
  for (const RuleFamily& family : rule_families()) {
    for (const Rule& rule : family.rules)
      if (family.name == row.family && rule.name == row.rule) return &rule;
  }
  return nullptr;
}

/// The value of the one intermediate, its operands simplified.
struct Expression {
  explicit Expression(const std::string& text) {
    SourceInput input;
    input.path = "rule.cdsl";
    input.text =
        "fn f(n: i32, m: i32, l: i64, u: u32, s: i16, x: f32, y: f32, b: bool, c: bool, p: i32[4])"
        " -> (out: i32) { v = " +
        text + "; out = 0; }";
    const auto source = load_and_parse(input);
    if (!source->has_errors()) function = analyze_function(*source, "f", {});
    if (!function) return;
    algebra.emplace(function->arena);
    const auto simplest = [&](ExprId id) { return algebra->simplest(id); };
    ExprArena& arena = function->arena;
    Rewriter rewriter(arena, [](ExprId) { return std::nullopt; }, simplest);
    root = std::get<tir::Stage>(function->body.statements.at(0)).targets.at(0).value;
    std::vector<ExprId> args;
    for (const ExprId arg : arena.args(root)) args.push_back(rewriter(arg));
    root = arena.is_apply(root, Op::Cast) ? arena.cast(args[0], arena.type(root))
                                          : arena.apply(arena.get_if<Apply>(root)->op, args);
  }

  std::optional<ExprId> by(const Rule& rule) {
    const auto result = rule.apply(*algebra, root);
    return result == root ? std::nullopt : result;
  }
  std::string text(ExprId id) const { return to_string(function->arena, id, {}); }

  std::optional<tir::Function> function;
  std::optional<Algebra> algebra;
  ExprId root;
};

TEST(RuleTable, EveryRuleHasARow) {
  std::set<std::string> rows, rules;
  for (const Row& row : kRows) EXPECT_TRUE(rows.insert(name_of(row)).second) << name_of(row);
  for (const RuleFamily& family : rule_families()) {
    for (const Rule& rule : family.rules)
      EXPECT_TRUE(rules.insert(std::string(family.name) + ": " + std::string(rule.name)).second)
          << "two rules of one name: " << rule.name;
  }
  EXPECT_EQ(rows, rules);
}

TEST(RuleTable, FiresWhereItShould) {
  for (const Row& row : kRows) {
    Expression expression(row.fires);
    ASSERT_TRUE(expression.function) << row.fires;
    const auto result = expression.by(*find(row));
    ASSERT_TRUE(result) << name_of(row) << " left " << expression.text(expression.root);
    EXPECT_EQ(expression.text(expression.algebra->simplest(*result)), row.result) << name_of(row);
  }
}

TEST(RuleTable, LeavesNearMisses) {
  for (const Row& row : kRows) {
    EXPECT_FALSE(row.misses.empty()) << name_of(row);
    for (const char* miss : row.misses) {
      Expression expression(miss);
      ASSERT_TRUE(expression.function) << miss;
      const auto result = expression.by(*find(row));
      EXPECT_FALSE(result) << name_of(row) << ": " << miss << " -> " << expression.text(*result);
    }
  }
}

}  // namespace
}  // namespace cdsl
