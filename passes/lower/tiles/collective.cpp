#include "passes/lower/tiles/collective.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/loop/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/combine.h"

namespace cdsl::lowering {

using loop::Digit;
using loop::Level;
using loop::Statement;

namespace {

constexpr int kBarriers = 16;          // of a block; number 0 is that of all its threads

bool crosses_threads(const Statement& statement, const loop::Distribution& d) {
  const auto crosses = [&](SymbolId axis) {
    return std::ranges::any_of(d.digits(axis), [](const Digit& digit) {
      return digit.extent > 1 && (digit.level == Level::Warp || digit.level == Level::Rank);
    });
  };
  if (const auto* reduce = std::get_if<loop::TileReduce>(&statement.node)) return std::ranges::any_of(reduce->axes, crosses);
  if (const auto* scan = std::get_if<loop::TileScan>(&statement.node)) return crosses(scan->axis);
  return false;
}

bool is_leaf(const ExprArena& arena, ExprId id) {
  return arena.get_if<Symbol>(id) != nullptr || arena.constant_value(id) != nullptr;
}

}  // namespace

MeetingPlaces::MeetingPlaces(LaneScope& scope) : scope_(scope) {
  loop::for_each_statement(scope.kernel().body, [&](const Statement& s) {
    const auto* barrier = std::get_if<loop::NamedBarrier>(&s.node);
    if (barrier == nullptr) return;
    if (const auto number = constant_integer(scope.arena(), barrier->id)) taken_.insert(*number);
  });
}

void MeetingPlaces::meet(loop::WarpSet warps) {
  loop::Builder& builder = scope_.builder();
  const int* block = scope_.kernel().block;
  if (warps.count() * 32 >= block[0] * block[1] * block[2]) return builder.barrier();
  if (warps.count() == 1) return builder.barrier(loop::BarrierScope::Warp);
  const auto [found, is_new] = numbers_.try_emplace(warps.mask, 0);
  if (is_new) {
    int number = kBarriers - 1;
    while (number > 0 && taken_.contains(number)) --number;
    CDSL_CHECK(number > 0, "more groups of warps than barriers");
    taken_.insert(found->second = number);
  }
  builder.add_statement({loop::NamedBarrier{true, scope_.i32(found->second), warps.count() * 32}, builder.where()});
}

Collective::Collective(LaneScope& scope, const loop::Combine& combine, const Statement& statement,
                       const std::vector<SymbolId>& results, const std::vector<SymbolId>& over)
    : how(combine),
      warps(scope.distribution().warps_of(statement)),
      name(scope.arena().symbol(results[0]).name) {
  for (SymbolId axis : scope.distribution().axes_of(statement)) {
    if (std::ranges::find(over, axis) == over.end()) kept.push_back(axis);
  }
  for (SymbolId axis : over) {
    for (const AxisDigit& d : scope.digits_of(axis)) {
      if (d.digit.extent > 1) pending.push_back(d);
    }
  }
  for (SymbolId result : results) types.push_back(scope.arena().symbol(result).type);
}

bool Collective::has_pending(Level level) const {
  return std::ranges::any_of(pending, [&](const AxisDigit& d) { return d.digit.level == level; });
}

std::vector<AxisDigit> Collective::take(Level level) {
  std::vector<AxisDigit> taken;
  std::ranges::copy_if(pending, std::back_inserter(taken), [&](const AxisDigit& d) { return d.digit.level == level; });
  std::erase_if(pending, [&](const AxisDigit& d) { return d.digit.level == level; });
  return taken;
}

std::vector<RegisterLoop> Collective::loops(LaneScope& scope) const {
  std::vector<RegisterLoop> out = scope.plan().loops(kept);
  for (RegisterLoop& loop : out) loop.is_vector = false;
  for (const AxisDigit& d : pending) {
    if (d.is_register()) out.push_back({d.axis, d.register_digit, d.digit.extent, false});
  }
  return out;
}

std::vector<ExprId> Collective::terms(LaneScope& scope, const std::vector<ExprId>& values, const RegisterPoint& point) const {
  std::vector<ExprId> out;
  for (std::size_t p = 0; p < values.size(); ++p) {
    const ExprId value = scope.at(values[p], point);
    out.push_back(how.monoid == Monoid::Count ? scope.arena().cast(value, types[p]) : value);
  }
  return out;
}

std::vector<ExprId> named(LaneScope& scope, std::vector<ExprId> values, const std::string& name) {
  for (ExprId& value : values) {
    if (!is_leaf(scope.arena(), value)) value = scope.builder().let(name, value);
  }
  return values;
}

std::vector<ExprId> combine(LaneScope& scope, const loop::Combine& how, std::vector<ExprId> a, std::vector<ExprId> b, Positions positions) {
  const bool is_simple = a.size() == 1 && how.monoid != Monoid::User;
  if (is_simple) return combined(scope.arena(), how, a, b);
  a = named(scope, std::move(a), "left");
  b = named(scope, std::move(b), "right");
  if (!is_arg(how)) return named(scope, combined(scope.arena(), how, a, b), "both");
  const ExprId better = scope.builder().let("better", is_better(scope.arena(), how, a, b, positions));
  for (std::size_t p = 0; p < a.size(); ++p) a[p] = scope.builder().select(better, b[p], a[p]);
  return named(scope, std::move(a), "both");
}

namespace {

// The value of this lane and that of the lane `offset` away, combined. A combination of the user's need not be symmetric to the
// last bit: the lower lane's part is always the left one.
std::vector<ExprId> with_other_lane(LaneScope& scope, const Collective& c, const std::vector<ExprId>& value, ExprId offset) {
  ExprArena& arena = scope.arena();
  loop::Builder& builder = scope.builder();
  std::vector<ExprId> left = value, right;
  for (ExprId part : value) right.push_back(builder.shuffle("other", loop::ShuffleKind::Xor, part, offset));
  if (c.how.monoid == Monoid::User) {
    const ExprId lane_bit = arena.apply(Op::And, {builder.special(loop::Special::Lane), offset});
    const ExprId is_upper = builder.let("is_upper", arena.apply(Op::Ne, {lane_bit, scope.i32(0)}));
    for (std::size_t p = 0; p < value.size(); ++p) {
      const ExprId mine = value[p], other = right[p];
      left[p] = builder.select(is_upper, other, mine);
      right[p] = builder.select(is_upper, mine, other);
    }
  }
  return combine(scope, c.how, left, right);
}

}  // namespace

std::vector<ExprId> over_lanes(LaneScope& scope, const Collective& c, const Digit& digit, std::vector<ExprId> value) {
  loop::Builder& builder = scope.builder();
  int steps = 0;
  while (int64_t{1} << steps < digit.extent) ++steps;
  if (steps == 1)
    return named(scope, with_other_lane(scope, c, named(scope, std::move(value), c.name), scope.i32(digit.stride)), c.name);
  std::vector<loop::Variable> sums;
  for (ExprId& part : value) {
    sums.push_back(builder.var(c.name, part));
    part = sums.back().ref;
  }
  loop::For& made = builder.for_("k", scope.i32(0), scope.i32(steps), [&](ExprId k) {
    const auto next = with_other_lane(scope, c, value, scope.arena().apply(Op::Shl, {scope.i32(digit.stride), k}));
    for (std::size_t p = 0; p < sums.size(); ++p) builder.assign(sums[p], next[p]);
  });
  made.unroll = steps;
  return value;
}

std::optional<ExprId> by_vote(LaneScope& scope, const Collective& c, const std::vector<AxisDigit>& lanes, ExprId value) {
  int64_t voters = 1;
  for (const AxisDigit& d : lanes) voters *= d.digit.extent;
  if (voters != 32 || scope.arena().type(value) != ScalarType::Bool) return std::nullopt;
  loop::Builder& builder = scope.builder();
  switch (c.how.monoid) {
    case Monoid::Any: return builder.vote(c.name, loop::VoteKind::Any, value);
    case Monoid::All: return builder.vote(c.name, loop::VoteKind::All, value);
    case Monoid::Count: {
      const ExprId voted = builder.vote("voted", loop::VoteKind::Ballot, value);
      return builder.let(c.name, scope.arena().cast(scope.arena().apply(Op::PopCount, {voted}), c.types[0]));
    }
    default: return std::nullopt;
  }
}

void protect_scratch(LaneScope& scope, MeetingPlaces& places, const Collective& c, const Statement& statement,
                     const loop::Block* loop) {
  if (loop == nullptr) return;
  bool is_here = false;
  int barriers = 0;
  for (const Statement& s : loop->statements) {
    is_here |= &s == &statement;
    const auto* barrier = std::get_if<loop::Barrier>(&s.node);
    barriers += crosses_threads(s, scope.distribution()) || (barrier != nullptr && barrier->scope != loop::BarrierScope::Warp);
  }
  if (!is_here || barriers < 2) places.meet(c.warps);
}

}  // namespace cdsl::lowering
