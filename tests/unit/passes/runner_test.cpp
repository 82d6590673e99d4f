#include "passes/runner.h"

#include <gtest/gtest.h>

#include "dsl/support/check.h"
#include "maker.h"

namespace cdsl::test {
namespace {

Maker copy() {
  Maker m("copy");
  const ExprId n = m.size("N");
  const TensorId x = m.tensor("x", ScalarType::F32, {n}, tir::Role::Input),
                 y = m.tensor("y", ScalarType::F32, {n}, tir::Role::Output);
  const auto [i, at] = m.index("i");
  m.add(m.stage({{i, m.n(0), n}}, {m.target(y, {at}, m.read(x, {at}))}));
  return m;
}

constexpr Pass<tir::Function, tir::Function> kNothing{
    "nothing", "gives back what it takes", [](tir::Function f, PassContext&) { return f; }};
constexpr Pass<tir::Function, tir::Function> kBreaks{
    "breaks", "forgets a bound", [](tir::Function f, PassContext&) {
      std::get<tir::Stage>(f.body.statements[0]).domain.axes.clear();
      return f;
    }};

TEST(PassRunner, NamesMeasuresAndShows) {
  const Schedule schedule;
  Remarks remarks;
  PassContext context{schedule, remarks};
  std::string shown;
  PassRunner runner({true,
                     {"nothing"},
                     [&](std::string_view pass, const std::string& text) {
                       shown += std::string(pass) + ": " + text;
                     }},
                    context);
  runner.run(kNothing, std::move(copy().f));
  ASSERT_EQ(runner.records().size(), 1u);
  EXPECT_EQ(runner.records()[0].name, "nothing");
  EXPECT_GE(runner.records()[0].milliseconds, 0);
  EXPECT_EQ(shown.substr(0, 9), "nothing: ");
}

TEST(PassRunner, ABrokenResultNamesThePass) {
  const Schedule schedule;
  Remarks remarks;
  PassContext context{schedule, remarks};
  PassRunner runner({}, context);
  try {
    runner.run(kBreaks, std::move(copy().f));
    FAIL() << "the verifier said nothing";
  } catch (const InternalError& error) {
    EXPECT_NE(error.message().find("after pass 'breaks'"), std::string::npos);
    EXPECT_NE(error.message().find("'i' is not bound"), std::string::npos);
  }
}

}  // namespace
}  // namespace cdsl::test
