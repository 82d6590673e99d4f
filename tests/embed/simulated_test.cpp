// The device "sim": whole calls with values, on memory of the host.

#include <cstdint>

#include "fixture.h"

namespace embed {
namespace {

class Simulated : public testing::Test {
 protected:
  cdsl::Runtime runtime{{"sim", ""}};
};

TEST_F(Simulated, Saxpy) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  std::vector<float> x{1, 2, 3}, y{10, 20, 30}, r(3);
  saxpy.launch(nullptr, 2.5f, cdsl::tensor(x.data(), {3}), cdsl::tensor(y.data(), {3}), cdsl::tensor(r.data(), {3}));
  EXPECT_EQ(r, (std::vector<float>{12.5f, 25, 37.5f}));
}

TEST_F(Simulated, StridesMayRunBackwardsAndBeZero) {
  cdsl::Kernel copy = runtime.parse("fn copy(x: f32[N] strided) -> (y: f32[N]) { y[i] = x[i]; }").kernel();
  std::vector<float> x{1, 2, 3, 4, 5, 6}, y(3);
  copy.launch(nullptr, cdsl::tensor(x.data() + 4, {3}, {-2}), cdsl::tensor(y.data(), {3}));
  EXPECT_EQ(y, (std::vector<float>{5, 3, 1}));
  copy.launch(nullptr, cdsl::tensor(x.data() + 1, {3}, {0}), cdsl::tensor(y.data(), {3}));
  EXPECT_EQ(y, (std::vector<float>{2, 2, 2}));
}

TEST_F(Simulated, RecordsInEveryLayout) {
  struct Particle {
    float x;
    double m;
  };
  const std::vector<Particle> given{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}};
  for (const std::string layout : {"auto", "aos", "soa", "aosoa(4)", "split({m}, {x})"}) {
    cdsl::Kernel push = runtime.parse("struct P { x: f32; m: f64; }\nfn push(inout p: P[N] layout(" + layout + ")) { p[i] = p[i] with (x: p[i].x + f32(p[i].m)); }").kernel();
    cdsl::Buffer buffer = push.buffer("p", {5});
    std::vector<Particle> back(5), packed = given, unpacked(5);
    buffer.upload(given);
    push.launch(nullptr, buffer);
    buffer.download(back);
    EXPECT_EQ(back[0].x, 3) << layout;
    EXPECT_EQ(back[4].x, 19) << layout;
    EXPECT_EQ(back[4].m, 10) << layout;
    buffer.pack(packed.data(), 5 * sizeof(Particle));
    push.launch(nullptr, buffer);
    buffer.unpack(unpacked.data(), 5 * sizeof(Particle));
    EXPECT_EQ(unpacked[3].x, 15) << layout;
    EXPECT_EQ(unpacked[3].m, 8) << layout;
  }
}

TEST_F(Simulated, AGatherOutsideIsTold) {
  cdsl::Kernel pick = runtime.parse("fn pick(x: f32[N], t: i32[M]) -> (y: f32[M]) { y[i] = x[t[i]]; }", "pick.cdsl").kernel();
  std::vector<float> x{1, 2, 3}, y(3);
  std::vector<int> t{0, 7, 2};
  pick.launch(nullptr, cdsl::tensor(x.data(), {3}), cdsl::tensor(t.data(), {3}), cdsl::tensor(y.data(), {3}));
  const auto [status, words] = failure_of([&] { runtime.synchronize(); });
  EXPECT_EQ(status, CDSL_ERROR_CHECK);
  EXPECT_NE(words.find("pick.cdsl:1:"), std::string::npos) << words;
  EXPECT_NE(words.find("index 7"), std::string::npos) << words;
  EXPECT_EQ(y, (std::vector<float>{1, 0, 3}));
}

TEST_F(Simulated, SizesThatNoExtentGivesComeFirst) {
  cdsl::Kernel ramp = runtime.parse("fn ramp<K: size>(x: f32[N]) -> (y: f32[K]) { y[i in 0..K] = x[0 @clamp] + f32(i); }").kernel();
  ASSERT_EQ(ramp.parameters().size(), 3u);
  EXPECT_EQ(ramp.parameters()[0].role, CDSL_SIZE);
  std::vector<float> x{5}, y(3);
  ramp.launch(nullptr, 3, cdsl::tensor(x.data(), {1}), cdsl::tensor(y.data(), {3}));
  EXPECT_EQ(y, (std::vector<float>{5, 6, 7}));
  EXPECT_EQ(failure_of([&] { ramp.launch(nullptr, -1, cdsl::tensor(x.data(), {1}), cdsl::tensor(y.data(), {3})); }).second, "ramp: size K is negative: -1");
}

TEST_F(Simulated, ExpressionsOfScalarsAndSizes) {
  cdsl::Kernel kernel = runtime.parse("fn f(a: f32, k: i32, x: f32[N]) -> (y: f32[N]) { y[i] = (a * a + 1) * x[i] + f32(k * 2 + N); }").kernel();
  std::vector<float> x{1, 2}, y(2);
  for (int k : {1, 5}) {
    kernel.launch(nullptr, 3.f, k, cdsl::tensor(x.data(), {2}), cdsl::tensor(y.data(), {2}));
    EXPECT_EQ(y[1], 20 + 2 * k + 2);
  }
}

TEST_F(Simulated, DlpackTensors) {
  struct {
    void* data;
    std::int32_t device_type, device_id, rank;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::int64_t *shape, *strides;
    std::uint64_t byte_offset;
  } raw{};
  std::vector<float> x{0, 1, 2};
  std::int64_t shape[] = {2};
  raw = {x.data(), 1, 0, 1, 2, 32, 1, shape, nullptr, 4};
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  std::vector<float> r(2);
  const auto view = cdsl::TensorView::from_dlpack(&raw);
  saxpy.launch(nullptr, 1.f, view, view, cdsl::tensor(r.data(), {2}));
  EXPECT_EQ(r, (std::vector<float>{2, 4}));
  raw.bits = 7;
  EXPECT_EQ(failure_of([&] { cdsl::TensorView::from_dlpack(&raw); }).first, CDSL_ERROR_ARGUMENT);
}

}  // namespace
}  // namespace embed

namespace embed {
namespace {

TEST_F(Simulated, AxesThatMayBeOneTellTheSizeTogether) {
  cdsl::Kernel add = runtime.parse("fn add(x: f32[1|M], z: f32[1|M]) -> (r: f32[M]) { r[i] = x[i] + z[i]; }").kernel();
  std::vector<float> one{5}, many{1, 2, 3}, r(3);
  add.launch(nullptr, cdsl::tensor(one.data(), {1}), cdsl::tensor(many.data(), {3}), cdsl::tensor(r.data(), {3}));
  EXPECT_EQ(r, (std::vector<float>{6, 7, 8}));
  add.launch(nullptr, cdsl::tensor(many.data(), {3}), cdsl::tensor(one.data(), {1}), cdsl::tensor(r.data(), {3}));
  EXPECT_EQ(r, (std::vector<float>{6, 7, 8}));
}

TEST_F(Simulated, PrepareRefusesWhatALaunchWould) {
  cdsl::Kernel saxpy = runtime.parse(kSaxpy).kernel();
  EXPECT_EQ(failure_of([&] { saxpy.prepare({{"N", std::int64_t{1} << 62}}); }).first, CDSL_ERROR_ARGUMENT);
  cdsl::ModuleOptions options;
  options.defines = {"N=10"};
  cdsl::Kernel ten = runtime.parse(kSaxpy, "saxpy.cdsl", options).kernel();
  EXPECT_EQ(failure_of([&] { ten.prepare({{"N", 12}}); }).second, "saxpy: this was compiled for N = 10, the call has 12");
}

TEST_F(Simulated, StridesThatReachTooFarAreRefused) {
  cdsl::Kernel copy = runtime.parse("fn copy(x: f32[M, N] strided) -> (y: f32[M, N]) { y[i, j] = x[i, j]; }").kernel();
  std::vector<float> x(12), y(12);
  for (const std::int64_t stride : {INT64_MAX, INT64_MIN, std::int64_t{1} << 61}) {
    EXPECT_EQ(failure_of([&] { copy.launch(nullptr, cdsl::tensor(x.data(), {3, 4}, {stride, 1}), cdsl::tensor(y.data(), {3, 4})); }).second,
              "copy: the strides of 'x' reach over more than 2^63 - 1 bytes");
  }
}

TEST_F(Simulated, BuffersLiveBesideAnyNamesOfTheProgram) {
  struct P {
    float a, b;
  };
  cdsl::Kernel kernel = runtime.parse("struct P { a: f32; b: f32; }\nconst x: f32 = 1; const y: f32 = 2; const i0: i32 = 4; const N0: i32 = 4;\n"
                                      "fn f(p: P[N] layout(soa)) -> (r: f32[N]) { r[i] = p[i].a + x + y; }").kernel("f");
  cdsl::Buffer buffer = kernel.buffer("p", {2});
  std::vector<P> given{{1, 2}, {3, 4}}, back(2);
  buffer.pack(given.data(), sizeof(P) * 2);
  buffer.unpack(back.data(), sizeof(P) * 2);
  EXPECT_EQ(back[1].b, 4);
  EXPECT_EQ(failure_of([&] { buffer.pack(nullptr, sizeof(P) * 2); }).second, "the array for 'p' is null");
  EXPECT_EQ(failure_of([&] { kernel.buffer("q", {2}); }).second, "no parameter is named 'q'");
}

}  // namespace
}  // namespace embed
