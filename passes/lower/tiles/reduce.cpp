// TileReduce: registers, then lanes by a vote or shuffles, then warps through shared memory, then the blocks of the cluster. What does
// not commute is combined digit by digit instead (ordered_fold.h). Either order is fixed by the digits alone, so that
// results repeat from run to run.
#include "dsl/expr/integer.h"
#include "passes/lower/linear.h"
#include "passes/lower/tiles/combine.h"
#include "passes/lower/tiles/ordered_fold.h"

namespace cdsl::lowering {

using loop::Level;

namespace {

class ReduceWriter {
 public:
  ReduceWriter(LaneScope& scope, MeetingPlaces& places, const loop::TileReduce& reduce, const loop::Statement& statement)
      : scope_(scope), places_(places), reduce_(reduce), c_(scope, reduce.how, statement, reduce.results, reduce.axes) {
    inner_ = take_registers();
    outer_ = c_.loops(scope);
    lanes_ = c_.take(Level::Lane);
    if (c_.has_pending(Level::Warp)) exchanges_.emplace_back(scope, c_, c_.take(Level::Warp));
    if (c_.has_pending(Level::Rank)) exchanges_.emplace_back(scope, c_, c_.take(Level::Rank));
  }

  void run(const loop::Statement& statement, const loop::Block* loop) {
    // Barriers of the cluster keep the scratch safe by themselves.
    const bool by_warps = exchanges_.size() == 1 && !has_ranks();
    if (by_warps) protect_scratch(scope_, places_, c_, statement, loop);
    RegisterPoint point;
    scope_.nest(outer_, point, [&] { pass_on(in_warp(point), 0, point); });
    for (std::size_t k = 0; k < exchanges_.size(); ++k) {
      exchanges_[k].meet(places_);
      scope_.nest(outer_, point, [&] { pass_on(exchanges_[k].gather(point), k + 1, point); });
      exchanges_[k].leave();
    }
  }

 private:
  std::vector<RegisterLoop> take_registers() {
    std::vector<RegisterLoop> loops;
    for (const AxisDigit& d : c_.pending) {
      if (d.is_register()) loops.push_back({d.axis, d.register_digit, d.digit.extent, false});
    }
    std::erase_if(c_.pending, [](const AxisDigit& d) { return d.is_register(); });
    return loops;
  }
  bool has_ranks() const {
    for (SymbolId axis : reduce_.axes) {
      for (const loop::Digit& d : scope_.distribution().digits(axis, Level::Rank)) {
        if (d.extent > 1) return true;
      }
    }
    return false;
  }

  // A thread goes up along the axis: is each position above those before it, or none? Is each a point?
  Positions positions() const {
    const ExprArena& arena = scope_.program().arena;
    if (!is_arg(reduce_.how) || reduce_.axes.size() != 1) return Positions::Any;
    ExprId position = reduce_.values[1];
    const bool is_masked = arena.is_apply(position, Op::Select);
    if (is_masked && constant_integer(arena, arena.args(position)[2]) != -1) return Positions::Any;
    if (is_masked) position = arena.args(position)[1];
    if (arena.is_apply(position, Op::Cast)) position = arena.args(position)[0];
    const auto form = linear(arena, position);
    if (!form) return Positions::Any;
    int64_t along = 0;
    for (const auto& [term, coefficient] : form->terms) {
      const auto* symbol = arena.get_if<Symbol>(term);
      if (symbol != nullptr && symbol->symbol == reduce_.axes[0]) along = coefficient;
      else if (!scope_.distribution().axes_of(term).empty()) return Positions::Any;
    }
    return along <= 0 ? Positions::Any : is_masked ? Positions::Rising : Positions::Named;
  }

  std::vector<ExprId> in_thread(RegisterPoint& point) {
    if (inner_.empty()) return c_.terms(scope_, reduce_.values, point);
    loop::Builder& builder = scope_.builder();
    std::vector<loop::Variable> sums;
    std::vector<ExprId> values;
    for (ExprId part : identity_of(scope_.arena(), reduce_.how, c_.types)) {
      sums.push_back(builder.var(c_.name, part));
      values.push_back(sums.back().ref);
    }
    const Positions known = positions();
    scope_.nest(inner_, point, [&] {
      const auto next = combine(scope_, reduce_.how, values, c_.terms(scope_, reduce_.values, point), known);
      for (std::size_t p = 0; p < sums.size(); ++p) builder.assign(sums[p], next[p]);
    });
    if (known == Positions::Named) values[1] = named_position(values[1], point);
    return values;
  }

  // Where no point was better than nothing, all are as bad: the first of them.
  ExprId named_position(ExprId found, RegisterPoint point) {
    for (const RegisterLoop& loop : inner_) point[loop.axis][loop.digit] = scope_.i32(0);
    const ExprId none = scope_.arena().apply(Op::Lt, {found, scope_.arena().integer(0, c_.types[1])});
    return scope_.builder().let(c_.name, scope_.builder().select(none, scope_.at(reduce_.values[1], point), found));
  }

  std::vector<ExprId> in_warp(RegisterPoint& point) {
    // The terms of a count are votes as they are, if each lane has one; of any and all, what a thread has of its own.
    const bool counts_terms = reduce_.how.monoid == Monoid::Count && inner_.empty() && !lanes_.empty();
    std::vector<ExprId> value = counts_terms ? std::vector{scope_.at(reduce_.values[0], point)} : in_thread(point);
    if (const auto voted = by_vote(scope_, c_, lanes_, value[0])) return {*voted};
    if (counts_terms) value = c_.terms(scope_, reduce_.values, point);
    for (std::size_t k = lanes_.size(); k-- > 0;) value = over_lanes(scope_, c_, lanes_[k].digit, std::move(value));
    return value;
  }

  /// To the next exchange, or as the result.
  void pass_on(const std::vector<ExprId>& value, std::size_t next, const RegisterPoint& point) {
    if (next < exchanges_.size()) return exchanges_[next].put(value, point);
    for (std::size_t p = 0; p < value.size(); ++p) scope_.define(reduce_.results[p], value[p], point);
  }

  LaneScope& scope_;
  MeetingPlaces& places_;
  const loop::TileReduce& reduce_;
  Collective c_;
  std::vector<RegisterLoop> inner_, outer_;
  std::vector<AxisDigit> lanes_;
  std::vector<Exchange> exchanges_;    // of warps, of ranks
};

}  // namespace

void write_reduce(LaneScope& scope, MeetingPlaces& places, const loop::TileReduce& reduce, const loop::Statement& statement,
                  const loop::Block* loop) {
  if (is_commutative(reduce.how)) return ReduceWriter(scope, places, reduce, statement).run(statement, loop);
  OrderedFold fold(scope, places, Collective(scope, reduce.how, statement, reduce.results, reduce.axes));
  fold.begin(reduce.values);
  fold.run(statement, loop);
  fold.define_totals(reduce.results);
}

}  // namespace cdsl::lowering
