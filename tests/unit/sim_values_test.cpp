// What kernels compute.
#include <numeric>

#include "sim_fixture.h"

namespace cdsl::sim {
namespace {

using loop::Builder;
using loop::Special;

TEST_F(SimTest, SaxpyOverAGridStride) {
  Builder b(program, "saxpy");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  const ExprId n = b.parameter("n", I64), a = b.parameter("a", F32, SymbolKind::Scalar);
  b.kernel().block[0] = 64;
  b.grid_stride("i", n,
                [&](ExprId i) { b.store(y, i, b.add(b.mul(a, b.load(x, i)), b.load(y, i))); });
  std::vector<float> xs(1000), ys(1000, 1.0f);
  std::iota(xs.begin(), xs.end(), 0.0f);
  const Argument out = input(ys);
  run(b, {input(xs), out, scalar(1000), real(2)}, 3);
  expect_clean();
  const auto got = values<float>(out);
  for (std::size_t k = 0; k < 1000; ++k)
    ASSERT_EQ(got[k], 2.0f * static_cast<float>(k) + 1.0f) << k;
}

TEST_F(SimTest, APackedMoveKeepsBytesInWords) {
  Builder b(program, "packed");
  const BufferId x = b.global("x", scalar_record(ScalarType::U8), true), y = b.global("y", scalar_record(ScalarType::U32));
  const BufferId words = b.registers("words", scalar_record(ScalarType::U32), 2);
  b.kernel().block[0] = 4;
  const ExprId i = thread(b);
  b.vector_move(b.access(words, b.integer(0)), b.access(x, b.mul(i, b.integer(8))), b.integer(8));
  for (int k = 0; k < 2; ++k) b.store(y, b.add(b.mul(i, b.integer(2)), b.integer(k)), b.load(words, b.integer(k)));
  std::vector<uint8_t> bytes(32);
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  const Argument out = output<uint32_t>(8);
  run(b, {input(bytes), out});
  expect_clean();
  const auto got = values<uint32_t>(out);
  for (uint32_t k = 0; k < 8; ++k) EXPECT_EQ(got[k], 0x04030201u + 0x04040404u * k) << k;
}

TEST_F(SimTest, AnArmThatIsNotChosenDoesNotLoad) {
  Builder b(program, "shift");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  b.kernel().block[0] = 37;
  const ExprId i = thread(b);
  const ExprId inside = b.apply(Op::Ge, {i, b.integer(2)});
  b.store(y, i, b.select(inside, b.load(x, b.sub(i, b.integer(2))), b.arena().real(-1, F32)));
  std::vector<float> xs(37);
  std::iota(xs.begin(), xs.end(), 5.0f);
  const Argument out = output<float>(37);
  run(b, {input(xs), out});
  expect_clean();
  const auto got = values<float>(out);
  for (std::size_t k = 0; k < 37; ++k) EXPECT_EQ(got[k], k < 2 ? -1.0f : xs[k - 2]) << k;
}

TEST_F(SimTest, ShortCircuitGuardsALoad) {
  Builder b(program, "guard");
  const BufferId x = b.global("x", scalar_record(I32), true), y = b.global("y", scalar_record(I32));
  const ExprId i = thread(b), zero = b.integer(0, I32);
  const ExprId even = b.apply(Op::Lt, {i, b.integer(3)});
  const ExprId either = b.apply(
      Op::LogicalOr, {b.apply(Op::Ge, {i, b.integer(3)}), b.apply(Op::Gt, {b.load(x, i), zero})});
  const ExprId both = b.apply(Op::LogicalAnd, {even, b.apply(Op::Gt, {b.load(x, i), zero})});
  b.store(y, b.mul(i, b.integer(2)), b.cast(both, I32));
  b.store(y, b.add(b.mul(i, b.integer(2)), b.integer(1)), b.cast(either, I32));
  b.kernel().block[0] = 5;
  const Argument out = output<int32_t>(10);
  run(b, {input(std::vector<int32_t>{1, 0, 2}), out});
  expect_clean();
  EXPECT_EQ(values<int32_t>(out), (std::vector<int32_t>{1, 1, 0, 0, 1, 1, 0, 1, 0, 1}));
}

TEST_F(SimTest, LoopsOfDifferentLengthInOneWarp) {
  Builder b(program, "triangle");
  const BufferId y = b.global("y", scalar_record(I64));
  b.kernel().block[0] = 50;
  const ExprId i = thread(b);
  const auto sum = b.var("sum", b.integer(0));
  b.for_("k", b.integer(0), i, [&](ExprId k) {
    b.for_("m", k, b.integer(-1), b.integer(-1),
           [&](ExprId m) { b.assign(sum, b.add(sum.ref, m)); });
  });
  b.store(y, i, sum.ref);
  const Argument out = output<int64_t>(50);
  const Result& result = run(b, {out});
  expect_clean();
  const auto got = values<int64_t>(out);
  for (int64_t n = 0; n < 50; ++n)
    EXPECT_EQ(got[static_cast<std::size_t>(n)], n * (n - 1) * (n + 1) / 6) << n;
  EXPECT_GT(result.kernels.at("triangle").divergent_branches, 0u);
}

TEST_F(SimTest, CollatzByWhile) {
  Builder b(program, "collatz");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 40;
  const ExprId one = b.integer(1), two = b.integer(2), three = b.integer(3);
  const auto n = b.var("n", b.add(thread(b), one));
  const auto steps = b.var("steps", b.integer(0, I32));
  b.while_(b.apply(Op::Ne, {n.ref, one}), [&] {
    b.if_(
        b.apply(Op::Eq, {b.apply(Op::Rem, {n.ref, two}), b.integer(0)}),
        [&] {
          b.assign(n, b.apply(Op::Div, {n.ref, two}));
        },
        [&] { b.assign(n, b.add(b.mul(n.ref, three), one)); });
    b.assign(steps, b.add(steps.ref, b.integer(1, I32)));
  });
  b.store(y, thread(b), steps.ref);
  const Argument out = output<int32_t>(40);
  run(b, {out});
  expect_clean();
  const auto got = values<int32_t>(out);
  for (int start = 1; start <= 40; ++start) {
    int expected = 0;
    for (int v = start; v != 1; v = v % 2 == 0 ? v / 2 : 3 * v + 1) ++expected;
    EXPECT_EQ(got[static_cast<std::size_t>(start - 1)], expected) << start;
  }
}

TEST_F(SimTest, LeavesOfRecordsAndPositionsInArrays) {
  RecordType record{"P",
                    {{"m", ScalarType::I8, {}}, {"pos", F32, {3}}, {"q", ScalarType::F64, {}}}};
  lay_out(record);
  Builder b(program, "fields");
  const BufferId p = b.global("p", record);
  b.kernel().block[0] = 4;
  const ExprId i = thread(b);
  const ExprId next =
      b.let("next", b.add(b.load(p, i, 1, b.integer(2)), b.cast(b.load(p, i, 0), F32)));
  b.store(p, i, next, 1, b.apply(Op::Rem, {i, b.integer(2)}));
  b.store(p, i, b.cast(next, ScalarType::F64), 2);
  struct P {
    int8_t m;
    float pos[3];
    double q;
  };
  std::vector<P> ps;
  for (int k = 0; k < 4; ++k)
    ps.push_back({static_cast<int8_t>(-k), {0, 0, 10.0f * static_cast<float>(k)}, 0});
  const Argument io = input(ps);
  run(b, {io});
  expect_clean();
  const auto got = values<P>(io);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(got[static_cast<std::size_t>(k)].pos[k % 2], 9.0f * static_cast<float>(k));
    EXPECT_EQ(got[static_cast<std::size_t>(k)].q, 9.0 * k);
  }
}

TEST_F(SimTest, StorageTypesRoundOnCastAndBits) {
  Builder b(program, "narrow");
  const BufferId x = b.global("x", scalar_record(F32), true),
                 h = b.global("h", scalar_record(ScalarType::F16)),
                 g = b.global("g", scalar_record(ScalarType::BF16)),
                 y = b.global("y", scalar_record(F32));
  b.kernel().block[0] = 2;
  const ExprId i = thread(b);
  b.store(h, i, b.cast(b.load(x, i), ScalarType::F16));
  b.store(g, i, b.cast(b.load(x, i), ScalarType::BF16));
  b.barrier();
  b.store(y, i, b.add(b.cast(b.load(h, i), F32), b.cast(b.load(g, i), F32)));
  const Argument half = output<uint16_t>(2), brain = output<uint16_t>(2), out = output<float>(2);
  run(b, {input(std::vector<float>{1.0f, 3.14159f}), half, brain, out});
  expect_clean();
  EXPECT_EQ(values<uint16_t>(half), (std::vector<uint16_t>{0x3c00, 0x4248}));
  EXPECT_EQ(values<uint16_t>(brain), (std::vector<uint16_t>{0x3f80, 0x4049}));
  EXPECT_EQ(values<float>(out)[1], 3.140625f + 3.140625f);
}

TEST_F(SimTest, ComplexValuesTakeTwoRegisters) {
  Builder b(program, "complex");
  const BufferId x = b.global("x", scalar_record(ScalarType::C64), true),
                 y = b.global("y", scalar_record(ScalarType::C64));
  b.kernel().block[0] = 3;
  const ExprId i = thread(b);
  const auto acc = b.var("acc", b.load(x, i));
  b.if_(b.less(i, b.integer(2)), [&] { b.assign(acc, b.mul(acc.ref, acc.ref)); });
  b.store(y, i, acc.ref);
  const Argument out = output<float>(6);
  run(b, {input(std::vector<float>{1, 2, 0, 3, 5, 7}), out});
  expect_clean();
  EXPECT_EQ(values<float>(out), (std::vector<float>{-3, 4, -9, 0, 5, 7}));
}

TEST_F(SimTest, VectorLoadsAndStores) {
  Builder b(program, "vectors");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  const ExprId i = b.mul(thread(b), b.integer(4));
  const auto v = b.vector_load("v", x, i, 4);
  b.vector_store(y, i, {v[3], v[2], v[1], b.arena().real(9, F32)});
  b.kernel().block[0] = 8;
  std::vector<float> xs(32);
  std::iota(xs.begin(), xs.end(), 0.0f);
  const Argument out = output<float>(32);
  run(b, {input(xs), out});
  expect_clean();
  const auto got = values<float>(out);
  for (std::size_t k = 0; k < 32; ++k)
    EXPECT_EQ(got[k], k % 4 == 3 ? 9.0f : xs[k / 4 * 4 + 3 - k % 4]);
}

TEST_F(SimTest, RegisterBuffersBelongToAThread) {
  Builder b(program, "private");
  const BufferId y = b.global("y", scalar_record(I32)), r = b.registers("r", scalar_record(I32), 8);
  b.kernel().block[0] = 40;
  const ExprId i = thread(b);
  b.for_("k", b.integer(0), b.integer(8),
         [&](ExprId k) { b.store(r, k, b.cast(b.mul(i, k), I32)); });
  b.store(y, i, b.load(r, b.apply(Op::Rem, {i, b.integer(8)})));
  const Argument out = output<int32_t>(40);
  run(b, {out});
  expect_clean();
  const auto got = values<int32_t>(out);
  for (int k = 0; k < 40; ++k) EXPECT_EQ(got[static_cast<std::size_t>(k)], k * (k % 8));
}

TEST_F(SimTest, ReverseThroughSharedMemory) {
  Builder b(program, "reverse");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32)),
                 tile = b.shared("tile", scalar_record(F32), 128);
  b.kernel().block[0] = 128;
  const ExprId t = thread(b), i = global_thread(b);
  b.store(tile, t, b.load(x, i));
  b.barrier();
  b.store(y, i, b.load(tile, b.sub(b.integer(127), t)));
  std::vector<float> xs(128 * 10);
  std::iota(xs.begin(), xs.end(), 0.0f);
  const Argument out = output<float>(xs.size());
  run(b, {input(xs), out}, 10);
  expect_clean();
  const auto got = values<float>(out);
  for (std::size_t k = 0; k < xs.size(); ++k)
    ASSERT_EQ(got[k], static_cast<float>(k / 128 * 128 + 127 - k % 128));
}

TEST_F(SimTest, WarpSumByShuffles) {
  Builder b(program, "warp_sum");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 64;
  const auto sum = b.var("sum", b.special(Special::ThreadX));
  for (int delta = 16; delta > 0; delta /= 2) {
    b.assign(sum, b.add(sum.ref,
                        b.shuffle("from", loop::ShuffleKind::Xor, sum.ref, b.integer(delta, I32))));
  }
  b.store(y, thread(b), sum.ref);
  const Argument out = output<int32_t>(64);
  run(b, {out});
  expect_clean();
  for (int k = 0; k < 64; ++k)
    EXPECT_EQ(values<int32_t>(out)[static_cast<std::size_t>(k)], k < 32 ? 496 : 1520);
}

TEST_F(SimTest, ShufflesUpDownAndVotes) {
  Builder b(program, "votes");
  const BufferId y = b.global("y", scalar_record(I32));
  const ExprId lane = b.special(Special::Lane), one = b.integer(1, I32);
  const ExprId up = b.shuffle("up", loop::ShuffleKind::Up, lane, one),
               down = b.shuffle("down", loop::ShuffleKind::Down, lane, one);
  const ExprId odd = b.let("odd", b.apply(Op::Eq, {b.apply(Op::And, {lane, one}), one}));
  const ExprId ballot = b.vote("ballot", loop::VoteKind::Ballot, odd);
  const ExprId any = b.vote("some", loop::VoteKind::Any, odd),
               all = b.vote("every", loop::VoteKind::All, odd);
  const ExprId base = b.mul(thread(b), b.integer(4));
  b.store(y, base, up);
  b.store(y, b.add(base, b.integer(1)), down);
  b.store(y, b.add(base, b.integer(2)), b.cast(ballot, I32));
  b.store(y, b.add(base, b.integer(3)),
          b.add(b.cast(any, I32), b.mul(b.integer(2, I32), b.cast(all, I32))));
  b.kernel().block[0] = 32;
  const Argument out = output<int32_t>(128);
  run(b, {out});
  expect_clean();
  const auto got = values<int32_t>(out);
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[4 * 5], 4);
  EXPECT_EQ(got[4 * 5 + 1], 6);
  EXPECT_EQ(got[4 * 31 + 1], 31);
  EXPECT_EQ(static_cast<uint32_t>(got[2]), 0xaaaaaaaau);
  EXPECT_EQ(got[3], 1);
}

TEST_F(SimTest, AtomicsOfEveryKind) {
  Builder b(program, "atomics");
  const BufferId t = b.global("t", scalar_record(I32)), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 100;
  const ExprId i = b.special(Special::ThreadX);
  const auto at = [&](int64_t k) { return b.access(t, b.integer(k)); };
  b.atomic(loop::AtomicOp::Add, at(0), i);
  b.atomic(loop::AtomicOp::Max, at(1), i);
  b.atomic(loop::AtomicOp::Min, at(2), i);
  b.atomic(loop::AtomicOp::Or, at(3), i);
  b.atomic(loop::AtomicOp::Xor, at(4), i);
  const ExprId ticket = b.atomic_old("ticket", loop::AtomicOp::Add, at(5), b.integer(1, I32));
  b.store(y, b.cast(ticket, I64), i);
  b.atomic_old("won", loop::AtomicOp::CompareExchange, at(6), i, b.integer(-1, I32));
  const Argument table = input(std::vector<int32_t>{0, 0, 1000, 0, 0, 0, -1}),
                 out = output<int32_t>(100);
  const Result& result = run(b, {table, out});
  expect_clean();
  const auto got = values<int32_t>(table);
  EXPECT_EQ(got[0], 4950);
  EXPECT_EQ(got[1], 99);
  EXPECT_EQ(got[2], 0);
  EXPECT_EQ(got[3], 127);
  EXPECT_EQ(got[4], 0);
  EXPECT_EQ(got[5], 100);
  EXPECT_GE(got[6], 0);
  auto tickets = values<int32_t>(out);
  std::sort(tickets.begin(), tickets.end());
  for (int k = 0; k < 100; ++k) EXPECT_EQ(tickets[static_cast<std::size_t>(k)], k);
  EXPECT_EQ(result.kernels.at("atomics").atomics, 700u);
}

TEST_F(SimTest, ReportsKeepTheFirstValueAndCountTheRest) {
  program.sites.resize(2);
  Builder b(program, "reports");
  b.kernel().block[0] = 10;
  const ExprId i = thread(b);
  b.if_(b.apply(Op::Ge, {i, b.integer(7)}), [&] { b.report(1, i); });
  const Result& result = run(b, {});
  ASSERT_EQ(result.reports.size(), 1u);
  EXPECT_EQ(result.reports[0].site, 1u);
  EXPECT_EQ(result.reports[0].value, 7);
  EXPECT_EQ(result.reports[0].count, 3u);
}

TEST_F(SimTest, LongSumsNeedLittleRegisterFileAndNoStack) {
  Builder b(program, "long_sum");
  const BufferId x = b.global("x", scalar_record(I32), true), y = b.global("y", scalar_record(I32));
  ExprId sum = b.integer(0, I32);
  for (int k = 0; k < 20000; ++k)
    sum = b.add(sum, b.mul(b.load(x, thread(b)), b.integer(k % 7, I32)));
  b.store(y, thread(b), sum);
  b.kernel().block[0] = 32;
  const Argument out = output<int32_t>(32);
  run(b, {input(std::vector<int32_t>(32, 1)), out});
  expect_clean();
  int expected = 0;
  for (int k = 0; k < 20000; ++k) expected += k % 7;
  EXPECT_EQ(values<int32_t>(out)[31], expected);
}

TEST_F(SimTest, AVariableThatALetReadKeepsItsOldValueThere) {
  Builder b(program, "old_value");
  const BufferId y = b.global("y", scalar_record(I32));
  const auto v = b.var("v", b.special(Special::ThreadX));
  const ExprId before = b.let("before", v.ref);
  b.assign(v, b.add(v.ref, b.integer(10, I32)));
  b.for_("k", b.integer(0, I32), v.ref, [&](ExprId) { b.assign(v, b.integer(0, I32)); });
  b.store(y, thread(b), b.add(b.mul(before, b.integer(100, I32)), v.ref));
  b.kernel().block[0] = 3;
  const Argument out = output<int32_t>(3);
  run(b, {out});
  expect_clean();
  EXPECT_EQ(values<int32_t>(out), (std::vector<int32_t>{0, 100, 200}));
}

// Vectors of neighbouring lanes follow each other, their elements do not.
TEST_F(SimTest, VectorsOfNeighbours) {
  Builder b(program, "vectors");
  b.kernel().block[0] = 32;
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  const ExprId at = b.mul(thread(b), b.integer(4));
  const std::vector<ExprId> v = b.vector_load("v", x, at, 4);
  b.vector_store(y, at, {v[3], v[2], v[1], v[0]});
  std::vector<float> in(128);
  for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<float>(k);
  const Argument out = output<float>(128);
  run(b, {input(in), out});
  expect_clean();
  for (std::size_t k = 0; k < in.size(); ++k) EXPECT_EQ(values<float>(out)[k], in[k ^ 3]) << k;
}

}  // namespace
}  // namespace cdsl::sim
