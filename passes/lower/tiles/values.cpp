// Where the values of tile form are: coordinates of axes, registers of distributed values.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

using loop::Digit;
using loop::Level;

int64_t LaneWriter::places(Level level) const {
  if (level == Level::Lane) return 32;
  const int* shape = level == Level::Warp ? kernel_.block : kernel_.cluster;
  const int64_t count = int64_t{shape[0]} * shape[1] * shape[2];
  return level == Level::Warp ? (count + 31) / 32 : count;
}

BufferId LaneWriter::shared_named(const std::string& name, ScalarType type, int64_t count) {
  const int number = ++buffer_names_[name];
  return builder_.shared(number == 1 ? name : name + "_" + std::to_string(number), scalar_record(type), count);
}

BufferId LaneWriter::registers_named(const std::string& name, ScalarType type, int64_t count) {
  const int number = ++buffer_names_[name];
  return builder_.registers(number == 1 ? name : name + "_" + std::to_string(number), scalar_record(type), count);
}

// Powers of two everywhere but in odd numbers of warps: shifts and masks in the end.
ExprId LaneWriter::digit(Level level, int64_t stride, int64_t extent, int64_t first_warp) {
  const loop::Special which = level == Level::Lane   ? loop::Special::Lane
                              : level == Level::Warp ? loop::Special::Warp
                                                     : loop::Special::Rank;
  ExprId place = builder_.special(which);
  if (first_warp > 0 && level == Level::Warp) place = builder_.sub(place, i32(first_warp));
  const int64_t total = places(level) - (level == Level::Warp ? first_warp : 0);
  if (stride > 1) place = arena_.apply(Op::Div, {place, i32(stride)});
  if (stride * extent < total) place = arena_.apply(Op::Rem, {place, i32(extent)});
  return place;
}

ExprId LaneWriter::thread_part(SymbolId axis) {
  if (const auto found = thread_parts_.find(axis); found != thread_parts_.end()) return found->second;
  ExprId sum;
  for (const Digit& d : distribution_.digits(axis)) {
    if (d.level == Level::Register || d.level == Level::Vector || d.extent == 1) continue;
    ExprId term = digit(d.level, d.stride, d.extent, distribution_.first_warp(axis));
    if (d.weight != 1) term = builder_.mul(term, i32(d.weight));
    sum = sum.valid() ? builder_.add(sum, term) : term;
  }
  return thread_parts_[axis] = sum.valid() ? arena_.cast(sum, ScalarType::I64) : i64(0);
}

ExprId LaneWriter::coordinate(SymbolId axis, const RegisterPoint& point) {
  ExprId index = thread_part(axis);
  const auto digits = distribution_.register_digits(axis);
  const auto found = point.find(axis);
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (digits[k].extent == 1) continue;
    CDSL_CHECK(found != point.end() && found->second[k].valid(), "a point without a digit of its axis");
    index = index_add(arena_, index, index_mul(arena_, found->second[k], i64(digits[k].weight)));
  }
  return index;
}

ExprId LaneWriter::register_index(std::span<const SymbolId> axes, const RegisterPoint& point) {
  ExprId index = i64(0);
  for (SymbolId axis : axes) {
    const auto digits = distribution_.register_digits(axis);
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const ExprId here = digits[k].extent == 1 ? i64(0) : point.at(axis)[k];
      index = index_add(arena_, index_mul(arena_, index, i64(digits[k].extent)), here);
    }
  }
  return index;
}

ExprId LaneWriter::at(ExprId expression, const RegisterPoint& point) {
  if (!expression.valid()) return expression;
  Rewriter rewrite(arena_, [&](ExprId id) -> std::optional<ExprId> {
    const auto* node = arena_.get_if<Symbol>(id);
    if (node == nullptr) return std::nullopt;
    const SymbolId symbol = node->symbol;
    if (const auto found = values_.find(symbol); found != values_.end()) return found->second;
    if (const auto found = buffers_.find(symbol); found != buffers_.end()) {
      const ExprId index = register_index(distribution_.axes_of(symbol), point);
      return arena_.load(found->second, 0, arena_.type(id), index);
    }
    if (distribution_.is_axis(symbol)) return coordinate(symbol, point);
    return std::nullopt;
  });
  return rewrite(expression);
}

loop::Access LaneWriter::access_at(const loop::Access& access, const RegisterPoint& point) {
  loop::Access result = access;
  result.index = at(access.index, point);
  result.within = at(access.within, point);
  result.rank = at(access.rank, point);
  return result;
}

void LaneWriter::define(SymbolId symbol, ExprId value, const RegisterPoint& point) {
  if (const auto found = buffers_.find(symbol); found != buffers_.end())
    return builder_.store(found->second, register_index(distribution_.axes_of(symbol), point), value);
  values_[symbol] = builder_.let(arena_.symbol(symbol).name, value);
}

ExprId LaneWriter::first_of_replicas(std::span<const SymbolId> axes, std::span<const Level> levels) {
  ExprId first;
  const int64_t first_warp = axes.empty() ? 0 : distribution_.first_warp(axes[0]);
  for (Level level : levels) {
    for (const loop::Factor& f : distribution_.unnamed(axes, level, places(level))) {
      if (f.extent == 1) continue;
      const ExprId zero = arena_.apply(Op::Eq, {digit(level, f.stride, f.extent, first_warp), i32(0)});
      first = logical_and(arena_, first, zero);
    }
  }
  return first;
}

}  // namespace cdsl::lowering
