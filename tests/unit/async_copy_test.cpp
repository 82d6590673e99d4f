// cp.async, bulk copies and boxes of tensor maps on the simulator: values, waits that are missing,
// bytes that are not there.
#include "async_fixture.h"

namespace cdsl::sim {
namespace {

class AsyncCopy : public AsyncTest {
 protected:
  /// y[t] = x[t] by cp.async of each thread, with `wait` or without.
  void copy_kernel(bool commit, bool wait, bool barrier, int64_t read_from = 0) {
    const BufferId x = b.global("x", scalar_record(F32), true),
                   y = b.global("y", scalar_record(F32));
    const BufferId tile = b.shared("tile", scalar_record(F32), 32);
    b.issue(loop::CopyAsync{b.access(tile, thread(b)), b.access(x, thread(b)), 4, {}});
    if (commit) b.issue(loop::CopyCommit{loop::CopyBatch::Async});
    if (wait) b.issue(loop::CopyWait{loop::CopyBatch::Async, 0, false});
    if (barrier) b.barrier();
    const ExprId from = b.apply(Op::Xor, {thread(b), i64(read_from)});
    b.store(y, thread(b), b.load(tile, from));
  }
  std::vector<Argument> in_out() { return {input(numbers(32)), output<float>(32)}; }
};

TEST_F(AsyncCopy, WaitedForIsThere) {
  copy_kernel(true, true, true, 5);
  run_seeds([&] { return in_out(); },
            [&](const auto& list) {
              expect_clean();
              for (std::size_t k = 0; k < 32; ++k)
                EXPECT_EQ(values<float>(list[1])[k], static_cast<float>(k ^ 5));
            });
}

TEST_F(AsyncCopy, OwnCopyNeedsNoBarrier) {
  copy_kernel(true, true, false);
  run_seeds([&] { return in_out(); }, [&](const auto&) { expect_clean(); });
}

TEST_F(AsyncCopy, MissingWaitIsFound) {
  copy_kernel(true, false, true);
  EXPECT_TRUE(some_seed_finds(Fault::Kind::Race, [&] { return in_out(); }));
}

TEST_F(AsyncCopy, UncommittedIsNotWaitedFor) {
  copy_kernel(false, true, true);
  EXPECT_TRUE(some_seed_finds(Fault::Kind::Race, [&] { return in_out(); }));
}

TEST_F(AsyncCopy, MissingBarrierIsFound) {
  copy_kernel(true, true, false, 7);
  EXPECT_TRUE(some_seed_finds(Fault::Kind::Race, [&] { return in_out(); }));
}

TEST_F(AsyncCopy, ConditionFillsWithZeros) {
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  const BufferId tile = b.shared("tile", scalar_record(F32), 128);
  const ExprId at = b.let("at", b.mul(thread(b), i64(4)));
  b.issue(loop::CopyAsync{b.access(tile, at), b.access(x, at), 16, b.less(thread(b), i64(10))});
  b.issue(loop::CopyCommit{});
  b.issue(loop::CopyWait{});
  b.store(y, thread(b), b.load(tile, b.add(at, i64(3))));
  run_seeds(
      [&] {
        return std::vector<Argument>{input(numbers(40)), output<float>(32)};
      },
      [&](const auto& list) {
        expect_clean();
        for (std::size_t k = 0; k < 32; ++k)
          EXPECT_EQ(values<float>(list[1])[k], k < 10 ? static_cast<float>(4 * k + 3) : 0.0F);
      });
  EXPECT_EQ(simulator->result().accesses[0].requests, 1U);
}

/// Two stages: the next copy is under way while this one is summed.
TEST_F(AsyncCopy, DoubleBuffer) {
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  const BufferId tile = b.shared("tile", scalar_record(F32), 64);
  const auto fetch = [&](ExprId step) {
    const ExprId slot = b.add(b.mul(b.apply(Op::Rem, {step, i64(2)}), i64(32)), thread(b));
    b.if_(b.less(step, i64(8)), [&] {
      b.issue(loop::CopyAsync{
          b.access(tile, slot), b.access(x, b.add(b.mul(step, i64(32)), thread(b))), 4, {}});
    });
    b.issue(loop::CopyCommit{});
  };
  const loop::Variable sum = b.var("sum", b.arena().real(0, F32));
  fetch(i64(0));
  b.for_("step", i64(0), i64(8), [&](ExprId step) {
    fetch(b.add(step, i64(1)));
    b.issue(loop::CopyWait{loop::CopyBatch::Async, 1, false});
    b.barrier();
    const ExprId other = b.apply(Op::Xor, {thread(b), i64(1)});
    b.assign(sum,
             b.add(sum.ref,
                   b.load(tile, b.add(b.mul(b.apply(Op::Rem, {step, i64(2)}), i64(32)), other))));
    b.barrier();
  });
  b.store(y, thread(b), sum.ref);
  run_seeds(
      [&] {
        return std::vector<Argument>{input(numbers(256)), output<float>(32)};
      },
      [&](const auto& list) {
        expect_clean();
        for (std::size_t k = 0; k < 32; ++k)
          EXPECT_EQ(values<float>(list[1])[k], static_cast<float>(8 * (k ^ 1) + 32 * 28));
      });
}

class BulkCopy : public AsyncTest {
 protected:
  /// y = x through shared memory: a bulk copy in, sums of neighbours by threads, a bulk copy out.
  void round_trip(int64_t expected, bool wait, bool fence, bool adds = false) {
    const BufferId x = b.global("x", scalar_record(F32), true),
                   y = b.global("y", scalar_record(F32));
    const BufferId tile = b.shared("tile", scalar_record(F32), 32),
                   out = b.shared("out", scalar_record(F32), 32);
    const BufferId full = b.shared("full", scalar_record(U64), 1);
    init(full, 0, 1);
    b.if_(first_thread(), [&] {
      b.issue(loop::BarrierArrive{b.access(full, i64(0)), i32(expected)});
      b.issue(loop::CopyBulk{b.access(tile, i64(0)), b.access(x, i64(0)), i32(128),
                             b.access(full, i64(0)), false});
    });
    if (wait) b.issue(loop::BarrierWait{b.access(full, i64(0)), i32(0)});
    b.store(out, thread(b), b.load(tile, b.apply(Op::Xor, {thread(b), i64(1)})));
    if (fence) b.issue(loop::FenceAsync{});
    b.barrier();
    b.if_(first_thread(), [&] {
      b.issue(loop::CopyBulk{b.access(y, i64(0)), b.access(out, i64(0)), i32(128), {}, adds});
      b.issue(loop::CopyCommit{loop::CopyBatch::Bulk});
      b.issue(loop::CopyWait{loop::CopyBatch::Bulk, 0, false});
    });
  }
  std::vector<Argument> in_out() { return {input(numbers(32)), output<float>(32)}; }
};

TEST_F(BulkCopy, InAndOut) {
  round_trip(128, true, true);
  run_seeds([&] { return in_out(); },
            [&](const auto& list) {
              expect_clean();
              for (std::size_t k = 0; k < 32; ++k)
                EXPECT_EQ(values<float>(list[1])[k], static_cast<float>(k ^ 1));
            });
}

TEST_F(BulkCopy, Adds) {
  round_trip(128, true, true, true);
  run_seeds(
      [&] {
        return std::vector<Argument>{input(numbers(32)), input(numbers(32, 100))};
      },
      [&](const auto& list) {
        expect_clean();
        for (std::size_t k = 0; k < 32; ++k)
          EXPECT_EQ(values<float>(list[1])[k], static_cast<float>(100 + k + (k ^ 1)));
      });
}

TEST_F(BulkCopy, MissingWaitIsFound) {
  round_trip(128, false, true);
  EXPECT_TRUE(some_seed_finds(Fault::Kind::Race, [&] { return in_out(); }));
}

TEST_F(BulkCopy, MissingFenceIsFound) {
  round_trip(128, true, false);
  EXPECT_TRUE(some_seed_finds(Fault::Kind::Race, [&] { return in_out(); }));
  EXPECT_NE(last_message.find("proxy fence"), std::string::npos) << last_message;
}

TEST_F(BulkCopy, WrongBytesDeadlock) {
  round_trip(256, true, true);
  EXPECT_TRUE(some_seed_finds(Fault::Kind::Deadlock, [&] { return in_out(); }));
  EXPECT_NE(last_message.find("arrival barrier"), std::string::npos) << last_message;
}

TEST_F(BulkCopy, StoreNotWaitedForIsFound) {
  const BufferId y = b.global("y", scalar_record(F32));
  const BufferId out = b.shared("out", scalar_record(F32), 32);
  b.store(out, thread(b), b.arena().real(1, F32));
  b.issue(loop::FenceAsync{});
  b.barrier();
  b.if_(first_thread(), [&] {
    b.issue(loop::CopyBulk{b.access(y, i64(0)), b.access(out, i64(0)), i32(128), {}, false});
    b.issue(loop::CopyCommit{loop::CopyBatch::Bulk});
  });
  EXPECT_TRUE(some_seed_finds(Fault::Kind::BadCopy,
                              [&] { return std::vector<Argument>{output<float>(32)}; }));
}

class TensorCopy : public AsyncTest {
 protected:
  static constexpr int64_t kRows = 10, kColumns = 40, kBoxRows = 4, kBoxColumns = 32;

  /// y = the box of x at (column, row), 4 rows of 32, through shared memory; out is the box as it
  /// lies there.
  void box_kernel(int64_t column, int64_t row, int swizzle) {
    const BufferId y = b.global("y", scalar_record(F32));
    const BufferId tile = b.shared("tile", scalar_record(F32), kBoxRows * kBoxColumns);
    const BufferId full = b.shared("full", scalar_record(U64), 1);
    program.plan.buffers.emplace_back().bytes = program.arena.integer(kRows * kColumns * 4);
    const uint32_t map = b.map({"m",
                                0,
                                F32,
                                {i64(kColumns), i64(kRows)},
                                {i64(kColumns * 4)},
                                {kBoxColumns, kBoxRows},
                                swizzle});
    init(full, 0, 1);
    b.if_(first_thread(), [&] {
      b.issue(loop::BarrierArrive{b.access(full, i64(0)), i32(kBoxRows * kBoxColumns * 4)});
      b.issue(loop::CopyTensor{
          map, false, b.access(tile, i64(0)), {i32(column), i32(row)}, b.access(full, i64(0)), {}});
    });
    b.issue(loop::BarrierWait{b.access(full, i64(0)), i32(0)});
    b.for_("r", i64(0), i64(kBoxRows), [&](ExprId r) {
      const ExprId at = b.add(b.mul(r, i64(kBoxColumns)), thread(b));
      b.store(y, at, b.load(tile, at));
    });
  }
  std::vector<Argument> in_out() {
    Argument map = input(numbers(kRows * kColumns));
    map.is_buffer = false;
    map.is_map = true;
    map.extents = {kColumns, kRows};
    map.strides = {kColumns * 4};
    return {output<float>(kBoxRows * kBoxColumns), map};
  }
  static float expected(int64_t x, int64_t y) {
    return x >= 0 && x < kColumns && y >= 0 && y < kRows ? static_cast<float>(y * kColumns + x)
                                                         : 0.0F;
  }
  template <class Place>
  void expect_box(int64_t column, int64_t row, Place&& place) {
    program.plan.arena = program.arena;
    run_seeds(
        [&] { return in_out(); },
        [&](const auto& list) {
          expect_clean();
          const auto got = values<float>(list[0]);
          for (int64_t r = 0; r < kBoxRows; ++r) {
            for (int64_t c = 0; c < kBoxColumns; ++c)
              EXPECT_EQ(got[static_cast<std::size_t>(place(r, c))], expected(column + c, row + r))
                  << r << " " << c;
          }
        });
  }
};

TEST_F(TensorCopy, BoxInside) {
  box_kernel(8, 3, 0);
  expect_box(8, 3, [](int64_t r, int64_t c) { return r * kBoxColumns + c; });
}

TEST_F(TensorCopy, OutsideIsZero) {
  box_kernel(-3, 8, 0);
  expect_box(-3, 8, [](int64_t r, int64_t c) { return r * kBoxColumns + c; });
}

TEST_F(TensorCopy, Swizzled) {
  box_kernel(4, 1, 128);
  expect_box(4, 1,
             [](int64_t r, int64_t c) { return r * kBoxColumns + ((c / 4) ^ r) * 4 + c % 4; });
}

}  // namespace
}  // namespace cdsl::sim
