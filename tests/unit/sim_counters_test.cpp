// Counters against cases worked by hand, and the formulas against plain enumeration.
#include <random>
#include <set>

#include "dsl/sim/traffic.h"
#include "sim_fixture.h"

namespace cdsl::sim {
namespace {

using loop::Builder;

class SimCounters : public SimTest {
 protected:
  /// One warp loads x[index(lane)] of `type`; the counters of that load.
  AccessCounters load_of(ScalarType type, int64_t count,
                         const std::function<ExprId(Builder&, ExprId)>& index,
                         bool shared = false) {
    Builder b(program, "k" + std::to_string(program.kernels.size()));
    const BufferId x = shared ? b.shared("x", scalar_record(type), count)
                              : b.global("x", scalar_record(type), true);
    const BufferId y = b.global("y", scalar_record(type));
    b.kernel().block[0] = 32;
    b.store(y, thread(b), b.load(x, index(b, thread(b))));
    options.check = false;
    const auto bytes = static_cast<std::size_t>(count * size_of(type));
    std::vector<Argument> arguments = {output<std::byte>(32 * 16)};
    if (!shared) arguments.insert(arguments.begin(), output<std::byte>(bytes));
    const Result& result = run(b, arguments);
    expect_clean();
    for (const AccessCounters& counters : result.accesses) {
      if (!counters.is_store) return counters;
    }
    return {};
  }
  AccessCounters strided(int64_t stride, int64_t offset = 0, ScalarType type = ScalarType::F32,
                         bool shared = false) {
    return load_of(
        type, 32 * stride + offset + 1,
        [&](Builder& b, ExprId i) { return b.add(b.mul(i, b.integer(stride)), b.integer(offset)); },
        shared);
  }
};

TEST_F(SimCounters, SectorsOfOneRequest) {
  EXPECT_EQ(strided(1).sectors, 4u);
  EXPECT_EQ(strided(1).ideal_sectors, 4u);
  EXPECT_EQ(strided(1).lanes, 32u);
  EXPECT_EQ(strided(1).requests, 1u);
  EXPECT_EQ(strided(3).sectors, 12u);
  EXPECT_EQ(strided(3).ideal_sectors, 4u);
  EXPECT_EQ(strided(32).sectors, 32u);
  EXPECT_EQ(strided(100).sectors, 32u);
  EXPECT_EQ(strided(1, 1).sectors, 5u);
  EXPECT_EQ(strided(0).sectors, 1u);
  EXPECT_EQ(strided(0).ideal_sectors, 1u);
  EXPECT_EQ(strided(1, 0, ScalarType::U8).sectors, 1u);
  EXPECT_EQ(strided(1, 0, ScalarType::C128).sectors, 16u);
  EXPECT_EQ(strided(1, 1, ScalarType::C128).sectors, 17u);
}

TEST_F(SimCounters, RecordsOfThreeFloats) {
  RecordType point{"Point", {{"x", F32, {}}, {"y", F32, {}}, {"z", F32, {}}}};
  lay_out(point);
  Builder b(program, "field");
  const BufferId p = b.global("p", point, true), y = b.global("y", scalar_record(F32));
  b.kernel().block[0] = 256;
  b.store(y, global_thread(b), b.load(p, global_thread(b), 1));
  const Result& result = run(b, {input(std::vector<float>(3 * 1024)), output<float>(1024)}, 4);
  expect_clean();
  const AccessCounters& load = result.accesses[0];
  EXPECT_EQ(load.leaf, "y");
  EXPECT_EQ(load.requests, 32u);
  EXPECT_EQ(load.sectors, 32u * 12);
  EXPECT_EQ(load.ideal_sectors, 32u * 4);
  EXPECT_TRUE(result.accesses[1].is_store);
  EXPECT_EQ(result.accesses[1].sectors, 32u * 4);
}

TEST_F(SimCounters, VectorsOfSixteenBytes) {
  for (int64_t shift : {0, 4}) {
    Builder b(program, "vector" + std::to_string(shift));
    const BufferId x = b.global("x", scalar_record(F32), true),
                   y = b.global("y", scalar_record(F32));
    b.kernel().block[0] = 32;
    const auto v =
        b.vector_load("v", x, b.add(b.mul(thread(b), b.integer(4)), b.integer(shift)), 4);
    b.store(y, thread(b), v[0]);
    const Result& result = run(b, {input(std::vector<float>(132)), output<float>(32)});
    expect_clean();
    EXPECT_EQ(result.accesses[0].sectors, shift == 0 ? 16u : 17u);
    EXPECT_EQ(result.accesses[0].ideal_sectors, 16u);
    EXPECT_EQ(result.accesses[0].width_bytes, 16);
  }
}

TEST_F(SimCounters, BanksOfSharedMemory) {
  const auto degree = [&](int64_t stride) {
    return strided(stride, 0, ScalarType::F32, true).wavefronts;
  };
  EXPECT_EQ(degree(1), 1u);
  EXPECT_EQ(degree(32), 32u);  // a column of a 32x32 tile
  EXPECT_EQ(degree(33), 1u);   // of a 32x33 tile
  EXPECT_EQ(degree(2), 2u);
  EXPECT_EQ(degree(0), 1u);  // the same word: broadcast
  EXPECT_EQ(degree(16), 16u);
  EXPECT_EQ(strided(1, 0, ScalarType::F64, true).wavefronts, 2u);
  EXPECT_EQ(strided(1, 0, ScalarType::F64, true).ideal_wavefronts, 2u);
  EXPECT_EQ(strided(16, 0, ScalarType::F64, true).wavefronts, 32u);
  EXPECT_EQ(strided(1, 0, ScalarType::C128, true).wavefronts, 4u);
  EXPECT_EQ(strided(1, 0, ScalarType::U8, true).wavefronts, 1u);
  EXPECT_EQ(strided(1).wavefronts, 0u);
}

TEST_F(SimCounters, PartlyActiveWarps) {
  Builder b(program, "tail");
  const BufferId x = b.global("x", scalar_record(F32), true), y = b.global("y", scalar_record(F32));
  b.kernel().block[0] = 100;
  b.store(y, thread(b), b.load(x, thread(b)));
  const Result& result = run(b, {input(std::vector<float>(100)), output<float>(100)});
  expect_clean();
  EXPECT_EQ(result.accesses[0].requests, 4u);
  EXPECT_EQ(result.accesses[0].lanes, 100u);
  EXPECT_EQ(result.accesses[0].sectors, 13u);
  EXPECT_EQ(result.kernels.at("tail").warps, 4u);
}

TEST_F(SimCounters, BranchesAndDivergentOnes) {
  Builder b(program, "branches");
  const BufferId y = b.global("y", scalar_record(I32));
  b.kernel().block[0] = 64;
  const ExprId i = thread(b);
  b.if_(b.less(i, b.integer(32)), [&] { b.store(y, i, b.integer(1, I32)); });
  b.if_(b.less(i, b.integer(40)), [&] { b.store(y, i, b.integer(2, I32)); });
  const Result& result = run(b, {output<int32_t>(64)});
  EXPECT_EQ(result.kernels.at("branches").branches, 4u);
  EXPECT_EQ(result.kernels.at("branches").divergent_branches, 1u);
}

TEST(SimTraffic, EqualsPlainEnumeration) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 6000; ++trial) {
    const int bytes = 1 << random() % 5;
    const int64_t span = int64_t{1} << (2 + random() % 10);
    uint32_t mask = trial % 3 == 0 ? ~0u : static_cast<uint32_t>(random());
    if (mask == 0) mask = 1;
    int64_t address[32];
    const bool ascending = trial % 2 == 0;
    for (int l = 0; l < 32; ++l)
      address[l] =
          static_cast<int64_t>(random()) % span * bytes + (ascending ? l * span / 8 * bytes : 0);
    std::set<int64_t> sectors, distinct;
    for (int l = 0; l < 32; ++l) {
      if ((mask >> l & 1) == 0) continue;
      for (int64_t a = address[l]; a < address[l] + bytes; ++a) {
        sectors.insert(a / 32);
        distinct.insert(a);
      }
    }
    const GlobalTraffic global = global_traffic(address, mask, bytes);
    ASSERT_EQ(global.sectors, static_cast<int>(sectors.size()));
    ASSERT_EQ(global.ideal_sectors, static_cast<int>((distinct.size() + 31) / 32));

    const int group = bytes <= 4 ? 32 : 128 / bytes;
    int wavefronts = 0, phases = 0;
    for (int first = 0; first < 32; first += group) {
      std::set<int64_t> words[32];
      bool any = false;
      for (int l = first; l < first + group; ++l) {
        if ((mask >> l & 1) == 0) continue;
        any = true;
        for (int64_t a = address[l]; a < address[l] + bytes; ++a) words[a / 4 % 32].insert(a / 4);
      }
      std::size_t most = 0;
      for (const auto& bank : words) most = std::max(most, bank.size());
      wavefronts += static_cast<int>(most);
      phases += any ? 1 : 0;
    }
    const SharedTraffic shared = shared_traffic(address, mask, bytes);
    ASSERT_EQ(shared.wavefronts, wavefronts);
    ASSERT_EQ(shared.ideal_wavefronts, phases);
  }
}

}  // namespace
}  // namespace cdsl::sim
