#include "passes/lower/tiles/ordered_fold.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "passes/lower/tiles/combine.h"

namespace cdsl::lowering {

using loop::Level;

OrderedFold::OrderedFold(LaneScope& scope, MeetingPlaces& places, Collective c, Sums sums)
    : scope_(scope), places_(places), c_(std::move(c)), kind_(sums), axes_(c_.kept) {
  for (const AxisDigit& d : c_.pending) {
    if (std::ranges::find(axes_, d.axis) == axes_.end()) axes_.push_back(d.axis);
  }
  const int64_t registers = scope.distribution().registers_of(axes_);
  for (ScalarType type : c_.types) {
    if (kind_ != Sums::None) sums_.push_back(scope.registers(c_.name + "_sums", type, registers));
    totals_.push_back(scope.registers(c_.name + "_totals", type, registers));
  }
}

OrderedFold::Values OrderedFold::load(const std::vector<BufferId>& from, ExprId index) {
  Values values;
  for (BufferId buffer : from) values.push_back(scope_.builder().load(buffer, index));
  return values;
}

void OrderedFold::store(const std::vector<BufferId>& to, ExprId index, const Values& values) {
  for (std::size_t p = 0; p < to.size(); ++p) scope_.builder().store(to[p], index, values[p]);
}

void OrderedFold::set(const AxisDigit& d, ExprId value) {
  std::vector<ExprId>& digits = point_[d.axis];
  digits.resize(scope_.distribution().register_digits(d.axis).size());
  digits[d.register_digit] = value;
}

// A block's total stands where the digits inside it are 0.
void OrderedFold::rewind() {
  for (const AxisDigit& d : done_) set(d, scope_.i32(0));
}

void OrderedFold::begin(const std::vector<ExprId>& values) {
  scope_.nest(c_.loops(scope_), point_, [&] {
    const Values terms = named(scope_, c_.terms(scope_, values, point_), "term");
    store(totals_, index(), terms);
    store(sums_, index(), kind_ == Sums::Exclusive ? identity_of(scope_.arena(), c_.how, c_.types) : terms);
  });
}

void OrderedFold::run(const loop::Statement& statement, const loop::Block* loop) {
  const auto by_warps = std::ranges::count_if(c_.pending, [](const AxisDigit& d) { return d.digit.level == Level::Warp; });
  if (by_warps == 1 && !c_.has_pending(Level::Rank)) protect_scratch(scope_, places_, c_, statement, loop);
  while (!c_.pending.empty()) {
    const AxisDigit d = c_.pending.back();
    c_.pending.pop_back();
    if (d.is_register())
      over_registers(d);
    else if (d.digit.level == Level::Lane)
      over_lanes(d);
    else
      over_places(d);
  }
}

void OrderedFold::add_prefix(const Values& prefix) {
  if (kind_ == Sums::None) return;
  std::vector<RegisterLoop> loops;
  for (const AxisDigit& d : done_) loops.push_back({d.axis, d.register_digit, d.digit.extent, false});
  scope_.nest(loops, point_, [&] { store(sums_, index(), combine(scope_, c_.how, prefix, load(sums_, index()))); });
  rewind();
}

void OrderedFold::over_registers(const AxisDigit& d) {
  scope_.nest(c_.loops(scope_), point_, [&] {
    rewind();
    set(d, scope_.i32(0));
    const ExprId first = index();
    loop::For& loop = scope_.builder().for_("step", scope_.i32(1), scope_.i32(d.digit.extent), [&](ExprId step) {
      set(d, step);
      const Values before = named(scope_, load(totals_, first), "before");
      add_prefix(before);
      store(totals_, first, combine(scope_, c_.how, before, load(totals_, index())));
    });
    loop.unroll = static_cast<int>(d.digit.extent);
  });
  done_.insert(done_.begin(), d);
}

void OrderedFold::over_lanes(const AxisDigit& d) {
  ExprArena& arena = scope_.arena();
  loop::Builder& builder = scope_.builder();
  scope_.nest(c_.loops(scope_), point_, [&] {
    rewind();
    Values running = named(scope_, load(totals_, index()), "running");
    if (kind_ == Sums::None) return store(totals_, index(), lowering::over_lanes(scope_, c_, d.digit, running));
    const ExprId mine = named(scope_, {scope_.digit_at(d, {})}, "place")[0];
    const auto from = [&](int64_t offset) {
      Values other;
      for (ExprId part : running) other.push_back(builder.shuffle("other", loop::ShuffleKind::Up, part, scope_.i32(offset)));
      return other;
    };
    for (int64_t step = 1; step < d.digit.extent; step *= 2) {
      const Values with = combine(scope_, c_.how, from(step * d.digit.stride), running);
      const ExprId has = arena.apply(Op::Ge, {mine, scope_.i32(step)});
      for (std::size_t p = 0; p < with.size(); ++p)
        running[p] = builder.let("running", builder.select(has, with[p], running[p]));
    }
    Values before = from(d.digit.stride), all;
    const Values identity = identity_of(arena, c_.how, c_.types);
    const ExprId is_first = arena.apply(Op::Eq, {mine, scope_.i32(0)});
    const ExprId places_on = builder.sub(scope_.i32(d.digit.extent - 1), mine);
    const ExprId to_last = index_mul(arena, places_on, scope_.i32(d.digit.stride));
    const ExprId last = builder.let("last", builder.add(builder.special(loop::Special::Lane), to_last));
    for (std::size_t p = 0; p < running.size(); ++p) {
      before[p] = builder.let("before", builder.select(is_first, identity[p], before[p]));
      all.push_back(builder.shuffle("all", loop::ShuffleKind::Index, running[p], last));
    }
    add_prefix(before);
    store(totals_, index(), all);
  });
}

void OrderedFold::over_places(const AxisDigit& d) {
  Exchange exchange(scope_, c_, {d});
  const std::vector<RegisterLoop> loops = c_.loops(scope_);
  scope_.nest(loops, point_, [&] {
    rewind();
    exchange.put(load(totals_, index()), point_);
  });
  exchange.meet(places_);
  scope_.nest(loops, point_, [&] {
    rewind();
    if (kind_ == Sums::None) return store(totals_, index(), exchange.gather(point_));
    before_and_all(exchange);
  });
  exchange.leave();
}

void OrderedFold::before_and_all(Exchange& exchange) {
  loop::Builder& builder = scope_.builder();
  const ExprId base = named(scope_, {exchange.base(point_)}, "parts")[0];
  const ExprId mine = named(scope_, {exchange.mine()}, "mine")[0];
  std::vector<loop::Variable> before, all;
  Values prefix, total;
  for (ExprId part : identity_of(scope_.arena(), c_.how, c_.types)) {
    before.push_back(builder.var("before", part));
    all.push_back(builder.var("all", part));
    prefix.push_back(before.back().ref);
    total.push_back(all.back().ref);
  }
  loop::For& loop = builder.for_("k", scope_.i32(0), scope_.i32(exchange.parts()), [&](ExprId number) {
    builder.if_(scope_.arena().apply(Op::Eq, {number, mine}), [&] {
      for (std::size_t p = 0; p < before.size(); ++p) builder.assign(before[p], total[p]);
    });
    const Values next = combine(scope_, c_.how, total, exchange.part(base, number));
    for (std::size_t p = 0; p < all.size(); ++p) builder.assign(all[p], next[p]);
  });
  loop.unroll = static_cast<int>(exchange.parts());
  add_prefix(prefix);
  store(totals_, index(), total);
}

void OrderedFold::define_sums(const std::vector<SymbolId>& results) {
  std::vector<RegisterLoop> loops = c_.loops(scope_);
  for (const AxisDigit& d : done_) loops.push_back({d.axis, d.register_digit, d.digit.extent, false});
  scope_.nest(loops, point_, [&] {
    const Values values = load(sums_, index());
    for (std::size_t p = 0; p < results.size(); ++p) scope_.define(results[p], values[p], point_);
  });
}

void OrderedFold::define_totals(const std::vector<SymbolId>& results) {
  scope_.nest(c_.loops(scope_), point_, [&] {
    rewind();
    const Values values = load(totals_, index());
    for (std::size_t p = 0; p < results.size(); ++p) scope_.define(results[p], values[p], point_);
  });
}

}  // namespace cdsl::lowering
