#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

// Each program and what is wrong with it: line, column and code of every diagnostic.
const ErrorCase kCases[] = {
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x.clmap[i - 1]; })",
     "1:43 C0113"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
schedule f for sm_91 { y: tiles(i: 128); D: stages(4); y: stages(-1); }
expect f { spilled == 0; occupancy >= N; }
schedule g { y: stages(4); })",
     "2:16 C0503 2:27 C0500 2:42 C0502 2:66 C0501 3:12 C0504 3:39 C0507"},
    {R"(fn h(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
schedule h { y: tile(j: 4); })",
     "2:22 C0501"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
schedule f { y: stages(2); }
schedule f { y: stages(4); })",
     "3:10 C0505"},
    {R"(fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }
schedule f { })",
     "2:1 C0508"},
    {R"(fn f(x: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, N]) -> (y: f32[N]) { y[i] = x[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, i]; })",
     "1:9 C0603"},
    {R"(struct P { x: f32[5000]; }
fn f(p: P[N]) -> (y: f32[N]) { y[i] = p[i].x[0]; })",
     "1:19 C0604"},
};

TEST(SemaSchedulesErrors, HavePlaceAndCode) {
  for (const ErrorCase& wanted : kCases) {
    EXPECT_EQ(diagnostics_of(wanted.program), wanted.diagnostics) << wanted.program;
  }
}

}  // namespace
}  // namespace cdsl
