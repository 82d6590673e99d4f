// Where threads meet: barriers of a block, of a cluster, of some warps, and what lanes of a warp do together.
#include <fmt/format.h>
#include <bit>

#include "machine.h"

namespace cdsl::emulation {

using ::emulated::Shuffle;
using ::emulated::Vote;

/// Whoever waits so in the block is ready.
void Machine::open(Block& block, Thread::State waiting) {
  for (unsigned k = 0; k < block.count; ++k) {
    Thread& thread = *block.threads[k];
    if (thread.state != waiting || &thread == current_) continue;
    thread.state = Thread::State::Ready;
    block.ready.push_back(k);
  }
}

void Machine::sync_block(unsigned site, const void* pc) {
  Block& here = block();
  thread().site = site;
  thread().pc = pc;
  if (here.at_block == 0) here.first_at_block = thread().number;
  if (here.threads[here.first_at_block]->site != site)
    return fatal("divergent barrier", fmt::format("is at another barrier than thread {}, which waits", here.first_at_block), pc);
  if (++here.at_block < here.count) return leave(Thread::State::AtBlock);
  here.at_block = 0;
  here.block_sync = ++now_;
  open(here, Thread::State::AtBlock);
  pause();
}

// What any block of the launch did before is ordered for all: lenient, and enough.
void Machine::sync_cluster(unsigned site, const void* pc) {
  thread().site = site;
  thread().pc = pc;
  ++block().at_cluster;
  std::vector<Block*> cluster;
  for (Block* other : active_) {
    if (other->serial / launch_->cluster == block().serial / launch_->cluster) cluster.push_back(other);
  }
  for (const Block* other : cluster) {
    if (other->at_cluster < other->count) return leave(Thread::State::AtCluster);
  }
  order_all();
  for (Block* other : cluster) {
    other->at_cluster = 0;
    open(*other, Thread::State::AtCluster);
  }
  leave(Thread::State::Ready);
}

void Machine::fence() {
  const Actor who = actor(0);
  published_.fence(who.thread, ++now_, who.warp_sync, who.block_sync);
}

void Machine::sync_some(int barrier, int threads, bool wait, const void* pc) {
  if (barrier < 0 || barrier > 15 || threads <= 0 || threads % 32 != 0)
    return fatal("bad barrier", fmt::format("barrier {} of {} threads: there are 16, of whole warps", barrier, threads), pc);
  Block& here = block();
  SomeBarrier& some = here.some[barrier];
  if (some.arrived > 0 && some.threads != threads)
    return fatal("bad barrier", fmt::format("barrier {} is one of {} threads, and of {} here", barrier, some.threads, threads), pc);
  some.threads = threads;
  thread().pc = pc;
  thread().barrier = barrier;
  if (++some.arrived < threads) return wait ? leave(Thread::State::AtSome) : pause();
  some.arrived = 0;
  here.block_sync = ++now_;
  for (unsigned k = 0; k < here.count; ++k) {
    Thread& other = *here.threads[k];
    if (other.state != Thread::State::AtSome || other.barrier != barrier) continue;
    other.state = Thread::State::Ready;
    here.ready.push_back(k);
  }
  leave(Thread::State::Ready);
}

/// The current thread meets the lanes that the mask names.
void Machine::meet_warp(Meeting meeting) {
  Thread& own = thread();
  Block& here = block();
  const unsigned first = own.warp() * 32;
  const unsigned lanes = std::min(here.count - first, 32u);
  const unsigned exist = lanes == 32 ? ~0u : (1u << lanes) - 1;
  own.meeting = meeting;
  own.site = meeting.site;
  own.pc = meeting.pc;
  if ((meeting.mask >> own.lane() & 1) == 0)
    return fatal("bad shuffle", fmt::format("lane {} is here, and not named by the mask {:#010x}", own.lane(), meeting.mask), meeting.pc);
  for (unsigned left = meeting.mask & exist; left != 0; left &= left - 1) {
    const Thread& other = *here.threads[first + static_cast<unsigned>(std::countr_zero(left))];
    if (&other == &own) continue;
    if (other.state != Thread::State::AtWarp) return leave(Thread::State::AtWarp);
    if (other.meeting.site != meeting.site || other.meeting.mask != meeting.mask) {
      const bool sync = meeting.kind == Meeting::Kind::Sync && other.meeting.kind == Meeting::Kind::Sync;
      return fatal(sync ? "divergent barrier" : "bad shuffle",
                   fmt::format("lane {} of the warp waits at another place or for others, with the mask {:#010x}; here it is {:#010x}",
                               other.lane(), other.meeting.mask, meeting.mask),
                   meeting.pc);
    }
  }
  finish_warp(here, own.warp());
  pause();
}

/// All that the current thread's mask names are here.
void Machine::finish_warp(Block& here, unsigned warp) {
  const Meeting& mine = thread().meeting;
  const auto member = [&](unsigned lane) -> Thread* {
    const unsigned number = warp * 32 + lane;
    return (mine.mask >> lane & 1) != 0 && number < here.count ? here.threads[number].get() : nullptr;
  };
  unsigned ballot = 0, present = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const Thread* one = member(lane);
    if (one == nullptr) continue;
    present |= 1u << lane;
    ballot |= one->meeting.bits != 0 ? 1u << lane : 0;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    Thread* one = member(lane);
    if (one == nullptr) continue;
    const Meeting& m = one->meeting;
    switch (m.kind) {
      case Meeting::Kind::Sync: break;
      case Meeting::Kind::Vote:
        one->result = m.vote == Vote::Any ? ballot != 0 : m.vote == Vote::All ? ballot == present : ballot;
        break;
      case Meeting::Kind::Match: {
        unsigned same = 0;
        for (unsigned other = 0; other < 32; ++other)
          same |= member(other) != nullptr && member(other)->meeting.bits == m.bits ? 1u << other : 0;
        one->result = !m.all || same == present ? same : 0;
        break;
      }
      case Meeting::Kind::Shuffle: {
        const int own = static_cast<int>(lane), segment = own & ~(m.width - 1);
        int from = own;
        switch (m.shuffle) {
          case Shuffle::Index: from = segment + (m.operand & (m.width - 1)); break;
          case Shuffle::Up: from = own - m.operand; break;
          case Shuffle::Down: from = own + m.operand; break;
          case Shuffle::Xor: from = own ^ m.operand; break;
        }
        if (from < segment || from >= segment + m.width) from = own;
        const Thread* source = member(static_cast<unsigned>(from));
        one->result = source != nullptr ? source->meeting.bits : 0xCBCBCBCBCBCBCBCBull;
        if (source == nullptr)
          fault("bad shuffle", fmt::format("lane {} takes the value of lane {}, which does not take part", lane, from), m.pc);
        break;
      }
    }
    if (one == current_) continue;
    one->state = Thread::State::Ready;
    here.ready.push_back(one->number);
  }
  if (mine.kind == Meeting::Kind::Sync) here.warp_sync[warp] = ++now_;
}

}  // namespace cdsl::emulation
