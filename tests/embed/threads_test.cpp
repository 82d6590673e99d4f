// Many threads on many streams: each launch sees its own pointers, one compilation serves all.

#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "fixture.h"

namespace embed {
namespace {

constexpr int kThreads = 16, kStreams = 8, kRounds = 40;

TEST_F(Embedded, SixteenThreadsOnEightStreams) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  std::vector<std::thread> threads;
  std::vector<Memory<float>> outputs(kThreads, Memory<float>(512));
  std::atomic<int> failures{0};
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Memory<float> x(512), y(512), &r = outputs[static_cast<std::size_t>(thread)];
      for (int round = 0; round < kRounds; ++round) {
        const std::int64_t n = 128 * (1 + round % 3);
        try {
          saxpy.launch(stream(1 + (thread + round) % kStreams), static_cast<float>(thread), cdsl::tensor(x.data(), {n}), cdsl::tensor(y.data(), {n}),
                       cdsl::tensor(r.data(), {n}));
        } catch (const cdsl::Error&) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const fake::State after = state();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(after.launches.size(), std::size_t{kThreads * kRounds});
  EXPECT_EQ(after.modules, 3);
  std::map<std::uint64_t, std::set<float>> scalars;   // by output: a launch that mixed two calls would show two
  for (const fake::Launch& launch : after.launches) {
    for (const auto& parameter : launch.parameters) {
      float value = 0;
      if (parameter.size() == 4) std::memcpy(&value, parameter.data(), 4);
      if (parameter.size() == 4 && value == static_cast<float>(static_cast<int>(value)) && value >= 0 && value < kThreads) scalars[launch.pointer(2)].insert(value);
    }
  }
  EXPECT_EQ(scalars.size(), std::size_t{kThreads});
  for (const auto& [output, values] : scalars) EXPECT_EQ(values.size(), 1u);
}

TEST_F(Embedded, ModulesCompileInSeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      try {
        const std::string name = "f" + std::to_string(thread);
        cdsl::Kernel kernel = runtime.parse("fn " + name + "(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](x[i, j] * " + std::to_string(thread) + "); }").kernel();
        kernel.prepare({{"M", 64}, {"N", 100 + thread}}, stream(1 + thread));
      } catch (const cdsl::Error& error) {
        ADD_FAILURE() << error.what();
        ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(state().modules, 8);
}

}  // namespace
}  // namespace embed
