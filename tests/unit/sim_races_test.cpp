// Races per thread, within a warp and across blocks; and what orders accesses: barriers, fences,
// acquire and release.
#include "sim_fixture.h"

namespace cdsl::sim {
namespace {

using loop::AtomicOp;
using loop::Builder;
using loop::Order;
using loop::Special;

class SimRaces : public SimTest {
 protected:
  ExprId zero(Builder& b) { return b.integer(0); }
  ExprId one(Builder& b) { return b.integer(1, I32); }
  /// thread.x == 0
  ExprId first(Builder& b) { return b.apply(Op::Eq, {thread(b), zero(b)}); }
  bool has_race() {
    const auto all = kinds();
    for (Fault::Kind kind : all) EXPECT_EQ(kind, Fault::Kind::Race);
    return !all.empty();
  }
  /// Threads write t[i], then read t[i ^ distance] with `between` in the middle.
  bool exchange(int64_t distance, const std::function<void(Builder&)>& between) {
    Builder b(program, "exchange" + std::to_string(program.kernels.size()));
    const BufferId y = b.global("y", scalar_record(I32)), t = b.shared("t", scalar_record(I32), 64);
    b.kernel().block[0] = 64;
    const ExprId i = thread(b);
    b.store(t, i, one(b));
    between(b);
    b.store(y, i, b.load(t, b.apply(Op::Xor, {i, b.integer(distance)})));
    // Race reports only: what was not written yet in this schedule is another matter.
    const Result& result = run(b, {output<int32_t>(64)});
    for (const Fault& fault : result.faults) {
      if (fault.kind == Fault::Kind::Race) return true;
    }
    return false;
  }
};

TEST_F(SimRaces, BarriersOrderWhatTheyCover) {
  const auto none = [](Builder&) {};
  const auto warp = [](Builder& b) { b.barrier(loop::BarrierScope::Warp); };
  const auto block = [](Builder& b) { b.barrier(); };
  EXPECT_FALSE(exchange(0, none));
  EXPECT_TRUE(exchange(1, none));  // lanes of one warp: independent threads
  EXPECT_FALSE(exchange(1, warp));
  EXPECT_TRUE(exchange(32, warp));
  EXPECT_FALSE(exchange(32, block));
  EXPECT_FALSE(exchange(1, block));
}

TEST_F(SimRaces, TheMessageNamesBothThreads) {
  Builder b(program, "pair");
  const BufferId t = b.shared("t", scalar_record(I32), 1);
  b.kernel().block[0] = 2;
  b.store(t, zero(b), one(b));
  const Result& result = run(b, {});
  ASSERT_EQ(kinds(), Kinds{Fault::Kind::Race});
  EXPECT_EQ(result.faults[0].message,
            "write of t[0] races with thread (0, 0, 0) of the same block, block (0, 0, 0) thread "
            "(1, 0, 0)");
}

TEST_F(SimRaces, WriteAfterReadsOfOthers) {
  for (int readers : {1, 2, 40}) {
    for (bool with_barrier : {false, true}) {
      Builder b(program, "war" + std::to_string(program.kernels.size()));
      const BufferId x = b.global("x", scalar_record(I32)), y = b.global("y", scalar_record(I32));
      b.kernel().block[0] = 64;
      const ExprId i = thread(b);
      b.if_(b.less(i, b.integer(readers)), [&] { b.store(y, i, b.load(x, zero(b))); });
      if (with_barrier) b.barrier();
      b.if_(first(b), [&] { b.store(x, zero(b), one(b)); });
      run(b, {input(std::vector<int32_t>{5}), output<int32_t>(64)});
      EXPECT_EQ(has_race(), readers > 1 && !with_barrier) << readers << with_barrier;
    }
  }
}

TEST_F(SimRaces, NeighbouringBytesAreApart) {
  Builder b(program, "bytes");
  const BufferId y = b.global("y", scalar_record(ScalarType::U8));
  b.kernel().block[0] = 64;
  b.store(y, global_thread(b), b.cast(thread(b), ScalarType::U8));
  run(b, {output<uint8_t>(256)}, 4);
  EXPECT_FALSE(has_race());
}

TEST_F(SimRaces, BlocksRaceOnGlobalMemory) {
  Builder b(program, "overlap");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  b.store(y, b.add(thread(b), b.mul(b.special64(Special::BlockX), b.integer(31))), one(b));
  run(b, {output<int32_t>(400)}, 12);
  EXPECT_TRUE(has_race());
}

TEST_F(SimRaces, ABlockBarrierDoesNotOrderBlocks) {
  Builder b(program, "neighbour");
  const BufferId x = b.global("x", scalar_record(I32)), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  const ExprId i = global_thread(b);
  b.store(x, i, one(b));
  b.barrier();
  b.store(y, i, b.load(x, b.apply(Op::Xor, {i, b.integer(32)})));
  run(b, {input(std::vector<int32_t>(64)), output<int32_t>(64)}, 2);
  EXPECT_TRUE(has_race());
}

TEST_F(SimRaces, LaunchesAreOrdered) {
  Builder b(program, "step");
  const BufferId x = b.global("x", scalar_record(I32), true), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  const ExprId i = global_thread(b);
  b.store(y, i, b.load(x, b.sub(b.integer(127), i)));
  const uint32_t kernel = b.finish();
  const Argument s = input(std::vector<int32_t>(128)), t = output<int32_t>(128);
  simulator = std::make_unique<Simulator>(program, memory, options);
  const int64_t grid[3] = {4, 1, 1};
  for (int round = 0; round < 10; ++round)
    simulator->launch(kernel, grid, std::vector{round % 2 == 0 ? s : t, round % 2 == 0 ? t : s});
  expect_clean();
}

TEST_F(SimRaces, AliasedArgumentsAreSeen) {
  Builder b(program, "in_place");
  const BufferId x = b.global("x", scalar_record(I32), true), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  b.store(y, thread(b), b.load(x, b.sub(b.integer(31), thread(b))));
  const Argument io = input(std::vector<int32_t>(32));
  run(b, {io, io});
  EXPECT_TRUE(has_race());
}

TEST_F(SimRaces, AtomicsDoNotRaceWithEachOther) {
  Builder b(program, "histogram");
  const BufferId h = b.global("h", scalar_record(I32));
  b.kernel().block[0] = 64;
  b.atomic(AtomicOp::Add, b.access(h, b.apply(Op::Rem, {global_thread(b), b.integer(7)})), one(b));
  run(b, {input(std::vector<int32_t>(7))}, 10);
  EXPECT_FALSE(has_race());
}

TEST_F(SimRaces, AtomicsRaceWithPlainAccesses) {
  for (bool read : {true, false}) {
    Builder b(program, "mixed" + std::to_string(read));
    const BufferId h = b.global("h", scalar_record(I32)), y = b.global("y", scalar_record(I32));
    b.kernel().block[0] = 64;
    b.atomic(AtomicOp::Add, b.access(h, zero(b)), one(b));
    b.if_(b.apply(Op::Eq, {thread(b), b.integer(63)}), [&] {
      if (read)
        b.store(y, zero(b), b.load(h, zero(b)));
      else
        b.store(h, zero(b), one(b));
    });
    run(b, {input(std::vector<int32_t>(1)), output<int32_t>(1)});
    EXPECT_TRUE(has_race());
  }
}

TEST_F(SimRaces, BlockScopeIsTooNarrowBetweenBlocks) {
  Builder b(program, "scope");
  const BufferId h = b.global("h", scalar_record(I32));
  b.kernel().block[0] = 32;
  b.atomic(AtomicOp::Add, b.access(h, zero(b)), one(b), loop::Scope::Block);
  run(b, {input(std::vector<int32_t>(1))}, 2);
  EXPECT_TRUE(has_race());
}

// "The last block done adds up": partial sums, a barrier, a ticket, and the last block reads all
// partial sums.
class SimLastBlock : public SimRaces {
 protected:
  enum class How { AcquireRelease, Fences, Relaxed, NoBarrier, NoSecondFence };
  bool races(How how) {
    Builder b(program, "last_block" + std::to_string(program.kernels.size()));
    const BufferId part = b.global("part", scalar_record(I32)),
                   ticket = b.global("ticket", scalar_record(I32)),
                   y = b.global("y", scalar_record(I32)),
                   last = b.shared("last", scalar_record(I32), 1);
    b.kernel().block[0] = 64;
    const ExprId blocks = b.special64(Special::GridDimX);
    b.store(part, global_thread(b), one(b));
    const bool fences = how == How::Fences || how == How::NoSecondFence;
    if (how != How::NoBarrier) b.barrier();
    b.if_(first(b), [&] {
      if (fences) b.fence();
      const Order order = how == How::AcquireRelease || how == How::NoBarrier
                              ? Order::AcquireRelease
                              : Order::Relaxed;
      const ExprId old =
          b.atomic_old("old", AtomicOp::Add, b.access(ticket, zero(b)), one(b), {}, order);
      if (how == How::Fences) b.fence();
      b.store(last, zero(b),
              b.cast(b.apply(Op::Eq, {b.cast(old, I64), b.sub(blocks, b.integer(1))}), I32));
    });
    b.barrier();
    b.if_(b.apply(Op::Eq, {b.load(last, zero(b)), one(b)}), [&] {
      const auto sum = b.var("sum", b.integer(0, I32));
      b.for_("k", thread(b), b.mul(blocks, b.integer(64)), b.integer(64),
             [&](ExprId k) { b.assign(sum, b.add(sum.ref, b.load(part, k))); });
      b.store(y, thread(b), sum.ref);
    });
    const Argument out = output<int32_t>(64);
    run(b, {output<int32_t>(64 * 20), input(std::vector<int32_t>(1)), out}, 20);
    if (how == How::AcquireRelease || how == How::Fences) {
      EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>(64, 20));
    }
    return has_race();
  }
};

TEST_F(SimLastBlock, IsOrderedByAcquireRelease) {
  EXPECT_FALSE(races(How::AcquireRelease));
}
TEST_F(SimLastBlock, IsOrderedByFences) {
  EXPECT_FALSE(races(How::Fences));
}
TEST_F(SimLastBlock, NeedsTheOrder) {
  EXPECT_TRUE(races(How::Relaxed));
}
TEST_F(SimLastBlock, NeedsTheBarrier) {
  EXPECT_TRUE(races(How::NoBarrier));
}
TEST_F(SimLastBlock, NeedsTheSecondFence) {
  EXPECT_TRUE(races(How::NoSecondFence));
}

// Decoupled look-back in small: each block waits for the flag of the one before it and adds to that
// block's value.
class SimChain : public SimRaces {
 protected:
  const Result& chain(Order order, bool publish, int64_t blocks) {
    Builder b(program, "chain" + std::to_string(program.kernels.size()));
    const BufferId value = b.global("value", scalar_record(I32)),
                   flag = b.global("flag", scalar_record(I32)),
                   next = b.global("next", scalar_record(I32));
    b.kernel().block[0] = 32;
    const BufferId tile = b.shared("tile", scalar_record(I64), 1);
    b.if_(first(b), [&] {
      b.store(tile, zero(b),
              b.cast(b.atomic_old("ticket", AtomicOp::Add, b.access(next, zero(b)), one(b)), I64));
    });
    b.barrier();
    const ExprId t = b.let("t", b.load(tile, zero(b)));
    b.if_(first(b), [&] {
      const auto before = b.var("before", b.integer(0, I32));
      b.if_(b.apply(Op::Gt, {t, zero(b)}), [&] {
        const auto ready = b.var("ready", b.integer(0, I32));
        b.while_(b.apply(Op::Eq, {ready.ref, b.integer(0, I32)}), [&] {
          b.assign(ready, b.atomic_old("seen", AtomicOp::Or, b.access(flag, b.sub(t, b.integer(1))),
                                       b.integer(0, I32), {},
                                       order == Order::Relaxed ? order : Order::Acquire));
        });
        b.assign(before, b.load(value, b.sub(t, b.integer(1))));
      });
      b.store(value, t, b.add(before.ref, b.cast(t, I32)));
      if (publish)
        b.atomic_old("was", AtomicOp::Exchange, b.access(flag, t), one(b), {},
                     order == Order::Relaxed ? order : Order::Release);
    });
    out_ = output<int32_t>(static_cast<std::size_t>(blocks));
    return run(b,
               {out_, input(std::vector<int32_t>(static_cast<std::size_t>(blocks))),
                input(std::vector<int32_t>(1))},
               blocks);
  }
  Argument out_;
};

TEST_F(SimChain, IsCleanAndRight) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    options.seed = seed;
    chain(Order::AcquireRelease, true, 50);
    expect_clean();
    const auto got = values<int32_t>(out_);
    for (int k = 0; k < 50; ++k) ASSERT_EQ(got[static_cast<std::size_t>(k)], k * (k + 1) / 2);
  }
}

TEST_F(SimChain, RelaxedFlagsDoNotOrderTheValues) {
  chain(Order::Relaxed, true, 20);
  EXPECT_TRUE(has_race());
}

TEST_F(SimChain, AFlagThatNobodySetsIsADeadlock) {
  chain(Order::AcquireRelease, false, 20);
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::Deadlock});
}

TEST_F(SimRaces, FlagsBetweenWarpsInSharedMemory) {
  Builder b(program, "warps");
  const BufferId flag = b.shared("flag", scalar_record(I32), 1),
                 data = b.shared("data", scalar_record(I32), 1),
                 y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 64;
  b.if_(first(b), [&] { b.store(flag, zero(b), b.integer(0, I32)); });
  b.barrier();
  b.if_(first(b), [&] {
    b.store(data, zero(b), b.integer(42, I32));
    b.atomic_old("was", AtomicOp::Exchange, b.access(flag, zero(b)), one(b), {}, Order::Release,
                 loop::Scope::Block);
  });
  b.if_(b.apply(Op::Eq, {thread(b), b.integer(32)}), [&] {
    const auto ready = b.var("ready", b.integer(0, I32));
    b.while_(b.apply(Op::Eq, {ready.ref, b.integer(0, I32)}), [&] {
      b.assign(ready, b.atomic_old("seen", AtomicOp::Add, b.access(flag, zero(b)),
                                   b.integer(0, I32), {}, Order::Acquire, loop::Scope::Block));
    });
    b.store(y, b.special64(Special::BlockX), b.load(data, zero(b)));
  });
  const Argument out = output<int32_t>(9);
  run(b, {out}, 9);
  expect_clean();
  EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>(9, 42));
}

}  // namespace
}  // namespace cdsl::sim
