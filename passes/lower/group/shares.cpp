// Few results, many blocks: each block reduces its share and stores it; of the blocks of one tile of results, the last to end
// combines the shares in a fixed order and does what follows. Which block is last does not matter: all shares are in memory
// by then.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/reduction.h"

namespace cdsl::lowering {

bool GroupLowering::is_shared(const Reduction& reduction) const {
  return group_.shares > 1 && std::any_of(reduction.axes.begin(), reduction.axes.end(),
                                          [&](const Axis& axis) { return axis.index == group_.shared; });
}

void GroupLowering::in_shares() {
  {
    Lowerer::Scope scope(lowerer_);
    for (const tir::Target& target : group_.stores) reduce_first(target.value);
  }
  const auto i32 = [&](int64_t value) { return arena_.integer(value, ScalarType::I32); };
  const ExprId zero = arena_.integer(0);
  const BufferId is_last = builder_.shared(lowerer_.kernel().fresh("is_last"), scalar_record(ScalarType::I32), 1);
  builder_.barrier();
  builder_.if_(arena_.apply(Op::Eq, {builder_.special(loop::Special::ThreadX), i32(0)}), [&] {
    const BufferId counter = lowerer_.kernel().buffer(counter_, scalar_record(ScalarType::I32), true);
    const ExprId ended = builder_.atomic_old(lowerer_.kernel().fresh("ended"), loop::AtomicOp::Add, builder_.access(counter, tile_), i32(1),
                                             {}, loop::Order::AcquireRelease);
    const ExprId last = arena_.apply(Op::Eq, {ended, i32(group_.shares - 1)});
    builder_.store(is_last, zero, builder_.select(last, i32(1), i32(0)));
  });
  builder_.barrier();
  const ExprId flag = arena_.load(is_last, 0, ScalarType::I32, zero, {}, group_.where);
  combining_ = true;
  builder_.if_(arena_.apply(Op::Ne, {flag, i32(0)}), [&] {
    Lowerer::Scope scope(lowerer_);
    for (std::size_t k = 0; k < group_.stores.size(); ++k) store(k);
  });
  combining_ = false;
}

// The number of this point among the results.
ExprId GroupLowering::result_number() const {
  ExprId number = arena_.integer(0);
  for (const Bound& bound : bounds_) {
    if (bound.axis->binding != Binding::Grid) continue;
    const ExprId offset = index_sub(arena_, lowerer_.index_in_scope(bound.axis->index), bound.lo);
    number = index_add(arena_, index_mul(arena_, number, index_sub(arena_, bound.hi, bound.lo)), offset);
  }
  return number;
}

// Of the plan: how many results there are.
ExprId GroupLowering::results() const {
  ExprId count = arena_.integer(1);
  for (const GroupAxis& axis : group_.axes)
    if (axis.binding == Binding::Grid) count = index_mul(arena_, count, index_max(arena_, index_sub(arena_, axis.hi, axis.lo), arena_.integer(0)));
  return count;
}

std::vector<ExprId> GroupLowering::share(ReductionId id, const loop::Combine& how, const std::vector<ExprId>& identity,
                                         const std::string& name, std::vector<ExprId> values) {
  Shared shared{id, how, {}, identity};
  ExprId inside;
  for (const Bound& bound : bounds_)
    if (bound.axis->binding == Binding::Grid) inside = logical_and(arena_, inside, bound.inside);
  for (std::size_t p = 0; p < values.size(); ++p) {
    const RecordType element = scalar_record(arena_.type(identity[p]));
    const ExprId count = index_mul(arena_, results(), arena_.integer(group_.shares));
    const uint32_t buffer = lowerer_.kernel().memory().add_workspace(name + (p == 0 ? "_shares" : "_places"), element, count);
    shared.parts.push_back(lowerer_.kernel().buffer(buffer, element, true));
    const auto put = [&] { builder_.store(shared.parts[p], part_index(share_), values[p]); };
    inside.valid() ? builder_.if_(inside, put) : put();
  }
  shared_.push_back(std::move(shared));
  return values;
}

// Neighbouring results lie side by side.
ExprId GroupLowering::part_index(ExprId share) const {
  ExprId count = arena_.integer(1);
  for (const Bound& bound : bounds_)
    if (bound.axis->binding == Binding::Grid) count = index_mul(arena_, count, index_sub(arena_, bound.hi, bound.lo));
  return index_add(arena_, index_mul(arena_, share, count), result_number());
}

// Over the warps and lanes that no axis of the results takes.
std::vector<loop::Factor> GroupLowering::share_factors() const {
  int64_t warps = 1, lanes = 1;
  for (const GroupAxis& axis : group_.axes) {
    for (const loop::Factor& f : axis.factors) {
      if (axis.binding != Binding::Grid) continue;
      if (f.level == loop::Level::Warp) warps *= f.extent;
      if (f.level == loop::Level::Lane) lanes *= f.extent;
    }
  }
  const int64_t free_warps = group_.warps / warps, free_lanes = 32 / lanes, at_once = free_warps * free_lanes;
  std::vector<loop::Factor> factors;
  if (group_.shares > at_once) factors.push_back({loop::Level::Register, (group_.shares + at_once - 1) / at_once, 1});
  if (free_warps > 1) factors.push_back({loop::Level::Warp, free_warps, warps});
  if (free_lanes > 1) factors.push_back({loop::Level::Lane, free_lanes, lanes});
  return factors;
}

std::vector<ExprId> GroupLowering::combine_shares(ReductionId id, const std::string& name) {
  const Shared& shared = *std::find_if(shared_.begin(), shared_.end(), [&](const Shared& s) { return s.id == id; });
  const ExprId at = builder_.axis(lowerer_.kernel().fresh("part"), share_factors());
  ExprId inside = arena_.apply(Op::Lt, {at, arena_.integer(group_.shares)});
  for (const Bound& bound : bounds_)
    if (bound.axis->binding == Binding::Grid) inside = logical_and(arena_, inside, bound.inside);
  std::vector<ExprId> values;
  for (std::size_t p = 0; p < shared.parts.size(); ++p) {
    const ExprId load = arena_.load(shared.parts[p], 0, arena_.type(shared.identity[p]), part_index(at), {}, group_.where);
    values.push_back(builder_.let(lowerer_.kernel().fresh(name + "_of_share"), arena_.apply(Op::Select, {inside, load, shared.identity[p]})));
  }
  return builder_.reduce(lowerer_.kernel().fresh(name), shared.how, {at}, values);
}

}  // namespace cdsl::lowering
