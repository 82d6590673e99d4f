// That the shrinker reaches the operator at fault: a hidden fault calls every program "wrong" that holds it.
#include "tests/random/shrink.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

/// The first program from a seed on in whose text `part` stands.
Program program_with(const std::string& part, uint64_t seed) {
  while (true) {
    Program program = Generator(seed++).make();
    if (program.print().find(part) != std::string::npos && program.count() > 20) return program;
  }
}

Shrunk shrunk_to(const std::string& part, uint64_t seed) {
  const Program program = program_with(part, seed);
  const Fault fault = [&](const std::string& text) { return text.find(part) != std::string::npos ? part : std::string(); };
  CheckOptions options;
  const CheckReport report = check(program.print(), program.size_values(), options, fault);
  EXPECT_FALSE(report.findings.empty());
  return shrink(program, report.findings.at(0), options, 60, fault);
}

class Shrinking : public testing::TestWithParam<const char*> {};

TEST_P(Shrinking, ReachesTheFault) {
  for (const uint64_t seed : {1, 1000}) {
    const Shrunk least = shrunk_to(GetParam(), seed);
    const std::string text = least.program.print();
    EXPECT_NE(text.find(GetParam()), std::string::npos);
    EXPECT_LE(least.program.body.size(), 3u) << text;   // a declaration is one
    EXPECT_LE(least.program.count(), 30) << text;
    for (const auto& [name, value] : least.finding.setup.sizes) EXPECT_LE(value, 1) << text;
    EXPECT_NE(least.finding.command("f.cdsl").find("cuoptc verify f.cdsl"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Shrinking, testing::Values("fmax(", "@wrap", "scatter", "along", "argmax["));

TEST(Generating, IsTheSameForASeed) { EXPECT_EQ(Generator(7).make().print(), Generator(7).make().print()); }

TEST(Checking, SurvivesACrashAndAHang) {
  CheckOptions options;
  options.seconds = 2;
  const auto crash = check("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }", {{"N", 1}}, options, [](const std::string&) -> std::string { abort(); });
  ASSERT_EQ(crash.findings.size(), 1u);
  EXPECT_EQ(crash.findings[0].kind, "crash 6");
  const auto hang = check("fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }", {{"N", 1}}, options, [](const std::string&) -> std::string {
    while (true) sleep(1);
  });
  ASSERT_EQ(hang.findings.size(), 1u);
  EXPECT_EQ(hang.findings[0].kind, "hang");
}

}  // namespace
}  // namespace cdsl::random
