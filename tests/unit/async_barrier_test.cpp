// Arrival barriers, clusters, named barriers, elected lanes and register budgets on the simulator.
#include "async_fixture.h"

namespace cdsl::sim {
namespace {

class Arrival : public AsyncTest {};

/// Each warp hands a value to the next through shared memory, phase after phase.
TEST_F(Arrival, HandsOverByPhases) {
  b.kernel().block[0] = 64;
  const BufferId y = b.global("y", scalar_record(I32));
  const BufferId cell = b.shared("cell", scalar_record(I32), 32),
                 bars = b.shared("bars", scalar_record(U64), 2);
  init(bars, 0, 32);
  init(bars, 1, 32);
  const ExprId warp = b.special(loop::Special::Warp);
  b.for_("t", i32(0), i32(6), [&](ExprId t) {
    const ExprId parity = b.let("parity", b.apply(Op::Rem, {t, i32(2)}));
    b.if_(
        is(warp, i32(0)),
        [&] {
          b.issue(loop::BarrierWait{b.access(bars, i64(1)), b.apply(Op::Xor, {parity, i32(1)})});
          b.store(cell, lane(), b.add(b.mul(t, i32(100)), b.special(loop::Special::Lane)));
          b.issue(loop::BarrierArrive{b.access(bars, i64(0)), {}});
        },
        [&] {
          b.issue(loop::BarrierWait{b.access(bars, i64(0)), parity});
          const ExprId other = b.apply(Op::Xor, {lane(), i64(3)});
          b.store(y, b.add(b.mul(b.cast(t, I64), i64(32)), lane()), b.load(cell, other));
          b.issue(loop::BarrierArrive{b.access(bars, i64(1)), {}});
        });
  });
  run_seeds([&] { return std::vector<Argument>{output<int32_t>(192)}; },
            [&](const auto& list) {
              expect_clean();
              const auto got = values<int32_t>(list[0]);
              for (int t = 0; t < 6; ++t) {
                for (int l = 0; l < 32; ++l)
                  EXPECT_EQ(got[static_cast<std::size_t>(32 * t + l)], 100 * t + (l ^ 3));
              }
            });
}

/// Without the barrier of the reader the writer overtakes it.
TEST_F(Arrival, MissingArrivalRaces) {
  b.kernel().block[0] = 64;
  const BufferId y = b.global("y", scalar_record(I32));
  const BufferId cell = b.shared("cell", scalar_record(I32), 32),
                 bars = b.shared("bars", scalar_record(U64), 1);
  init(bars, 0, 32);
  b.if_(
      is(b.special(loop::Special::Warp), i32(0)),
      [&] {
        b.store(cell, lane(), b.special(loop::Special::Lane));
        b.issue(loop::BarrierArrive{b.access(bars, i64(0)), {}});
        b.store(cell, lane(), i32(7));
      },
      [&] {
        b.issue(loop::BarrierWait{b.access(bars, i64(0)), i32(0)});
        b.store(y, lane(), b.load(cell, lane()));
      });
  EXPECT_TRUE(some_seed_finds(Fault::Kind::Race,
                              [&] { return std::vector<Argument>{output<int32_t>(32)}; }));
}

TEST_F(Arrival, NotInitialised) {
  const BufferId bars = b.shared("bars", scalar_record(U64), 1);
  b.issue(loop::BarrierArrive{b.access(bars, i64(0)), {}});
  run(b, {});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::BadBarrier});
}

TEST_F(Arrival, TooManyArrivals) {
  const BufferId bars = b.shared("bars", scalar_record(U64), 1);
  init(bars, 0, 20);
  b.if_(first_thread(), [&] { b.issue(loop::BarrierArrive{b.access(bars, i64(0)), i32(16)}); });
  b.barrier();
  b.issue(loop::BarrierArrive{b.access(bars, i64(0)), {}});
  run(b, {});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::BadBarrier});
}

TEST_F(Arrival, NeverCompleteIsDeadlock) {
  const BufferId bars = b.shared("bars", scalar_record(U64), 1);
  init(bars, 0, 2);
  b.if_(first_thread(), [&] { b.issue(loop::BarrierArrive{b.access(bars, i64(0)), {}}); });
  b.issue(loop::BarrierWait{b.access(bars, i64(0)), i32(0)});
  run(b, {});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::Deadlock});
}

class Cluster : public AsyncTest {
 protected:
  explicit Cluster() { b.kernel().cluster[0] = 2; }
  ExprId rank() { return b.special(loop::Special::Rank); }
  ExprId other_rank() { return b.apply(Op::Xor, {rank(), i32(1)}); }
};

/// Every block sums what all blocks have, through remote shared memory.
TEST_F(Cluster, ReducesThroughRemoteMemory) {
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  const BufferId mine = b.shared("mine", scalar_record(F32), 32);
  b.store(mine, thread(b), b.load(x, global_thread(b)));
  b.barrier(loop::BarrierScope::Cluster);
  const ExprId far =
      b.load_at("far", loop::Builder::at_rank(b.access(mine, thread(b)), other_rank()));
  b.store(y, global_thread(b), b.add(b.load(mine, thread(b)), far));
  b.barrier(loop::BarrierScope::Cluster);
  run_seeds(
      [&] {
        return std::vector<Argument>{input(numbers(128)), output<float>(128)};
      },
      [&](const auto& list) {
        expect_clean();
        const auto got = values<float>(list[1]);
        for (std::size_t k = 0; k < 128; ++k) EXPECT_EQ(got[k], static_cast<float>(k + (k ^ 32)));
      },
      4);
}

TEST_F(Cluster, RemoteStoreAndAtomic) {
  const BufferId y = b.global("y", scalar_record(I32));
  const BufferId cell = b.shared("cell", scalar_record(I32), 33);
  b.if_(first_thread(), [&] { b.store(cell, i64(32), i32(0)); });
  b.barrier(loop::BarrierScope::Cluster);
  b.store(loop::Builder::at_rank(b.access(cell, thread(b)), other_rank()), rank());
  b.atomic(loop::AtomicOp::Add, loop::Builder::at_rank(b.access(cell, i64(32)), i32(1)), i32(1),
           loop::Scope::Cluster);
  b.barrier(loop::BarrierScope::Cluster);
  b.store(y, global_thread(b),
          b.add(b.load(cell, thread(b)), b.mul(b.load(cell, i64(32)), i32(10))));
  run_seeds([&] { return std::vector<Argument>{output<int32_t>(64)}; },
            [&](const auto& list) {
              expect_clean();
              EXPECT_EQ(values<int32_t>(list[0])[0], 1);
              EXPECT_EQ(values<int32_t>(list[0])[40], 640);
            },
            2);
}

TEST_F(Cluster, MissingClusterBarrierRaces) {
  const BufferId y = b.global("y", scalar_record(I32));
  const BufferId cell = b.shared("cell", scalar_record(I32), 32);
  b.store(cell, thread(b), rank());
  b.barrier();
  b.store(y, global_thread(b),
          b.load_at("far", loop::Builder::at_rank(b.access(cell, thread(b)), other_rank())));
  b.barrier(loop::BarrierScope::Cluster);
  EXPECT_TRUE(some_seed_finds(
      Fault::Kind::Race, [&] { return std::vector<Argument>{output<int32_t>(64)}; }, 2));
}

TEST_F(Cluster, EndedBlockIsOutOfReach) {
  const BufferId y = b.global("y", scalar_record(I32));
  const BufferId cell = b.shared("cell", scalar_record(I32), 32);
  b.store(cell, thread(b), rank());
  b.barrier(loop::BarrierScope::Cluster);
  b.store(y, global_thread(b),
          b.load_at("far", loop::Builder::at_rank(b.access(cell, thread(b)), other_rank())));
  EXPECT_TRUE(some_seed_finds(
      Fault::Kind::OutOfBounds, [&] { return std::vector<Argument>{output<int32_t>(64)}; }, 2));
}

/// Block 0 copies one box to both, each signalled at its own barrier.
TEST_F(Cluster, Multicast) {
  const BufferId y = b.global("y", scalar_record(F32));
  const BufferId tile = b.shared("tile", scalar_record(F32), 32),
                 full = b.shared("full", scalar_record(U64), 1);
  program.plan.buffers.emplace_back().bytes = program.arena.integer(256);
  const uint32_t map = b.map({"m", 0, F32, {i64(64)}, {}, {32}, 0});
  b.if_(first_thread(), [&] {
    b.issue(loop::BarrierInit{b.access(full, i64(0)), i32(1)});
    b.issue(loop::FenceAsync{loop::FenceKind::Init});
    b.issue(loop::BarrierArrive{b.access(full, i64(0)), i32(128)});
  });
  b.barrier(loop::BarrierScope::Cluster);
  b.if_(b.apply(Op::LogicalAnd, {first_thread(), is(rank(), i32(0))}), [&] {
    b.issue(loop::CopyTensor{
        map, false, b.access(tile, i64(0)), {i32(32)}, b.access(full, i64(0)), i32(3)});
  });
  b.issue(loop::BarrierWait{b.access(full, i64(0)), i32(0)});
  b.store(y, global_thread(b), b.load(tile, b.apply(Op::Xor, {thread(b), i64(9)})));
  b.barrier(loop::BarrierScope::Cluster);
  program.plan.arena = program.arena;
  run_seeds(
      [&] {
        Argument argument = input(numbers(64));
        argument.is_buffer = false;
        argument.is_map = true;
        argument.extents = {64};
        return std::vector<Argument>{output<float>(64), argument};
      },
      [&](const auto& list) {
        expect_clean();
        const auto got = values<float>(list[0]);
        for (std::size_t k = 0; k < 64; ++k)
          EXPECT_EQ(got[k], static_cast<float>(32 + (k % 32 ^ 9)));
      },
      2);
}

class Roles : public AsyncTest {};

/// Warps 1 and 2 meet at a named barrier; warp 0 goes its own way.
TEST_F(Roles, NamedBarrierOrdersItsWarps) {
  b.kernel().block[0] = 96;
  const BufferId y = b.global("y", scalar_record(I32));
  const BufferId cell = b.shared("cell", scalar_record(I32), 32);
  const ExprId warp = b.special(loop::Special::Warp);
  b.if_(is(warp, i32(1)), [&] {
    b.store(cell, lane(), b.mul(b.special(loop::Special::Lane), i32(2)));
    b.issue(loop::NamedBarrier{false, i32(3), 64});
  });
  b.if_(is(warp, i32(2)), [&] {
    b.issue(loop::NamedBarrier{true, i32(3), 64});
    b.store(y, lane(), b.load(cell, b.apply(Op::Xor, {lane(), i64(1)})));
  });
  run_seeds([&] { return std::vector<Argument>{output<int32_t>(32)}; },
            [&](const auto& list) {
              expect_clean();
              for (int l = 0; l < 32; ++l)
                EXPECT_EQ(values<int32_t>(list[0])[static_cast<std::size_t>(l)], 2 * (l ^ 1));
            });
}

TEST_F(Roles, NamedBarrierThatNobodyJoins) {
  b.kernel().block[0] = 64;
  b.if_(is(b.special(loop::Special::Warp), i32(0)), [&] {
    b.issue(loop::NamedBarrier{true, i32(1), 64});
  });
  run(b, {});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::Deadlock});
}

TEST_F(Roles, ElectChoosesOneLane) {
  const BufferId y = b.global("y", scalar_record(I32));
  const ExprId elected = b.elect("elected");
  b.if_(elected, [&] { b.atomic(loop::AtomicOp::Add, b.access(y, i64(0)), i32(1)); });
  run(b, {input(std::vector<int32_t>{0})});
  expect_clean();
}

/// A raise waits until others gave up what it wants.
TEST_F(Roles, BudgetsAreShared) {
  b.kernel().block[0] = 384;
  b.if_(
      b.less(b.special(loop::Special::Warp), i32(4)),
      [&] {
        b.issue(loop::RegisterBudget{40, false});
      },
      [&] {
        b.issue(loop::RegisterBudget{232, true});
      });
  run(b, {});
  expect_clean();
}

TEST_F(Roles, BudgetsThatDoNotFit) {
  b.kernel().block[0] = 384;
  b.if_(
      b.less(b.special(loop::Special::Warp), i32(4)),
      [&] {
        b.issue(loop::RegisterBudget{160, false});
      },
      [&] {
        b.issue(loop::RegisterBudget{232, true});
      });
  run(b, {});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::Deadlock});
}

}  // namespace
}  // namespace cdsl::sim
