// The schedule: seeded, the same every time, and clusters that meet.
#include "sim_fixture.h"

namespace cdsl::sim {
namespace {

using loop::Builder;
using loop::Special;

class SimSchedule : public SimTest {
 protected:
  /// The order in which threads took tickets.
  std::vector<int32_t> tickets(uint64_t seed) {
    Builder b(program, "tickets" + std::to_string(program.kernels.size()));
    const BufferId next = b.global("next", scalar_record(I32)),
                   y = b.global("y", scalar_record(I32));
    b.kernel().block[0] = 64;
    const auto spin = b.var("spin", b.integer(0));
    b.for_("k", b.integer(0), b.integer(200),
           [&](ExprId k) { b.assign(spin, b.add(spin.ref, k)); });
    const ExprId ticket = b.atomic_old("ticket", loop::AtomicOp::Add, b.access(next, b.integer(0)),
                                       b.integer(1, I32));
    b.store(y, b.cast(ticket, I64), b.cast(global_thread(b), I32));
    options.seed = seed;
    const Argument out = output<int32_t>(64 * 6);
    run(b, {input(std::vector<int32_t>(1)), out}, 6);
    expect_clean();
    return values<int32_t>(out);
  }
};

TEST_F(SimSchedule, SameSeedSameOrder) {
  EXPECT_EQ(tickets(5), tickets(5));
  EXPECT_NE(tickets(5), tickets(6));
}

TEST_F(SimSchedule, BlocksOfAClusterMeetAtItsBarrier) {
  Builder b(program, "cluster");
  const BufferId x = b.global("x", scalar_record(I32)), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  b.kernel().cluster[0] = 4;
  const ExprId i = global_thread(b);
  b.store(x, i, b.cast(i, I32));
  b.barrier(loop::BarrierScope::Cluster);
  b.store(y, i, b.load(x, b.apply(Op::Xor, {i, b.integer(64)})));
  const Argument out = output<int32_t>(512);
  run(b, {output<int32_t>(512), out}, 16);
  expect_clean();
  const auto got = values<int32_t>(out);
  for (int k = 0; k < 512; ++k) ASSERT_EQ(got[static_cast<std::size_t>(k)], k ^ 64);
}

TEST_F(SimSchedule, AGridThatIsNoMultipleOfTheCluster) {
  Builder b(program, "cluster");
  b.kernel().cluster[0] = 2;
  run(b, {}, 3);
  EXPECT_EQ(kinds(), Kinds{Fault::Kind::LaunchLimit});
}

TEST_F(SimSchedule, GridsAndBlocksOfThreeDimensions) {
  Builder b(program, "coordinates");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 3, b.kernel().block[1] = 5, b.kernel().block[2] = 2;
  ExprId flat = b.integer(0, I32);
  const std::pair<Special, int> digits[] = {{Special::BlockZ, 2},  {Special::BlockY, 3},
                                            {Special::BlockX, 4},  {Special::ThreadZ, 2},
                                            {Special::ThreadY, 5}, {Special::ThreadX, 3}};
  for (const auto& [special, extent] : digits)
    flat = b.add(b.mul(flat, b.integer(extent, I32)), b.special(special));
  const ExprId index = b.let("index", flat);
  const ExprId shape = b.add(b.mul(b.special(Special::GridDimX), b.integer(100, I32)),
                             b.special(Special::BlockDimY));
  b.store(y, b.cast(index, I64),
          b.add(shape, b.mul(b.special(Special::Warp), b.integer(1000, I32))));
  const uint32_t kernel = b.finish();
  const Argument out = output<int32_t>(720);
  simulator = std::make_unique<Simulator>(program, memory, options);
  const int64_t grid[3] = {4, 3, 2};
  simulator->launch(kernel, grid, std::vector{out});
  expect_clean();
  EXPECT_EQ(values<int32_t>(out), std::vector<int32_t>(720, 405));
  EXPECT_EQ(simulator->result().kernels.at("coordinates").blocks, 24u);
}

// Times of accesses are 20-bit numbers: more barriers than that neither hide nor invent a race.
TEST_F(SimSchedule, AMillionBarriers) {
  Builder b(program, "long");
  const BufferId t = b.shared("t", scalar_record(I32), 32), y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  const ExprId i = thread(b);
  b.store(t, i, b.integer(0, I32));
  b.barrier();
  b.for_("k", b.integer(0), b.integer(550'000), [&](ExprId) {
    const ExprId next = b.let("next", b.load(t, b.sub(b.integer(31), i)));
    b.barrier(loop::BarrierScope::Warp);
    b.store(t, i, b.add(next, b.integer(1, I32)));
    b.barrier(loop::BarrierScope::Warp);
  });
  b.store(y, i, b.load(t, i));
  const Argument out = output<int32_t>(32);
  run(b, {out});
  expect_clean();
  EXPECT_EQ(values<int32_t>(out)[7], 550'000);
}

TEST_F(SimSchedule, MemoryRemembersWhatWasWritten) {
  const uint32_t handle = memory.allocate("m", 16);
  EXPECT_FALSE(memory.written(handle, 0, 1));
  memory.mark_written(handle, 4, 8);
  EXPECT_TRUE(memory.written(handle, 4, 8));
  EXPECT_FALSE(memory.written(handle, 4, 9));
  memory.mark_unwritten(handle, 8, 1);
  EXPECT_FALSE(memory.written(handle, 4, 8));
  memory.release(handle);
  EXPECT_NE(memory.allocate("n", 16), handle);
}

TEST_F(SimSchedule, CountersAddUpOverLaunches) {
  Builder b(program, "again");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 32;
  b.store(y, thread(b), b.integer(1, I32));
  const uint32_t kernel = b.finish();
  const Argument out = output<int32_t>(32);
  simulator = std::make_unique<Simulator>(program, memory, options);
  const int64_t grid[3] = {1, 1, 1};
  for (int k = 0; k < 3; ++k) simulator->launch(kernel, grid, std::vector{out});
  EXPECT_EQ(simulator->result().kernels.at("again").launches, 3u);
  EXPECT_EQ(simulator->result().accesses.at(0).requests, 3u);
}

}  // namespace
}  // namespace cdsl::sim
