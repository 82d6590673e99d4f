// Which statement is named for a NaN.
#include <gtest/gtest.h>

#include <cmath>

#include "api/expose.h"
#include "api/trap_nan.h"
#include "dsl/eval/evaluator.h"
#include "sema_fixture.h"

namespace cdsl {
namespace {

/// "3: root[0]": line of the statement and the element; "" where none is named.
std::string origin(const std::string& text, std::vector<float> x) {
  Analyzed analyzed = analyze_program(text);
  if (analyzed.functions.size() != 1) return diagnostics_of(analyzed);
  tir::Function& function = analyzed.functions[0];
  expose(function, [](const std::string&) { return true; });
  Arguments arguments;
  Array& array = arguments.arrays["x"] = Array::zeros(scalar_record(ScalarType::F32), {static_cast<int64_t>(x.size())});
  for (std::size_t k = 0; k < x.size(); ++k) array.set(static_cast<int64_t>(k), Value::of_float(x[k]));
  std::map<std::string, Array> results;
  for (auto& [name, output] : eval::evaluate(function, arguments, eval::Mode::Strict).outputs) results[name] = output.array;
  const auto found = find_nan(function, arguments, results);
  if (!found) return "";
  return std::to_string(analyzed.sources.line_column(found->where.file, found->where.begin).line) + ": " +
         found->message.substr(0, found->message.find(" is NaN"));
}

TEST(TrapNan, TheFirstThatMakesOneNotThoseThatPassItOn) {
  const std::string text = "fn f(x: f32[N]) -> (y: f32[N]) {\na[i] = x[i] - 3;\nb[i] = sqrt(a[i]);\ny[i] = b[i] + 1;\n}";
  EXPECT_EQ(origin(text, {4, 1, 5}), "3: b[1]");
  EXPECT_EQ(origin(text, {4, 5, 6}), "");
  EXPECT_EQ(origin(text, {4, std::nanf(""), 6}), "");
}

TEST(TrapNan, ALoopIsNamedWhereTheNanWentRound) {
  EXPECT_EQ(origin("fn f(x: f32[N]) -> (y: f32[N]) {\nrepeat t in 0..3 from u = x {\nu[i] = sqrt(u[i] - 1);\n}\ny[i] = u[i];\n}", {1}), "3: u[0]");
  const char* two = "fn f(x: f32[N]) -> (y: f32[N]) {\nrepeat t in 0..3 from u = x {\na[i] = u[i] - 1;\nu[i] = sqrt(a[i]);\n}\ny[i] = u[i];\n}";
  EXPECT_EQ(origin(two, {1}).substr(0, 2), "2:");
  EXPECT_EQ(origin(two, {100000000}), "");
}

TEST(TrapNan, InALoopAStatementWhoseInputsAreWhole) {
  EXPECT_EQ(origin("fn f(x: f32[N]) -> (y: f32[N]) {\nrepeat t in 0..3 from u = x {\na[i] = sqrt(x[i] - 9);\nu[i] = u[i] + a[i];\n}\ny[i] = u[i];\n}", {1}),
            "3: a[0]");
}

TEST(TrapNan, OneOfSeveralThatWriteATensor) {
  EXPECT_EQ(origin("fn f(x: f32[N]) -> (y: f32[2 * N]) {\ny[i in 0..N] = sqrt(x[i]);\ny[i in N..2 * N] = x[i - N];\n}", {-1}), "3: y[0]");
}

TEST(Expose, NamesOfInlinedCallsAreToldApart) {
  Analyzed analyzed = analyze_program("fn f(x: f32[N]) -> (y: f32[N]) { a[i] = x[i] * 2; y[i] = a[i] + 1; }");
  tir::Function& function = analyzed.functions.at(0);
  EXPECT_EQ(intermediates(function), std::vector<std::string>{"a"});
  tir::Tensor again = function.tensors[2];
  function.tensors.push_back(again);
  expose(function, [](const std::string& name) { return name == "a"; });
  EXPECT_EQ(function.tensors[2].name, "a");
  EXPECT_EQ(function.tensors[3].name, "a_2");
  EXPECT_EQ(function.parameters.size(), 4u);
}

}  // namespace
}  // namespace cdsl
