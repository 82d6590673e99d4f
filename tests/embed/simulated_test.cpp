// The device "sim": whole calls with values, on memory of the host.

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
