// A row's maximum and sums of exponentials below it in one walk. Each thread takes the maximum of its points of a round first, so that
// its sums are rescaled once a round, and each point takes one exponential. Nothing, and -inf alone, count as if the maximum were 0: the
// exponentials are 0 then, where the gap to -inf would be no number; what the row as a whole asks for is put right in the end.
#include <algorithm>
#include <limits>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/tiles/combine.h"

namespace cdsl::lowering {

bool GroupLowering::is_online(ReductionId id) const {
  return std::any_of(group_.online.begin(), group_.online.end(), [&](const OnlineSum& s) { return s.top == id || s.sum == id; });
}

bool GroupLowering::is_walked_online(const GroupAxis& axis) const {
  return !group_.online.empty() && axis.binding == Binding::Stream && arena_.reduction(group_.online[0].top).axes[0].index == axis.index;
}

// An axis for each run of digits that one thread takes or that threads share: what a thread has of a round is then reduced apart.
void GroupLowering::declare_apart(Bound& bound) {
  const std::string& name = arena_.symbol(bound.axis->index).name;
  const auto is_own = [](loop::Level level) { return level == loop::Level::Register || level == loop::Level::Vector; };
  int64_t weight = bound.axis->tile();
  const auto& factors = bound.axis->factors;
  bound.tile_index = arena_.integer(0);
  for (std::size_t k = 0; k < factors.size();) {
    std::vector<loop::Factor> run;
    const bool own = is_own(factors[k].level);
    for (; k < factors.size() && is_own(factors[k].level) == own; ++k) {
      run.push_back(factors[k]);
      weight /= factors[k].extent;
    }
    const ExprId axis = builder_.axis(lowerer_.kernel().fresh(own ? name : name + "_thread"), run);
    (own ? bound.own : bound.axes).push_back(axis);
    bound.tile_index = index_add(arena_, bound.tile_index, index_mul(arena_, axis, arena_.integer(weight)));
  }
  bound.axes.insert(bound.axes.end(), bound.own.begin(), bound.own.end());
}

// The maximum above which the gaps are finite.
ExprId GroupLowering::finite_top(ExprId top) {
  const ScalarType type = arena_.type(top);
  const ExprId nothing = arena_.apply(Op::Eq, {top, arena_.real(-std::numeric_limits<double>::infinity(), type)});
  return builder_.let(lowerer_.kernel().fresh("shift"), builder_.select(nothing, arena_.real(0, type), top));
}

ExprId GroupLowering::exponential(const OnlineSum& sum, ExprId gap) {
  Lowerer::Scope scope(lowerer_);
  lowerer_.bind(sum.gap, gap);
  return lowerer_.value(sum.exponential);
}

ExprId GroupLowering::reduce_online(ReductionId id) {
  if (const auto done = online_.find(id); done != online_.end()) return done->second;
  const auto of_id = std::find_if(group_.online.begin(), group_.online.end(), [&](const OnlineSum& s) { return s.top == id || s.sum == id; });
  const Reduction reduction = arena_.reduction(of_id->top);
  std::vector<const OnlineSum*> sums;
  for (const OnlineSum& s : group_.online)
    if (s.top == of_id->top) sums.push_back(&s);
  loop::Combine max, sum;
  max.monoid = Monoid::Max;
  const ExprId nothing = identity_of(arena_, max, {evaluation_type(reduction.types[0])})[0];

  Bound& row = bound_of(reduction.axes[0].index);
  std::vector<ExprId> own, threads, over_axes;   // digits of a thread, of threads; all that the terms hang on but a thread's own
  for (const ExprId axis : row.axes) (std::find(row.own.begin(), row.own.end(), axis) != row.own.end() ? own : threads).push_back(axis);
  over_axes = threads;
  const auto symbols = free_symbols(arena_, arena_.reduce(of_id->top));
  for (const Bound& bound : bounds_)
    if (&bound != &row && is_moved_by(bound, symbols)) over_axes.insert(over_axes.end(), bound.axes.begin(), bound.axes.end());

  const loop::Variable greatest = builder_.var_over(lowerer_.kernel().fresh("greatest"), over_axes, nothing);
  std::vector<loop::Variable> totals;
  for (std::size_t k = 0; k < sums.size(); ++k)
    totals.push_back(builder_.var_over(lowerer_.kernel().fresh("sum"), over_axes, arena_.real(0, arena_.type(nothing))));
  over({&row}, true, [&] {
    const ExprId term = lowerer_.pinned(terms(reduction, {nothing})[0], "term");
    const ExprId here = own.empty() ? term : builder_.reduce(lowerer_.kernel().fresh("greatest_here"), max, own, {term})[0];
    const ExprId next = builder_.let(lowerer_.kernel().fresh("next"), arena_.apply(Op::Max, {greatest.ref, here}));
    const ExprId shift = finite_top(next);
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const ExprId each = exponential(*sums[k], builder_.sub(term, shift));
      const ExprId added = own.empty() ? each : builder_.reduce(lowerer_.kernel().fresh("sum_here"), sum, own, {each})[0];
      const ExprId rescaled = builder_.mul(totals[k].ref, exponential(*sums[k], builder_.sub(greatest.ref, shift)));
      builder_.assign(totals[k], builder_.add(rescaled, added));
    }
    builder_.assign(greatest, next);
  });

  const ExprId top = builder_.reduce(lowerer_.kernel().fresh("top"), max, threads, {greatest.ref})[0];
  const ExprId shift = finite_top(top);
  online_[of_id->top] = top;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const ExprId mine = builder_.mul(totals[k].ref, exponential(*sums[k], builder_.sub(greatest.ref, shift)));
    const ExprId all = builder_.reduce(lowerer_.kernel().fresh("total"), sum, threads, {mine})[0];
    // A row of -inf alone: the gaps are no numbers.
    const ExprId is_odd = logical_and(arena_, arena_.apply(Op::Eq, {top, nothing}), arena_.apply(Op::Lt, {row.lo, row.hi}));
    online_[sums[k]->sum] = builder_.let(lowerer_.kernel().fresh("total"), builder_.select(is_odd, exponential(*sums[k], builder_.sub(top, top)), all));
  }
  return online_.at(id);
}

}  // namespace cdsl::lowering
