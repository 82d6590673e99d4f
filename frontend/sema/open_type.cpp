#include "frontend/sema/open_type.h"

#include <algorithm>
#include <type_traits>

namespace cdsl::sema {
namespace {

using Change = std::pair<UntypedPart, ExprId>;  // a store, and its value in the new type

void change_stores(tir::Block& block, TensorId tensor, const std::vector<Change>& changes);

void change_stores(tir::Stage& stage, TensorId tensor, const std::vector<Change>& changes) {
  for (tir::Target& target : stage.targets) {
    if (target.tensor != tensor) continue;
    const auto found = std::find_if(changes.begin(), changes.end(), [&](const Change& change) {
      return change.first.value == target.value && change.first.statement == target.where;
    });
    if (found != changes.end()) target.value = found->second;
  }
}

void change_stores(tir::Block& block, TensorId tensor, const std::vector<Change>& changes) {
  for (tir::Statement& statement : block.statements) {
    if (auto* stage = std::get_if<tir::Stage>(&statement)) change_stores(*stage, tensor, changes);
    if (auto* loop = std::get_if<tir::Loop>(&statement)) change_stores(*loop->body, tensor, changes);
  }
}

bool retype(Analysis& a, TensorSymbol& symbol, ScalarType type) {
  if (symbol.element.scalar == type) return true;
  std::vector<Change> changes;
  for (UntypedPart& part : symbol.untyped_parts) {
    const auto value = stored(a, {part.untyped, part.at}, type, "'" + symbol.name + "'");
    if (!value) return false;
    changes.emplace_back(part, *value);
    part.value = *value;
  }
  for (tir::Block* block : a.blocks) change_stores(*block, symbol.id, changes);
  symbol.element.scalar = type;
  a.fn.tensor(symbol.id).element = a.record_of(symbol.element);
  return true;
}

// Defaults in the order in which one takes in another.
int rank(ScalarType type) {
  return is_integer(type) ? size_of(type) : 100;
}

}  // namespace

bool meet_open_type(Analysis& a, TensorSymbol& symbol, const Written& value) {
  if (const Scalar* scalar = value.value.scalar()) {
    symbol.is_open = false;
    return retype(a, symbol, a.arena().type(scalar->expr));
  }
  if (value.value.untyped() == nullptr) return true;
  const auto own = typed(a, value);
  if (!own) return false;
  const ScalarType type = a.arena().type(own->expr);
  return rank(type) <= rank(symbol.element.scalar) || retype(a, symbol, type);
}

void settle_type(TensorSymbol& symbol, SourceRange reader) {
  if (!symbol.is_open) return;
  symbol.is_open = false;
  symbol.settled_at = reader;
}

}  // namespace cdsl::sema
