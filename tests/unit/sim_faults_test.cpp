// Each kind of fault is found, told with its place, and does not stop the others.
#include "sim_fixture.h"

namespace cdsl::sim {
namespace {

using loop::Builder;
using loop::Special;

TEST_F(SimTest, ReadOutOfBoundsYieldsZero) {
  Builder b(program, "past_the_end");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  b.kernel().block[0] = 33;
  b.at({0, 100, 120});
  b.store(y, thread(b), b.load(x, thread(b)));
  const Argument out = output<float>(33);
  const Result& result = run(b, {input(std::vector<float>(31, 4.0f)), out});
  ASSERT_EQ(kinds(), Kinds{Fault::Kind::OutOfBounds});
  EXPECT_EQ(result.faults[0].message,
            "read of x[31], which has 31 elements, block (0, 0, 0) thread (31, 0, 0)");
  EXPECT_EQ(result.faults[0].count, 2u);
  EXPECT_EQ(result.faults[0].kernel, "past_the_end");
  EXPECT_EQ(result.faults[0].where, (SourceRange{0, 100, 120}));
  EXPECT_EQ(values<float>(out)[30], 4.0f);
  EXPECT_EQ(values<float>(out)[31], 0.0f);
  EXPECT_EQ(values<float>(out)[32], 0.0f);
}

TEST_F(SimTest, WriteOutOfBoundsIsDropped) {
  Builder b(program, "negative");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 8;
  b.store(y, b.sub(thread(b), b.integer(2)), b.integer(7, I32));
  const Argument out = output<int32_t>(6);
  run(b, {out});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::OutOfBounds});
  EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>(6, 7));
}

TEST_F(SimTest, ExtremeIndicesAreOutOfBoundsToo) {
  Builder b(program, "extreme");
  const BufferId x = b.global("x", scalar_record(ScalarType::F64), true),
                 y = b.global("y", scalar_record(ScalarType::F64));
  b.kernel().block[0] = 32;
  b.store(y, thread(b), b.load(x, b.mul(thread(b), b.integer(INT64_MAX))));
  run(b, {input(std::vector<double>{1}), output<double>(32)});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::OutOfBounds});
  EXPECT_EQ(simulator->result().faults[0].count, 31u);
}

TEST_F(SimTest, APieceOfAnAllocationHasItsOwnEnd) {
  Builder b(program, "piece");
  const BufferId x = b.global("x", scalar_record(I32), true), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 4;
  b.store(y, thread(b), b.load(x, thread(b)));
  Argument piece = input(std::vector<int32_t>{0, 0, 5, 6, 7, 8});
  piece.offset = 8;
  piece.bytes = 12;
  const Argument out = output<int32_t>(4);
  run(b, {piece, out});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::OutOfBounds});
  EXPECT_EQ(values<int32_t>(out), (std::vector<int32_t>{5, 6, 7, 0}));
}

TEST_F(SimTest, PositionInAnArrayLeafIsChecked) {
  RecordType record{"V", {{"v", F32, {3}}}};
  lay_out(record);
  Builder b(program, "position");
  const BufferId p = b.global("p", record);
  b.kernel().block[0] = 1;
  b.store(p, b.integer(0), b.arena().real(1, F32), 0, b.integer(3));
  run(b, {input(std::vector<float>(6))});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::OutOfBounds});
}

TEST_F(SimTest, MisalignedVectorAccess) {
  Builder b(program, "vectors");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  b.kernel().block[0] = 4;
  const auto v = b.vector_load("v", x, b.add(thread(b), b.integer(1)), 2);
  b.store(y, thread(b), b.add(v[0], v[1]));
  const Argument out = output<float>(4);
  run(b, {input(std::vector<float>{0, 1, 2, 3, 4, 5}), out});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::Misaligned});
  EXPECT_EQ(values<float>(out), (std::vector<float>{0, 5, 0, 9}));
}

TEST_F(SimTest, VectorPastTheEnd) {
  Builder b(program, "vectors");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  b.kernel().block[0] = 2;
  const auto v = b.vector_load("v", x, b.mul(thread(b), b.integer(4)), 4);
  b.store(y, thread(b), v[3]);
  run(b, {input(std::vector<float>(7)), output<float>(2)});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::OutOfBounds});
}

TEST_F(SimTest, UnwrittenGlobalAndSharedReads) {
  Builder b(program, "unwritten");
  const BufferId x = b.global("x", scalar_record(F32)), y = b.global("y", scalar_record(F32)),
                 t = b.shared("t", scalar_record(F32), 32),
                 r = b.registers("r", scalar_record(F32), 2);
  b.kernel().block[0] = 32;
  const ExprId i = thread(b);
  b.if_(b.less(i, b.integer(31)), [&] { b.store(t, i, b.load(x, i)); });
  b.barrier();
  b.store(y, i, b.add(b.load(t, i), b.load(r, b.integer(1))));
  run(b, {output<float>(32), output<float>(32)});
  EXPECT_EQ(kinds(), (Kinds{Fault::Kind::UnwrittenRead, Fault::Kind::UnwrittenRead,
                            Fault::Kind::UnwrittenRead}));
  EXPECT_EQ(simulator->result().faults[0].count, 31u);
  EXPECT_EQ(simulator->result().faults[1].count, 1u);
}

TEST_F(SimTest, SharedMemoryIsUnwrittenInEveryBlock) {
  Builder b(program, "leak");
  const BufferId y = b.global("y", scalar_record(I32)), t = b.shared("t", scalar_record(I32), 1);
  b.kernel().block[0] = 1;
  const ExprId block = b.special64(Special::BlockX);
  b.if_(b.apply(Op::Ne, {block, b.integer(3)}),
        [&] { b.store(t, b.integer(0), b.integer(1, I32)); });
  b.store(y, block, b.load(t, b.integer(0)));
  run(b, {output<int32_t>(20)}, 20);
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::UnwrittenRead});
}

TEST_F(SimTest, BarrierThatPartOfAWarpMisses) {
  Builder b(program, "divergent");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 64;
  b.if_(b.less(thread(b), b.integer(48)), [&] { b.barrier(); });
  b.store(y, thread(b), b.integer(1, I32));
  const Argument out = output<int32_t>(64);
  run(b, {out});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::DivergentBarrier});
  EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>(64, 1));
}

TEST_F(SimTest, BarrierThatAWholeWarpMisses) {
  Builder b(program, "divergent");
  b.kernel().block[0] = 64;
  b.if_(b.less(thread(b), b.integer(32)), [&] { b.barrier(); });
  run(b, {});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::DivergentBarrier});
}

TEST_F(SimTest, WarpsAtDifferentBarriers) {
  Builder b(program, "divergent");
  b.kernel().block[0] = 64;
  b.if_(
      b.less(thread(b), b.integer(32)), [&] { b.barrier(); }, [&] { b.barrier(); });
  run(b, {});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::DivergentBarrier});
}

TEST_F(SimTest, BarriersInUniformControlAreFine) {
  Builder b(program, "uniform");
  b.kernel().block[0] = 96;
  b.for_("k", b.integer(0), b.integer(5),
         [&](ExprId k) { b.if_(b.less(k, b.integer(3)), [&] { b.barrier(); }); });
  const Result& result = run(b, {}, 7);
  expect_clean();
  EXPECT_EQ(result.kernels.at("uniform").barriers, 7u * 3 * 3);
}

TEST_F(SimTest, ShuffleWithALaneThatIsAway) {
  Builder b(program, "shuffle");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  const ExprId lane = b.special(Special::Lane);
  b.if_(b.less(lane, b.integer(16, I32)), [&] {
    b.store(y, thread(b), b.shuffle("s", loop::ShuffleKind::Xor, lane, b.integer(1, I32)));
  });
  run(b, {output<int32_t>(32)});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::BadShuffle});
}

TEST_F(SimTest, ShuffleFromALaneOutsideItsMask) {
  Builder b(program, "shuffle");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  const ExprId lane = b.special(Special::Lane);
  b.if_(b.less(lane, b.integer(16, I32)), [&] {
    b.store(y, thread(b), b.shuffle("s", loop::ShuffleKind::Xor, lane, b.integer(16, I32), 0xffff));
  });
  run(b, {output<int32_t>(32)});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::BadShuffle});
}

TEST_F(SimTest, StepLimit) {
  options.step_limit = 100'000;
  Builder b(program, "forever");
  b.kernel().block[0] = 32;
  const auto k = b.var("k", b.integer(0));
  b.while_(b.apply(Op::Ge, {k.ref, b.integer(0)}), [&] {
    b.assign(k, b.apply(Op::Xor, {k.ref, b.integer(1)}));
  });
  run(b, {}, 10);
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::StepLimit});
}

TEST_F(SimTest, LaunchLimits) {
  const auto launch = [&](int64_t blocks, int threads, int64_t shared) {
    Builder b(program, "shape" + std::to_string(program.kernels.size()));
    b.shared("t", scalar_record(ScalarType::U8), shared);
    b.kernel().block[0] = threads;
    run(b, {}, blocks);
    return kinds();
  };
  EXPECT_EQ(launch(1, 1024, 227 * 1024), Kinds{});
  EXPECT_EQ(launch(0, 32, 16), Kinds{Fault::Kind::LaunchLimit});
  EXPECT_EQ(launch(2147483648, 32, 16), Kinds{Fault::Kind::LaunchLimit});
  EXPECT_EQ(launch(1, 32, 228 * 1024), Kinds{Fault::Kind::LaunchLimit});
}

TEST_F(SimTest, ManyDifferentFaultsStopTheLaunch) {
  options.max_faults = 3;
  Builder b(program, "many");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 1;
  for (int64_t k = 0; k < 10; ++k) b.store(y, b.integer(100 + k), b.integer(1, I32));
  run(b, {output<int32_t>(1)});
  EXPECT_EQ(kinds().size(), 3u);
}

TEST_F(SimTest, WithoutChecksBoundsStillHold) {
  options.check = false;
  Builder b(program, "unchecked");
  const BufferId x = b.global("x", scalar_record(I32)), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 4;
  b.store(y, b.integer(0), b.load(x, thread(b)));
  run(b, {output<int32_t>(3), output<int32_t>(1)});
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::OutOfBounds});
}

}  // namespace
}  // namespace cdsl::sim
