#include "passes/recognize/shared_indices.h"

#include <map>
#include <string>
#include <tuple>

#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

class Sharing {
 public:
  explicit Sharing(ExprArena& arena) : arena_(arena) {}

  void block(tir::Block& statements) {
    for (tir::Statement& statement : statements.statements) {
      if (auto* stage = std::get_if<tir::Stage>(&statement)) share(*stage);
      if (auto* loop = std::get_if<tir::Loop>(&statement)) block(*loop->body);
    }
  }

 private:
  using Key = std::tuple<std::string, ExprId, ExprId>;

  void share(tir::Stage& stage) {
    std::unordered_map<SymbolId, ExprId> with;
    const auto replace = [&](ExprId& id) {
      if (id.valid() && !with.empty()) id = substitute(arena_, id, with);
    };
    for (Axis& axis : stage.domain.axes) {
      replace(axis.lo), replace(axis.hi);
      const SymbolId first = first_.try_emplace({arena_.symbol(axis.index).name, axis.lo, axis.hi}, axis.index).first->second;
      if (first == axis.index) continue;
      with[axis.index] = arena_.symbol_ref(first);
      axis.index = first;
    }
    replace(stage.domain.guard);
    for (tir::Target& target : stage.targets) {
      for (ExprId& subscript : target.subscripts) replace(subscript);
      replace(target.value);
    }
  }

  ExprArena& arena_;
  std::map<Key, SymbolId> first_;
};

}  // namespace

void share_indices(tir::Function& function) { Sharing(function.arena).block(function.body); }

}  // namespace cdsl::deciding
