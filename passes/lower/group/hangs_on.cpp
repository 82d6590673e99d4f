// What a value hangs on: the symbols behind its registers, the axes of tile form, and the tests that its points ask for.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"

namespace cdsl::lowering {

// Symbols that a value hangs on, seen through registers.
GroupLowering::Roots GroupLowering::roots_of(ExprId id) const {
  Roots roots;
  std::set<SymbolId> seen;
  std::vector<SymbolId> left = free_symbols(arena_, id);
  while (!left.empty()) {
    const SymbolId symbol = left.back();
    left.pop_back();
    if (!seen.insert(symbol).second) continue;
    if (const ExprId value = lowerer_.assigned_in_arms(symbol); value.valid()) {
      for (SymbolId source : free_symbols(arena_, value)) {
        const ExprId index = lowerer_.try_index(source);
        if (!index.valid()) continue;
        for (SymbolId deeper : free_symbols(arena_, index)) left.push_back(deeper);
      }
      continue;
    }
    const auto definition = builder_.definition(symbol);
    if (!definition) {
      roots.symbols.insert(symbol);
    } else if (definition->valid()) {
      for (SymbolId deeper : free_symbols(arena_, *definition)) left.push_back(deeper);
    } else {
      roots.unclear = true;
    }
  }
  return roots;
}

std::vector<ExprId> GroupLowering::axes_of(ExprId id) const {
  std::vector<SymbolId> symbols = free_symbols(arena_, id);
  for (ExprId condition : conditions_)
    for (SymbolId symbol : free_symbols(arena_, condition)) symbols.push_back(symbol);
  const auto is_used = [&](SymbolId index) { return std::find(symbols.begin(), symbols.end(), index) != symbols.end(); };
  std::vector<ExprId> roots = conditions_, axes;
  roots.push_back(id);
  const auto nodes = postorder(arena_, roots);
  // What shares of a reduction come to lies in memory, a value a point.
  const bool of_points = group_.shares > 1 && std::any_of(nodes.begin(), nodes.end(), [&](ExprId node) {
    const auto* reduce = arena_.get_if<Reduce>(node);
    return reduce != nullptr && is_shared(arena_.reduction(reduce->reduction));
  });
  // Axes that move the place of another's index, as where a row begins does, or a predicate.
  std::set<SymbolId> moving;
  const auto note = [&](ExprId value) { moving.merge(roots_of(value).symbols); };
  for (ExprId predicate : predicates_) note(predicate);
  for (const Bound& bound : bounds_)
    if (const ExprId index = lowerer_.try_index(bound.axis->index); is_used(bound.axis->index) && index.valid()) note(index);
  const auto moves = [&](const Bound& bound) {
    return std::any_of(bound.axes.begin(), bound.axes.end(), [&](ExprId axis) {
      const auto* symbol = arena_.get_if<Symbol>(axis);
      return symbol != nullptr && moving.contains(symbol->symbol);
    });
  };
  for (const Bound& bound : bounds_) {
    if (of_points && bound.axis->binding == Binding::Grid && bound.tile_index.valid()) {
      axes.insert(axes.end(), bound.axes.begin(), bound.axes.end());
      continue;
    }
    const bool in_box = group_.flat && std::any_of(bounds_.begin(), bounds_.end(), [&](const Bound& b) { return is_used(b.axis->index); });
    if (in_box || is_used(bound.axis->index) || moves(bound)) axes.insert(axes.end(), bound.axes.begin(), bound.axes.end());
  }
  return axes;
}

ExprId GroupLowering::inside_where(ExprId id) const {
  ExprId all;
  for (ExprId predicate : predicates_) all = logical_and(arena_, all, predicate);
  const Roots roots = roots_of(id);
  for (const Bound& bound : bounds_) {
    if (!bound.inside.valid()) continue;
    Roots in_index = roots_of(lowerer_.index_in_scope(bound.axis->index));
    if (bound.begin.valid())                // the row is not the place within it
      for (SymbolId symbol : roots_of(bound.begin).symbols) in_index.symbols.erase(symbol);
    const bool occurs = std::any_of(in_index.symbols.begin(), in_index.symbols.end(), [&](SymbolId s) {
      return s != tile_number_ && arena_.symbol(s).kind != SymbolKind::Special && arena_.symbol(s).kind != SymbolKind::Size && roots.symbols.contains(s);
    });
    if (occurs || roots.unclear) all = logical_and(arena_, all, bound.inside);
  }
  return all;
}

}  // namespace cdsl::lowering
