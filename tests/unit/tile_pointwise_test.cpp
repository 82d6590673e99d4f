// Pointwise statements of tile form: replicas, distributed ifs, vectors, roles, matrix operands of one register.
#include <numeric>

#include "tile_fixture.h"

namespace cdsl {
namespace {

class TilePointwise : public TileTest {};

TEST_F(TilePointwise, EffectsOfReplicasHappenOnce) {
  // Of 128 threads 8 hold different points; uniform effects happen once for the block.
  const std::vector<int32_t> zeros(9, 0);
  run(program("(h: i32[]) block(128, 1, 1) {\n  axis i = warp 2 * lane 4 by 2;\n  atomic add h[i], i32(i) relaxed device;\n"
              "  atomic add h[8], i32(5) relaxed device;\n  if warp < i32(0) + i32(2) {\n    atomic add h[8], i32(1) relaxed device;\n"
              "  } else {\n    atomic add h[8], i32(10) relaxed device;\n  }\n"
              "  if thread.x >= i32(120) {\n    atomic add h[8], i32(100) relaxed device;\n  }\n}"),
      {input(zeros)});
  EXPECT_EQ(result<int32_t>(0), (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6, 7, 816})) << lanes;
}

TEST_F(TilePointwise, RolesOfWarpsThatDoNotLieTogether) {
  const std::vector<int32_t> zeros(2, 0);
  run(program("(h: i32[]) block(160, 1, 1) {\n  axis k = lane 32;\n  if warp % i32(2) == i32(1) {\n"
              "    atomic add h[0], i32(1) relaxed device;\n    atomic add h[1], i32(k) relaxed device;\n  }\n}"),
      {input(zeros)});
  EXPECT_EQ(result<int32_t>(0), (std::vector<int32_t>{1, 496})) << lanes;
}

TEST_F(TilePointwise, StatementsInADistributedIfHaveAxesOfTheirOwn) {
  // The condition names rows, the statements inside columns too, a loop, a var and an axis of their own.
  const int64_t rows = 13, columns = 16;
  const auto x = numbers(rows * columns);
  run(program("(x: f32[] const, y: f32[], z: f32[], n: i64) block(64, 1, 1) {\n  axis i = reg 4 * warp 2 * reg 2;\n"
              "  axis j = reg 2 * lane 4 * vec 2;\n  if i < n {\n    let twice: f32 = x[i * 16] * 2.0;\n"
              "    y[i * 16 + j] = x[i * 16 + j] + twice;\n    axis q = reg 2 * lane 2;\n    var sum: f32 = 0.0;\n"
              "    for k: i64 = 0 to 3 step 1 {\n      sum = sum + x[i * 16 + k];\n      if k < n {\n        sum = sum + 1.0;\n      }\n    }\n"
              "    z[i * 4 + q] = sum + f32(q);\n  } else {\n    z[i * 4] = -1.0;\n  }\n}"),
      {input(x), output<float>(rows * columns), output<float>(16 * 4), size(rows)});
  const auto y = result<float>(1), z = result<float>(2);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) ASSERT_EQ(y[i * 16 + j], x[i * 16 + j] + 2 * x[i * 16]) << i << " " << j << lanes;
    for (int64_t q = 0; q < 4; ++q) ASSERT_EQ(z[i * 4 + q], x[i * 16] + x[i * 16 + 1] + x[i * 16 + 2] + 3 + float(q));
  }
  for (int64_t i = rows; i < 16; ++i) EXPECT_EQ(z[i * 4], -1);
}

TEST_F(TilePointwise, QuotientsAndRemaindersOfAnAxisAreItsDigits) {
  // A fragment in registers of lane form: its places are numbers after unrolling. 24 cuts a digit in a way that it has not.
  std::vector<int32_t> expected;
  for (int m = 0; m < 64; ++m) {
    for (int n = 0; n < 8; ++n) expected.push_back((m / 8 % 4) * 2 + n % 2 + 100 * (m / 16 % 2) + 1000 * (m % 24) + 100000 * (m % 16 / 2));
  }
  run(program("(y: i32[]) block(64, 1, 1) {\n  aligned y to 8;\n  register r: i32[8];\n  axis m = warp 2 * reg 4 * lane 8 by 4;\n"
              "  axis n = lane 4 * vec 2;\n  for q: i32 = i32(0) to i32(8) step i32(1) unroll 8 {\n    r[q] = q;\n  }\n"
              "  y[m * 8 + n] = r[m / 8 % 4 * 2 + n % 2] + i32(m / 16 % 2 * 100 + m % 24 * 1000 + m % 16 / 2 * 100000);\n}"),
      {output<int32_t>(512)});
  EXPECT_EQ(result<int32_t>(0), expected) << lanes;
  EXPECT_TRUE(has("i64(mr) * 2")) << lanes;
  EXPECT_TRUE(has("vector i32(vector_n = 2) y[")) << lanes;
}

TEST_F(TilePointwise, PointsKeepTheOrderOfStatements) {
  // A thread reads what it wrote for another of its points, in shared memory and in memory of the caller.
  std::vector<float> x(4 * 32);
  std::iota(x.begin(), x.end(), 0.0f);
  run(program("(x: f32[], y: f32[]) block(32, 1, 1) {\n  shared t: f32[128];\n  axis r = reg 4;\n  axis l = lane 32;\n"
              "  t[r * 32 + l] = x[r * 32 + l];\n  y[r * 32 + l] = t[(3 - r) * 32 + l];\n  x[r * 32 + l] = y[(3 - r) * 32 + l] + 1.0;\n}"),
      {input(x), output<float>(128)});
  const auto left = result<float>(0), y = result<float>(1);
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(y[i], x[(3 - i / 32) * 32 + i % 32]);
    EXPECT_EQ(left[i], x[i] + 1);
  }
}

TEST_F(TilePointwise, VarsAndAssignments) {
  std::vector<float> x(64);
  std::iota(x.begin(), x.end(), 0.0f);
  run(program("(x: f32[] const, y: f32[]) block(32, 1, 1) {\n  axis j = reg 2 * lane 32;\n  axis l = lane 32;\n"
              "  var many over (j): f32 = 1.0;\n  var one over (l): f32 = 2.0;\n  for k: i64 = 0 to 3 step 1 {\n"
              "    many = many + x[j];\n    one = one + x[l];\n  }\n  if x[j] > 40.0 {\n    many = 0.0;\n  }\n"
              "  y[j] = many;\n  y[64 + l] = one;\n}"),
      {input(x), output<float>(96)});
  const auto y = result<float>(1);
  for (int j = 0; j < 64; ++j) EXPECT_EQ(y[j], j > 40 ? 0 : 1 + 3 * j);
  for (int l = 0; l < 32; ++l) EXPECT_EQ(y[64 + l], 2 + 3 * l);
}

TEST_F(TilePointwise, ResultsOfAtomicsAndWrittenVectors) {
  std::vector<int32_t> h(64);
  std::iota(h.begin(), h.end(), 0);
  run(program("(h: i32[], y: i32[], z: i32[]) block(32, 1, 1) {\n  axis j = reg 2 * lane 32;\n  axis p = reg 2 * lane 16 by 2;\n"
              "  let was: i32 = atomic add h[j], i32(1) relaxed device;\n  y[j] = was * i32(2);\n  barrier block;\n"
              "  let (a: i32, b: i32) = vector h[p * 2];\n  vector z[p * 2] = (b, a);\n}"),
      {input(h), output<int32_t>(64), output<int32_t>(64)}, 1, 1, 1);
  const auto y = result<int32_t>(1);
  for (int j = 0; j < 64; ++j) EXPECT_EQ(y[j], 2 * j);
}

// `facts` stand at the head of the kernel.
std::string copy_kernel(const std::string& type, int width, const std::string& facts, const std::string& guard,
                        const std::string& offset = "") {
  const std::string zero = type == "f32" ? "0.0" : type == "u8" ? "u8(0)" : type == "f64" ? "f64(0)" : "bf16(0)";
  const std::string index = "j" + offset;
  const std::string load = guard.empty() ? "x[" + index + "]" : "(if " + guard + " { x[" + index + "] } else { " + zero + " })";
  const std::string store = "y[" + index + "] = v;";
  return "(x: " + type + "[] const, y: " + type + "[], n: i64) block(64, 1, 1) {\n" + facts + "  axis j = warp 2 * lane 32 * vec " +
         std::to_string(width) + ";\n  let v: " + type + " = " + load + ";\n  " +
         (guard.empty() ? store : "if " + guard + " {\n    " + store + "\n  }") + "\n}";
}

TEST_F(TilePointwise, AccessesAlongVecAreVectorsWhereProved) {
  const std::string aligned = "  aligned x to 16;\n  aligned y to 16;\n", by4 = "  multiple n of 4;\n", by8 = "  multiple n of 8;\n";
  lower(program(copy_kernel("f32", 4, aligned + by4, "j < n")));
  EXPECT_TRUE(has(" = 4) v[i32(0)] = x[") && has(" = 4) y[")) << lanes;
  lower(program(copy_kernel("f32", 8, aligned + by4, "j < n")));
  EXPECT_TRUE(has("vector i32(4) v[i32(0)] = x[") && has("vector i32(4) y[")) << lanes;
  lower(program(copy_kernel("f32", 4, aligned + "  multiple n of 2;\n", "j < n")));
  EXPECT_TRUE(has("vector i32(2) v[i32(0)] = x[")) << lanes;
  lower(program(copy_kernel("f32", 4, aligned, "j < n")));
  EXPECT_FALSE(has("vector i32(")) << lanes;
  lower(program(copy_kernel("f32", 4, by4, "j < n")));
  EXPECT_FALSE(has("vector i32(")) << lanes;
  lower(program(copy_kernel("f32", 4, "", "")));
  EXPECT_FALSE(has("vector i32(")) << lanes;
  lower(program(copy_kernel("f32", 4, aligned, "")));
  EXPECT_TRUE(has(" = 4) v[i32(0)] = x[")) << lanes;
  lower(program(copy_kernel("f32", 4, aligned, "", " + 1")));
  EXPECT_FALSE(has("vector i32(")) << lanes;
  lower(program(copy_kernel("f32", 4, aligned, "", " + 2")));
  EXPECT_TRUE(has("vector i32(2) v[i32(0)] = x[")) << lanes;
  lower(program(copy_kernel("f32", 4, "  aligned x to 8;\n  aligned y to 8;\n", "")));
  EXPECT_TRUE(has("vector i32(2) v[i32(0)] = x[")) << lanes;
  lower(program(copy_kernel("bf16", 8, aligned + by8, "j < n")));
  EXPECT_TRUE(has(" = 8) v[i32(0)] = x[")) << lanes;
  lower(program(copy_kernel("f64", 4, aligned + by4, "j < n")));
  EXPECT_TRUE(has("vector i32(2) v[i32(0)] = x[")) << lanes;
  lower(program(copy_kernel("u8", 16, aligned + "  multiple n of 16;\n", "j < n")));
  EXPECT_TRUE(has(" = 16) v[i32(0)] = x[")) << lanes;
}

// Rows of n that begin anywhere: the axis begins at the vector in which the row's first element lies.
std::string row_kernel(const std::string& begin, const std::string& guard) {
  return "(x: f32[] const, y: f32[], n: i64) block(32, 1, 1) {\n  aligned x to 16;\n  aligned y to 16;\n  axis p = lane 32 * vec 4;\n"
         "  let row: i64 = i64(block.x) * n;\n  let before: i64 = row % " + begin + ";\n  let j: i64 = p - before;\n"
         "  let v: f32 = (if " + guard + " { x[row + j] } else { 0.0 });\n  if " + guard + " {\n    y[row + j] = v;\n  }\n}";
}

TEST_F(TilePointwise, RowsThatBeginAnywhereAreVectorsButAtTheirEnds) {
  for (const int64_t n : {1, 3, 5, 33, 100, 125}) {
    const auto x = numbers(3 * n);
    run(program(row_kernel("4", "0 <= j && j < n")), {input(x), output<float>(3 * n), size(n)}, 3);
    EXPECT_EQ(result<float>(1), x);
  }
  EXPECT_TRUE(has(" = 4) v[i32(0)] = x[") && has(" = 4) y[")) << lanes;
  lower(program(row_kernel("8", "0 <= j && j < n")));
  EXPECT_TRUE(has(" = 4) v[i32(0)] = x[")) << lanes;
  // What is moved back by a remainder of 2 begins at no vector of 4; and a condition that holds here and there is one of each element.
  lower(program(row_kernel("2", "0 <= j && j < n")));
  EXPECT_FALSE(has(" = 4) v[i32(0)] = x[")) << lanes;
  EXPECT_TRUE(has("vector i32(2) v[i32(0)] = x[")) << lanes;
  lower(program(row_kernel("4", "0 <= j && j != 5 && j < n")));
  EXPECT_FALSE(has("v[i32(0)] = x[")) << lanes;
}

TEST_F(TilePointwise, VectorsMoveWhatScalarsMove) {
  const std::string aligned = "  aligned x to 16;\n  aligned y to 16;\n  multiple n of 4;\n";
  for (const char* facts : {aligned.c_str(), ""}) {
    for (const int64_t n : {0, 4, 200, 256}) {
      const auto x = numbers(n);
      run(program(copy_kernel("f32", 4, facts, "j < n")), {input(x), output<float>(n), size(n)});
      EXPECT_EQ(result<float>(1), x);
    }
  }
  // A row at a multiple of n; a cast around the load.
  const auto x = numbers(3 * 48);
  run(program("(x: f32[] const, y: f64[], n: i64) block(32, 1, 1) {\n  aligned x to 16;\n  multiple n of 4;\n"
              "  axis j = lane 32 * vec 4;\n  let row: i64 = i64(block.x);\n"
              "  let v: f64 = (if j < n { f64(x[row * n + j]) * f64(2) } else { f64(0) });\n  if j < n {\n    y[row * n + j] = v;\n  }\n}"),
      {input(x), output<double>(3 * 48), size(48)}, 3);
  EXPECT_TRUE(has("v3: f32) = vector x")) << lanes;
  const auto y = result<double>(1);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2.0 * x[i]);
}

TEST_F(TilePointwise, TilesAreTurnedInRegisters) {
  // Each statement takes the vector digit along which its own access is a vector; the values wait in registers between them.
  const std::string facts = "  aligned x to 16;\n  aligned y to 16;\n  multiple n of 4;\n  multiple m of 4;\n";
  const auto kernel = [](const std::string& given) {
    return "(x: f32[] const, y: f32[], m: i64, n: i64) block(32, 1, 1) {\n" + given + "  shared t: f32[544];\n"
           "  axis r = reg 4 * lane 8 by 4;\n  axis c = lane 4 * vec 4;\n"
           "  t[r * 16 + r / 4 * 4 + c] = (if r < m && c < n { x[r * n + c] } else { 0.0 });\n  barrier block;\n"
           "  axis j = lane 4 by 8 * vec 4;\n  axis i = lane 8 * vec 4;\n  let v: f32 = t[i * 16 + i / 4 * 4 + j];\n"
           "  if j < n && i < m {\n    y[j * m + i] = v + v;\n  }\n}";
  };
  for (const bool known : {true, false}) {
    const int64_t m = known ? 28 : 27, n = known ? 12 : 13;
    const auto x = numbers(m * n);
    run(program(kernel(known ? facts : "")), {input(x), output<float>(m * n), size(m), size(n)});
    EXPECT_EQ(has("= 4) y["), known) << lanes;
    EXPECT_TRUE(has("v3: f32) = vector t[")) << lanes;
    const auto y = result<float>(1);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) ASSERT_EQ(y[j * m + i], 2 * x[i * n + j]) << i << " " << j << lanes;
  }
}

TEST_F(TilePointwise, ConditionsMayNameFewerAxesThanAVectorStore) {
  const auto kernel = [](const std::string& facts) {
    return "(y: f32[], n: i64) block(32, 1, 1) {\n  aligned y to 16;\n" + facts + "  axis j = reg 2 * lane 4 by 8;\n"
           "  axis i = lane 8 * vec 4;\n  if i < n {\n    y[j * 32 + i] = f32(j * 100 + i);\n  }\n}";
  };
  for (const bool known : {true, false}) {
    const int64_t n = known ? 20 : 19;
    run(program(kernel(known ? "  multiple n of 4;\n" : "")), {input(std::vector<float>(8 * 32, -1)), size(n)});
    EXPECT_EQ(has("= 4) y["), known) << lanes;
    const auto y = result<float>(0);
    for (int64_t j = 0; j < 8; ++j)
      for (int64_t i = 0; i < 32; ++i) ASSERT_EQ(y[j * 32 + i], i < n ? static_cast<float>(j * 100 + i) : -1) << j << " " << i << lanes;
  }
}

TEST_F(TilePointwise, ColumnsOfOneProductAreContractedByTheNext) {
  // z = (x y) w. The axis n is that of columns, then the contracted one, and stands before `column`: b has its words all the same.
  std::vector<float> x(16 * 8), y(8 * 16), w(16 * 8), expected;
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = static_cast<float>(k * 7 % 5) - 2, y[k] = static_cast<float>(k * 11 % 5) - 2, w[k] = static_cast<float>(k * 3 % 5) - 2;
  }
  for (std::size_t m = 0; m < 16; ++m) {
    for (std::size_t d = 0; d < 8; ++d) {
      float sum = 0;
      for (std::size_t n = 0; n < 16; ++n) {
        for (std::size_t k = 0; k < 8; ++k) sum += x[m * 8 + k] * y[k * 16 + n] * w[n * 8 + d];
      }
      expected.push_back(sum);
    }
  }
  run(program("(x: f32[] const, y: f32[] const, w: f32[] const, z: f32[]) block(32, 1, 1) {\n"
              "  axis m = reg 2 * lane 8 by 4;\n  axis n = reg 2 * lane 4 * vec 2;\n  axis key = reg 2 * lane 8 by 4;\n"
              "  axis k = lane 4 * vec 2;\n  axis d = lane 4 * vec 2;\n  axis column = lane 8 by 4;\n"
              "  var s over (m, n): f32 = 0.0;\n  var acc over (m, d): f32 = 0.0;\n"
              "  let a: bf16 = bf16(x[m * 8 + k]);\n  let b: bf16 = bf16(y[k * 16 + key]);\n  mma m16n8k8 s += a * b;\n"
              "  let p: bf16 = bf16(s);\n  let v: bf16 = bf16(w[n * 8 + column]);\n  mma m16n8k16 acc += p * v;\n"
              "  z[m * 8 + d] = acc;\n}"),
      {input(x), input(y), input(w), output<float>(128)});
  EXPECT_EQ(result<float>(3), expected) << lanes;
}

TEST_F(TilePointwise, MatrixOperandsOfOneRegister) {
  std::vector<double> a(8 * 8), b(8 * 8);
  for (std::size_t i = 0; i < 64; ++i) a[i] = static_cast<double>(i % 7) - 3, b[i] = static_cast<double>(i % 5) - 2;
  run(program("(A: f64[] const, B: f64[] const, C: f64[]) block(32, 1, 1) {\n  axis k = lane 4;\n  axis n = lane 4 * reg 2;\n"
              "  axis column = lane 8 by 4;\n  axis m = lane 8 by 4;\n  var c over (m, n): f64 = f64(0);\n"
              "  for k0: i64 = 0 to 8 step 4 {\n    let a: f64 = A[m * 8 + k0 + k];\n    let b: f64 = B[(k0 + k) * 8 + column];\n"
              "    mma m8n8k4 c += a * b;\n  }\n  C[m * 8 + n] = c;\n}"),
      {input(a), input(b), output<double>(64)});
  const auto c = result<double>(2);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < 8; ++p) sum += a[i * 8 + p] * b[p * 8 + j];
      ASSERT_EQ(c[i * 8 + j], sum) << lanes;
    }
  }
}

}  // namespace
}  // namespace cdsl
