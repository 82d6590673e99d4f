#include "dsl/sim/control.h"

#include "dsl/sim/alu_integer.h"

namespace cdsl::sim {
namespace {

void count_branch(Warp& warp, uint32_t taken) {
  KernelCounters& counters = warp.launch->counters;
  ++counters.branches;
  counters.divergent_branches += taken != 0 && taken != warp.mask ? 1 : 0;
}

template <class T>
struct ForLanes {
  T* index;
  const T* lo;
  const T* hi;
  const T* step;
  int lo_stride, hi_stride, step_stride;
  bool uniform;

  ForLanes(Warp& warp, const LoopUse& use)
      : index(warp.at<T>(use.index.offset)),
        lo(warp.at<T>(use.lo.offset)),
        hi(warp.at<T>(use.hi.offset)),
        step(warp.at<T>(use.step.offset)),
        lo_stride(!use.lo.uniform),
        hi_stride(!use.hi.uniform),
        step_stride(!use.step.uniform),
        uniform(use.index.uniform) {}

  void start() {
    for (int l = 0; l < (uniform ? 1 : kLanes); ++l) index[l] = lo[l * lo_stride];
  }
  void advance() {
    for (int l = 0; l < (uniform ? 1 : kLanes); ++l)
      index[l] = AddOf{}(index[l], step[l * step_stride]);
  }
  bool continues(int l) const {
    const T end = hi[l * hi_stride];
    return step[l * step_stride] > 0 ? index[l] < end : index[l] > end;
  }
  /// Lanes of `mask` that take another round.
  uint32_t alive(uint32_t mask) const {
    if (uniform) return continues(0) ? mask : 0;
    uint32_t lanes = 0;
    for (int l = 0; l < kLanes; ++l) lanes |= static_cast<uint32_t>(continues(l)) << l;
    return lanes & mask;
  }
};

template <class T>
const Instruction* begin_for(Warp& warp, const Instruction& i) {
  ForLanes<T> loop(warp, warp.code->loops[i.info]);
  loop.start();
  const uint32_t alive = loop.alive(warp.mask);
  count_branch(warp, alive);
  if (alive == 0) return &i + i.jump;
  warp.push().saved = warp.mask;
  warp.set_mask(alive);
  return &i + 1;
}

template <class T>
const Instruction* next_for(Warp& warp, const Instruction& i) {
  ForLanes<T> loop(warp, warp.code->loops[i.info]);
  loop.advance();
  const uint32_t alive = loop.alive(warp.mask);
  count_branch(warp, alive);
  if (alive != 0) {
    warp.set_mask(alive);
    return &i + i.jump;
  }
  warp.set_mask(warp.top().saved);
  warp.pop();
  return &i + 1;
}

}  // namespace

const Instruction* enter_arm(Warp& warp, const Instruction& i) {
  const uint32_t condition = *warp.at<uint32_t>(i.a);
  const uint32_t taken = warp.mask & (i.info == 0 ? condition : ~condition);
  if (taken == 0) return &i + i.jump;
  warp.push().saved = warp.mask;
  warp.set_mask(taken);
  return &i + 1;
}

const Instruction* leave(Warp& warp, const Instruction& i) {
  warp.set_mask(warp.top().saved);
  warp.pop();
  return &i + 1;
}

const Instruction* begin_if(Warp& warp, const Instruction& i) {
  const uint32_t taken = warp.mask & *warp.at<uint32_t>(i.a);
  count_branch(warp, taken);
  const bool has_else = i.info == 0;
  if (taken == 0 && !has_else) return &i + i.jump;
  Frame& frame = warp.push();
  frame.saved = warp.mask;
  frame.other = warp.mask & ~taken;
  warp.set_mask(taken != 0 ? taken : frame.other);
  return taken != 0 ? &i + 1 : &i + i.jump;
}

const Instruction* begin_else(Warp& warp, const Instruction& i) {
  const Frame& frame = warp.top();
  if (frame.other != 0) {
    warp.set_mask(frame.other);
    return &i + 1;
  }
  warp.set_mask(frame.saved);
  warp.pop();
  return &i + i.jump;
}

Handler begin_for_handler(ScalarType type) {
  return type == ScalarType::I32 ? begin_for<int32_t> : begin_for<int64_t>;
}
Handler next_for_handler(ScalarType type) {
  return type == ScalarType::I32 ? next_for<int32_t> : next_for<int64_t>;
}

const Instruction* begin_while(Warp& warp, const Instruction& i) {
  warp.push() = {warp.mask, 0, warp.launch->memory_version, warp.changes};
  return &i + 1;
}

const Instruction* test_while(Warp& warp, const Instruction& i) {
  const uint32_t alive = warp.mask & *warp.at<uint32_t>(i.a);
  count_branch(warp, alive);
  if (alive == 0) {
    warp.set_mask(warp.top().saved);
    warp.pop();
    return &i + i.jump;
  }
  if (alive != warp.mask) ++warp.changes;
  warp.set_mask(alive);
  return &i + 1;
}

const Instruction* repeat_while(Warp& warp, const Instruction& i) {
  if (i.info == 1) {
    Frame& frame = warp.top();
    Launch& launch = *warp.launch;
    if (frame.memory_version == launch.memory_version && frame.changes == warp.changes) {
      warp.state = Warp::State::Stalled;
      warp.stalled_at = launch.memory_version;
      warp.waits_for = nullptr;
    }
    frame.memory_version = launch.memory_version;
    frame.changes = warp.changes;
    warp.running = false;
  }
  return &i + i.jump;
}

const Instruction* finish(Warp& warp, const Instruction& i) {
  warp.state = Warp::State::Done;
  warp.running = false;
  return &i;
}

}  // namespace cdsl::sim
