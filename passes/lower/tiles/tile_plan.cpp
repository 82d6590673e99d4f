#include "passes/lower/tiles/tile_plan.h"

#include <algorithm>

#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"

namespace cdsl::lowering {

using loop::Block;
using loop::Statement;

TilePlan::TilePlan(const loop::Program& program, const loop::Kernel& kernel, const loop::Distribution& distribution)
    : program_(program),
      kernel_(kernel),
      distribution_(distribution),
      divisors_(program.arena, kernel, distribution) {
  plan(kernel.body, {});
}

std::vector<RegisterLoop> TilePlan::loops(std::span<const SymbolId> axes) const {
  std::vector<RegisterLoop> loops, vectors;
  for (SymbolId axis : axes) {
    const auto digits = distribution_.register_digits(axis);
    for (std::size_t k = 0; k < digits.size(); ++k) {
      if (digits[k].extent == 1) continue;
      const bool is_vector = digits[k].level == loop::Level::Vector;
      (is_vector ? vectors : loops).push_back({axis, k, digits[k].extent, is_vector});
    }
  }
  // Of several vector digits the last axis's is the innermost; the others are loops like any.
  for (RegisterLoop& vector : vectors) {
    vector.is_vector = &vector == &vectors.back();
    loops.push_back(vector);
  }
  return loops;
}

// The axes that loops go over, but for those around. A Store under a condition that names fewer than it does is one statement with all
// of them where that makes it a vector.
std::vector<SymbolId> TilePlan::axes_of(const Statement& statement, const Around& around) const {
  const auto own = distribution_.axes_of(statement);
  const std::vector<SymbolId> axes(own.begin(), own.end());
  const auto guarded = guarded_store(statement);
  if (!guarded || guarded->statement == &statement) return axes;
  const auto stored = distribution_.axes_of(*guarded->statement);
  const std::vector<SymbolId> all(stored.begin(), stored.end());
  const bool names_fewer = axes.size() < all.size() && std::ranges::all_of(axes, [&](SymbolId axis) { return std::ranges::find(all, axis) != all.end(); });
  return names_fewer && vector_unit({loops_of(statement, all, around), {}}, statement, all) ? all : axes;
}

// Of several vector digits the one along which the statement's own access is a vector goes innermost: a tile that is read along one
// axis and stored along another is turned in registers.
std::vector<RegisterLoop> TilePlan::loops_of(const Statement& statement, std::span<const SymbolId> axes, const Around& around) const {
  std::vector<SymbolId> left;
  for (SymbolId axis : axes)
    if (std::ranges::find(around.axes, axis) == around.axes.end()) left.push_back(axis);
  const std::vector<RegisterLoop> usual = loops(left);
  const auto is_vector = [&](const RegisterLoop& loop) { return distribution_.register_digits(loop.axis)[loop.digit].level == loop::Level::Vector; };
  std::vector<RegisterLoop> turned = usual;
  for (auto others = std::ranges::count_if(usual, is_vector) - 1; others > 0; --others) {
    if (vector_unit({turned, {}}, statement, axes)) return turned;
    turned.back().is_vector = false;
    std::rotate(std::ranges::find_if(turned, is_vector), turned.end() - 1, turned.end());
    turned.back().is_vector = true;
    if (others == 1 && vector_unit({turned, {}}, statement, axes)) return turned;
  }
  return usual;
}

void TilePlan::plan(const Block& block, const Around& around) {
  std::vector<Piece> pieces;
  window(block, around);
  std::unordered_set<std::size_t> filled;
  for (const Statement& statement : block.statements) {
    // All taps of a window are loaded where the first stands: nobody writes what they read.
    const auto tap = window_of_.find(&statement);
    if (tap != window_of_.end() && !filled.insert(tap->second).second) continue;
    Around inner = around;
    if (is_pointwise(statement)) {
      inner.axes = axes_of(statement, around);
      inner.unit = add(pieces, statement, inner.axes, around);
    } else {
      pieces.push_back({&statement, {}});
    }
    note(statement, inner.unit);
    loop::for_each_block(statement, [&](const Block& body) { plan(body, inner); });
  }
  blocks_[&block] = std::move(pieces);
}

void TilePlan::window(const Block& block, const Around& around) {
  std::vector<WindowCandidate> candidates;
  for (const Statement& statement : block.statements) {
    const auto tap = window_tap(program_, statement);
    if (!tap) continue;
    const auto axes = loops_of(statement, distribution_.axes_of(statement), around);
    if (axes.empty() || !axes.back().is_vector) continue;
    const BufferId memory = program_.arena.get_if<Load>(tap->load)->buffer;
    const int64_t size = program_.buffer(memory).element.size;
    int64_t widest = 1;
    while (axes.back().extent % (2 * widest) == 0 && 2 * widest * size <= 16 && aligned(memory, 2 * widest * size)) widest *= 2;
    if (widest > 1) candidates.push_back({*tap, axes.back().axis, axes.back().extent, widest});
  }
  for (Window& found : find_windows(program_.arena, divisors_, candidates)) {
    for (const WindowTap& tap : found.taps) window_of_[tap.statement] = windows_.size();
    windows_.push_back(std::move(found));
  }
}

bool TilePlan::is_pointwise(const Statement& statement) const {
  const auto& node = statement.node;
  if (const auto* branch = std::get_if<loop::If>(&node)) return !distribution_.axes_of(branch->condition).empty();
  return (std::holds_alternative<loop::Let>(node) || std::holds_alternative<loop::Var>(node) ||
          std::holds_alternative<loop::Assign>(node) || std::holds_alternative<loop::Store>(node) ||
          std::holds_alternative<loop::VectorLoad>(node) || std::holds_alternative<loop::VectorStore>(node) ||
          std::holds_alternative<loop::Atomic>(node) || std::holds_alternative<loop::Report>(node) ||
          std::holds_alternative<loop::CopyAsync>(node)) &&
         !distribution_.axes_of(statement).empty();
}

int TilePlan::add(std::vector<Piece>& pieces, const Statement& statement, std::span<const SymbolId> axes, const Around& around) {
  const std::vector<RegisterLoop> wanted = loops_of(statement, axes, around);
  const bool joins = !pieces.empty() && pieces.back().statement == nullptr && pieces.back().group.loops == wanted;
  if (!joins) pieces.push_back({nullptr, {wanted, {}}});
  return place(pieces.back().group, statement, axes, around);
}

int TilePlan::new_unit(int inside) {
  inside_.push_back(inside);
  return static_cast<int>(inside_.size()) - 1;
}

bool TilePlan::loads_memory(const Statement& statement) const {
  if (!std::holds_alternative<loop::Let>(statement.node)) return false;
  std::vector<Touch> touches;
  touch(statement, touches);
  return std::any_of(touches.begin(), touches.end(),
                     [&](const Touch& t) { return program_.buffer(t.buffer).space != loop::Space::Register; });
}

// Loads go into the first phase as long as nothing but loads came before them; a vector access is a unit of its own.
int TilePlan::place(Group& group, const Statement& statement, std::span<const SymbolId> axes, const Around& around) {
  const bool loads = loads_memory(statement);
  std::vector<Touch> touches;
  touch(statement, touches);
  auto& phases = group.phases;
  const bool loads_are_done = phases.size() == 1 && phases[0].only_loads && !loads;
  const bool apart = !phases.empty() && (loads_are_done || conflict(phases.back(), touches));
  if (phases.empty() || (apart && !group.loops.empty())) phases.emplace_back();
  Phase& phase = phases.back();
  phase.only_loads &= loads;
  phase.touches.insert(phase.touches.end(), touches.begin(), touches.end());
  if (const auto tap = window_of_.find(&statement); tap != window_of_.end()) {
    phase.units.push_back({.kind = Unit::Kind::Window, .statements = {&statement}, .ends = {}, .window = tap->second, .number = new_unit(around.unit)});
  } else if (auto unit = vector_unit(group, statement, axes)) {
    unit->number = new_unit(around.unit);
    phase.units.push_back(std::move(*unit));
  } else {
    if (phase.units.empty() || phase.units.back().kind != Unit::Kind::Scalar) {
      phase.units.emplace_back();
      phase.units.back().number = group.loops.empty() ? around.unit : new_unit(around.unit);
    }
    phase.units.back().statements.push_back(&statement);
  }
  return phase.units.back().number;
}

void TilePlan::touch(const Statement& statement, std::vector<Touch>& touches) const {
  loop::for_each_expression(statement, [&](ExprId root) {
    for (ExprId id : postorder(program_.arena, std::span(&root, 1))) {
      if (const auto* load = program_.arena.get_if<Load>(id))
        touches.push_back({load->buffer, program_.arena.args(id)[0], false});
    }
  });
  const bool reads = std::holds_alternative<loop::VectorLoad>(statement.node);
  loop::for_each_access(statement, [&](const loop::Access& access) {
    touches.push_back({access.buffer, access.index, !reads});
  });
  loop::for_each_block(statement, [&](const Block& body) {
    for (const Statement& inner : body.statements) touch(inner, touches);
  });
}

// Statements of one phase take turns, point by point. That shows where one reads or writes what the other writes at another
// point; buffers of the caller may be the same memory unless they are only read.
bool TilePlan::conflict(const Phase& phase, const std::vector<Touch>& touches) const {
  const auto is_shared_with_others = [&](BufferId id) {
    const loop::Buffer& buffer = program_.buffer(id);
    return buffer.space == loop::Space::Global && !buffer.read_only;
  };
  const auto conflicts = [&](const Touch& a, const Touch& b) {
    if (!a.writes && !b.writes) return false;
    if (a.buffer == b.buffer) return a.index != b.index;
    return is_shared_with_others(a.buffer) && is_shared_with_others(b.buffer) && (a.writes != b.writes);
  };
  return std::any_of(touches.begin(), touches.end(), [&](const Touch& b) {
    return std::any_of(phase.touches.begin(), phase.touches.end(), [&](const Touch& a) { return conflicts(a, b); });
  });
}

void TilePlan::buffer(SymbolId symbol) {
  if (is_buffered_.insert(symbol).second) buffered_.push_back(symbol);
}

// A value that is used outside the unit that defines it waits in a buffer, and so does every Var and every result.
void TilePlan::note(const Statement& statement, int unit) {
  loop::for_each_expression(statement, [&](ExprId id) {
    for (SymbolId symbol : free_symbols(program_.arena, id)) {
      const auto found = defined_in_.find(symbol);
      if (found == defined_in_.end()) continue;
      int around = unit;
      while (around != found->second && around != 0) around = inside_[static_cast<std::size_t>(around)];
      if (around != found->second) buffer(symbol);
    }
  });
  if (const auto* multiply = std::get_if<loop::TileMultiply>(&statement.node)) {
    for (SymbolId symbol : {multiply->d, multiply->a, multiply->b}) buffer(symbol);
  }
  if (std::holds_alternative<loop::TileAxis>(statement.node) || std::holds_alternative<loop::For>(statement.node)) return;
  const bool once = std::holds_alternative<loop::Let>(statement.node) ||
                    std::holds_alternative<loop::VectorLoad>(statement.node) ||
                    std::holds_alternative<loop::Atomic>(statement.node);
  if (window_of_.contains(&statement)) return;       // the window is the array
  for (SymbolId symbol : loop::definitions(statement)) {
    if (distribution_.registers_of(symbol) <= 1) continue;
    defined_in_[symbol] = unit;
    if (!once) buffer(symbol);
  }
}

}  // namespace cdsl::lowering
