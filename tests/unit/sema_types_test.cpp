#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

// Each program and what is wrong with it: line, column and code of every diagnostic.
const ErrorCase kCases[] = {
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] > 0; })",
     "1:41 C0300"},
    {R"(fn f(x: bool[N]) -> (y: f32[N]) { y[i] = x[i] + 1; })",
     "1:49 C0300"},
    {R"(fn f(z: c64[N]) -> (y: f32[N]) { y[i] = z[i]; })",
     "1:41 C0300"},
    {R"(fn g(x: f32[N]) -> (z: f32[N]) { z[i] = x[i]; }
fn f(x: f64[N]) -> (y: f32[N]) { y = g(x); })",
     "2:40 C0300"},
    {R"(fn f(a: i32[N], b: u32[N]) -> (y: i32[N]) { y[i] = a[i] + b[i]; })",
     "1:52 C0301"},
    {R"(fn f(x: u32[N]) -> (y: u32[N]) { y[i] = x[i] + i; })",
     "1:41 C0301"},
    {R"(fn f(x: f32[N], n: i32[N]) -> (y: f32[N]) { y[i] = x[i] * n[i]; })",
     "1:52 C0302"},
    {R"(fn f(x: f32[N, D]) -> (y: f32[N]) { y[i] = x[i, 0] / sqrt(D); })",
     "1:59 C0302"},
    {R"(fn f(n: i32[N]) -> (y: f32[N]) { y[i] = n[i]; })",
     "1:41 C0302"},
    {R"(fn f(a: f16[N], b: bf16[N]) -> (y: f32[N]) { y[i] = a[i] + b[i]; })",
     "1:53 C0303"},
    {R"(fn f(a: f16[N]) -> (y: f16[N]) { y[i] = a[i] + 1; })",
     "1:41 C0304"},
    {R"(fn f(n: i64[N]) -> (y: i32[N]) { y[i] = n[i]; })",
     "1:41 C0304"},
    {R"(fn f(x: f64[N]) -> (y: f32[N]) { y[i] = x[i]; })",
     "1:41 C0304"},
    {R"(fn f(x: f16[N]) -> (y: f16[N]) { let v = x[i]; y[i] = v; })",
     "1:55 C0304"},
    {R"(fn f(a: u8[N]) -> (y: u8[N]) { y[i] = a[i] + 300; })",
     "1:46 C0305"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] * 1e39; })",
     "1:48 C0305"},
    {R"(fn f(x: i32[N]) -> (y: i32[N]) { y[i] = x[i] + 1.5; })",
     "1:48 C0305"},
    {R"(fn f(x: u32[N]) -> (y: u32[N]) { y[i] = u32(-1) + x[i]; })",
     "1:45 C0305"},
    {R"(fn f(a: f32[N]) -> (y: f32[N]) { y[i] = a[i] * (3 / 20); })",
     "1:49 C0306"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = if x[i] { 1 } else { 2 }; })",
     "1:44 C0307"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i / 2.0]; })",
     "1:43 C0308"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] % 2; })",
     "1:41 C0309"},
    {R"(fn f(z: c64[N]) -> (y: bool[N]) { y[i] = z[i] < z[i]; })",
     "1:42 C0309"},
    {R"(fn f(x: bool[N]) -> (y: i32) { y = sum[i](x[i]); })",
     "1:43 C0309"},
    {R"(fn f(x: i32[N]) -> (y: f32) { y = mean[i](x[i]); })",
     "1:43 C0309"},
    {R"(fn f(x: f32[M, N]) -> (v: f32[M], p: i32[M]) { (v[i], p[i]) = max[j](x[i, j]); })",
     "1:63 C0310"},
    {R"(fn g(x: f32[N]) -> (a: f32[N], b: f32[N]) { a[i] = x[i]; b[i] = x[i]; }
fn f(x: f32[N]) -> (y: f32[N]) { y = g(x); })",
     "2:34 C0310"},
    {R"(fn f(x: f32[N]) -> (v: f32[N]) { v[i] = (x[i], 1) + (0, 1); })",
     "1:41 C0311"},
    {R"(fn f(x: f32[N], n: i32) -> (v: f32[N]) { repeat t in 0..n from e = 1 { e = e + 1; } v[i] = x[i] * e; })",
     "1:68 C0312"},
    {R"(struct P { x: f32; y: f32; }
fn f(x: f32[N]) -> (v: P[N]) { v[i] = P(x: x[i]); })",
     "2:39 C0313"},
    {R"(fn f(x: f32[N]) -> (y: f32[x[0]]) { y[i] = 1; })",
     "1:28 C0314"},
    {R"(fn f(x: f32[N], n: i32) -> (y: f32[n]) { y[i] = x.zero[i]; })",
     "1:36 C0314"},
    {R"(struct P { x: f32; }
fn f(p: P[N] layout(aosoa(N))) -> (y: f32[N]) { y[i] = p[i].x; })",
     "2:27 C0315"},
    {R"(fn f(x: f32[N] layout(soa)) -> (y: f32[N]) { y[i] = x[i]; })",
     "1:22 C0316"},
    {R"(fn f(x: i32[N]) -> (y: i32[N]) { y[i] = x[i] << 40; })",
     "1:49 C0317"},
    {R"(const w: f32[2, 2] = [1, 2, 3, 4];
fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] * w[0, 0]; })",
     "1:22 C0318"},
    {R"(reducer r(a: (f32, f32), b) identity 0 = (a.0 + b.0, a.1);
fn f(x: f32[N]) -> (y: f32, z: f32) { (y, z) = r[i]((x[i], 1)); })",
     "1:38 C0319"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) precision(bf16) { y[i] = x[i]; })",
     "1:42 C0320"},
    {R"(struct P { x: f32; }
fn f(x: f32[N], p: P[N]) -> (y: f32[N]) { y[i] = (if x[i] > 0 { x[i] } else { p[i] }).x; })",
     "2:65 C0321"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i].0; })",
     "1:46 C0323"},
};

TEST(SemaTypesErrors, HavePlaceAndCode) {
  for (const ErrorCase& wanted : kCases) {
    EXPECT_EQ(diagnostics_of(wanted.program), wanted.diagnostics) << wanted.program;
  }
}

}  // namespace
}  // namespace cdsl
