#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

// Each program and what is wrong with it: line, column and code of every diagnostic.
const ErrorCase kCases[] = {
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = X[i]; })",
     "1:41 C0200"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = sum[i](x[i]); })",
     "1:45 C0201"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { let N = 3; y[i] = x[i] * N; })",
     "1:38 C0201"},
    {R"(fn f(x: f32[N], x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; })",
     "1:17 C0201"},
    {R"(fn f(x: f32[M, N]) -> (y: f32[M]) { y[i] = sum[j](x[i, j] * sum[j](x[i, j])); })",
     "1:65 C0201"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = expf(x[i]); })",
     "1:41 C0202"},
    {R"(fn f(x: float[N]) -> (y: f32[N]) { y[i] = x[i]; })",
     "1:9 C0203"},
    {R"(struct P { x: f32; }
fn f(p: P[N]) -> (y: f32[N]) { y[i] = p[i].X; })",
     "2:44 C0204"},
    {R"(fn conv<P: size>(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] + P; }
fn f(x: f32[N]) -> (y: f32[N]) { y = conv(x, Q: 1); })",
     "2:46 C0205"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = pow(x[i]); })",
     "1:41 C0206"},
    {R"(def g(a, b) = a + b;
fn f(x: f32[N]) -> (y: f32[N]) { y[i] = g(x[i]); })",
     "2:41 C0206"},
    {R"(fn g(x: f32[N], a: f32) -> (y: f32[N]) { y[i] = a * x[i]; }
fn f(x: f32[N]) -> (y: f32[N]) { y = g(x); })",
     "2:38 C0206"},
    {R"(struct P { x: f32; x: f32; }
fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; })",
     "1:20 C0207"},
    {R"(fn f(x: f32[N], m: f32) -> (s: f32) { let d = x[i] - m; s = d; })",
     "1:49 C0208"},
    {R"(def f(v) = g(v);
def g(v) = f(v);
fn k(x: f32[N]) -> (y: f32[N]) { y[i] = f(x[i]); })",
     "2:12 C0209"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y = f(x); })",
     "1:34 C0209"},
    {R"(struct A { b: B; }
struct B { a: A; }
fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; })",
     "1:8 C0209"},
    {R"(fn f(a: f32, x: f32[N]) -> (y: f32[N]) { y[i] = a[i] * x[i]; })",
     "1:49 C0210"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x; })",
     "1:41 C0211"},
    {R"(fn f(x: f32[M, N]) -> (y: f32[M]) { y[i] = x[i]; })",
     "1:44 C0212"},
    {R"(fn f(x: f32[M, N]) -> (y: f32[M]) { y[i] = smu[j](x[i, j]); })",
     "1:44 C0213"},
    {R"(fn g(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
fn f(x: f32[N]) -> (y: f32[N]) { y[i] = g(x)[i] + 1; })",
     "2:41 C0214"},
    {R"(fn fill(v: f32) -> (y: f32[N]) { y[i] = v; })",
     "1:28 C0215"},
    {R"(fn f(x: f32[N]) -> (y: f32[N], z: f32[N]) { y[i] = x[i]; })",
     "1:32 C0216"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { x[i] = 2 * x[i]; y[i] = x[i]; })",
     "1:34 C0217"},
    {R"(fn g(inout x: f32[N]) { x[i] = 1; }
fn f(x: f32[N]) -> (y: f32[N]) { t[i] = x[i]; g(t); y[i] = t[i]; })",
     "2:49 C0217"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { tmp t: f32[N]; y[i] = t[i]; t[i] = 2 * x[i]; })",
     "1:56 C0218"},
    {R"(fn f<T: float>(x: T[N]) -> (y: T[N]) { y[i] = x[i]; })",
     "1:6 C0219"},
    {R"(fn g<P: size>(x: f32[N]) -> (y: f32[N]) { y[i] = x[i] * P; }
fn f(x: f32[N]) -> (y: f32[N]) { y = g(x); })",
     "2:38 C0219"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = pow(x: x[i], y: 2); })",
     "1:45 C0220"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { t[i] = x[i]; let z = x[i]; y[i] = x[i]; })",
     "1:34 C0221 1:51 C0221"},
    {R"(fn gemm(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
schedule gem { y: stages(4); })",
     "2:10 C0222"},
};

TEST(SemaNamesErrors, HavePlaceAndCode) {
  for (const ErrorCase& wanted : kCases) {
    EXPECT_EQ(diagnostics_of(wanted.program), wanted.diagnostics) << wanted.program;
  }
}

}  // namespace
}  // namespace cdsl
