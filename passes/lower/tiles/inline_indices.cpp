#include "passes/lower/tiles/inline_indices.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "dsl/loop/distribution.h"
#include "dsl/loop/walk.h"

namespace cdsl::lowering {
namespace {

constexpr std::size_t kFewNodes = 16;

class Inliner {
 public:
  Inliner(loop::Program& program, const loop::Kernel& kernel) : arena_(program.arena), distribution_(program, kernel) {
    loop::for_each_statement(kernel.body, [&](const loop::Statement& s) {
      if (const auto* var = std::get_if<loop::Var>(&s.node)) vars_.insert(var->local);
    });
    loop::for_each_statement(kernel.body, [&](const loop::Statement& s) {
      if (const auto* let = std::get_if<loop::Let>(&s.node)) {
        if (is_cheap(*let)) chosen_[let->local] = ExprId{};
      }
    });
  }

  void run(loop::Block& block) {
    auto& statements = block.statements;
    for (loop::Statement& s : statements) {
      loop::map_expressions(s, [&](ExprId id) { return rewritten(id); });
      if (const auto* let = std::get_if<loop::Let>(&s.node)) {
        if (const auto found = chosen_.find(let->local); found != chosen_.end()) found->second = let->value;
      }
      loop::for_each_block(s, [&](loop::Block& inner) { run(inner); });
    }
    std::erase_if(statements, [&](const loop::Statement& s) {
      const auto* let = std::get_if<loop::Let>(&s.node);
      return let != nullptr && chosen_.contains(let->local);
    });
  }

 private:
  bool is_cheap(const loop::Let& let) const {
    const ScalarType type = arena_.type(let.value);
    if (type != ScalarType::I64 && type != ScalarType::I32 && type != ScalarType::Bool) return false;
    if (distribution_.axes_of(let.local).empty() || distribution_.lane_wise(let.local)) return false;
    const auto nodes = postorder(arena_, std::span(&let.value, 1));
    return nodes.size() <= kFewNodes && std::none_of(nodes.begin(), nodes.end(), [&](ExprId id) {
      const auto* symbol = arena_.get_if<Symbol>(id);
      // What a Var or a collective holds may change, or is not an index.
      const bool value = symbol != nullptr && !distribution_.is_axis(symbol->symbol) &&
                         arena_.symbol(symbol->symbol).kind == SymbolKind::Local &&
                         !distribution_.axes_of(symbol->symbol).empty();
      return arena_.get_if<Load>(id) != nullptr || (value && !chosen_.contains(symbol->symbol)) || is_mutable(symbol);
    });
  }
  bool is_mutable(const Symbol* symbol) const {
    return symbol != nullptr && vars_.contains(symbol->symbol);
  }

  ExprId rewritten(ExprId id) {
    return Rewriter(arena_, [&](ExprId node) -> std::optional<ExprId> {
      const auto* symbol = arena_.get_if<Symbol>(node);
      if (symbol == nullptr) return std::nullopt;
      const auto found = chosen_.find(symbol->symbol);
      return found == chosen_.end() ? std::nullopt : std::optional(found->second);
    })(id);
  }

  ExprArena& arena_;
  loop::Distribution distribution_;
  std::unordered_map<SymbolId, ExprId> chosen_;
  std::unordered_set<SymbolId> vars_;
};

}  // namespace

void inline_indices(loop::Program& program, loop::Kernel& kernel) {
  Inliner(program, kernel).run(kernel.body);
}

}  // namespace cdsl::lowering
