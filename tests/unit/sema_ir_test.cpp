#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

// Is `wanted` part of the IR of the program's last fn?
void expect_ir(const char* program, std::initializer_list<const char*> wanted,
               const AnalyzeOptions& options = {}) {
  const std::string ir = tensor_ir_of(program, options);
  for (const char* text : wanted)
    EXPECT_NE(ir.find(text), std::string::npos) << "no '" << text << "' in\n" << ir;
}

TEST(SemaIr, ElementwiseStage) {
  expect_ir("fn saxpy(x: f32[N], y: f32[N], a: f32) -> (r: f32[N]) { r[i] = a * x[i] + y[i]; }",
            {"size N from x axis 0 scale 1 offset 0;", "parameters(x, y, a, r);", "[i in 0..N]",
             "r[i] = a * x[i] + y[i];"});
}

TEST(SemaIr, SizesOfLinearExtents) {
  expect_ir("fn f(x: f32[2*N + 1]) -> (y: f32[N]) { y[i] = x[2*i + 1]; }",
            {"size N from x axis 0 scale 2 offset 1;", "x[2 * i + 1]"});
  expect_ir("fn f(r: i32[M + 1]) -> (y: i32[M]) { y[i] = r[i + 1] - r[i]; }",
            {"size M from r axis 0 scale 1 offset 1;"});
}

TEST(SemaIr, SizeExpressionsRoundDown) {
  expect_ir("fn f(x: f32[L]) -> (y: f32[(L - 9) / 3 + 1]) { y[i] = x.zero[i]; }",
            {"output y: f32[floordiv(L - 9, 3) + 1];"});
  expect_ir("fn f(x: f32[N]) -> (y: f32[N]) { let h = N / 2; y[i] = x.zero[i / 2 + h]; }",
            {"x[i / 2 + floordiv(N, 2) @zero]"});
}

TEST(SemaIr, BareReadsOfUnrelatedSizesAreCheckedAtLaunch) {
  expect_ir("fn f(a: f32[N], b: f32[M]) -> (s: f32) { s = sum[i](a[i] * b[i]); }",
            {"check N == M", "a[i] * b[i]"});
  // A guard or a larger axis needs no check; a written range compares nothing.
  expect_ir("fn f(x: f32[N]) -> (y: f32[N - 1]) { y[i] = x[i + 1] - x[i]; }", {"x[i + 1] - x[i]"});
  expect_ir("fn f(a: f32[N], b: f32[M]) -> (y: f32[N]) { y[i] = if i < M { b[i] } else { a[i] }; }",
            {"if i < M { b[i] } else { a[i] }"});
  expect_ir("fn f(x: f32[N], n: i32) -> (s: f32) { s = sum[i in 0..n](x[i]); }",
            {"check i64(n) <= 0 || i64(n) - 1 < N"});
}

TEST(SemaIr, ReadsThatCannotBeProvedAreChecked) {
  expect_ir("fn f<P: size>(x: f32[N]) -> (y: f32[N]) { y[i] = x[i + P]; }",
            {"x[i + P @launch]", "check N <= 0 || P + N - 1 < N"});
  expect_ir("fn f(x: f32[N], k: i32[N]) -> (y: f32[N]) { y[i] = x[k[i]]; }",
            {"x[i64(k[i]) @check]"});
  expect_ir(
      "fn f<P: size>(x: f32[N]) -> (y: f32[N]) { y[i] = if x[i] > 0 { x[i + P] } else { 0 }; }",
      {"x[i + P @check]"});
}

TEST(SemaIr, GuardsProve) {
  expect_ir("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = if i > 0 { x[i - 1] } else { 0 }; }",
            {"{ x[i - 1] }"});
  expect_ir("fn f(x: f32[N]) -> (y: bool[N]) { y[i] = i >= 1 && x[i - 1] > 0; }",
            {"x[i - 1] > 0.0"});
  expect_ir("fn f(x: f32[N]) -> (y: bool[N]) { y[i] = i < 1 || x[i - 1] > 0; }",
            {"x[i - 1] > 0.0"});
  expect_ir("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = sum[k in 0..3 if i + k < N](x[i + k]); }",
            {"x[i + k]"});
  expect_ir("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = select(i > 0, x[i - 1], 1.0); }",
            {"{ x[i - 1] }"});
}

TEST(SemaIr, StorageTypesAreCastWhereTheyAreRead) {
  expect_ir("fn f(x: f16[N]) -> (y: f16[N]) { y[i] = f16(x[i] + 1); }",
            {"y[i] = f16(f32(x[i]) + 1.0);"});
  expect_ir("fn f(x: bf16[N]) -> (y: bf16[N]) { y[i] = x[i]; }", {"y[i] = x[i];"});
  expect_ir("fn f(x: f16[N]) -> (y: f64[N]) { y[i] = x[i]; }", {"y[i] = f64(f32(x[i]));"});
  expect_ir("fn f(x: f16[N]) -> (y: f32[N]) { t[i] = x[i]; y[i] = t[i]; }",
            {"temporary t: f32[N] inferred;"});
}

TEST(SemaIr, BoxOfAnIntermediateStartsAtItsLowerBound) {
  expect_ir(
      "fn f(x: f32[N]) -> (y: f32[N]) { v[i in 1..N-1] = x[i]; y[i] = v.clamp[i] + sum[k](v[k]); }",
      {"temporary v: f32[max(N - 2, 0)] inferred;", "v[i - 1] = x[i];", "v[i - 1 @clamp]",
       "[k in 1..N - 1](v[k - 1])"});
  expect_ir(
      "fn f(x: f32[N]) -> (y: f32[N]) { t[i, j in 0..=i] = x[i] * x[j]; y[i] = sum[j in "
      "0..=i](t[i, j]); }",
      {"temporary t: f32[N, N] inferred;"});
  // Later definitions of the same name count.
  expect_ir("fn f(x: f32[N]) -> (y: f32[N]) { v[i in 1..N] = x[i]; v[0] = f32(0); y[i] = v[i]; }",
            {"temporary v: f32[max(N, 1)] inferred;", "v[0]"});
}

TEST(SemaIr, DataDecidesNothingBeforehand) {
  expect_ir(
      "fn f(x: f32[N], m: bool[N]) -> (y: f32[N]) { y[i] = if m[i] { x[i - 1] } else { 0 }; }",
      {"x[i - 1 @check]"});
  expect_ir("fn f(x: u8[N], t: f32[256]) -> (y: f32[N]) { y[i] = t[x[i]]; }", {"t[i64(x[i])]"});
  expect_ir("fn f(x: f32[N]) -> (y: f32[3*N]) { y[i] = x[i % N]; }", {"x[i % N]"});
}

TEST(SemaIr, ScalarStatesAreSeenAsTheyWere) {
  expect_ir("fn g(inout s: f32[], inout t: f32[]) { let v = s + 1; t = v; s = 2 * s; t = t + v; }",
            {"t[] = s[] + 1.0;", "s_before[] = s[];", "t[] = t[] + (s_before[] + 1.0);"});
}

TEST(SemaIr, LetSeesTensorsAsTheyWere) {
  const char* program =
      "fn f(inout a: f32[N], inout b: f32[N]) { let old = a[i]; a[i] = 2 * a[i]; b[i] = b[i] + "
      "old; }";
  expect_ir(program, {"a_before[i0] = a[i0];", "b[i] = b[i] + a_before[i];"});
  // No copy where nothing is overwritten in between.
  EXPECT_EQ(
      tensor_ir_of("fn f(inout a: f32[N]) { let old = a[i]; a[i] = 2 * old; }").find("before"),
      std::string::npos);
}

TEST(SemaIr, RepeatCarriesStates) {
  expect_ir(
      "fn f(u0: f32[N], n: i32) -> (u: f32[N]) { repeat t in 0..n from u = u0, s = f64(0) until s "
      "> 1 {"
      " u[i] = 2 * u[i]; s = s + 1; } }",
      {"u[i0] = u0[i0];", "repeat t in 0..i64(n) states(u, s) {", "until s[] > f64(1.0);"});
}

TEST(SemaIr, AlongMayReadWhatEarlierIterationsWrote) {
  expect_ir(
      "fn f(x: f32[N]) -> (y: f32[N]) where require N >= 1 { y[0] = x[0]; along i in 1..N { y[i] = "
      "y[i-1] + x[i]; } }",
      {"along i in 1..N {", "y[i] = y[i - 1] + x[i];"});
}

TEST(SemaIr, TrianglesAndDiagonalCover) {
  expect_ir(
      "fn f(A: f64[N, N]) -> (F: f64[N, N]) { along i in 0..N { F[i, j in 0..i] = 0; F[i, i] = 1; "
      "F[i, j in i+1..N] = A[i, j]; } }",
      {"F[i, i] = f64(1.0);"});
}

TEST(SemaIr, ScatterStartsAtTheIdentity) {
  expect_ir("fn f(x: u8[N]) -> (h: i32[256]) { scatter[i in 0..N] h[x[i]] += 1; }",
            {"h[i0] = i32(0);", "h[i64(x[i])] += i32(1);"});
  expect_ir("fn f(x: u8[N]) -> (h: i32[256]) { scatter[i] h[x[i]] min= 1; }",
            {"h[i0] = i32(2147483647);"});
  expect_ir("fn f(x: f16[N], k: i32[N], inout h: f16[8]) { scatter[i] h[k[i]] += x[i]; }",
            {"h_wide[i0] = f32(h[i0]);", "+= f32(x[i]);", "h[i0] = f16(h_wide[i0]);"});
  expect_ir("fn f(x: f32[N], p: i32[N]) -> (y: f32[N]) { scatter[i] y[unique(p[i])] = x[i]; }",
            {"y[i0] = 0.0;", "y[i64(p[i])] @check = x[i];"});
}

TEST(SemaIr, CallsAreExpanded) {
  expect_ir(
      "fn half(x: f32[2*N]) -> (y: f32[N]) { y[i] = x[2*i] + x[2*i+1]; }"
      "fn quarter(x: f32[4*K]) -> (y: f32[K]) { t = half(x); y = half(t); }",
      {"temporary t: f32[2 * K];", "[i in 0..2 * K]", "[i in 0..K]"});
  // The state is an argument, so that the result goes through a tensor of its own.
  expect_ir(
      "fn step(u: f32[N]) -> (v: f32[N]) { v[i] = u.clamp[i - 1]; }"
      "fn f(u0: f32[N], n: i32) -> (u: f32[N]) { repeat t in 0..n from u = u0 { u = step(u); } }",
      {"step_v[i] = u[i - 1 @clamp];", "u[i0] = step_v[i0];"});
  expect_ir(
      "fn cast<T: float>(x: T[N]) -> (y: T[N]) { y[i] = T(2 * x[i]); }"
      "fn f(x: f16[N]) -> (y: f16[N]) { y = cast(x); }",
      {"y[i] = f16(2.0 * f32(x[i]));"});
  expect_ir(
      "fn scale(inout x: f32[N], a: f32) { x[i] = a * x[i]; } fn f(inout z: f32[M]) { scale(z, a: "
      "2); }",
      {"z[i] = 2.0 * z[i];"});
}

TEST(SemaIr, RecordsAreLeaves) {
  const char* program =
      "struct Tag { id: u8; w: f16; } struct Body { pos: f32[3]; m: f32; tag: Tag; }"
      "fn f(p: Body[N] layout(split({pos}, {m})), d: f32[N, 3]) -> (q: Body[N] layout(soa), s: "
      "f32[N]) {"
      "  q[i] = p[i] with (m: 2 * p[i].m);"
      "  s[i] = sum[k](p[i].pos[k] * d[i, k]) + p[i].tag.w; }";
  expect_ir(program, {"\"tag.w\": f16 at 18", "layout(split({0}, {1}, {2, 3}))",
                      "q.pos[i, 2] = p.pos[i, 2];", "q.m[i] = 2.0 * p.m[i];",
                      "q.tag.w[i] = p.tag.w[i];", "[k in 0..3](p.pos[i, k] * d[i, k])"});
}

TEST(SemaIr, ConstantsAreTensors) {
  expect_ir(
      "const w: i32[3] = [1, -2, 1]; const half: f32 = 0.5;"
      "fn f(x: i32[N]) -> (y: f32[N]) { y[i] = half * f32(sum[k](w[k] * x.clamp[i + k - 1])); }",
      {"const w: i32[3] = {1, -2, 1};", "[k in 0..3](w[k] * x[i + k - 1 @clamp])", "0.5 * f32("});
}

TEST(SemaIr, KnownSizesKeepTheirName) {
  AnalyzeOptions options;
  options.sizes["N"] = 64;
  expect_ir("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = if i < 63 { x[i + 1] } else { x[i] }; }",
            {"x[i + 1]"}, options);
}

TEST(SemaIr, CountsConvertToI32WithACheck) {
  expect_ir("fn f(x: f32[N]) -> (c: i32) { c = count[i](x[i] > 0); }",
            {"check N <= 2147483647", "i32(count<i64>"});
  expect_ir("fn f(x: f32[M, N]) -> (v: f32[M], p: i32[M]) { (v[i], p[i]) = argmax[j](x[i, j]); }",
            {"argmax<f32>[j in 0..N](x[i, j]).0", "i32(argmax<f32>[j in 0..N](x[i, j]).1)"});
}

}  // namespace
}  // namespace cdsl
