// Facts of `where` become a variant of their own, and verify runs all variants.
#include <gtest/gtest.h>

#include "api/pipeline.h"
#include "api/variant_sizes.h"
#include "api/verify.h"
#include "dsl/loop/print_plan.h"
#include "runtime/sim_device.h"

namespace cdsl {
namespace {

struct Unit {
  explicit Unit(const char* text, CompileOptions options = {})
      : source(load_and_parse({"test.cdsl", text, {}, 20})) {
    options.decide = false;  // decisions may add variants of their own
    reference = analyze_function(*source, "f", options);
    compiled = compile(*source, "f", options);
  }

  const plan::Plan& plan() const { return compiled->program.plan; }
  std::size_t variants() const { return plan().variants.size(); }

  Verification verified(const SizeSet& sizes) const {
    VerifyOptions options;
    options.sizes = sizes;
    options.device = [](const loop::Program& program, bool) {
      return std::make_unique<runtime::SimDevice>(program);
    };
    const auto result = verify(*source, *reference, *compiled, options);
    EXPECT_TRUE(result.ok());
    return *result;
  }

  std::unique_ptr<Source> source;
  std::optional<tir::Function> reference;
  std::optional<Compiled> compiled;
};

constexpr const char* kPairs =
    "fn f(x: f32[N]) -> (y: f32[N]) where N % 2 == 0 { y[i] = x[i + 1 - 2 * floormod(i, 2)]; }";

TEST(FactVariants, OneThatAssumesThemAndAGeneralOne) {
  const Unit unit(kPairs);
  ASSERT_EQ(unit.variants(), 2U);
  EXPECT_EQ(unit.plan().variants[0].name, "facts");
  EXPECT_EQ(unit.plan().variants[0].guards.size(), 1U);
  EXPECT_TRUE(unit.plan().general().guards.empty());
  // Only the general one can report.
  ASSERT_EQ(unit.compiled->program.sites.size(), 1U);
  EXPECT_EQ(unit.compiled->program.sites[0].kernel, "f_y_general");
}

TEST(FactVariants, OneVariantWhereFactsProveNothing) {
  EXPECT_EQ(Unit("fn f(x: f32[N]) -> (y: f32[N]) where N % 8 == 0 { y[i] = x[i]; }").variants(),
            1U);
  EXPECT_EQ(Unit("fn f(x: f32[N]) -> (y: f32[N]) where require N % 2 == 0 "
                 "{ y[i] = x[i + 1 - 2 * floormod(i, 2)]; }")
                .variants(),
            1U);
  // A launch check of the general variant becomes needless, which changes no kernel.
  EXPECT_EQ(Unit("fn f<S: size>(x: f32[N]) -> (y: f32[N - 4]) where S <= 4 { y[i] = x[i + S]; }")
                .variants(),
            1U);
}

TEST(FactVariants, SizesThatAreKnownDecide) {
  for (const int64_t n : {6, 7}) {
    CompileOptions options;
    options.defines.sizes["N"] = n;
    EXPECT_EQ(Unit(kPairs, options).variants(), 1U) << n;
  }
}

TEST(FactVariants, VerifyRunsEveryVariantThatMayRun) {
  const Unit unit(kPairs);
  EXPECT_EQ(unit.verified({{"N", 8}}).variants, (std::set<std::string>{"facts", "general"}));
  EXPECT_EQ(unit.verified({{"N", 9}}).variants, std::set<std::string>{"general"});
  for (const int64_t n : {8, 9})
    EXPECT_EQ(unit.verified({{"N", n}}).verdict, Verification::Verdict::Passed);
}

TEST(FactVariants, VerifyFindsAWrongVariant) {
  Unit unit(kPairs);
  unit.compiled->program.plan.variants[0].steps.clear();
  EXPECT_EQ(unit.verified({{"N", 9}}).verdict, Verification::Verdict::Passed);
  const Verification outcome = unit.verified({{"N", 8}});
  EXPECT_EQ(outcome.verdict, Verification::Verdict::Failed);
  EXPECT_NE(outcome.messages.at(0).find("variant facts"), std::string::npos);
}

TEST(FactVariants, SizesAreFoundForBothSidesOfAGuard) {
  const Unit unit(
      "fn f<S: size>(x: f32[N]) -> (y: f32[N]) where N % 16 == 0, S < 3 "
      "{ y[i] = if i >= 2 { x[i - S] } else { 0 }; }");
  ASSERT_EQ(unit.variants(), 2U);
  const auto sets = sizes_for_variants(*unit.reference, unit.plan(), {}, {{{"N", 1}, {"S", 1}}});
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].at("N") % 16, 0);
  EXPECT_LT(sets[0].at("S"), 3);
}

}  // namespace
}  // namespace cdsl
