#include "passes/lower/tiles/lane_scope.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/digit_parts.h"

namespace cdsl::lowering {

using loop::Digit;
using loop::Level;

LaneScope::LaneScope(loop::Program& program, const loop::Kernel& kernel)
    : program_(program),
      kernel_(kernel),
      distribution_(program, kernel),
      plan_(program, kernel, distribution_),
      builder_(program, kernel.name) {
  for (BufferId id : kernel.buffers) builder_.reserve(program.buffer(id).name);
  for (SymbolId id : kernel.scalars) builder_.reserve(arena().symbol(id).name);
  // Names that statements keep: those of values that are not distributed.
  loop::for_each_statement(kernel.body, [&](const loop::Statement& s) {
    for (SymbolId symbol : loop::definitions(s)) {
      if (distribution_.axes_of(symbol).empty()) builder_.reserve(arena().symbol(symbol).name);
    }
  });
  // Matrix instructions read words: elements that are neighbours along the contracted axis share a register.
  loop::for_each_statement(kernel.body, [&](const loop::Statement& s) {
    const auto* multiply = std::get_if<loop::TileMultiply>(&s.node);
    if (multiply == nullptr) return;
    const auto a = distribution_.axes_of(multiply->a), b = distribution_.axes_of(multiply->b);
    const auto contracted = std::ranges::find_first_of(a, b);
    CDSL_CHECK(contracted != a.end(), "operands of a matrix instruction without an axis in common");
    for (SymbolId operand : {multiply->a, multiply->b}) {
      const auto axes = distribution_.axes_of(operand);
      register_orders_[operand] = {axes[0] == *contracted ? axes[1] : axes[0], *contracted};
    }
  });
  for (SymbolId symbol : plan_.buffered()) {
    order_by_vectors(symbol);
    const SymbolInfo info = arena().symbol(symbol);
    arrays_[symbol] = registers(info.name, info.type, distribution_.registers_of(symbol));
  }
  declare_windows();
}

void LaneScope::declare_windows() {
  for (const Window& window : plan_.windows()) {
    for (const WindowTap& tap : window.taps) taps_[tap.local] = {window_arrays_.size(), &tap};
    const WindowTap& tap = window.taps[0];
    const int64_t vector = distribution_.digits(window.axis, Level::Vector)[0].extent;
    const int64_t rows = distribution_.registers_of(tap.local) / vector;
    const loop::Buffer& memory = program_.buffer(arena().get_if<Load>(tap.load)->buffer);
    order_by_vectors(tap.local);
    window_arrays_.push_back(registers(memory.name + "_row", arena().type(tap.load), rows * (window.end - window.low)));
  }
}

ExprId LaneScope::window_place(std::size_t number, int64_t offset, const RegisterPoint& point) {
  const Window& window = plan_.windows()[number];
  ExprId row = i32(0), within = i32(offset - window.low);
  for (SymbolId axis : register_order(window.taps[0].local)) {
    for (const AxisDigit& d : digits_of(axis)) {
      if (!d.is_register()) continue;
      if (axis == window.axis && d.digit.level == Level::Vector)
        within = index_add(arena(), digit_at(d, point), within);
      else
        row = index_add(arena(), index_mul(arena(), row, i32(d.digit.extent)), digit_at(d, point));
    }
  }
  return index_add(arena(), index_mul(arena(), row, i32(window.end - window.low)), within);
}

// Values of one vector lie side by side: the axis with a vector digit is counted last.
void LaneScope::order_by_vectors(SymbolId symbol) {
  if (register_orders_.contains(symbol)) return;
  const auto axes = distribution_.axes_of(symbol);
  std::vector<SymbolId> order(axes.begin(), axes.end());
  const auto is_vector = [&](SymbolId axis) { return !distribution_.digits(axis, Level::Vector).empty(); };
  if (std::ranges::count_if(order, is_vector) != 1) return;
  std::ranges::stable_partition(order, [&](SymbolId axis) { return !is_vector(axis); });
  register_orders_[symbol] = std::move(order);
}

std::string LaneScope::free_name(const std::string& name) {
  const int number = ++buffer_names_[name];
  return number == 1 ? name : name + "_" + std::to_string(number);
}

BufferId LaneScope::shared(const std::string& name, ScalarType type, int64_t count) {
  return builder_.shared(free_name(name), scalar_record(type), count);
}

BufferId LaneScope::registers(const std::string& name, ScalarType type, int64_t count) {
  return builder_.registers(free_name(name), scalar_record(type), count);
}

std::span<const SymbolId> LaneScope::register_order(SymbolId symbol) const {
  const auto found = register_orders_.find(symbol);
  return found == register_orders_.end() ? distribution_.axes_of(symbol) : found->second;
}

const BufferId* LaneScope::array_of(SymbolId symbol) const {
  const auto found = arrays_.find(symbol);
  return found == arrays_.end() ? nullptr : &found->second;
}

bool LaneScope::is_fastest(SymbolId symbol, const RegisterLoop& loop) const {
  std::optional<AxisDigit> last;
  for (SymbolId axis : register_order(symbol)) {
    for (const AxisDigit& d : digits_of(axis))
      if (d.is_register()) last = d;
  }
  return last && last->axis == loop.axis && last->register_digit == loop.digit;
}

SymbolId LaneScope::renamed(SymbolId symbol) const {
  const auto found = values_.find(symbol);
  return found == values_.end() ? symbol : program_.arena.get_if<Symbol>(found->second)->symbol;
}

// Powers of two everywhere but in odd numbers of warps: shifts and masks in the end.
ExprId LaneScope::digit(Level level, int64_t stride, int64_t extent, int64_t first, int64_t total) {
  const loop::Special which = level == Level::Lane   ? loop::Special::Lane
                              : level == Level::Warp ? loop::Special::Warp
                                                     : loop::Special::Rank;
  ExprId place = builder_.special(which);
  if (first > 0) place = builder_.sub(place, i32(first));
  if (stride > 1) place = arena().apply(Op::Div, {place, i32(stride)});
  if (stride * extent < total) place = arena().apply(Op::Rem, {place, i32(extent)});
  return place;
}

std::vector<AxisDigit> LaneScope::digits_of(SymbolId axis) const {
  std::vector<AxisDigit> out;
  std::size_t registers = 0;
  for (const Digit& d : distribution_.digits(axis)) {
    out.push_back({axis, d, registers});
    registers += out.back().is_register();
  }
  return out;
}

void LaneScope::declare(const loop::TileAxis& axis, loop::WarpSet warps) {
  const int* block = kernel_.block;
  const bool is_role = warps.contiguous() && warps.first() == axis.first_warp;
  warps_of_axes_[axis.index] = is_role ? warps.count() : int64_t{block[0]} * block[1] * block[2] / 32 - axis.first_warp;
  ExprId sum = i32(0);
  for (const AxisDigit& d : digits_of(axis.index)) {
    if (d.is_register() || d.digit.extent == 1) continue;
    sum = index_add(arena(), sum, index_mul(arena(), digit_at(d, {}), weight(d)));
  }
  thread_parts_[axis.index] = sum;
  if (arena().constant_value(sum) != nullptr || arena().get_if<Symbol>(sum) != nullptr) return;
  const bool is_whole = distribution_.registers_of(std::span(&axis.index, 1)) == 1;
  const std::string name = arena().symbol(axis.index).name;
  thread_parts_[axis.index] = builder_.let(is_whole ? name : name + "_first", sum);
}

ExprId LaneScope::digit_at(const AxisDigit& d, const RegisterPoint& point) {
  if (d.digit.extent == 1) return i32(0);
  if (d.is_register()) {
    const auto found = point.find(d.axis);
    CDSL_CHECK(found != point.end() && found->second[d.register_digit].valid(), "a point without a digit of its axis");
    return found->second[d.register_digit];
  }
  const auto product = [](const int (&shape)[3]) { return int64_t{shape[0]} * shape[1] * shape[2]; };
  const int64_t first = d.digit.level == Level::Warp ? distribution_.first_warp(d.axis) : 0;
  const int64_t total = d.digit.level == Level::Lane   ? 32
                        : d.digit.level == Level::Warp ? warps_of_axes_.at(d.axis)
                                                       : product(kernel_.cluster);
  return digit(d.digit.level, d.digit.stride, d.digit.extent, first, total);
}

ExprId LaneScope::vector_extent(const RegisterLoop& loop) {
  return builder_.constant("vector_" + arena().symbol(loop.axis).name, loop.extent);
}

// What lies inside a digit: a vector, or all that the threads of the block hold of the axis at once.
ExprId LaneScope::weight(const AxisDigit& d) {
  if (d.digit.weight == 1) return i32(1);
  const auto digits = digits_of(d.axis);
  const std::string name = arena().symbol(d.axis).name;
  const auto last = std::ranges::find_if(digits.rbegin(), digits.rend(), [](const AxisDigit& each) { return each.digit.extent > 1; });
  if (last != digits.rend() && last->digit.level == Level::Vector && last->digit.extent == d.digit.weight)
    return builder_.constant("vector_" + name, d.digit.weight);
  if (d.digit.level == Level::Register) return builder_.constant("step_" + name, d.digit.weight);
  return i32(d.digit.weight);
}

ExprId LaneScope::coordinate(SymbolId axis, const RegisterPoint& point) {
  ExprId index = thread_parts_.at(axis);
  for (const AxisDigit& d : digits_of(axis)) {
    if (d.is_register()) index = index_add(arena(), index, index_mul(arena(), digit_at(d, point), weight(d)));
  }
  return index;
}

ExprId LaneScope::register_index(std::span<const SymbolId> axes, const RegisterPoint& point) {
  ExprId index = i32(0);
  for (SymbolId axis : axes) {
    for (const AxisDigit& d : digits_of(axis)) {
      if (d.is_register()) index = index_add(arena(), index_mul(arena(), index, i32(d.digit.extent)), digit_at(d, point));
    }
  }
  return index;
}

std::optional<ExprId> LaneScope::by_digits(ExprId id, const RegisterPoint& point) {
  if (!arena().is_apply(id, Op::Div) && !arena().is_apply(id, Op::Rem)) return std::nullopt;
  const auto parts = digit_parts(arena(), distribution_, id);
  if (!parts) return std::nullopt;
  const auto apply = [&](Op op, ExprId a, int64_t b) {
    const auto known = constant_integer(arena(), a);
    if (known) return i32(op == Op::Div ? *known / b : *known % b);
    return arena().apply(op, {a, i32(b)});
  };
  ExprId sum = i32(0);
  for (const DigitPart& part : *parts) {
    const AxisDigit digit = digits_of(part.axis)[part.number];
    ExprId value = digit_at(digit, point);
    if (part.below > 1) value = apply(Op::Div, value, part.below);
    if (part.below * part.extent < digit.digit.extent) value = apply(Op::Rem, value, part.extent);
    sum = index_add(arena(), sum, index_mul(arena(), value, i32(part.weight)));
  }
  const auto known = constant_integer(arena(), sum);
  return known ? arena().integer(*known, arena().type(id)) : arena().cast(sum, arena().type(id));
}

ExprId LaneScope::at(ExprId expression, const RegisterPoint& point, const std::unordered_map<ExprId, ExprId>& given) {
  if (!expression.valid()) return expression;
  Rewriter rewrite(arena(), [&](ExprId id) -> std::optional<ExprId> {
    if (const auto found = given.find(id); found != given.end()) return found->second;
    const auto* node = arena().get_if<Symbol>(id);
    if (node == nullptr) return by_digits(id, point);
    const SymbolId symbol = node->symbol;
    if (const auto found = values_.find(symbol); found != values_.end()) return found->second;
    if (const BufferId* array = array_of(symbol))
      return builder_.load(*array, register_index(register_order(symbol), point));
    if (const auto tap = taps_.find(symbol); tap != taps_.end()) {
      const auto& [window, read] = tap->second;
      return at(read->value, point, {{read->load, builder_.load(window_arrays_[window], window_place(window, read->offset, point))}});
    }
    if (distribution_.is_axis(symbol)) return arena().cast(coordinate(symbol, point), ScalarType::I64);
    return std::nullopt;
  });
  return rewrite(expression);
}

void LaneScope::define(SymbolId symbol, ExprId value, const RegisterPoint& point) {
  if (const BufferId* array = array_of(symbol))
    return builder_.store(*array, register_index(register_order(symbol), point), value);
  values_[symbol] = builder_.let(arena().symbol(symbol).name, value);
}

void LaneScope::receive(SymbolId symbol, ExprId reg, const RegisterPoint& point) {
  array_of(symbol) != nullptr ? define(symbol, reg, point) : rename(symbol, reg);
}

std::vector<Digit> LaneScope::thread_digits(std::span<const SymbolId> axes) const {
  std::vector<Digit> out;
  for (SymbolId axis : axes) {
    for (const AxisDigit& d : digits_of(axis)) {
      if (!d.is_register()) out.push_back(d.digit);
    }
  }
  return out;
}

// Of warps that do not lie together none is named by a digit (the verifier sees to it): the first acts for all.
ExprId LaneScope::first_of_replicas(const std::vector<Digit>& named, loop::WarpSet warps) {
  const auto lanes = loop::Distribution::unnamed(named, Level::Lane, 32);
  const auto of_warps = loop::Distribution::unnamed(named, Level::Warp, warps.count());
  const bool one_thread = lanes.size() == 1 && lanes[0].extent == 32 && of_warps.size() == 1 &&
                          of_warps[0].extent == warps.count() && kernel_.block[1] * kernel_.block[2] == 1;
  const auto is_zero = [&](ExprId value, int64_t zero) { return arena().apply(Op::Eq, {value, i32(zero)}); };
  if (one_thread) return is_zero(builder_.special(loop::Special::ThreadX), warps.first() * 32);
  ExprId first;
  for (const loop::Factor& f : lanes)
    first = logical_and(arena(), first, is_zero(digit(Level::Lane, f.stride, f.extent, 0, 32), 0));
  if (!warps.contiguous()) {
    if (of_warps.empty()) return first;
    return logical_and(arena(), first, is_zero(builder_.special(loop::Special::Warp), warps.first()));
  }
  for (const loop::Factor& f : of_warps) {
    const bool is_all = f.stride == 1 && f.extent >= warps.count();
    const ExprId place = is_all ? builder_.special(loop::Special::Warp)
                                : digit(Level::Warp, f.stride, f.extent, warps.first(), warps.count());
    first = logical_and(arena(), first, is_zero(place, is_all ? warps.first() : 0));
  }
  return first;
}

void LaneScope::nest(const std::vector<RegisterLoop>& loops, RegisterPoint& point, const std::function<void()>& body,
                     std::size_t k) {
  if (k == loops.size()) return body();
  const RegisterLoop& loop = loops[k];
  point[loop.axis].resize(distribution_.register_digits(loop.axis).size());
  const std::string name = arena().symbol(loop.axis).name + (loop.is_vector ? "v" : "r");
  loop::For& made = builder_.for_(name, i32(0), loop.is_vector ? vector_extent(loop) : i32(loop.extent), [&](ExprId index) {
    point[loop.axis][loop.digit] = index;
    nest(loops, point, body, k + 1);
  });
  made.unroll = static_cast<int>(loop.extent);
}

}  // namespace cdsl::lowering
