// What reaches the driver: kernels, grids, parameters; and which calls are refused before it.

#include "fixture.h"

namespace embed {
namespace {

TEST_F(Embedded, ALaunchReachesTheCallersStreamWithItsPointersAndScalars) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(1 << 20), y(1 << 20), r(1 << 20);
  const std::int64_t n = 1 << 20;
  saxpy.launch(stream(7), 2.5f, cdsl::tensor(x.data(), {n}), cdsl::tensor(y.data(), {n}), cdsl::tensor(r.data(), {n}));
  const auto launches = state().launches;
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel.substr(0, 5), "saxpy");
  EXPECT_EQ(launches[0].stream, stream(7));
  EXPECT_GT(launches[0].blocks, 0u);
  ASSERT_GE(launches[0].parameters.size(), 4u);
  EXPECT_EQ(launches[0].pointer(0), reinterpret_cast<std::uint64_t>(x.data()));
  EXPECT_EQ(launches[0].pointer(2), reinterpret_cast<std::uint64_t>(r.data()));
  bool has_scalar = false;
  for (const auto& parameter : launches[0].parameters) has_scalar |= parameter.size() == 4 && *reinterpret_cast<const float*>(parameter.data()) == 2.5f;
  EXPECT_TRUE(has_scalar);
}

TEST_F(Embedded, TheSecondLaunchTakesOtherPointersAndScalarsAndMakesNothing) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(1024), y(1024), r(1024), other(1024);
  const auto launch = [&](float a, float* to) { saxpy.launch(nullptr, a, cdsl::tensor(x.data(), {1024}), cdsl::tensor(y.data(), {1024}), cdsl::tensor(to, {1024})); };
  launch(1, r.data());
  const fake::State before = state();
  launch(3, other.data());
  const fake::State after = state();
  EXPECT_EQ(after.modules, before.modules);
  EXPECT_EQ(after.allocations, before.allocations);
  ASSERT_EQ(after.launches.size(), 2u);
  EXPECT_EQ(after.launches[1].pointer(2), reinterpret_cast<std::uint64_t>(other.data()));
  EXPECT_NE(after.launches[0].parameters, after.launches[1].parameters);
}

TEST_F(Embedded, AMisalignedBaseRunsAnotherVariant) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(1025), y(1025), r(1025);
  saxpy.launch(nullptr, 1.f, cdsl::tensor(x.data(), {1024}), cdsl::tensor(y.data(), {1024}), cdsl::tensor(r.data(), {1024}));
  saxpy.launch(nullptr, 1.f, cdsl::tensor(x.data(1), {1024}), cdsl::tensor(y.data(), {1024}), cdsl::tensor(r.data(), {1024}));
  const auto launches = state().launches;
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_NE(launches[0].kernel, launches[1].kernel);
}

TEST_F(Embedded, NothingIsLaunchedForNoElements) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  const auto none = cdsl::tensor(static_cast<float*>(nullptr), {0});
  saxpy.launch(nullptr, 1.f, none, none, none);
  EXPECT_TRUE(state().launches.empty());
}

TEST_F(Embedded, CallsThatCannotBeRightAreRefusedInWords) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(64), y(64), r(64);
  Memory<double> wide(64);
  const auto at = [](float* data, std::int64_t n) { return cdsl::tensor(data, {n}); };
  const auto refused = [&](const auto&... arguments) {
    const auto [status, words] = failure_of([&] { saxpy.launch(nullptr, arguments...); });
    EXPECT_EQ(status, CDSL_ERROR_ARGUMENT) << words;
    return words;
  };
  EXPECT_EQ(refused(1.f, at(x.data(), 64), at(y.data(), 63), at(r.data(), 64)), "saxpy: axis 0 of 'y' has extent 63, where 64 is needed");
  EXPECT_EQ(refused(1.f, at(x.data(), 64), at(y.data(), 64), at(r.data(), 63)), "saxpy: 'r' has extents [63], where [64] are needed");
  EXPECT_EQ(refused(1.f, at(x.data(), 64), at(y.data(), 64)), "saxpy: takes 4 arguments, the call gives 3");
  EXPECT_EQ(refused(1.f, cdsl::tensor(wide.data(), {64}), at(y.data(), 64), at(r.data(), 64)), "saxpy: 'x' has elements of type f32, the argument of type f64");
  EXPECT_EQ(refused(1.f, cdsl::tensor(x.data(), {8, 8}), at(y.data(), 64), at(r.data(), 64)), "saxpy: 'x' has rank 1, the argument has rank 2");
  EXPECT_EQ(refused(1.f, at(x.data(), 64), at(y.data(), 64), at(x.data(), 64)), "saxpy: 'x' and 'r' overlap in memory, and one of them is written");
  EXPECT_EQ(refused(1.f, at(nullptr, 64), at(y.data(), 64), at(r.data(), 64)), "saxpy: the data of 'x' is null");
  EXPECT_EQ(refused(1.f, at(reinterpret_cast<float*>(reinterpret_cast<char*>(x.data()) + 2), 60), at(y.data(), 60), at(r.data(), 60)),
            "saxpy: 'x' is not aligned to the 4 bytes of its elements");
  EXPECT_EQ(refused(1.f, at(x.data(), -1), at(y.data(), -1), at(r.data(), -1)), "saxpy: axis 0 of 'x' has the negative extent -1");
  EXPECT_EQ(refused(at(x.data(), 64), at(x.data(), 64), at(y.data(), 64), at(r.data(), 64)), "saxpy: 'a' is a scalar, the argument a tensor");
  EXPECT_EQ(refused(1.f, 1.f, at(y.data(), 64), at(r.data(), 64)), "saxpy: 'x' is a tensor, the argument a scalar");
  EXPECT_EQ(refused(1.f, cdsl::tensor(x.data(), {32}, {2}), at(y.data(), 32), at(r.data(), 32)),
            "saxpy: 'x' is dense, but the argument has stride 2 on axis 0, where 1 is needed; declare it `strided`");
  EXPECT_TRUE(state().launches.empty());
}

TEST_F(Embedded, ScalarsThatDoNotFitAreRefused) {
  cdsl::Kernel shift = runtime.parse("fn shift(k: i8, x: i32[N]) -> (y: i32[N]) { y[i] = x[i] + i32(k); }").kernel();
  Memory<int> x(8), y(8);
  const auto call = [&](auto k) { return failure_of([&] { shift.launch(nullptr, k, cdsl::tensor(x.data(), {8}), cdsl::tensor(y.data(), {8})); }); };
  EXPECT_EQ(call(-128).first, CDSL_OK);
  EXPECT_EQ(call(128).second, "shift: 128 does not fit 'k', which is i8");
  EXPECT_EQ(call(1.0).second, "shift: 'k' is i8, the argument a floating-point number");
}

TEST_F(Embedded, StridesOfStridedParametersArePassedOn) {
  cdsl::Kernel copy = runtime.parse("fn copy(x: f32[M, N] strided) -> (y: f32[M, N]) { y[i, j] = x[i, j]; }").kernel();
  Memory<float> x(64 * 64), y(64 * 64);
  copy.launch(nullptr, cdsl::tensor(x.data(), {64, 64}, {1, 64}), cdsl::tensor(y.data(), {64, 64}));
  copy.launch(nullptr, cdsl::tensor(x.data(63), {64, 64}, {64, -1}), cdsl::tensor(y.data(), {64, 64}));
  copy.launch(nullptr, cdsl::tensor(x.data(), {64, 64}, {0, 0}), cdsl::tensor(y.data(), {64, 64}));
  EXPECT_EQ(state().launches.size(), 3u);
}

TEST_F(Embedded, ARepeatIsOneCallOfManyLaunches) {
  cdsl::Kernel steps = runtime.parse("fn steps(inout u: f32[N], k: i32) { repeat t in 0..k { u[i] = 0.5 * (u[i - 1 @clamp] + u[i + 1 @clamp]); } }").kernel();
  Memory<float> u(4096);
  const auto launches_of = [&](int k) {
    const std::size_t before = state().launches.size();
    steps.launch(nullptr, cdsl::tensor(u.data(), {4096}), k);
    return state().launches.size() - before;
  };
  const std::size_t one = launches_of(1);
  EXPECT_GE(one, 1u);
  EXPECT_EQ(launches_of(10), 10 * one);        // another value of a scalar that shapes the call
  EXPECT_EQ(launches_of(0), 0u);
  EXPECT_EQ(launches_of(5000), 5000 * one);    // more than are written down
}

TEST_F(Embedded, ReportsOfKernelsComeFromSynchronize) {
  cdsl::Kernel gather = runtime.parse("fn pick(x: f32[N], t: i32[M]) -> (y: f32[M]) { y[i] = x[t[i]]; }", "pick.cdsl").kernel();
  Memory<float> x(64), y(64);
  Memory<int> t(64);
  gather.launch(nullptr, cdsl::tensor(x.data(), {64}), cdsl::tensor(t.data(), {64}), cdsl::tensor(y.data(), {64}));
  EXPECT_EQ(failure_of([&] { runtime.synchronize(); }).first, CDSL_OK);
  struct Record {
    std::uint64_t count;
    std::int64_t value;
  };
  const auto launches = state().launches;
  auto* records = reinterpret_cast<Record*>(launches.at(0).pointer(launches[0].parameters.size() - 1));
  records[0] = {3, 99};
  const auto [status, words] = failure_of([&] { runtime.synchronize(); });
  EXPECT_EQ(status, CDSL_ERROR_CHECK);
  EXPECT_NE(words.find("pick.cdsl:1: kernel 'pick_y"), std::string::npos) << words;
  EXPECT_NE(words.find("index 99 lies outside, read as 0 (3 times)"), std::string::npos) << words;
  EXPECT_EQ(failure_of([&] { runtime.synchronize(); }).first, CDSL_OK);   // told once
}

}  // namespace
}  // namespace embed
