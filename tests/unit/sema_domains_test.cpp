#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

// Each program and what is wrong with it: line, column and code of every diagnostic.
const ErrorCase kCases[] = {
    {R"(fn f(n: i64) -> (s: i64) { repeat t in n..=9223372036854775807 from s = n { s = s + 1; } })",
     "1:40 C0424"},
    {R"(fn f(n: i64) -> (s: f32[4]) { along t in -9223372036854775807-1..0 descending { s[t+4] = 0; } })",
     "1:42 C0424 1:81 C0405"},
    {R"(fn f(x: f32[8], P: i32) -> (y: f32) where require P > 7 { y = x[P]; })",
     "1:65 C0402"},
    {R"(fn f() -> (y: i32[2, 2]) { y[0, 0] = 1; y[0, 1] = 2; y[1, 1] = 3; })",
     "1:54 C0405"},
    {R"(fn f(x: f32[N]) -> (s: f32) { s = sum[k](x[2*k]); })",
     "1:39 C0400"},
    {R"(fn f(a: f32[N], b: f32[N + 1]) -> (s: f32) { s = sum[k](a[k] * b[k]); })",
     "1:66 C0401"},
    {R"(fn f(x: f32[N], z: f32[N - 1]) -> (y: f32[N]) { y[i] = x[i] + z[i]; })",
     "1:65 C0401"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i - 1]; })",
     "1:43 C0402"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = if i >= 1 { x[i] } else { x[i - 1] }; })",
     "1:69 C0402"},
    {R"(fn f(x: f32[4]) -> (y: f32) { y = x[4]; })",
     "1:37 C0402"},
    {R"(fn f(x: f32[N]) -> (y: f32[N - 2]) { v[i in 1..N-1] = 2 * x[i]; y[i] = v[i]; })",
     "1:74 C0402"},
    {R"(fn f(x: f32[N]) -> (y: f32[2 - 3]) { y[i] = x[i]; })",
     "1:28 C0403"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = 0; y[0] = x[0]; })",
     "1:44 C0404"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; y[i] = 2 * x[i]; })",
     "1:47 C0404"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[0] = 1; y[i in 1..N] = x[i]; y[N-1] = 0; })",
     "1:65 C0404"},
    {R"(fn f(x: f32[N], n: i32) -> (y: f32[N]) { repeat t in 0..n from y = x { y[i] = 2 * y[i]; } y[0] = 1; })",
     "1:91 C0404"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i in 1..N] = x[i]; })",
     "1:34 C0405"},
    {R"(fn f(x: f32[N]) -> (y: f32[N, N]) { y[i, j in 0..i] = x[i]; y[i, j in i+1..N] = 0; })",
     "1:61 C0405"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i if x[i] > 0] = x[i]; })",
     "1:34 C0405"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[2*i] = x[i]; })",
     "1:36 C0406"},
    {R"(fn f(x: f32[N], p: i32[N]) -> (y: f32[N]) { y[p[0]] = x[0]; })",
     "1:47 C0406"},
    {R"(fn f(x: f32[M, N]) -> (v: f32[M], p: i32[N]) { (v[i], p[j]) = argmax[k](x[i, k]); })",
     "1:57 C0406"},
    {R"(fn f(x: f32[N]) -> (y: f32[N, N]) { y[i, i] = x[i]; })",
     "1:42 C0407"},
    {R"(fn f(x: f32[N]) -> (y: i64) { y = argmax[i in 0..0](x[i]); })",
     "1:35 C0408"},
    {R"(fn f(x: f32[N], p: i32[N]) -> (y: f32[N]) { scatter[i in 0..N] y[p[i]] = x[i]; })",
     "1:64 C0409"},
    {R"(fn f(x: f32[N], p: i32[N]) -> (y: f32[N]) { scatter[i in 0..N] w[p[i]] += x[i]; y[i] = w[i]; })",
     "1:64 C0410"},
    {R"(fn f(x: f32[N], n: i32) -> (y: f32[N]) { s = sum[i](x[i]); repeat t in 0..n { s = s + 1; } y[i] = x[i] * s; })",
     "1:79 C0411"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { along j in 1..N { p[j] = p[j - 1] + x[j]; } y[i] = x[i]; })",
     "1:59 C0412"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { along i in 0..N { h[i] = 2 * x[i]; y[i] = h.zero[i-1] + h[i]; } })",
     "1:76 C0412"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { along i in 0..N { y[i] = (if i + 1 < N { y[i + 1] } else { 0 }) + x[i]; } })",
     "1:75 C0413"},
    {R"(struct P { x: f32[2]; }
fn f(p: P[N]) -> (y: f32[N]) { y[i] = p[i - 1 @fill(P(x: [1, 2]))].x[0]; })",
     "2:39 C0414"},
    {R"(fn f(x: f32[N], inout u: f32[H]) { u[i in 1..H+1] = 0; })",
     "1:38 C0415"},
    {R"(fn g(x: f32[N, N]) -> (y: f32[N]) { y[i] = x[i, i]; }
fn f(x: f32[N]) -> (y: f32[N]) { y = g(x); })",
     "2:40 C0416"},
    {R"(fn g(x: f32[N], y: f32[N]) -> (z: f32[N]) { z[i] = x[i] + y[i]; }
fn f(x: f32[N], w: f32[N + 1]) -> (y: f32[N]) { y = g(x, w); })",
     "2:58 C0416"},
    {R"(fn f(x: f32[N, N], n: i32) -> (y: f32[N]) { repeat t in 0..n from y = x { y[i] = 2 * y[i]; } })",
     "1:67 C0416"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) where N < 0 { y[i] = x[i]; })",
     "1:38 C0417"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) where x[0] > 0 { y[i] = x[i]; })",
     "1:38 C0418"},
    {R"(fn f(x: i32[N]) -> (y: f32[N]) { repeat t in 0..x[0] from y[i] = 0 { y[i] = y[i] + 1; } })",
     "1:46 C0419"},
    {R"(fn f(x: i32[N]) -> (y: f32[N]) { t[i in 0..N, j in 0..x[i]] = f32(1); y[i] = t[i, 0]; })",
     "1:47 C0420"},
    {R"(fn f(x: f32[N]) -> (y: f32) { along i in 0..N { y = x[i]; } })",
     "1:49 C0421"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { repeat t in 0..N { y[i] = x[i] + t; } })",
     "1:53 C0421"},
    {R"(fn f(x: i32[N]) -> (h: i32[4]) { h[i] = 0; scatter[i in 0..N] h[x[i]] += 1; })",
     "1:63 C0422"},
    {R"(fn f(x: i32[N]) -> (h: i32[4]) { scatter[i in 0..N] h[x[i]] += 1; scatter[i in 0..N] h[x[i]] max= 1; })",
     "1:94 C0422"},
    {R"(fn f(x: f32[N, N]) -> (s: f32) { s = sum[j in 0..i, i in 0..N](x[i, j]); })",
     "1:50 C0423"},
};

TEST(SemaDomainsErrors, HavePlaceAndCode) {
  for (const ErrorCase& wanted : kCases) {
    EXPECT_EQ(diagnostics_of(wanted.program), wanted.diagnostics) << wanted.program;
  }
}

}  // namespace
}  // namespace cdsl
