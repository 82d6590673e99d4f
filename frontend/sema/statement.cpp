#include "frontend/sema/statement.h"

#include <type_traits>

#include "frontend/sema/call.h"
#include "frontend/sema/constant.h"
#include "frontend/sema/definition.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/loop.h"
#include "frontend/sema/scatter.h"
#include "frontend/sema/signature.h"

namespace cdsl::sema {
namespace {

constexpr std::size_t kMaxTensors = 1u << 16;
// A call of a call doubles with a line of text; each statement that comes of it counts as so many operations.
constexpr std::uint64_t kMaxOperations = 4'000'000, kExpandedStatement = 1'000;

void analyze_let(Analysis& a, const ast::Let& let) {
  for (std::size_t k = 0; k < let.names.size(); ++k) {
    LetSymbol& symbol = a.lets.emplace_back();
    symbol.name = let.names[k].text;
    symbol.value = let.value;
    symbol.part = let.is_tuple ? static_cast<int>(k) : -1;
    symbol.time = a.time;
    symbol.order = a.scopes.next_order();
    symbol.where = let.names[k].range;
    a.declare(let.names[k], {&symbol, {}, 0});
  }
}

void analyze_tmp(Analysis& a, const ast::Tmp& tmp) {
  const auto element = resolve_type(a, tmp.type.name);
  const auto shape = shape_of(a, tmp.type);
  const bool good = element && shape;
  TensorSymbol& symbol =
      a.add_tensor(tmp.name.text, TensorKind::Tmp, element.value_or(ElementType{}),
                   shape.value_or(std::vector<ExprId>{}), tmp.name.range);
  symbol.is_poisoned = symbol.is_defined = !good;
  if (good) {
    assume_extents(a, *shape);
    apply_layout(a, tmp.type, symbol, false);
  }
  a.declare(tmp.name, {&symbol, {}, 0});
}

void analyze_statement(Analysis& a, const ast::Stmt& statement) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, ast::Definition>) {
          if (is_fn_call(a, node.value)) {
            analyze_call(a, node.value, &node, statement.range);
          } else {
            analyze_definition(a, node, statement.range);
          }
        } else if constexpr (std::is_same_v<Node, ast::Let>) {
          analyze_let(a, node);
        } else if constexpr (std::is_same_v<Node, ast::Tmp>) {
          analyze_tmp(a, node);
        } else if constexpr (std::is_same_v<Node, ast::Repeat>) {
          analyze_repeat(a, node, statement.range);
        } else if constexpr (std::is_same_v<Node, ast::Along>) {
          analyze_along(a, node, statement.range);
        } else if constexpr (std::is_same_v<Node, ast::Scatter>) {
          analyze_scatter(a, node, statement.range);
        } else {
          static_assert(std::is_same_v<Node, ast::CallStmt>);
          analyze_call(a, node.call, nullptr, statement.range);
        }
      },
      statement.node);
}

}  // namespace

void analyze_statements(Analysis& a, const ast::Block& source) {
  const ast::Block* outer = a.source_block;
  const std::size_t outer_index = a.source_index;
  for (std::size_t k = 0; k < source.statements.size() && !a.sink.full(); ++k) {
    a.source_block = &source;
    a.source_index = k;
    if (a.is_over_budget) break;
    if (a.fn.tensors.size() > kMaxTensors) {
      a.report(Code::TooManyStatements, source.statements[k].range,
               "the function has more than " + std::to_string(kMaxTensors) +
                   " tensors once calls are expanded");
      a.is_over_budget = true;
      break;
    }
    if (a.expansions.size() > 1 && (a.operations += kExpandedStatement) > kMaxOperations) {
      a.report(Code::TooManyStatements, source.statements[k].range,
               "calls expand to more than about " + std::to_string(kMaxOperations / kExpandedStatement) + " statements");
      a.is_over_budget = true;
      break;
    }
    const AtPoints statement(a);
    a.place = AtPoints::next(a);  // what was computed for another statement may be out of date
    analyze_statement(a, source.statements[k]);
  }
  a.source_block = outer;
  a.source_index = outer_index;
}

}  // namespace cdsl::sema
