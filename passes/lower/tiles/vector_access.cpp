// Vector units: one access for each run of `width` values of the vector digit.
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

using loop::Statement;

void LaneWriter::vector_load(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point) {
  const Statement& s = *unit.statements[0];
  builder_.at(s.where);
  const auto& let = std::get<loop::Let>(s.node);
  const GuardedLoad guarded = *guarded_load(scope_.program(), let.value);
  ExprArena& arena = scope_.arena();
  const std::string name = arena.symbol(let.local).name;
  point[vector.axis].resize(scope_.distribution().register_digits(vector.axis).size());
  for (int64_t start = 0; start < vector.extent; start += unit.width) {
    const auto step = [&](int64_t k) { point[vector.axis][vector.digit] = scope_.i32(start + k); };
    const auto load = [&] {
      step(0);
      const BufferId from = arena.get_if<Load>(guarded.load)->buffer;
      const ExprId index = scope_.at(arena.args(guarded.load)[0], point);
      const auto values = builder_.vector_load(name, from, index, static_cast<int>(unit.width));
      for (int64_t k = 0; k < unit.width; ++k) {
        step(k);
        const ExprId value = scope_.at(guarded.value, point, {{guarded.load, values[static_cast<std::size_t>(k)]}});
        scope_.define(let.local, value, point);
      }
    };
    step(0);
    if (!guarded.guard.valid()) {
      load();
      continue;
    }
    builder_.if_(scope_.at(guarded.guard, point), load, [&] {
      for (int64_t k = 0; k < unit.width; ++k) step(k), scope_.define(let.local, scope_.at(guarded.otherwise, point), point);
    });
  }
}

void LaneWriter::vector_store(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point) {
  const Statement& s = *unit.statements[0];
  builder_.at(s.where);
  const GuardedStore guarded = *guarded_store(s);
  const loop::Store& from = guarded.store();
  point[vector.axis].resize(scope_.distribution().register_digits(vector.axis).size());
  for (int64_t start = 0; start < vector.extent; start += unit.width) {
    const auto step = [&](int64_t k) { point[vector.axis][vector.digit] = scope_.i32(start + k); };
    const auto store = [&] {
      std::vector<ExprId> values;
      for (int64_t k = 0; k < unit.width; ++k) step(k), values.push_back(scope_.at(from.value, point));
      step(0);
      builder_.vector_store(from.access.buffer, scope_.at(from.access.index, point), std::move(values));
    };
    step(0);
    once(*guarded.statement, [&] {
      if (guarded.guard.valid())
        builder_.if_(scope_.at(guarded.guard, point), store);
      else
        store();
    });
  }
}

}  // namespace cdsl::lowering
