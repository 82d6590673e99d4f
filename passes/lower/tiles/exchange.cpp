// Partial results that warps, or blocks of a cluster, hold: each writes its own to shared memory, all meet, all read.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "passes/lower/tiles/collective.h"

namespace cdsl::lowering {

using loop::Digit;
using loop::Level;

Exchange::Exchange(LaneScope& scope, const Collective& c, std::vector<AxisDigit> digits)
    : scope_(scope), c_(c), digits_(std::move(digits)), outer_(c.pending), level_(digits_[0].digit.level) {
  for (const AxisDigit& d : digits_) parts_ *= d.digit.extent;
  // Each block has a scratch of its own: ranks need no room.
  for (SymbolId axis : c.kept)
    for (const AxisDigit& d : scope.digits_of(axis)) outer_.push_back(d);
  std::erase_if(outer_, [](const AxisDigit& d) { return d.digit.level == Level::Rank || d.digit.extent == 1; });
  // Lanes side by side: each request of a warp falls into as many banks as it has lanes.
  const auto place = [](const AxisDigit& d) { return d.digit.level == Level::Lane ? -d.digit.stride : INT64_MIN; };
  std::ranges::stable_sort(outer_, {}, place);
  for (const AxisDigit& d : outer_) points_ *= d.digit.extent;
  const int64_t count = is_remote() ? points_ : points_ * parts_;
  for (ScalarType type : c.types) scratch_.push_back(scope.shared(c.name + (is_remote() ? "_blocks" : "_warps"), type, count));
}

ExprId Exchange::mine() {
  ExprId number = scope_.i32(0);
  for (const AxisDigit& d : digits_)
    number = index_add(scope_.arena(), index_mul(scope_.arena(), number, scope_.i32(d.digit.extent)), scope_.digit_at(d, {}));
  return number;
}

ExprId Exchange::base(const RegisterPoint& point) {
  ExprArena& arena = scope_.arena();
  ExprId base = scope_.i32(0);
  for (const AxisDigit& d : outer_)
    base = index_add(arena, index_mul(arena, base, scope_.i32(d.digit.extent)), scope_.digit_at(d, point));
  return base;
}

ExprId Exchange::slot(ExprId base, ExprId number) {
  ExprArena& arena = scope_.arena();
  return is_remote() ? base : index_add(arena, index_mul(arena, number, scope_.i32(points_)), base);
}

void Exchange::put(const std::vector<ExprId>& value, const RegisterPoint& point) {
  std::vector<Digit> held;
  for (const AxisDigit& d : outer_) held.push_back(d.digit);
  for (const AxisDigit& d : digits_) held.push_back(d.digit);
  std::erase_if(held, [](const Digit& d) { return d.level == Level::Register || d.level == Level::Vector; });
  const auto store = [&] {
    const ExprId place = slot(base(point), is_remote() ? ExprId{} : mine());
    for (std::size_t p = 0; p < value.size(); ++p) scope_.builder().store(scratch_[p], place, value[p]);
  };
  const ExprId first = scope_.first_of_replicas(held, c_.warps);
  first.valid() ? scope_.builder().if_(first, store) : store();
}

void Exchange::meet(MeetingPlaces& places) {
  is_remote() ? scope_.builder().barrier(loop::BarrierScope::Cluster) : places.meet(c_.warps);
}

void Exchange::leave() {
  if (is_remote()) scope_.builder().barrier(loop::BarrierScope::Cluster);
}

// The own rank with the digits of another.
ExprId Exchange::rank_of(ExprId number) {
  ExprArena& arena = scope_.arena();
  const int* cluster = scope_.kernel().cluster;
  if (digits_.size() == 1 && parts_ == int64_t{cluster[0]} * cluster[1] * cluster[2]) return number;
  ExprId rank = scope_.builder().special(loop::Special::Rank);
  int64_t below = 1;
  for (std::size_t k = digits_.size(); k-- > 0;) {
    const AxisDigit& d = digits_[k];
    ExprId other = below == 1 ? number : arena.apply(Op::Div, {number, scope_.i32(below)});
    if (k > 0) other = arena.apply(Op::Rem, {other, scope_.i32(d.digit.extent)});
    const ExprId step = arena.apply(Op::Sub, {other, scope_.digit_at(d, {})});
    rank = index_add(arena, rank, index_mul(arena, step, scope_.i32(d.digit.stride)));
    below *= d.digit.extent;
  }
  return rank;
}

std::vector<ExprId> Exchange::part(ExprId base, ExprId number) {
  loop::Builder& builder = scope_.builder();
  std::vector<ExprId> values;
  const ExprId rank = is_remote() ? rank_of(number) : ExprId{};
  for (BufferId buffer : scratch_) {
    loop::Access access = builder.access(buffer, slot(base, number));
    access.rank = rank;
    values.push_back(is_remote() ? builder.load_from("part", access) : builder.load(buffer, access.index));
  }
  return values;
}

// Several values are dear to combine: the lanes of a warp take a part each, where all of them want the same.
bool Exchange::by_lanes() const {
  const bool is_same = std::ranges::none_of(outer_, [](const AxisDigit& d) { return d.digit.level == Level::Lane; });
  const bool is_power = (parts_ & (parts_ - 1)) == 0 && parts_ >= 4 && parts_ <= 32;
  return !is_remote() && is_power && is_same && c_.types.size() > 1;
}

std::vector<ExprId> Exchange::gather(const RegisterPoint& point) {
  loop::Builder& builder = scope_.builder();
  const ExprId from = named(scope_, {base(point)}, "parts")[0];
  if (by_lanes()) {
    const ExprId lane = scope_.arena().apply(Op::Rem, {builder.special(loop::Special::Lane), scope_.i32(parts_)});
    const Digit digit{.level = Level::Lane, .extent = parts_, .stride = 1, .weight = 1};
    return over_lanes(scope_, c_, digit, named(scope_, part(from, lane), c_.name));
  }
  std::vector<loop::Variable> sums;
  std::vector<ExprId> values;
  for (ExprId first : part(from, scope_.i32(0))) {
    sums.push_back(builder.var(c_.name, first));
    values.push_back(sums.back().ref);
  }
  loop::For& loop = builder.for_("k", scope_.i32(1), scope_.i32(parts_), [&](ExprId number) {
    const auto next = combine(scope_, c_.how, values, part(from, number));
    for (std::size_t p = 0; p < sums.size(); ++p) builder.assign(sums[p], next[p]);
  });
  loop.unroll = static_cast<int>(parts_);
  return values;
}

}  // namespace cdsl::lowering
