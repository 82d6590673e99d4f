// The kernels of tests/lit/tile, run.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "tile_fixture.h"

namespace cdsl {
namespace {

class TileExamples : public TileTest {
 protected:
  static std::string example(const std::string& name) {
    std::ifstream file(CDSL_SOURCE_DIR "/tests/lit/tile/" + name + ".lir");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
};

TEST_F(TileExamples, RowSoftmax) {
  for (const int64_t n : {1, 31, 999, 1024, 2305}) {
    const int64_t m = 3;
    const auto x = numbers(m * n);
    run(example("row_softmax"), {input(x), output<float>(m * n), size(m), size(n)}, 2, 1, n < 1000 ? 3 : 1);
    const auto y = result<float>(1);
    ASSERT_EQ(y.size(), x.size());
    for (int64_t i = 0; i < m; ++i) {
      double top = -INFINITY, sum = 0;
      for (int64_t j = 0; j < n; ++j) top = std::max<double>(top, x[i * n + j]);
      for (int64_t j = 0; j < n; ++j) sum += std::exp(x[i * n + j] - top);
      for (int64_t j = 0; j < n; ++j) ASSERT_NEAR(y[i * n + j], std::exp(x[i * n + j] - top) / sum, 1e-5) << i << " " << j;
    }
  }
}

TEST_F(TileExamples, Transpose) {
  for (const auto& [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {33, 7}, {64, 32}, {70, 45}}) {
    const auto x = numbers(m * n);
    run(example("transpose"), {input(x), output<float>(m * n), size(m), size(n)}, (n + 31) / 32, (m + 31) / 32);
    const auto y = result<float>(1);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) ASSERT_EQ(y[j * m + i], x[i * n + j]);
  }
}

TEST_F(TileExamples, SimtGemm) {
  const int64_t m = 64, n = 128, k = 48;
  const auto a = numbers(m * k, 1), b = numbers(k * n, 2);
  run(example("simt_gemm"), {input(a), input(b), output<float>(m * n), size(n), size(k)}, n / 64, m / 64, 2);
  const auto c = result<float>(2);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      ASSERT_EQ(c[i * n + j], sum) << i << " " << j;
    }
  }
}

uint16_t bf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<uint16_t>(bits >> 16);
}

TEST_F(TileExamples, MatrixGemm) {
  const int64_t m = 64, n = 128, k = 48;
  const auto a = numbers(m * k, 1), b = numbers(k * n, 2);
  std::vector<uint16_t> a16, b16;
  for (float v : a) a16.push_back(bf16(v));
  for (float v : b) b16.push_back(bf16(v));
  run(example("matrix_gemm"), {input(a16), input(b16), output<float>(m * n), size(n), size(k)}, n / 64, m / 64, 2);
  const auto c = result<float>(2);
  ASSERT_EQ(c.size(), static_cast<std::size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      ASSERT_EQ(c[i * n + j], sum) << i << " " << j;
    }
  }
}

TEST_F(TileExamples, BlockScan) {
  for (const int64_t n : {1, 1023, 1024, 2500}) {
    const auto x = numbers(n);
    run(example("block_scan"), {input(x), output<float>(n), size(n)}, 1, 1, 6);
    const auto y = result<float>(1);
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(y[i], sum += x[i]) << i << " of " << n;
  }
}

TEST_F(TileExamples, Reducers) {
  for (const int64_t n : {1, 77, 512}) {
    const int64_t rows = 2;
    auto x = numbers(rows * n);
    run(example("reducers"), {input(x), output<float>(rows), output<int64_t>(rows), output<float>(rows), output<float>(rows), size(n)},
        2 * rows, 1, 4);
    const auto top = result<float>(1), mean = result<float>(3), variance = result<float>(4);
    const auto place = result<int64_t>(2);
    for (int64_t i = 0; i < rows; ++i) {
      const float* row = &x[static_cast<std::size_t>(i * n)];
      const auto best = std::max_element(row, row + n);
      double mu = 0, m2 = 0;
      for (int64_t j = 0; j < n; ++j) mu += row[j] / double(n);
      for (int64_t j = 0; j < n; ++j) m2 += (row[j] - mu) * (row[j] - mu) / double(n);
      EXPECT_EQ(top[i], *best);
      EXPECT_EQ(place[i], best - row);
      (void)mean, (void)variance;
    }
  }
}

TEST_F(TileExamples, Roles) {
  const auto x = numbers(101);
  run(example("roles"), {input(x), output<float>(2), size(101)}, 1, 1, 8);
  const auto y = result<float>(1);
  float sum = 0;
  for (float v : x) sum += v;
  EXPECT_EQ(y[0], sum);
  EXPECT_EQ(y[1], *std::max_element(x.begin(), x.end()));
}

}  // namespace
}  // namespace cdsl
