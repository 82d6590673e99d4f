// What the verifier says of each broken invariant of tile form, and what it leaves alone.
#include <gtest/gtest.h>

#include "frontend/ir_reader/ir_reader.h"

namespace cdsl {
namespace {

/// What is wrong with a kernel of 8 warps whose body is `body`; "" for nothing.
std::string errors_of(const std::string& body, const std::string& shape = "block(256, 1, 1)") {
  const std::string text = "program p; kernel k(x: f32[] const, y: f32[], h: i32[], n: i64) " + shape +
                           " { shared t: f32[64]; register own: f32[4]; " + body + " } plan { }";
  SourceManager sources;
  DiagnosticSink sink;
  const auto programs = read_loop_ir(sources, sources.add("tile.lir", text), sink);
  std::string messages;
  for (const Diagnostic& d : sink.diagnostics()) messages += d.message + "\n";
  EXPECT_EQ(programs.has_value(), messages.empty());
  return messages;
}

struct Case {
  const char* body;
  const char* error;
};

void expect_each(std::initializer_list<Case> cases) {
  for (const auto& [body, error] : cases) {
    const std::string errors = errors_of(body);
    EXPECT_NE(errors.find(error), std::string::npos) << body << "\nlooked for: " << error << "\nfound: " << errors;
  }
}

constexpr const char* kRow = "axis j = warp 8 * lane 32; let v: f32 = x[j]; ";

TEST(TileVerify, Accepts) {
  const std::string row = kRow;
  for (const std::string& body : {
           row + "y[j] = v;",
           row + "if j < n { y[j] = v; if v > 0.0 { y[j + n] = v; } }",
           row + "if n > 3 { let (s: f32) = reduce sum over (j) (v); y[0] = s; }",
           row + "var a: f32 = v; if j < n { a = 0.0; } y[j] = a;",
           row + "if thread.x == i32(0) { let o: i32 = atomic add h[0], i32(1) relaxed device; y[o] = 0.0; }",
           row + "let o: i32 = atomic add h[j], i32(1) relaxed device; y[j] = f32(o);",
           row + "let (s: f32) = reduce sum over (j) (v + f32(thread.x)); y[0] = s;",
           row + "for i: i64 = i64(thread.x) to n step 1 { y[i] = 0.0; }",
           std::string("axis i = warp 2 by 4 * lane 4; axis j = warp 4 * lane 8 by 4; y[i * 32 + j] = 1.0;"),
           std::string("axis i = warp 3; y[i] = 1.0;"),
           std::string("if warp / i32(4) == i32(1) { axis i = warp 4 from 4; let (s: f32) = reduce sum over (i) (x[i]); "
                       "y[0] = s; }"),
           std::string("if warp == i32(3) { axis i = lane 32; let (s: f32) = reduce sum over (i) (x[i]); y[0] = s; }"),
       }) {
    EXPECT_EQ(errors_of(body), "") << body;
  }
}

TEST(TileVerify, Axes) {
  expect_each({
      {"axis j = lane 3;", "no power of two within 32"},
      {"axis j = lane 16 by 4;", "no power of two within 32"},
      {"axis j = lane 4 by 3;", "no power of two within 32"},
      {"axis j = warp 9;", "needs 9 warps"},
      {"axis j = warp 4 from 6;", "needs 10 warps"},
      {"axis j = lane 4 from 6;", "expected"},
      {"axis j = reg 4 by 2;", "has a stride"},
      {"axis j = vec 4 * lane 8;", "not the innermost"},
      {"axis j = vec 3;", "no power of two of at most 16"},
      {"axis j = rank 2;", "needs 2 blocks of a cluster"},
      {"axis j = lane 8 * lane 8;", "two lane digits of axis j overlap"},
      {"axis j = warp 2 * warp 4;", "two warp digits of axis j overlap"},
      {"axis j = reg 1048576 * reg 2;", "not between"},
      {"if n > 0 { axis j = lane 4; } y[j] = 0.0;", "not known here"},
      {"axis n = lane 4;", "hides a name"},
  });
  EXPECT_NE(errors_of("axis j = lane 4;", "block(48, 1, 1)").find("no multiple of 32"), std::string::npos);
}

TEST(TileVerify, Statements) {
  expect_each({
      {"axis i = lane 8; axis j = lane 8; y[i * 8 + j] = 0.0;", "share lane digits"},
      {"axis i = warp 8; axis j = warp 2; y[i * 8 + j] = 0.0;", "share warp digits"},
      {"axis j = lane 32; var a: f32 = 0.0; a = x[j];", "an assignment over (j) to a, a var over ()"},
      {"axis j = lane 32; var a: f32 = 0.0; if j < n { a = 1.0; }", "an assignment over (j) to a, a var over ()"},
      {"var a over (n): f32 = 0.0; axis j = lane 4;", "not visible there"},
      {"var a over (n): f32 = 0.0;", "not visible there"},
      {"axis j = lane 32; if j < n { barrier block; }", "not pointwise"},
      {"axis j = lane 32; if j < n { let (s: f32) = reduce sum over (j) (x[j]); }", "not pointwise"},
      {"axis j = lane 32; if j < n { let s: f32 = shuffle down 1.0, i32(1) mask 0xffffffff; }", "not pointwise"},
      {"axis j = lane 32; let s: f32 = shuffle down x[j], i32(1) mask 0xffffffff;", "mentions axes (j)"},
      {"axis j = lane 32; for i: i64 = j to n step 1 { }", "are distributed"},
      {"axis j = lane 32; while x[j] > 0.0 { }", "are distributed"},
      {"axis j = lane 4; let o: i32 = atomic add h[j], i32(1) relaxed device;", "one thread of several"},
      {"axis j = lane 4; if warp == i32(0) { barrier block; }", "inside a role"},
      {"axis j = warp 4 from 4; y[j] = 0.0;", "run by 8 warps from 0"},
      {"axis j = warp 4; if warp >= i32(4) { y[j] = 0.0; }", "run by 4 warps from 4"},
      {"axis j = warp 8; if warp < i32(4) { y[j] = 0.0; }", "run by 4 warps from 0"},
  });
}

TEST(TileVerify, Collectives) {
  const std::string row = kRow;
  expect_each({
      {"axis j = lane 32; let (s: f32) = reduce sum over (j) (x[0]);", "are not distributed over it"},
      {"axis j = lane 32; let (s: f32) = reduce sum over (j, j) (x[j]);", "twice"},
      {"axis j = lane 32; let (s: f32) = reduce sum over (n) (x[j]);", "not visible there"},
      {"axis j = lane 32; let (s: f64) = reduce sum over (j) (x[j]);", "has not the type"},
      {"axis j = lane 32; let (s: f32, p: f32) = reduce sum over (j) (x[j], x[j]);", "of 2 values to 2 results"},
      {"axis j = lane 32; let (s: f32) = reduce any over (j) (x[j]);", "reduce any of f32"},
      {"axis j = lane 32; let (s: bool) = reduce count over (j) (x[j] > 0.0);", "has not the type"},
      {"axis j = lane 32; let (s: f32, p: i16) = reduce argmin over (j) (x[j], i16(j));", "is no i64 or i32"},
      {"axis j = lane 32; let (s: f16) = reduce sum over (j) (f16(x[j]));", "for storage only"},
      {"axis j = lane 32; let (s: f32) = reduce user over (j) (x[j]; 0.0; a, b => a + b + x[j]);",
       "not the same everywhere"},
      {"axis j = lane 32; let (s: f32) = reduce user over (j) (x[j]; 0.0, 1.0; a, b => a + b);",
       "not an identity and a combination"},
      {"axis j = lane 32; let (s: f32) = reduce user over (j) (x[j]; 0; a, b => a + b);", "another type"},
      {"axis j = lane 32; let (s: f32; all: i32) = scan sum along j (x[j]);", "has not the type"},
      {"axis j = lane 32; axis i = warp 8; let (s: f32) = scan sum along i (x[j]);", "are not distributed over it"},
      {"axis j = lane 32; if thread.x < i32(32) { let (s: f32) = reduce sum over (j) (x[j]); }", "not all threads"},
      {"axis j = lane 32; for i: i64 = 0 to i64(lane) step 1 { let (s: f32) = reduce sum over (j) (x[j]); }",
       "not all threads"},
      {"axis j = lane 16; let (s: f32) = reduce sum over (j) (x[j + i64(warp)]);", "differ between threads"},
      {"axis j = lane 32; let (s: f32) = reduce sum over (j) (own[j]);", "differ between threads"},
      {"axis j = warp 3; let (s: f32) = reduce sum over (j) (x[j]);", "no multiple"},
  });
  const std::string clustered = "axis j = rank 2 * lane 32; if warp == i32(0) { let (s: f32) = reduce sum over (j) (x[j]); }";
  EXPECT_NE(errors_of(clustered, "block(256, 1, 1) cluster(2, 1, 1)").find("is run by all warps"), std::string::npos);
}

TEST(TileVerify, MatrixInstructions) {
  const std::string good = "axis m = reg 2 * lane 8 by 4; axis w = lane 4 * reg 2; axis c = lane 8 by 4; "
                           "axis k = reg 2 * lane 4 * reg 2; var d over (m, w): f32 = 0.0; "
                           "let a: f16 = f16(x[m * 16 + k]); let b: f16 = f16(x[k * 8 + c]); mma m16n8k16 d += a * b;";
  EXPECT_EQ(errors_of(good), "");
  const auto expect = [&](const std::string& from, const std::string& to, const std::string& error) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const std::string errors = errors_of(text);
    EXPECT_NE(errors.find(error), std::string::npos) << text << "\nlooked for: " << error << "\nfound: " << errors;
  };
  expect("m16n8k16", "m16n8k32", "there is no mma m16n8k32");
  expect("m16n8k16", "m16n8k8", "");
  expect("var d", "let d", "expected");
  expect("reg 2 * lane 8 by 4", "lane 8 by 4 * reg 2", "axis m is not held");
  expect("w = lane 4 * reg 2", "w = reg 2 * lane 4", "axis w is not held");
  expect("c = lane 8 by 4", "c = lane 8", "share lane digits");
  expect("c = lane 8 by 4", "c = reg 2 * lane 8 by 4", "do not count the same columns");
  expect("k = reg 2 * lane 4 * reg 2", "k = lane 4 * reg 4", "axis k is not held");
  expect("k = reg 2 * lane 4 * reg 2", "k = warp 2 * reg 2 * lane 4 * reg 2", "spread over warps");
  expect("x[k * 8 + c]", "x[k * 8]", "mma asks for d over");
  expect("mma m16", "if thread.x < i32(8) { } mma m16", "");
}

}  // namespace
}  // namespace cdsl
