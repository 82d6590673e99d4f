// Failures of the driver and of the program, and what a caller sees of them.

#include "fixture.h"

namespace embed {
namespace {

TEST_F(Embedded, AProgramWithMistakesGivesItsDiagnostics) {
  const auto [status, words] = failure_of([&] { runtime.parse("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i + 1]; }", "f.cdsl").kernel(); });
  EXPECT_EQ(status, CDSL_ERROR_SOURCE);
  EXPECT_NE(words.find("f.cdsl:1:"), std::string::npos) << words;
  EXPECT_NE(words.find("C0402"), std::string::npos) << words;
  EXPECT_EQ(failure_of([&] { runtime.parse("fn f("); }).first, CDSL_ERROR_SOURCE);
  EXPECT_EQ(failure_of([&] { runtime.load("/nowhere/f.cdsl"); }).first, CDSL_ERROR_SOURCE);
}

TEST_F(Embedded, AModuleAnswersForItsFunctions) {
  cdsl::Module two = runtime.parse("fn a(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }\nfn b(x: f32[N]) -> (y: f32[N]) { y[i] = -x[i]; }");
  EXPECT_EQ(two.functions(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(failure_of([&] { two.kernel(); }).second, "which function? The program has a, b");
  EXPECT_EQ(failure_of([&] { two.kernel("c"); }).second, "the program has no function 'c' that can be compiled; it has a, b");
}

TEST_F(Embedded, OptionsThatMakeNoSenseAreRefused) {
  cdsl::ModuleOptions options;
  options.architecture = "sm_13";
  EXPECT_EQ(failure_of([&] { runtime.parse(kSaxpy, "s", options); }).second, "'sm_13' is no architecture that kernels can be made for");
  options = {};
  options.strict = options.fast_math = true;
  EXPECT_EQ(failure_of([&] { runtime.parse(kSaxpy, "s", options); }).first, CDSL_ERROR_ARGUMENT);
  options = {};
  options.settings = {"tile"};
  EXPECT_EQ(failure_of([&] { runtime.parse(kSaxpy, "s", options); }).second, "a setting is KEY=VALUE, not 'tile'");
  options.settings = {"q.tile=3"};
  EXPECT_EQ(failure_of([&] {
    cdsl::Kernel kernel = runtime.parse(kSaxpy, "s", options).kernel();
    kernel.prepare({{"N", 64}});
  }).first, CDSL_ERROR_SOURCE);
}

TEST_F(Embedded, ARefusedLaunchLeavesTheKernelUsable) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(64), y(64), r(64);
  const auto launch = [&] { saxpy.launch(nullptr, 1.f, cdsl::tensor(x.data(), {64}), cdsl::tensor(y.data(), {64}), cdsl::tensor(r.data(), {64})); };
  fail("cuLaunchKernel", 1);
  try {
    launch();
    FAIL();
  } catch (const cdsl::Error& error) {
    EXPECT_EQ(error.status(), CDSL_ERROR_LAUNCH);
    EXPECT_EQ(error.api(), "cuLaunchKernel");
    EXPECT_EQ(error.api_code(), "CUDA_ERROR_INVALID_VALUE");
  }
  fail("cuLaunchKernel", 0);
  launch();
  EXPECT_EQ(state().launches.size(), 1u);
}

TEST_F(Embedded, NoMemoryForWorkspaceIsSaidAndCanBeTriedAgain) {
  cdsl::Kernel dot = runtime.parse("fn dot(x: f32[N], y: f32[N]) -> (s: f32) { s = sum[i](x[i] * y[i]); }").kernel();
  fail("cuMemAlloc", 2);
  const auto [status, words] = failure_of([&] { dot.prepare({{"N", 1 << 22}}); });
  EXPECT_EQ(status, CDSL_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(words.find("cannot allocate"), std::string::npos) << words;
  fail("cuMemAlloc", 0);
  EXPECT_EQ(failure_of([&] { dot.prepare({{"N", 1 << 22}}); }).first, CDSL_OK);
}

TEST_F(Embedded, AFaultOfTheDeviceHasOneCodeFromThenOn) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  saxpy.prepare({{"N", 64}});
  Memory<float> x(64), y(64), r(64);
  for (const char* function : {"cuStreamSynchronize", "cuLaunchKernel", "cuMemAlloc"}) fail(function, 700);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(failure_of([&] { runtime.synchronize(); }).first, CDSL_ERROR_DEVICE_FAULT);
    EXPECT_EQ(failure_of([&] { saxpy.launch(nullptr, 1.f, cdsl::tensor(x.data(), {64}), cdsl::tensor(y.data(), {64}), cdsl::tensor(r.data(), {64})); }).first,
              CDSL_ERROR_DEVICE_FAULT);
  }
}

TEST_F(Embedded, NullHandlesAreRefused) {
  cdsl_module* module = nullptr;
  EXPECT_EQ(cdsl_module_parse(nullptr, "", "", nullptr, &module), CDSL_ERROR_ARGUMENT);
  EXPECT_STREQ(cdsl_last_error(), "the runtime is null");
  EXPECT_EQ(cdsl_module_kernel(nullptr, nullptr, nullptr), CDSL_ERROR_ARGUMENT);
  EXPECT_EQ(cdsl_kernel_launch(nullptr, nullptr, 0, nullptr), CDSL_ERROR_ARGUMENT);
  EXPECT_EQ(cdsl_synchronize(nullptr, nullptr), CDSL_ERROR_ARGUMENT);
  EXPECT_EQ(cdsl_buffer_upload(nullptr, nullptr, 0), CDSL_ERROR_ARGUMENT);
  cdsl_runtime_destroy(nullptr);
  cdsl_module_destroy(nullptr);
  cdsl_kernel_destroy(nullptr);
  cdsl_buffer_destroy(nullptr);
}

TEST_F(Embedded, WhatIsMadeFromAHandleKeepsItAlive) {
  auto runtime = std::make_unique<cdsl::Runtime>(cdsl::RuntimeOptions{"cuda", ""});
  auto module = std::make_unique<cdsl::Module>(runtime->parse(kSaxpy));
  cdsl::Kernel saxpy = module->kernel();
  module.reset();
  runtime.reset();
  saxpy.prepare({{"N", 64}});
  EXPECT_EQ(state().modules, 1);
}

}  // namespace
}  // namespace embed
