#include <bit>
#include <cstring>

#include "dsl/sim/access.h"
#include "dsl/sim/collective.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::sim {
namespace {

Op operator_of(loop::AtomicOp op) {
  switch (op) {
    case loop::AtomicOp::Add: return Op::Add;
    case loop::AtomicOp::Mul: return Op::Mul;
    case loop::AtomicOp::Min: return Op::Min;
    case loop::AtomicOp::Max: return Op::Max;
    case loop::AtomicOp::And: return Op::And;
    case loop::AtomicOp::Or: return Op::Or;
    default: return Op::Xor;
  }
}

// An f16, bf16 or f8 target is updated in f32 and rounded, as the compare-and-swap loop that
// codegen prints does.
Value combine(loop::AtomicOp op, ScalarType type, Value old, Value operand) {
  const Value args[] = {old, operand};
  return round_to(apply(operator_of(op), evaluation_type(type), args), type);
}

// One lane's update; the lanes of a warp go one after another.
void update(Warp& warp, const AtomicUse& use, const Place& place, std::byte* address, int lane) {
  const ScalarType type = place.type;
  const Value operand = get_lane(warp.registers, place.values[0], lane);
  const Value old = load_element(address, type);
  Value next = operand;
  if (use.op == loop::AtomicOp::CompareExchange) {
    std::byte expected[16];
    store_element(expected, type, get_lane(warp.registers, use.expected, lane));
    if (std::memcmp(expected, address, static_cast<std::size_t>(place.element_bytes)) != 0)
      next = old;
  } else if (use.op != loop::AtomicOp::Exchange) {
    next = combine(use.op, type, old, operand);
  }
  std::byte before[16];
  std::memcpy(before, address, static_cast<std::size_t>(place.element_bytes));
  store_element(address, type, next);
  if (std::memcmp(before, address, static_cast<std::size_t>(place.element_bytes)) != 0)
    ++warp.launch->memory_version;
  if (use.has_old) set_lane(warp.registers, use.old, lane, old);
}

void synchronise(Warp& warp, const AtomicUse& use, const std::byte* address, int lane) {
  Order& order = *warp.launch->order;
  const bool acquires =
      use.order == loop::Order::Acquire || use.order == loop::Order::AcquireRelease;
  const bool releases =
      use.order == loop::Order::Release || use.order == loop::Order::AcquireRelease;
  const Actor who = actor(warp, lane);
  order.acquire(who, address, acquires);
  if (order.release(who, address, releases)) tick(*warp.block->cluster, *warp.launch);
}

}  // namespace

const Instruction* atomic(Warp& warp, const Instruction& i) {
  const AtomicUse& use = warp.code->atomics[i.info];
  const Place& place = warp.code->places[use.place];
  if (place.has_rank && warp.peer == nullptr) return by_rank(warp, i, place, atomic);
  const BufferUse& buffer = warp.code->buffers[place.buffer];
  const Region region = region_of(warp, buffer);
  Located where;
  locate(warp, place, region, where);
  if (use.has_old) {
    for (uint32_t left = warp.mask & ~where.lanes; left != 0; left &= left - 1) {
      set_lane(warp.registers, use.old, std::countr_zero(left), Value{});
    }
  }
  if (where.lanes == 0) return &i + 1;
  count_request(warp, place, region, where);
  warp.launch->counters.atomics += static_cast<uint64_t>(std::popcount(where.lanes));
  const auto bytes = static_cast<std::size_t>(place.element_bytes);
  const bool reads =
      (use.op != loop::AtomicOp::Exchange || use.has_old) && warp.launch->session.options.check;
  if (region.written != nullptr) {
    for (uint32_t left = where.lanes; left != 0; left &= left - 1) {
      const int l = std::countr_zero(left);
      uint8_t* flags = region.written + where.offset[l];
      if (reads && std::memchr(flags, 0, bytes) != nullptr)
        unwritten_read(warp, place, l, where.index[l]);
      std::memset(flags, 1, bytes);
    }
  }
  mark_unfenced(warp, place, where);
  look_for_races(warp, place, region, where,
                 use.scope == loop::Scope::Block ? Shadow::Use::BlockAtomic : Shadow::Use::Atomic);
  for (uint32_t left = where.lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    update(warp, use, place, region.bytes + where.offset[l], l);
    if (warp.launch->order != nullptr) synchronise(warp, use, region.bytes + where.offset[l], l);
  }
  return &i + 1;
}

}  // namespace cdsl::sim
