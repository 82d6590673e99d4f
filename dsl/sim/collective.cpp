#include "dsl/sim/collective.h"

#include <bit>

#include <fmt/format.h>

namespace cdsl::sim {
namespace {

constexpr const char* scope_text(loop::BarrierScope scope) {
  switch (scope) {
    case loop::BarrierScope::Warp: return "warp";
    case loop::BarrierScope::Block: return "block";
    case loop::BarrierScope::Cluster: break;
  }
  return "cluster";
}

// Every live lane of the warp has to be here: a lane that took another path would be waited for in
// vain.
void check_convergence(Warp& warp, const BarrierUse& use) {
  const uint32_t missing = warp.live & ~warp.mask;
  if (missing == 0) return;
  const int lane = std::countr_zero(missing);
  fault(warp, Fault::Kind::DivergentBarrier, &use, use.where, std::countr_zero(warp.mask),
        fmt::format("{} barrier that lane {} of the warp does not reach", scope_text(use.scope),
                    lane));
}

void warp_barrier(Warp& warp) {
  tick(*warp.block->cluster, *warp.launch);
  warp.last_barrier = warp.block->cluster->time;
  if (Order* order = warp.launch->order.get()) order->warp_barrier(warp.block->serial, warp.index);
}

// The lane that `lane` reads from; beyond the warp a lane reads itself.
int source_lane(loop::ShuffleKind kind, int lane, int64_t operand) {
  int64_t source = lane;
  switch (kind) {
    case loop::ShuffleKind::Index: return static_cast<int>(operand & (kLanes - 1));
    case loop::ShuffleKind::Up: source = lane - operand; break;
    case loop::ShuffleKind::Down: source = lane + operand; break;
    case loop::ShuffleKind::Xor: source = lane ^ operand; break;
  }
  return source >= 0 && source < kLanes ? static_cast<int>(source) : lane;
}

// Lanes named by the mask and lanes that are here have to be the same.
bool mask_matches(Warp& warp, uint32_t mask, const void* place, SourceRange where,
                  const char* what) {
  const uint32_t named = mask & warp.live;
  if (named == warp.mask) return true;
  const uint32_t absent = named & ~warp.mask;
  const uint32_t lanes = absent != 0 ? absent : warp.mask & ~named;
  fault(warp, Fault::Kind::BadShuffle, place, where, std::countr_zero(warp.mask),
        fmt::format("{} with mask {:#010x}: lane {} is {}", what, mask, std::countr_zero(lanes),
                    absent != 0 ? "named and does not take part" : "here and not named"));
  return false;
}

}  // namespace

const Instruction* barrier(Warp& warp, const Instruction& i) {
  const BarrierUse& use = warp.code->barriers[i.info];
  ++warp.launch->counters.barriers;
  check_convergence(warp, use);
  if (use.scope == loop::BarrierScope::Warp) {
    warp_barrier(warp);
    return &i + 1;
  }
  warp.state = Warp::State::AtBarrier;
  warp.barrier = use.scope;
  warp.running = false;
  ++(use.scope == loop::BarrierScope::Block ? warp.block->waiting : warp.block->cluster->waiting);
  return &i + 1;
}

const Instruction* fence(Warp& warp, const Instruction& i) {
  Order* order = warp.launch->order.get();
  if (order == nullptr) return &i + 1;
  for (uint32_t left = warp.mask; left != 0; left &= left - 1)
    order->fence(actor(warp, std::countr_zero(left)));
  tick(*warp.block->cluster, *warp.launch);
  return &i + 1;
}

const Instruction* shuffle(Warp& warp, const Instruction& i) {
  const ShuffleUse& use = warp.code->shuffles[i.info];
  mask_matches(warp, use.mask, &use, use.where, "shuffle");
  Value values[kLanes];
  for (int l = 0; l < kLanes; ++l) values[l] = get_lane(warp.registers, use.value, l);
  for (uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    const int source = source_lane(use.kind, l, get_lane(warp.registers, use.lane, l).i);
    const bool present = (warp.mask >> source & 1) != 0;
    if (!present) {
      fault(warp, Fault::Kind::BadShuffle, &use.result, use.where, l,
            fmt::format("shuffle from lane {}, which does not take part", source));
    }
    set_lane(warp.registers, use.result, l, present ? values[source] : Value{});
  }
  return &i + 1;
}

const Instruction* vote(Warp& warp, const Instruction& i) {
  const VoteUse& use = warp.code->votes[i.info];
  mask_matches(warp, use.mask, &use, use.where, "vote");
  const uint32_t ballot = *warp.at<uint32_t>(use.predicate.offset) & warp.mask;
  Value result = Value::of_int(ballot);
  if (use.kind == loop::VoteKind::Any) result = Value::of_bool(ballot != 0);
  if (use.kind == loop::VoteKind::All) result = Value::of_bool(ballot == warp.mask);
  for (uint32_t left = warp.mask; left != 0; left &= left - 1) {
    set_lane(warp.registers, use.result, std::countr_zero(left), result);
  }
  return &i + 1;
}

const Instruction* check_bounds(Warp& warp, const Instruction& i) {
  const BoundsUse& use = warp.code->bounds[i.info];
  for (uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto at = [&](const Slot& slot) { return get_lane(warp.registers, slot, slot.uniform ? 0 : lane).i; };
    if (at(use.value) < at(use.lo) || at(use.value) >= at(use.hi)) broken_fact(warp, use, lane, at(use.value));
  }
  return &i + 1;
}

const Instruction* report(Warp& warp, const Instruction& i) {
  const ReportUse& use = warp.code->reports[i.info];
  auto& reports = warp.launch->session.result.reports;
  auto found = reports.begin();
  while (found != reports.end() && found->site != use.site) ++found;
  if (found == reports.end()) {
    const int first = std::countr_zero(warp.mask);
    found = reports.insert(found, {use.site, get_lane(warp.registers, use.value, first).i, 0});
  }
  found->count += static_cast<uint64_t>(warp.active);
  return &i + 1;
}

}  // namespace cdsl::sim
