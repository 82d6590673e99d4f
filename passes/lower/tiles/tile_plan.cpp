#include "passes/lower/tiles/tile_plan.h"

#include <algorithm>

#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"

namespace cdsl::lowering {

using loop::Block;
using loop::Statement;

std::optional<GuardedLoad> guarded_load(const ExprArena& arena, ExprId value) {
  if (arena.get_if<Load>(value) != nullptr) return GuardedLoad{{}, value, {}};
  if (!arena.is_apply(value, Op::Select)) return std::nullopt;
  const auto args = arena.args(value);
  if (arena.get_if<Load>(args[1]) == nullptr) return std::nullopt;
  return GuardedLoad{args[0], args[1], args[2]};
}

std::optional<GuardedStore> guarded_store(const Statement& statement) {
  if (const auto* store = std::get_if<loop::Store>(&statement.node)) return GuardedStore{{}, store};
  const auto* branch = std::get_if<loop::If>(&statement.node);
  if (branch == nullptr || branch->else_body != nullptr || branch->then_body->statements.size() != 1)
    return std::nullopt;
  const auto* store = std::get_if<loop::Store>(&branch->then_body->statements[0].node);
  if (store == nullptr) return std::nullopt;
  return GuardedStore{branch->condition, store};
}

TilePlan::TilePlan(const loop::Program& program, const loop::Kernel& kernel,
                   const loop::Distribution& distribution)
    : program_(program),
      kernel_(kernel),
      distribution_(distribution),
      divisors_(program.arena, kernel, distribution) {
  plan(kernel.body);
  note_uses();
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

void TilePlan::plan(const Block& block) {
  std::vector<Piece> pieces;
  for (const Statement& statement : block.statements) {
    if (is_pointwise(statement)) {
      add(pieces, statement);
    } else {
      pieces.push_back({&statement, {}});
      loop::for_each_block(statement, [&](const Block& inner) { plan(inner); });
    }
  }
  blocks_[&block] = std::move(pieces);
}

bool TilePlan::is_pointwise(const Statement& statement) const {
  const auto& node = statement.node;
  if (const auto* branch = std::get_if<loop::If>(&node))
    return !distribution_.axes_of(branch->condition).empty();
  return (std::holds_alternative<loop::Let>(node) || std::holds_alternative<loop::Var>(node) ||
          std::holds_alternative<loop::Assign>(node) || std::holds_alternative<loop::Store>(node) ||
          std::holds_alternative<loop::Atomic>(node) || std::holds_alternative<loop::Report>(node) ||
          std::holds_alternative<loop::CopyAsync>(node)) &&
         !distribution_.axes_of(statement).empty();
}

void TilePlan::add(std::vector<Piece>& pieces, const Statement& statement) {
  const std::vector<RegisterLoop> wanted = loops(distribution_.axes_of(statement));
  const bool joins = !pieces.empty() && pieces.back().statement == nullptr && pieces.back().group.loops == wanted;
  if (!joins) pieces.push_back({nullptr, {wanted, {}}});
  place(pieces.back().group, statement);
}

bool TilePlan::loads_memory(const Statement& statement) const {
  if (!std::holds_alternative<loop::Let>(statement.node)) return false;
  bool found = false;
  loop::for_each_expression(statement, [&](ExprId root) {
    for (ExprId id : postorder(program_.arena, std::span(&root, 1))) {
      const auto* load = program_.arena.get_if<Load>(id);
      found |= load != nullptr && program_.buffer(load->buffer).space != loop::Space::Register;
    }
  });
  return found;
}

// Loads go into the first phase as long as nothing but loads came before them; a vector access is a unit of its own.
void TilePlan::place(Group& group, const Statement& statement) {
  const bool loads = loads_memory(statement);
  const bool only_loads = group.phases.size() == 1 &&
      std::all_of(group.phases[0].begin(), group.phases[0].end(), [&](const Unit& unit) {
        return std::all_of(unit.statements.begin(), unit.statements.end(),
                           [&](const Statement* s) { return loads_memory(*s); });
      });
  if (group.phases.empty() || (only_loads && !loads && !group.loops.empty())) group.phases.emplace_back();
  std::vector<Unit>& units = group.phases.back();
  if (auto unit = vector_unit(group, statement)) {
    units.push_back(std::move(*unit));
    return;
  }
  if (units.empty() || units.back().kind != Unit::Kind::Scalar) units.emplace_back();
  units.back().statements.push_back(&statement);
}

bool TilePlan::aligned(BufferId buffer, int64_t bytes) const {
  if (program_.buffer(buffer).space == loop::Space::Shared) return bytes <= 16;
  return std::any_of(kernel_.alignments.begin(), kernel_.alignments.end(), [&](const loop::Alignment& a) {
    return a.buffer == buffer && a.bytes % bytes == 0;
  });
}

// The widest legal access along the vector digit, 1 where there is none.
int64_t TilePlan::vector_width(const loop::Access& access, ExprId guard, const RegisterLoop& vector) const {
  const loop::Buffer& buffer = program_.buffer(access.buffer);
  if (buffer.space == loop::Space::Register || access.within.valid() || access.rank.valid()) return 1;
  if (buffer.element.leaves.size() != 1 || !buffer.element.leaves[0].extents.empty()) return 1;
  const int64_t size = buffer.element.size;
  for (int64_t width = std::min<int64_t>(vector.extent, 16 / size); width > 1; width /= 2) {
    if (vector.extent % width != 0 || (width & (width - 1)) != 0) continue;
    if (!aligned(access.buffer, width * size)) continue;
    if (!divisors_.contiguous(access.index, vector.axis, width)) continue;
    if (guard.valid() && !divisors_.uniform(guard, vector.axis, vector.extent)) continue;
    return width;
  }
  return 1;
}

std::optional<Unit> TilePlan::vector_unit(const Group& group, const Statement& statement) const {
  if (group.loops.empty() || !group.loops.back().is_vector || distribution_.lane_wise(statement)) return std::nullopt;
  const RegisterLoop& vector = group.loops.back();
  const ExprArena& arena = program_.arena;
  if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
    const auto guarded = guarded_load(arena, let->value);
    if (!guarded) return std::nullopt;
    const Load load = *arena.get_if<Load>(guarded->load);
    const auto args = arena.args(guarded->load);
    const loop::Access access{load.buffer, load.leaf, args[0], args.size() > 1 ? args[1] : ExprId{}, {}};
    const int64_t width = vector_width(access, guarded->guard, vector);
    if (width == 1) return std::nullopt;
    return Unit{Unit::Kind::Load, {&statement}, width};
  }
  if (const auto guarded = guarded_store(statement)) {
    const int64_t width = vector_width(guarded->store->access, guarded->guard, vector);
    if (width == 1) return std::nullopt;
    return Unit{Unit::Kind::Store, {&statement}, width};
  }
  return std::nullopt;
}

void TilePlan::use(ExprId expression, int unit) {
  for (SymbolId symbol : free_symbols(program_.arena, expression)) {
    const auto found = defined_in_.find(symbol);
    if (found == defined_in_.end() || found->second == unit) continue;
    if (is_buffered_.insert(symbol).second) buffered_.push_back(symbol);
  }
}

// Numbers the units; a value that is used outside its own waits in a buffer, and so does every Var and every result.
void TilePlan::note_uses() {
  std::unordered_map<const Statement*, int> unit_of;
  int units = 0;
  for (const auto& [block, pieces] : blocks_) {
    for (const Piece& piece : pieces) {
      for (const auto& phase : piece.group.phases) {
        for (const Unit& unit : phase) {
          ++units;
          for (const Statement* statement : unit.statements) unit_of[statement] = units;
        }
      }
    }
  }
  const auto define = [&](SymbolId symbol, int unit, bool always) {
    if (distribution_.registers_of(symbol) <= 1) return;
    defined_in_[symbol] = unit;
    if (always && is_buffered_.insert(symbol).second) buffered_.push_back(symbol);
  };
  // Twice: first what is defined where, then the uses. Statements inside an If belong to its unit.
  for (const bool defining : {true, false}) {
    const std::function<void(const Block&, int)> walk = [&](const Block& block, int outer) {
      for (const Statement& statement : block.statements) {
        const auto found = unit_of.find(&statement);
        const int unit = found != unit_of.end() ? found->second : outer;
        if (defining) {
          const bool let = std::holds_alternative<loop::Let>(statement.node);
          if (!std::holds_alternative<loop::TileAxis>(statement.node) && !std::holds_alternative<loop::For>(statement.node))
            for (SymbolId symbol : loop::definitions(statement)) define(symbol, unit, !let);
        } else {
          loop::for_each_expression(statement, [&](ExprId id) { use(id, unit); });
          if (const auto* multiply = std::get_if<loop::TileMultiply>(&statement.node)) {
            for (SymbolId symbol : {multiply->d, multiply->a, multiply->b}) use(const_cast<ExprArena&>(program_.arena).symbol_ref(symbol), unit);
          }
          // A vector unit has no scalar of its own.
        }
        loop::for_each_block(statement, [&](const Block& inner) { walk(inner, unit); });
      }
    };
    walk(kernel_.body, 0);
  }
  for (const auto& [block, pieces] : blocks_)
    for (const Piece& piece : pieces)
      for (const auto& phase : piece.group.phases)
        for (const Unit& unit : phase) {
          if (unit.kind != Unit::Kind::Load) continue;
          const SymbolId local = std::get<loop::Let>(unit.statements[0]->node).local;
          if (is_buffered_.insert(local).second) buffered_.push_back(local);
        }
  std::sort(buffered_.begin(), buffered_.end(), [](SymbolId a, SymbolId b) { return a.value < b.value; });
}

}  // namespace cdsl::lowering
