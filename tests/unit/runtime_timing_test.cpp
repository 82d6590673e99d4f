// What is asked of a device while a call is timed, on one that only writes it down.
#include <gtest/gtest.h>

#include "runtime/error.h"
#include "runtime/timing.h"
#include "runtime_fixture.h"

namespace cdsl::runtime {
namespace {

/// A call that fills the workspace and launches one kernel.
struct TimedFixture : Fixture {
  Arguments arguments;

  TimedFixture() {
    arguments.arrays["x"] = Array::zeros(scalar_record(ScalarType::F32), {3});
    plan.general().steps.push_back({plan::Fill{{2}, {std::byte{0}}}});
    plan.general().steps.push_back({launch_over(n(), {{plan::BufferRef{0}}})});
    device.has_clock = true;
  }

  Timing timed(double min_seconds, int min_samples) {
    PreparedCall call(function, plan, arguments, device);
    return time_call(call, device, {min_seconds, min_samples, 100, 3600});
  }
};

TEST(Timing, ASampleIsThePlanBetweenStartAndStop) {
  TimedFixture f;
  const Timing timing = f.timed(0, 2);
  EXPECT_EQ(timing.cold.count(), 2u);
  EXPECT_EQ(timing.hot.count(), 2u);
  const std::vector<std::string> run{"fill w", "launch 0 x1 x"};
  const auto with_run = [&](std::vector<std::string> before, std::vector<std::string> after) {
    before.insert(before.end(), run.begin(), run.end());
    before.insert(before.end(), after.begin(), after.end());
    return before;
  };
  const auto hot = with_run({"hold", "start"}, {"stop"});
  const auto cold = with_run({"evict", "hold", "start"}, {"stop"});
  std::vector<std::string> expected;
  for (const auto& part : {hot, run, hot, cold, cold, hot, hot})
    expected.insert(expected.end(), part.begin(), part.end());
  EXPECT_EQ(f.device.notes, expected);
  // Two samples of the warm-up went before.
  EXPECT_EQ(timing.cold.quantile(0), 3);
  EXPECT_EQ(timing.hot.quantile(1), 6);
}

TEST(Timing, NothingIsAllocatedWhileItRuns) {
  TimedFixture f;
  {
    PreparedCall call(f.function, f.plan, f.arguments, f.device);
    const int before = f.device.live;
    EXPECT_EQ(before, 3);
    f.device.allocations = 0;
    time_call(call, f.device, {0, 5});
    EXPECT_EQ(f.device.allocations, 0);
  }
  EXPECT_EQ(f.device.live, 0);
}

TEST(Timing, GoesOnForTheTimeAskedFor) {
  TimedFixture f;
  const Timing timing = f.timed(0.02, 1);
  EXPECT_GT(timing.cold.count(), 1u);
  EXPECT_GT(timing.hot.count(), 1u);
}

TEST(Timing, GoesOnUntilTheSamplesAreCalmOrTheTimeIsOver) {
  TimedFixture f;                                   // its samples take 1, 2, 3, ... us: never calm
  PreparedCall call(f.function, f.plan, f.arguments, f.device);
  const Timing restless = time_call(call, f.device, {0, 4, 0.1, 0.02});
  EXPECT_GT(restless.cold.count(), 4u);
  const Timing content = time_call(call, f.device, {0, 4, 100, 3600});
  EXPECT_EQ(content.hot.count(), 4u);
}

TEST(Timing, NoiseIsWhatLiesBetweenTheQuartiles) {
  EXPECT_DOUBLE_EQ(Samples({1, 2, 3, 4, 5}).noise(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(Samples({7}).noise(), 0);
}

TEST(Timing, ADeviceWithoutAClockIsAnError) {
  TimedFixture f;
  f.device.has_clock = false;
  EXPECT_THROW(f.timed(0, 1), Error);
  EXPECT_EQ(f.device.live, 0);
}

TEST(Timing, QuantilesLieBetweenSamples) {
  const Samples samples({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(samples.quantile(0), 1);
  EXPECT_DOUBLE_EQ(samples.quantile(0.5), 2.5);
  EXPECT_DOUBLE_EQ(samples.quantile(0.9), 3.7);
  EXPECT_DOUBLE_EQ(samples.quantile(1), 4);
  EXPECT_DOUBLE_EQ(Samples({7}).quantile(0.9), 7);
}

TEST(PreparedCall, RunsAgainOnTheSameMemory) {
  TimedFixture f;
  PreparedCall call(f.function, f.plan, f.arguments, f.device);
  ASSERT_TRUE(call.errors().empty());
  call.run();
  call.run();
  EXPECT_EQ(f.device.notes, (std::vector<std::string>{"fill w", "launch 0 x1 x", "fill w", "launch 0 x1 x"}));
  EXPECT_EQ(f.device.live, 3);
}

TEST(PreparedCall, CountsTheBytesOfParametersOnly) {
  TimedFixture f;
  const PreparedCall call(f.function, f.plan, f.arguments, f.device);
  EXPECT_EQ(call.given_bytes(), 12);
  EXPECT_EQ(call.result_bytes(), 12);
  TimedFixture g;
  g.function.tensors[0].role = tir::Role::InOut;
  const PreparedCall both(g.function, g.plan, g.arguments, g.device);
  EXPECT_EQ(both.given_bytes(), 12);
  EXPECT_EQ(both.result_bytes(), 24);
}

TEST(PreparedCall, WrongArgumentsAllocateNothing) {
  TimedFixture f;
  f.arguments.arrays.clear();
  const PreparedCall call(f.function, f.plan, f.arguments, f.device);
  EXPECT_FALSE(call.errors().empty());
  EXPECT_EQ(f.device.live, 0);
}

}  // namespace
}  // namespace cdsl::runtime
