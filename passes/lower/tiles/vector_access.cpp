// Vector units: one access for each run of `width` values of the vector digit. The values lie side by side in an array of
// registers, on the way out in one that is made for them. Windows: a few accesses for what several taps read.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

using loop::Statement;

// For each run of the unit: `body` gets its place among the values of the digit, which stands at the run's first value.
void LaneWriter::each_run(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point, const std::function<void(int64_t)>& body) {
  point[vector.axis].resize(scope_.distribution().register_digits(vector.axis).size());
  for (int64_t start = 0; start < vector.extent; start += unit.width) {
    point[vector.axis][vector.digit] = scope_.i32(start);
    body(start);
    point[vector.axis][vector.digit] = scope_.i32(start);
  }
}

ExprId LaneWriter::width_of(const Unit& unit, const RegisterLoop& vector) {
  return unit.width == vector.extent ? scope_.vector_extent(vector) : scope_.i32(unit.width);
}

// Scalar statements for each value of a run.
void LaneWriter::each_value(const Unit& unit, const RegisterLoop& vector, int64_t start, RegisterPoint& point,
                            const std::function<void(ExprId)>& body) {
  const std::string name = scope_.arena().symbol(vector.axis).name + "v";
  loop::For& made = builder_.for_(name, scope_.i32(0), width_of(unit, vector), [&](ExprId k) {
    point[vector.axis][vector.digit] = index_add(scope_.arena(), k, scope_.i32(start));
    body(k);
  });
  made.unroll = static_cast<int>(unit.width);
}

// Does the guard of a unit hold for all values of the run at `start`? Leaves the point there.
ExprId LaneWriter::holds_for_run(const Unit& unit, ExprId guard, const RegisterLoop& vector, int64_t start, RegisterPoint& point) {
  if (unit.ends.empty()) return scope_.at(guard, point);
  ExprId all;
  for (const Divisors::End& end : unit.ends) {
    point[vector.axis][vector.digit] = scope_.i32(end.last ? start + unit.width - 1 : start);
    all = logical_and(scope_.arena(), all, scope_.at(end.condition, point));
  }
  point[vector.axis][vector.digit] = scope_.i32(start);
  return all;
}

void LaneWriter::vector_load(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point) {
  const Statement& s = *unit.statements[0];
  builder_.at(s.where);
  const auto& let = std::get<loop::Let>(s.node);
  const GuardedLoad guarded = *guarded_load(scope_.program(), let.value);
  ExprArena& arena = scope_.arena();
  const BufferId memory = arena.get_if<Load>(guarded.load)->buffer;
  const BufferId* array = scope_.array_of(let.local);
  const bool straight = guarded.value == guarded.load && array != nullptr && scope_.is_fastest(let.local, vector);
  each_run(unit, vector, point, [&](int64_t start) {
    const auto load = [&] {
      const ExprId index = scope_.at(arena.args(guarded.load)[0], point);
      if (straight) {
        const ExprId to = scope_.register_index(scope_.register_order(let.local), point);
        return builder_.vector_move(builder_.access(*array, to), builder_.access(memory, index), width_of(unit, vector));
      }
      const auto values = builder_.vector_load(arena.symbol(let.local).name, memory, index, static_cast<int>(unit.width));
      for (int64_t k = 0; k < unit.width; ++k) {
        point[vector.axis][vector.digit] = scope_.i32(start + k);
        scope_.define(let.local, scope_.at(guarded.value, point, {{guarded.load, values[static_cast<std::size_t>(k)]}}), point);
      }
    };
    if (!guarded.guard.valid()) return load();
    const ExprId left = unit.ends.empty() ? guarded.otherwise : let.value;   // element by element where some are inside
    builder_.if_(holds_for_run(unit, guarded.guard, vector, start, point), load, [&] {
      each_value(unit, vector, start, point, [&](ExprId) { scope_.define(let.local, scope_.at(left, point), point); });
    });
  });
}

void LaneWriter::window_load(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point) {
  const Window& window = scope_.plan().windows()[unit.window];
  ExprArena& arena = scope_.arena();
  builder_.at(unit.statements[0]->where);
  point[vector.axis].resize(scope_.distribution().register_digits(vector.axis).size());
  point[vector.axis][vector.digit] = scope_.i32(0);
  const BufferId memory = arena.get_if<Load>(window.taps[0].load)->buffer, array = scope_.window_array(unit.window);
  for (const WindowPart& part : window.parts) {
    // From the tap that lies there, else from the one in the middle.
    const auto far = [&](const WindowTap& tap) { return tap.offset == part.first ? -1 : std::abs(tap.offset); };
    const WindowTap& tap = *std::ranges::min_element(window.taps, {}, far);
    const ExprId base = scope_.at(arena.args(tap.load)[0], point);
    const ExprId from = index_add(arena, base, arena.integer(part.first - tap.offset));
    const ExprId to = scope_.window_place(unit.window, part.first, point);
    if (part.width == 1) {
      builder_.store(array, to, builder_.load(memory, from));
    } else {
      const ExprId width = part.width == vector.extent ? scope_.vector_extent(vector) : scope_.i32(part.width);
      builder_.vector_move(builder_.access(array, to), builder_.access(memory, from), width);
    }
  }
}

void LaneWriter::vector_store(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point) {
  const Statement& s = *unit.statements[0];
  builder_.at(s.where);
  const GuardedStore guarded = *guarded_store(s);
  const loop::Store& from = guarded.store();
  const auto* symbol = scope_.arena().get_if<Symbol>(from.value);
  const BufferId* array = symbol != nullptr ? scope_.array_of(symbol->symbol) : nullptr;
  if (array != nullptr && !scope_.is_fastest(symbol->symbol, vector)) array = nullptr;
  const loop::Buffer& memory = scope_.program().buffer(from.access.buffer);
  const BufferId out = array != nullptr ? *array : scope_.registers(memory.name + "_out", memory.element.leaves[0].type, unit.width);
  each_run(unit, vector, point, [&](int64_t start) {
    const auto store = [&] {
      ExprId first = scope_.i32(0);
      if (array != nullptr) {
        first = scope_.register_index(scope_.register_order(symbol->symbol), point);
      } else {
        each_value(unit, vector, start, point, [&](ExprId k) { builder_.store(out, k, scope_.at(from.value, point)); });
        point[vector.axis][vector.digit] = scope_.i32(start);
      }
      const ExprId index = scope_.at(from.access.index, point);
      builder_.vector_move(builder_.access(from.access.buffer, index), builder_.access(out, first), width_of(unit, vector));
    };
    const auto each = [&] {
      each_value(unit, vector, start, point, [&](ExprId) {
        builder_.if_(scope_.at(guarded.guard, point), [&] {
          builder_.store(builder_.access(from.access.buffer, scope_.at(from.access.index, point)), scope_.at(from.value, point));
        });
      });
    };
    once(*guarded.statement, [&] {
      if (!guarded.guard.valid()) return store();
      const ExprId whole = holds_for_run(unit, guarded.guard, vector, start, point);
      unit.ends.empty() ? builder_.if_(whole, store) : builder_.if_(whole, store, each);
    });
  });
}

}  // namespace cdsl::lowering
