// Pointwise statements: loops over the register digits of their axes, vector accesses along the innermost.
#include "dsl/loop/walk.h"
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

using loop::Statement;

void LaneWriter::group(const Group& group, RegisterPoint& point) {
  std::vector<RegisterLoop> outer = group.loops;
  if (!outer.empty() && outer.back().is_vector) outer.pop_back();
  for (const Phase& phase : group.phases) scope_.nest(outer, point, [&] { units(phase, group, point); });
}

void LaneWriter::units(const Phase& phase, const Group& group, RegisterPoint& point) {
  std::vector<RegisterLoop> inner;
  if (!group.loops.empty() && group.loops.back().is_vector) inner = {group.loops.back()};
  for (const Unit& unit : phase.units) {
    if (unit.kind == Unit::Kind::Load) {
      vector_load(unit, inner[0], point);
    } else if (unit.kind == Unit::Kind::Window) {
      window_load(unit, inner[0], point);
    } else if (unit.kind == Unit::Kind::Store) {
      vector_store(unit, inner[0], point);
    } else {
      scope_.nest(inner, point, [&] {
        for (const Statement* s : unit.statements) statement(*s, point);
      });
    }
  }
}

/// Does the statement define or change distributed values? Then it is done.
bool LaneWriter::definition(const Statement& s, const RegisterPoint& point) {
  if (const auto* let = std::get_if<loop::Let>(&s.node)) {
    scope_.define(let->local, scope_.at(let->value, point), point);
  } else if (const auto* var = std::get_if<loop::Var>(&s.node)) {
    const ExprId value = scope_.at(var->value, point);
    if (scope_.array_of(var->local) != nullptr)
      scope_.define(var->local, value, point);
    else
      scope_.rename(var->local, builder_.var(scope_.arena().symbol(var->local).name, value).ref);
  } else if (const auto* change = std::get_if<loop::Assign>(&s.node)) {
    assign(*change, point);
  } else if (!loop::definitions(s).empty()) {
    defined_by(s, point);
  } else {
    return false;
  }
  return true;
}

void LaneWriter::assign(const loop::Assign& assign, const RegisterPoint& point) {
  const ExprId value = scope_.at(assign.value, point);
  if (scope_.array_of(assign.local) != nullptr) return scope_.define(assign.local, value, point);
  const SymbolId local = scope_.renamed(assign.local);
  builder_.assign({local, scope_.arena().symbol_ref(local)}, value);
}

// A VectorLoad or an Atomic with a result: its registers are new at every point.
void LaneWriter::defined_by(const Statement& s, const RegisterPoint& point) {
  ExprArena& arena = scope_.arena();
  const auto access_at = [&](loop::Access access) {
    access.index = scope_.at(access.index, point);
    access.within = scope_.at(access.within, point);
    access.rank = scope_.at(access.rank, point);
    return access;
  };
  if (const auto* atomic = std::get_if<loop::Atomic>(&s.node)) {
    const ExprId old = builder_.atomic_old(arena.symbol(atomic->old).name, atomic->op, access_at(atomic->access),
                                           scope_.at(atomic->value, point), scope_.at(atomic->expected, point),
                                           atomic->order, atomic->scope);
    return scope_.receive(atomic->old, old, point);
  }
  const auto& load = std::get<loop::VectorLoad>(s.node);
  const std::string name = arena.symbol(load.locals[0]).name;
  if (load.locals.size() == 1)
    return scope_.receive(load.locals[0], builder_.load_from(name, access_at(load.access)), point);
  const auto values = builder_.vector_load(name, load.access.buffer, scope_.at(load.access.index, point),
                                           static_cast<int>(load.locals.size()));
  for (std::size_t k = 0; k < values.size(); ++k) scope_.receive(load.locals[k], values[k], point);
}

}  // namespace cdsl::lowering
