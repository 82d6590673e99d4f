#include "dsl/sim/roles.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "dsl/sim/fragment.h"

namespace cdsl::sim {
namespace {

constexpr int kRegistersOfBlock = 65536, kMostAtEntry = 248, kUnit = 8;

const std::byte* address_of(const BlockState& block, int64_t id) {
  return reinterpret_cast<const std::byte*>(&block.named_barriers[id]);
}

/// The warp's threads meet; what they did is published at the barrier.
void publish(Warp& warp, const std::byte* address) {
  tick(*warp.block->cluster, *warp.launch);
  warp.last_barrier = warp.block->cluster->time;
  Order* order = warp.launch->order.get();
  if (order == nullptr) return;
  order->warp_barrier(warp.block->serial, warp.index);
  order->release(actor(warp, 0), address, true);
  tick(*warp.block->cluster, *warp.launch);
}

void release(BlockState& block, int64_t id) {
  for (Warp& warp : block.warps) {
    if (warp.state != Warp::State::AtNamedBarrier || warp.named_barrier != id) continue;
    warp.state = Warp::State::Ready;
    warp.launch->ready.push_back(&warp);
    if (Order* order = warp.launch->order.get())
      order->acquire_warp(actor(warp, 0), address_of(block, id));
  }
}

}  // namespace

int entry_registers(int64_t threads) {
  const int64_t each = kRegistersOfBlock / threads / kUnit * kUnit;
  return static_cast<int>(std::min<int64_t>(each, kMostAtEntry));
}

const Instruction* named_barrier(Warp& warp, const Instruction& i) {
  const NamedBarrierUse& use = warp.code->named_barriers[i.info];
  const int64_t id = get_lane(warp.registers, use.id, std::countr_zero(warp.mask)).i;
  if (id < 1 || id > 15) {
    fault(warp, Fault::Kind::BadBarrier, &use, use.where, std::countr_zero(warp.mask),
          fmt::format("named barrier {}, there are 1 to 15", id));
    return &i + 1;
  }
  if (!is_converged(warp, &use, use.where, "a named barrier")) return &i + 1;
  ++warp.launch->counters.barriers;
  NamedBarrierState& state = warp.block->named_barriers[id];
  if (state.arrived == 0) state.expected = use.threads;
  if (state.expected != use.threads)
    fault(warp, Fault::Kind::BadBarrier, &use, use.where, 0,
          fmt::format("named barrier {} of {} threads, and of {} elsewhere", id, use.threads,
                      state.expected));
  publish(warp, address_of(*warp.block, id));
  state.arrived += kLanes;
  if (use.sync) {
    warp.state = Warp::State::AtNamedBarrier;
    warp.named_barrier = static_cast<int>(id);
    warp.running = false;
  }
  if (state.arrived < state.expected) return &i + 1;
  state = {};
  warp.running = false;
  const bool waits = warp.state == Warp::State::AtNamedBarrier;
  if (waits) warp.state = Warp::State::Ready;  // it stands among the ready ones still
  release(*warp.block, id);
  if (Order* order = warp.launch->order.get(); order != nullptr && waits)
    order->acquire_warp(actor(warp, 0), address_of(*warp.block, id));
  return &i + 1;
}

const Instruction* elect(Warp& warp, const Instruction& i) {
  const ElectUse& use = warp.code->elects[i.info];
  is_converged(warp, &use, use.where, "elect");
  const int elected = std::countr_zero(warp.mask);
  for (uint32_t left = warp.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    set_lane(warp.registers, use.result, lane, Value::of_bool(lane == elected));
  }
  return &i + 1;
}

const Instruction* register_budget(Warp& warp, const Instruction& i) {
  const BudgetUse& use = warp.code->budgets[i.info];
  is_converged(warp, &use, use.where, "a register budget");
  const int more = (use.registers - warp.registers_each) * kLanes;
  if (use.raises ? more < 0 : more > 0) {
    fault(warp, Fault::Kind::BadMatrix, &use, use.where, 0,
          fmt::format("a budget of {} registers {} one of {}", use.registers,
                      use.raises ? "raises" : "lowers", warp.registers_each));
    return &i + 1;
  }
  if (more > warp.block->free_registers) {
    warp.state = Warp::State::Stalled;
    warp.stalled_at = warp.launch->memory_version;
    warp.waits_for = "waits for registers that nobody gives up";
    warp.running = false;
    return &i;
  }
  warp.block->free_registers -= more;
  warp.registers_each = use.registers;
  if (more < 0) ++warp.launch->memory_version;
  return &i + 1;
}

}  // namespace cdsl::sim
