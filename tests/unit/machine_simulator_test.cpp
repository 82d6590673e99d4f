// The model's sectors and wavefronts equal what the simulator counts.
#include "dsl/machine/memory.h"

#include <cstdlib>
#include <random>

#include "sim_fixture.h"

namespace cdsl::sim {
namespace {

using loop::Builder;

class MachineSimulator : public SimTest {
 protected:
  struct Access {
    ScalarType type;
    int64_t stride, offset;  // elements, from thread 0 of a warp
    bool shared;
    int threads;
  };
  void compare(const Access& access, int number) {
    program = loop::Program::over({}, "test");
    memory = Memory();
    Builder b(program, "k" + std::to_string(number));
    const int64_t count = 31 * std::abs(access.stride) + access.offset + 1;
    const BufferId x = access.shared ? b.shared("x", scalar_record(access.type), count)
                                     : b.global("x", scalar_record(access.type), true);
    const BufferId y = b.global("y", scalar_record(access.type));
    b.kernel().block[0] = access.threads;
    const ExprId at = b.add(b.mul(thread(b), b.integer(access.stride)), b.integer(access.offset));
    b.store(y, thread(b), b.load(x, at));
    options.check = false;
    std::vector<Argument> arguments = {output<std::byte>(32 * 16)};
    const auto bytes = static_cast<std::size_t>(count * size_of(access.type));
    if (!access.shared) arguments.insert(arguments.begin(), output<std::byte>(bytes));
    const Result& result = run(b, arguments);
    expect_clean();
    const int width = static_cast<int>(size_of(access.type));
    const LaneStride pattern{access.stride * width, width, access.offset * width, access.threads};
    int loads = 0;
    for (const AccessCounters& counted : result.accesses) {
      if (counted.is_store) continue;
      ++loads;
      if (access.shared) {
        const SharedRequest want = shared_request(pattern);
        EXPECT_EQ(counted.wavefronts, static_cast<uint64_t>(want.wavefronts));
        EXPECT_EQ(counted.ideal_wavefronts, static_cast<uint64_t>(want.ideal_wavefronts));
      } else {
        const GlobalRequest want = global_request(pattern);
        EXPECT_EQ(counted.sectors, static_cast<uint64_t>(want.sectors));
        EXPECT_EQ(counted.ideal_sectors, static_cast<uint64_t>(want.ideal_sectors));
      }
      EXPECT_EQ(counted.lanes, static_cast<uint64_t>(access.threads));
    }
    EXPECT_EQ(loads, 1);
  }
};

TEST_F(MachineSimulator, StridedAccesses) {
  const ScalarType types[] = {ScalarType::U8, ScalarType::F16, ScalarType::F32, ScalarType::F64,
                              ScalarType::C128};
  std::mt19937 random(5);
  for (int number = 0; number < 400; ++number) {
    Access access;
    access.type = types[random() % 5];
    access.stride = static_cast<int64_t>(random() % 70);
    access.offset = static_cast<int64_t>(random() % 40);
    access.shared = number % 2 == 0;
    access.threads = number % 3 == 0 ? 1 + static_cast<int>(random() % 32) : 32;
    compare(access, number);
    if (HasFailure()) FAIL() << "stride " << access.stride << ", offset " << access.offset;
  }
}

// A warp transposes a 32x32 tile through shared memory, with and without padding.
TEST_F(MachineSimulator, TransposedTile) {
  for (const int64_t pitch : {32, 33}) {
    Builder b(program, "transpose" + std::to_string(pitch));
    const BufferId x = b.global("x", scalar_record(F32), true),
                   y = b.global("y", scalar_record(F32)),
                   tile = b.shared("tile", scalar_record(F32), 32 * pitch);
    b.kernel().block[0] = 32;
    const ExprId lane = thread(b);
    for (int64_t row = 0; row < 32; ++row)
      b.store(tile, b.add(lane, b.integer(row * pitch)),
              b.load(x, b.add(lane, b.integer(row * 100))));
    b.barrier();
    for (int64_t row = 0; row < 32; ++row)
      b.store(y, b.add(lane, b.integer(row * 64)),
              b.load(tile, b.add(b.mul(lane, b.integer(pitch)), b.integer(row))));
    const Result& result = run(b, {input(std::vector<float>(32 * 100)), output<float>(32 * 64)});
    expect_clean();
    uint64_t wavefronts = 0, loaded = 0, stored = 0;
    for (const AccessCounters& counted : result.accesses) {
      if (counted.is_shared && !counted.is_store) wavefronts += counted.wavefronts;
      if (!counted.is_shared) (counted.is_store ? stored : loaded) += counted.sectors;
    }
    uint64_t want_wavefronts = 0, want_loaded = 0, want_stored = 0;
    for (int64_t row = 0; row < 32; ++row) {
      want_wavefronts +=
          static_cast<uint64_t>(shared_request(LaneStride{4 * pitch, 4, 4 * row}).wavefronts);
      want_loaded += static_cast<uint64_t>(global_request(LaneStride{4, 4, 400 * row}).sectors);
      want_stored += static_cast<uint64_t>(global_request(LaneStride{4, 4, 256 * row}).sectors);
    }
    EXPECT_EQ(wavefronts, want_wavefronts);
    EXPECT_EQ(wavefronts, pitch == 32 ? 32u * 32 : 32u);
    EXPECT_EQ(loaded, want_loaded);
    EXPECT_EQ(stored, want_stored);
  }
}

}  // namespace
}  // namespace cdsl::sim
