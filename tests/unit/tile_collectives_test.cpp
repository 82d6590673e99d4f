// Reductions and scans of tile form over every mix of levels, against loops in C++.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tile_fixture.h"

namespace cdsl {
namespace {

class TileCollectives : public TileTest {
 protected:
  /// y[0] of a reduction of x over one axis with these factors.
  static std::string sum_over(const std::string& factors, const std::string& shape) {
    return program("(x: f32[] const, y: f32[], n: i64) " + shape +
                   " {\n  axis j = " + factors +
                   ";\n  let (s: f32) = reduce sum over (j) ((if j < n { x[j] } else { 0.0 }));\n"
                   "  if cluster.rank == i32(0) {\n    y[0] = s;\n  }\n}");
  }
  static std::string scan_of(const std::string& factors, const std::string& kind, const std::string& shape) {
    return program("(x: f32[] const, y: f32[], t: f32[], n: i64) " + shape + " {\n  axis j = " + factors +
                   ";\n  let v: f32 = (if j < n { x[j] } else { 0.0 });\n  let (s: f32; all: f32) = scan sum along j " +
                   kind + "(v);\n  if j < n {\n    y[j] = s;\n  }\n  if cluster.rank == i32(0) {\n    t[0] = all;\n  }\n}");
  }
};

struct Mix {
  const char* factors;
  int extent;
  const char* shape;
};

const char* const kHalfOfCluster = "rank 2 by 2 * reg 2 * lane 16";

const Mix kMixes[] = {
    {"reg 7", 7, "block(32, 1, 1)"},
    {"lane 32", 32, "block(64, 1, 1)"},
    {"lane 4 by 8 * lane 2", 8, "block(64, 1, 1)"},
    {"warp 3", 3, "block(96, 1, 1)"},
    {"warp 2 by 2", 2, "block(128, 1, 1)"},
    {"warp 2 * lane 8", 16, "block(128, 1, 1)"},
    {"vec 4 ", 4, "block(32, 1, 1)"},
    {"reg 3 * warp 4 * reg 2 * lane 32 * vec 2", 1536, "block(128, 1, 1)"},
    {"lane 32 * warp 4 * reg 3", 384, "block(128, 1, 1)"},
    {"lane 8 by 4 * reg 2 * lane 4 * vec 2", 128, "block(64, 1, 1)"},
    {"warp 2 * lane 32 * warp 2 by 2", 128, "block(128, 1, 1)"},
    {"rank 2 * warp 2 * lane 32", 128, "block(64, 1, 1) cluster(2, 1, 1)"},
    {kHalfOfCluster, 64, "block(64, 1, 1) cluster(4, 1, 1)"},
    {"lane 16 * rank 4 * reg 2", 128, "block(32, 1, 1) cluster(4, 1, 1)"},
    {"rank 2 * warp 2 * rank 2 by 2", 8, "block(64, 1, 1) cluster(4, 1, 1)"},
    {"lane 1 * reg 1 * warp 1", 1, "block(64, 1, 1)"},
};

int ranks(const Mix& mix) {
  return std::string(mix.shape).find("cluster(4") != std::string::npos   ? 4
         : std::string(mix.shape).find("cluster(2") != std::string::npos ? 2
                                                                         : 1;
}

TEST_F(TileCollectives, SumsOverEveryMixOfLevels) {
  for (const Mix& mix : kMixes) {
    SCOPED_TRACE(mix.factors);
    const int64_t n = std::max(1, mix.extent - 1);
    const auto x = numbers(n);
    run(sum_over(mix.factors, mix.shape), {input(x), output<float>(1), size(n)}, ranks(mix));
    if (HasFailure()) return;
    EXPECT_EQ(result<float>(1)[0], std::accumulate(x.begin(), x.end(), 0.0f)) << lanes;
  }
}

TEST_F(TileCollectives, ScansAlongEveryMixOfLevels) {
  for (const Mix& mix : kMixes) {
    // Blocks of a cluster are no replicas: those of one place would all write.
    if (std::string(mix.factors) == kHalfOfCluster) continue;
    for (const bool exclusive : {false, true}) {
      SCOPED_TRACE(std::string(mix.factors) + (exclusive ? " exclusive" : ""));
      const int64_t n = std::max(1, mix.extent - 1);
      const auto x = numbers(n);
      run(scan_of(mix.factors, exclusive ? "exclusive " : "", mix.shape),
          {input(x), output<float>(n), output<float>(1), size(n)}, ranks(mix), 1, 3);
      if (HasFailure()) return;
      const auto y = result<float>(1);
      float sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        if (!exclusive) sum += x[i];
        ASSERT_EQ(y[i], sum) << i << "\n" << lanes;
        if (exclusive) sum += x[i];
      }
      EXPECT_EQ(result<float>(2)[0], sum);
    }
  }
}

// a * 2 + b keeps the order: (value, weight) pairs of "append digits", in arithmetic modulo 2^32 that is exact.
TEST_F(TileCollectives, ReducersThatDoNotCommuteKeepTheOrder) {
  for (const Mix& mix : kMixes) {
    SCOPED_TRACE(mix.factors);
    const int64_t n = mix.extent;
    std::vector<uint32_t> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint32_t>(i * 7 + 3);
    run(program(std::string("(x: u32[] const, y: u32[]) ") + mix.shape + " {\n  axis j = " + mix.factors +
                ";\n  let (v: u32, w: u32) = reduce user over (j) (x[j], u32(3); u32(0), u32(1); v1, w1, v2, w2 => "
                "v1 * w2 + v2, w1 * w2);\n  if cluster.rank == i32(0) {\n    y[0] = v;\n    y[1] = w;\n  }\n}"),
        {input(x), output<uint32_t>(2)}, ranks(mix), 1, 2);
    if (HasFailure()) return;
    uint32_t value = 0, weight = 1;
    for (uint32_t digit : x) value = value * 3 + digit, weight *= 3;
    EXPECT_EQ(result<uint32_t>(1), (std::vector<uint32_t>{value, weight})) << lanes;
  }
}

TEST_F(TileCollectives, OrderOverTwoAxesIsThatOfOver) {
  std::vector<uint32_t> x(64);
  std::iota(x.begin(), x.end(), 1u);
  const auto text = [](const std::string& over) {
    return program("(x: u32[] const, y: u32[]) block(64, 1, 1) {\n  axis i = reg 2 * lane 4;\n  axis j = warp 2 * lane 4 by 4;\n"
                   "  let (v: u32, w: u32) = reduce user over (" + over +
                   ") (x[i * 8 + j], u32(3); u32(0), u32(1); v1, w1, v2, w2 => v1 * w2 + v2, w1 * w2);\n  y[0] = v;\n}");
  };
  for (const bool by_rows : {true, false}) {
    run(text(by_rows ? "i, j" : "j, i"), {input(x), output<uint32_t>(1)});
    uint32_t value = 0;
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b) value = value * 3 + x[static_cast<std::size_t>(by_rows ? a * 8 + b : b * 8 + a)];
    ASSERT_EQ(result<uint32_t>(1)[0], value) << lanes;
  }
}

TEST_F(TileCollectives, ArgReductionsPreferTheFirstNanThenTheLowestPlace) {
  const float nan = NAN;
  const std::vector<std::vector<float>> cases = {{1, 5, 5, 2, 5}, {nan}, {3, nan, 9, nan}, {-INFINITY, -INFINITY}, {0.0f, -0.0f, 0.0f}};
  const std::string text = program(
      "(x: f32[] const, v: f32[], p: i64[], n: i64) block(64, 1, 1) {\n  axis j = reg 2 * warp 2 * lane 32 * reg 2;\n"
      "  let (low: f32, at: i64) = reduce argmin over (j) ((if j < n { x[j] } else { inf }), j);\n"
      "  let (high: f32, place: i64) = reduce argmax over (j) ((if j < n { x[j] } else { -inf }), j);\n"
      "  v[0] = low;\n  v[1] = high;\n  p[0] = at;\n  p[1] = place;\n}");
  for (const auto& few : cases) {
    auto x = few;
    x.insert(x.begin(), 100, few[0]);
    x.insert(x.end(), 80, few.back());
    const auto n = static_cast<int64_t>(x.size());
    run(text, {input(x), output<float>(2), output<int64_t>(2), size(n)});
    std::size_t low = 0, high = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      if (!std::isnan(x[low]) && (std::isnan(x[i]) || x[i] < x[low])) low = i;
      if (!std::isnan(x[high]) && (std::isnan(x[i]) || x[i] > x[high])) high = i;
    }
    EXPECT_EQ(result<int64_t>(2), (std::vector<int64_t>{static_cast<int64_t>(low), static_cast<int64_t>(high)}));
  }
}

TEST_F(TileCollectives, KeptAxesWithRegisters) {
  // 6 by 4 rows kept in registers, lanes and warps; columns over lanes, warps and registers.
  const int64_t rows = 24, columns = 64;
  const auto x = numbers(rows * columns);
  run(program("(x: f32[] const, y: f32[], z: i64[]) block(128, 1, 1) {\n  axis i = reg 3 * warp 2 by 2 * lane 2 * reg 2;\n"
              "  axis j = warp 2 * reg 2 * lane 8 by 2 * vec 2;\n"
              "  let v: f32 = x[i * 64 + j];\n  let (s: f32) = reduce sum over (j) (v);\n"
              "  let (few: i64) = reduce count over (j) (v > 3.0);\n  y[i] = s;\n  z[i] = few;\n}"),
      {input(x), output<float>(rows), output<int64_t>(rows)});
  const auto y = result<float>(1);
  const auto z = result<int64_t>(2);
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    int64_t few = 0;
    for (int64_t j = 0; j < columns; ++j) sum += x[i * columns + j], few += x[i * columns + j] > 3;
    EXPECT_EQ(y[i], sum);
    EXPECT_EQ(z[i], few);
  }
}

TEST_F(TileCollectives, AnyAllMinMaxProdBelow) {
  std::vector<int32_t> x(200);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>((i * 37) % 101) - 50;
  run(program("(x: i32[] const, y: i32[]) block(64, 1, 1) {\n  axis j = reg 4 * warp 2 * lane 32;\n"
              "  let v: i32 = (if j < 200 { x[j] } else { i32(0) });\n"
              "  let (some: bool) = reduce any over (j) (v == i32(50));\n  let (every: bool) = reduce all over (j) (v > i32(-50));\n"
              "  let (low: i32) = reduce min over (j) (v);\n  let (high: i32) = reduce max over (j) (v);\n"
              "  let (odd: i32) = reduce prod over (j) ((if v == i32(7) { i32(3) } else { i32(1) }));\n"
              "  y[0] = i32(some);\n  y[1] = i32(every);\n  y[2] = low;\n  y[3] = high;\n  y[4] = odd;\n}"),
      {input(x), output<int32_t>(5)});
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  int32_t odd = 1;
  for (int32_t v : x) odd *= v == 7 ? 3 : 1;
  const bool some = std::count(x.begin(), x.end(), 50) > 0, every = *low > -50;
  EXPECT_EQ(result<int32_t>(1), (std::vector<int32_t>{some, every, *low, *high, odd}));
}

TEST_F(TileCollectives, UserReducersGiveAllThreadsTheSameBits) {
  // Not symmetric to the last bit; every lane stores what it got.
  auto x = numbers(64);
  for (float& v : x) v = v / 3 + 0.1f;
  run(program("(x: f32[] const, y: f32[]) block(64, 1, 1) {\n  axis j = warp 2 * lane 32;\n"
              "  let (s: f32) = reduce user over (j) (x[j]; 0.0; a, b commutative => a + b * (1.0 + a * 0.001));\n"
              "  y[i64(thread.x)] = s;\n}"),
      {input(x), output<float>(64)});
  const auto y = result<float>(1);
  for (float v : y) EXPECT_EQ(v, y[0]);
}

TEST_F(TileCollectives, ScratchIsSafeInLoops) {
  // One collective a round, two, one behind a condition, one in a loop of a loop, and in roles.
  const auto x = numbers(64 * 12);
  const std::string head = "(x: f32[] const, y: f32[], n: i64) block(128, 1, 1) {\n  axis j = warp 4 * lane 16;\n"
                           "  axis q = warp 2 * lane 32;\n  var sum: f32 = 0.0;\n";
  const std::string one = "let (s: f32) = reduce sum over (j) (x[r * 64 + j]);\nsum = sum + s;\n";
  const std::string two = "let (t: f32) = reduce sum over (j) (x[r * 64 + j] * s);\nsum = sum + t;\n";
  const std::string scan = "let (p: f32; all: f32) = scan sum along j (x[r * 64 + j]);\nsum = sum + all;\n";
  const auto total = [&](std::size_t r) { return std::accumulate(x.begin() + r * 64, x.begin() + (r + 1) * 64, 0.0f); };
  float once = 0, twice = 0;
  for (std::size_t r = 0; r < 12; ++r) once += total(r), twice += total(r) + total(r) * total(r);
  const std::string loop = "for r: i64 = 0 to n step 1 {\n";
  const std::pair<std::string, float> cases[] = {
      {loop + one + "}\n", once},
      {loop + scan + "}\n", once},
      {loop + one + two + "}\n", twice},
      {loop + "if r < n {\n" + one + "}\n}\n", once},
      {"for a: i64 = 0 to 3 step 1 {\nfor r: i64 = a * 4 to a * 4 + 4 step 1 {\n" + one + "}\n}\n", once},
  };
  for (const auto& [body, expected] : cases) {
    run(program(head + body + "y[0] = sum;\n}"), {input(x), output<float>(1), size(12)}, 1, 1, 8);
    if (HasFailure()) return;
    EXPECT_EQ(result<float>(1)[0], expected) << lanes;
  }
}

TEST_F(TileCollectives, RolesMeetByThemselves) {
  const auto x = numbers(96 * 5);
  const auto role = [](const std::string& from, const std::string& place) {
    return "  axis i = warp 2" + from + " * lane 32;\n  var sum: f32 = 0.0;\n  for r: i64 = 0 to 5 step 1 {\n"
           "    let (s: f32) = reduce sum over (i) (x[r * 96 + i]);\n    sum = sum + s;\n  }\n  y[" + place + "] = sum;\n";
  };
  run(program("(x: f32[] const, y: f32[]) block(224, 1, 1) {\nif warp < i32(2) {\n" + role("", "0") +
              "} else {\nif warp < i32(4) {\n" + role(" from 2", "1") + "} else {\nif warp == i32(4) {\n"
              "axis i = lane 32;\nlet (s: f32) = reduce max over (i) (x[i]);\ny[2] = s;\n} else {\n" +
              role(" from 5", "3") + "}\n}\n}\n}"),
      {input(x), output<float>(4)}, 1, 1, 12);
  float sum = 0;
  for (std::size_t r = 0; r < 5; ++r)
    for (std::size_t i = 0; i < 64; ++i) sum += x[r * 96 + i];
  const float top = *std::max_element(x.begin(), x.begin() + 32);
  EXPECT_EQ(result<float>(1), (std::vector<float>{sum, sum, top, sum})) << lanes;
}

}  // namespace
}  // namespace cdsl
