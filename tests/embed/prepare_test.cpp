// Compiling and allocating ahead, specialisation, contexts.


#include "fixture.h"

namespace embed {
namespace {

TEST_F(Embedded, AfterPrepareALaunchNeitherCompilesNorAllocates) {
  cdsl::Kernel dot = runtime.parse("fn dot(x: f32[N], y: f32[N]) -> (s: f32) { s = sum[i](x[i] * y[i]); }").kernel();
  dot.prepare({{"N", 1 << 22}}, stream(3));
  const fake::State before = state();
  EXPECT_TRUE(before.launches.empty());
  EXPECT_GT(before.allocations, 0);            // partial sums
  Memory<float> x(1 << 22), y(1 << 22), s(1);
  dot.launch(stream(3), cdsl::tensor(x.data(), {1 << 22}), cdsl::tensor(y.data(), {1 << 22}), cdsl::tensor(s.data(), {}));
  const fake::State after = state();
  EXPECT_FALSE(after.launches.empty());
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.modules, before.modules);
  EXPECT_EQ(after.synchronizations, 0);
}

TEST_F(Embedded, StreamsHaveWorkspaceOfTheirOwn) {
  cdsl::Kernel dot = runtime.parse("fn dot(x: f32[N], y: f32[N]) -> (s: f32) { s = sum[i](x[i] * y[i]); }").kernel();
  Memory<float> x(1 << 22), y(1 << 22), s(1);
  for (const std::uintptr_t number : {1, 2, 1})
    dot.launch(stream(number), cdsl::tensor(x.data(), {1 << 22}), cdsl::tensor(y.data(), {1 << 22}), cdsl::tensor(s.data(), {}));
  const auto launches = state().launches;
  ASSERT_EQ(launches.size() % 3, 0u);
  const std::size_t each = launches.size() / 3;
  bool differ = false;
  for (std::size_t k = 0; k < each; ++k) {
    differ |= launches[k].parameters != launches[each + k].parameters;
    EXPECT_EQ(launches[k].parameters, launches[2 * each + k].parameters);
  }
  EXPECT_TRUE(differ);
}

TEST_F(Embedded, IsCachedTellsWhatWouldBeCompiled) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  EXPECT_FALSE(saxpy.is_cached({{"N", 100}}));
  saxpy.prepare({{"N", 100}});
  EXPECT_TRUE(saxpy.is_cached({{"N", 100}}));
  EXPECT_FALSE(saxpy.is_cached({{"N", 101}}));
  cdsl::ModuleOptions open;
  open.open_sizes = true;
  cdsl::Kernel all = runtime.parse(kSaxpy, "saxpy.cdsl", open).kernel();
  all.prepare({{"N", 100}});
  EXPECT_TRUE(all.is_cached({{"N", 101}}));
}

TEST_F(Embedded, ManySizesEndInKernelsForAllSizes) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(4096), y(4096), r(4096);
  for (std::int64_t n = 1; n <= 40; ++n)
    saxpy.launch(nullptr, 1.f, cdsl::tensor(x.data(), {n}), cdsl::tensor(y.data(), {n}), cdsl::tensor(r.data(), {n}));
  EXPECT_EQ(state().modules, 17);              // of 16 sizes, and of all
  saxpy.prepare({{"N", 77}});                  // asked for
  EXPECT_EQ(state().modules, 18);
}

TEST_F(Embedded, WrongSizesAreNamed) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  EXPECT_EQ(failure_of([&] { saxpy.prepare({}); }).second, "saxpy: size 'N' is not given");
  EXPECT_EQ(failure_of([&] { saxpy.prepare({{"K", 3}}); }).second, "saxpy: has no size 'K'");
  EXPECT_EQ(failure_of([&] { saxpy.prepare({{"N", -3}}); }).second, "saxpy: size N is negative: -3");
}

TEST_F(Embedded, EachContextLoadsTheKernelsOnce) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(256), y(256), r(256);
  const auto launch = [&] { saxpy.launch(nullptr, 1.f, cdsl::tensor(x.data(), {256}), cdsl::tensor(y.data(), {256}), cdsl::tensor(r.data(), {256})); };
  for (const int context : {1, 2, 1, 2}) {
    make_current(context);
    launch();
  }
  const fake::State after = state();
  EXPECT_EQ(after.modules, 2);
  ASSERT_EQ(after.launches.size(), 4u);
  EXPECT_NE(after.launches[0].context, after.launches[1].context);
  EXPECT_EQ(after.launches[0].context, after.launches[2].context);
  make_current(0);
}

TEST_F(Embedded, ThePlanTellsGridBlockAndWhy) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  Memory<float> x(1 << 16), y(1 << 16), r(1 << 16);
  const std::string plan = saxpy.plan(1.f, cdsl::tensor(x.data(), {1 << 16}), cdsl::tensor(y.data(), {1 << 16}), cdsl::tensor(r.data(), {1 << 16}));
  for (const char* word : {"\"variant\"", "\"grid\"", "\"block\"", "\"occupancy\"", "\"driver_suggests_block\": 1024", "\"why\"", "\"N\": 65536", "fake GPU"})
    EXPECT_NE(plan.find(word), std::string::npos) << plan;
  EXPECT_TRUE(state().launches.empty());
}

TEST_F(Embedded, BuffersTakeTheLayoutThatTheCompilerChose) {
  struct Point {
    float x, y, z;
  };
  cdsl::Kernel heights = runtime.parse("struct Point { x: f32; y: f32; z: f32; }\n"
                                       "fn heights(p: Point[N] layout(auto)) -> (z: f32[N]) { z[i] = p[i].z; }").kernel("heights");
  cdsl::Buffer buffer = heights.buffer("p", {5});
  std::vector<Point> points{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}, {13, 14, 15}}, back(5);
  buffer.upload(points);
  buffer.download(back);
  EXPECT_EQ(back[4].y, 14);
  Memory<float> z(5);
  heights.launch(nullptr, buffer, cdsl::tensor(z.data(), {5}));
  const auto launches = state().launches;
  ASSERT_EQ(launches.size(), 1u);
  if (heights.parameters()[0].part_count == 3) {  // one part a field: the kernel reads the third alone
    EXPECT_EQ(*reinterpret_cast<const float*>(launches[0].pointer(0)), 3);
  }
  std::vector<Point> few(4);
  EXPECT_EQ(failure_of([&] { buffer.upload(few); }).second, "'p' has 60 bytes as an array, the call gives 48");
}

}  // namespace
}  // namespace embed

namespace embed {
namespace {

TEST_F(Embedded, TensorsOfManyGibibytesCanBePrepared) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  EXPECT_EQ(failure_of([&] { saxpy.prepare({{"N", (std::int64_t{1} << 34) + 1}}); }).second, "");
}

}  // namespace
}  // namespace embed
