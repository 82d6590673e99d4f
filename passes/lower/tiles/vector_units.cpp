// Which accesses of a plan are vectors: contiguous along the vector digit, proved aligned, and decided whole by their guard.
#include <algorithm>

#include "dsl/expr/walk.h"
#include "passes/lower/tiles/tile_plan.h"

namespace cdsl::lowering {

using loop::Statement;

namespace {

bool is_lazy(const ExprArena& arena, ExprId id) {
  return arena.is_apply(id, Op::Select) || arena.is_apply(id, Op::LogicalAnd) || arena.is_apply(id, Op::LogicalOr);
}

/// The only Load from memory, where nothing decides whether it happens.
ExprId only_load(const loop::Program& program, ExprId value) {
  ExprId found;
  for (ExprId id : postorder(program.arena, std::span(&value, 1))) {
    if (is_lazy(program.arena, id)) return {};
    const auto* load = program.arena.get_if<Load>(id);
    if (load == nullptr) continue;
    if (found.valid()) return {};
    found = id;
  }
  return found;
}

}  // namespace

std::optional<GuardedLoad> guarded_load(const loop::Program& program, ExprId value) {
  GuardedLoad result{{}, {}, value, {}};
  if (program.arena.is_apply(value, Op::Select)) {
    const auto args = program.arena.args(value);
    result = {args[0], {}, args[1], args[2]};
  }
  result.load = only_load(program, result.value);
  return result.load.valid() ? std::optional(result) : std::nullopt;
}

std::optional<GuardedStore> guarded_store(const Statement& statement) {
  if (std::holds_alternative<loop::Store>(statement.node)) return GuardedStore{{}, &statement};
  const auto* branch = std::get_if<loop::If>(&statement.node);
  if (branch == nullptr || branch->else_body != nullptr || branch->then_body->statements.size() != 1) return std::nullopt;
  const Statement& inner = branch->then_body->statements[0];
  if (!std::holds_alternative<loop::Store>(inner.node)) return std::nullopt;
  return GuardedStore{branch->condition, &inner};
}

bool TilePlan::aligned(BufferId buffer, int64_t bytes) const {
  if (program_.buffer(buffer).space == loop::Space::Shared) return bytes <= 16;
  return std::any_of(kernel_.alignments.begin(), kernel_.alignments.end(), [&](const loop::Alignment& a) {
    return a.buffer == buffer && a.bytes % bytes == 0;
  });
}

// The widest legal access along the vector digit, 1 where there is none.
void TilePlan::find_width(Unit& unit, const loop::Access& access, ExprId guard, const RegisterLoop& vector) const {
  const loop::Buffer& buffer = program_.buffer(access.buffer);
  if (buffer.space == loop::Space::Register || access.within.valid() || access.rank.valid()) return;
  if (buffer.element.leaves.size() != 1 || !buffer.element.leaves[0].extents.empty()) return;
  const int64_t size = buffer.element.size;
  for (int64_t width = std::min<int64_t>(vector.extent, 16 / size); width > 1; width /= 2) {
    if (vector.extent % width != 0 || (width & (width - 1)) != 0) continue;
    if (!aligned(access.buffer, width * size)) continue;
    const Divisors::Runs runs = divisors_.contiguous(access.index, vector.axis, width);
    if (runs == Divisors::Runs::None) continue;
    if (guard.valid() && !divisors_.uniform(guard, vector.axis, width)) {
      const auto ends = divisors_.ends(guard, vector.axis);
      if (runs != Divisors::Runs::Shifted || !ends) continue;
      unit.ends = *ends;
    }
    unit.width = width;
    return;
  }
}

std::optional<Unit> TilePlan::vector_unit(const Group& group, const Statement& statement, std::span<const SymbolId> axes) const {
  if (group.loops.empty() || !group.loops.back().is_vector) return std::nullopt;
  const RegisterLoop& vector = group.loops.back();
  Unit unit;
  if (const auto* let = std::get_if<loop::Let>(&statement.node)) {
    const auto guarded = guarded_load(program_, let->value);
    if (!guarded) return std::nullopt;
    const Load load = *program_.arena.get_if<Load>(guarded->load);
    const auto args = program_.arena.args(guarded->load);
    const loop::Access access{load.buffer, load.leaf, args[0], args.size() > 1 ? args[1] : ExprId{}, {}};
    unit.kind = Unit::Kind::Load;
    unit.statements = {&statement};
    find_width(unit, access, guarded->guard, vector);
  } else if (const auto guarded = guarded_store(statement)) {
    // The guard may ask for more axes than the Store mentions, and the Store for more than are looped over.
    if (!std::ranges::equal(axes, distribution_.axes_of(*guarded->statement))) return std::nullopt;
    unit.kind = Unit::Kind::Store;
    unit.statements = {&statement};
    find_width(unit, guarded->store().access, guarded->guard, vector);
  }
  return unit.width > 1 ? std::optional(unit) : std::nullopt;
}

}  // namespace cdsl::lowering
