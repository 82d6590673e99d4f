#include <gtest/gtest.h>

#include "sema_fixture.h"

namespace cdsl {
namespace {

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += part;
  return text;
}

std::string body(const std::string& statements) {
  return "fn f(x: f32[N]) -> (y: f32[N]) { " + statements + " }";
}

TEST(SemaLimits, LongChainsNeedNoStack) {
  EXPECT_EQ(diagnostics_of(body("y[i] = x[i]" + repeated(" + x[i] * 2", 100'000) + ";")), "");
  EXPECT_EQ(diagnostics_of(body("y[i] = x[i] * (sqrt(2.0)" + repeated(" + 1.5", 100'000) + ");")),
            "");
  EXPECT_EQ(diagnostics_of(body("y[i] = if x[i] > 0" + repeated(" && x[i] > 1", 20'000) +
                                " { 1 } else { 0 };")),
            "");
  EXPECT_EQ(
      diagnostics_of(body("y[i] = " + repeated("if x[i] > 1 { 2 } else ", 20'000) + "{ 0 };")), "");
}

TEST(SemaLimits, ManyStatementsAreFast) {
  std::string statements = "t0[i] = x[i]; ";
  for (int k = 1; k < 10'000; ++k) {
    statements += "t" + std::to_string(k) + "[i] = t" + std::to_string(k - 1) + "[i] + 1; ";
  }
  EXPECT_EQ(diagnostics_of(body(statements + "y[i] = t9999[i];")), "");
}

TEST(SemaLimits, SharedLetsAreEvaluatedOnce) {
  std::string statements = "let a0 = x[i]; ";
  for (int k = 1; k < 200; ++k) {
    const std::string last = "a" + std::to_string(k - 1);
    statements += "let a" + std::to_string(k) + " = " + last + " * " + last + "; ";
  }
  EXPECT_EQ(diagnostics_of(body(statements + "y[i] = a199;")), "");
}

TEST(SemaLimits, DeepExpansionIsAnError) {
  std::string lets = "let a0 = x[i]; ";
  for (int k = 1; k < 5'000; ++k) {
    lets += "let a" + std::to_string(k) + " = a" + std::to_string(k - 1) + " + 1; ";
  }
  EXPECT_NE(diagnostics_of(body(lets + "y[i] = a4999;")).find("C0111"), std::string::npos);
  std::string defs = "def f0(v) = v + v; ";
  for (int k = 1; k < 60; ++k) {
    const std::string last = "f" + std::to_string(k - 1) + "(v)";
    defs += "def f" + std::to_string(k) + "(v) = " + last + " + " + last + "; ";
  }
  EXPECT_NE(diagnostics_of(defs + body("y[i] = f59(x[i]);")).find("C0601"), std::string::npos);
}

TEST(SemaLimits, SeveralErrorsInOneRun) {
  EXPECT_EQ(diagnostics_of(body("t[i] = a[i]; y[i] = t[i] + b[i]; z[i in 0..N] = x[i - 1];")),
            "1:41 C0200 1:61 C0200 1:84 C0402");
}

}  // namespace
}  // namespace cdsl
