// The text of Tensor IR read back: the same text again, the same meaning, and a located error for
// what is malformed.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "api/pipeline.h"
#include "api/test_data.h"
#include "dsl/eval/evaluator.h"
#include "dsl/tensor/print.h"
#include "frontend/ir_reader/ir_reader.h"
#include "ir_programs.h"
#include "passes/pass.h"
#include "passes/simplify/simplify.h"

namespace cdsl {
namespace {

using test::messages;

struct Text {
  explicit Text(const std::string& text) : file(sources.add("text.tir", text)) {}

  std::optional<tir::Function> function() {
    auto functions = read_tensor_ir(sources, file, sink);
    if (!functions || functions->size() != 1) return std::nullopt;
    return std::move(functions->front());
  }

  SourceManager sources;
  DiagnosticSink sink;
  std::uint32_t file;
};

std::optional<tir::Function> read_back(const std::string& text) {
  Text read(text);
  auto function = read.function();
  EXPECT_TRUE(function) << messages(read.sink) << text;
  return function;
}

void expect_round_trip(const tir::Function& function) {
  const std::string text = tir::to_string(function);
  const auto again = read_back(text);
  if (again) {
    EXPECT_EQ(tir::to_string(*again), text);
  }
}

tir::Function simplified(tir::Function function) {
  Schedule schedule;
  Remarks remarks;
  PassContext context{schedule, remarks};
  return kSimplify.run(std::move(function), context);
}

TEST(TensorText, ReadsBackEveryFunctionBeforeAndAfterSimplify) {
  int count = 0;
  test::for_each_function([&](Source& source, const std::string& name) {
    auto function = analyze_function(source, name, {});
    if (!function) return;  // its own tests say why
    expect_round_trip(*function);
    expect_round_trip(simplified(std::move(*function)));
    ++count;
  });
  EXPECT_GE(count, 90);
}

// Sizes of 5, small integers everywhere.
std::optional<Arguments> small_arguments(const tir::Function& function) {
  std::map<std::string, int64_t> sizes;
  for (const tir::Size& size : function.sizes) sizes[function.arena.symbol(size.symbol).name] = 5;
  const auto made =
      make_arguments(function, {}, sizes, {DataOptions::Kind::Exact, 1, false, false});
  if (!made || !made->illegal.empty()) return std::nullopt;
  return made->arguments;
}

constexpr std::string_view kEvaluated[] = {"box_reflect", "box_fill", "push",     "row_argmax",
                                           "mean_var",    "crc16",    "softmax",  "column_sum",
                                           "histogram",   "branchy",  "row_sum",  "layer_norm",
                                           "saxpy",       "seidel",   "transpose"};

TEST(TensorText, KeepsTheMeaning) {
  int compared = 0;
  test::for_each_function([&](Source& source, const std::string& name) {
    if (std::find(std::begin(kEvaluated), std::end(kEvaluated), name) == std::end(kEvaluated))
      return;
    const auto function = analyze_function(source, name, {});
    ASSERT_TRUE(function);
    const auto again = read_back(tir::to_string(*function));
    const auto arguments = small_arguments(*function);
    if (!again || !arguments) return;
    const auto expected = eval::evaluate(*function, *arguments, eval::Mode::Strict);
    const auto actual = eval::evaluate(*again, *arguments, eval::Mode::Strict);
    EXPECT_EQ(expected.reports.size(), actual.reports.size());
    ASSERT_EQ(expected.outputs.size(), actual.outputs.size());
    for (const auto& [output, value] : expected.outputs) {
      EXPECT_EQ(value.array.bytes, actual.outputs.at(output).array.bytes) << output;
    }
    compared += !expected.outputs.empty();
  });
  EXPECT_GE(compared, 8);
}

constexpr std::string_view kEverything = R"(function all {
  record P { "pos": f32[3] at 0, "body.mass": f64 at 16 } size 24 align 8;
  size N from p axis 0 scale 1 offset 0;
  size S parameter known 3;
  scalar a: f16;
  scalar flag: bool;
  inout p: P[N] layout(split({0}, {1}));
  input x: f32[N, 1|S] strided;
  input z: c128[S] col_major;
  const w: u64[2] = {18446744073709551615, 0};
  output y: f32[N];
  output at: i64[];
  temporary t: c128[S] inferred;
  parameters(p, x, z, a, flag, y, at);
  precision(tf32);
  check N == S : "N is {0},\n\"S\" is {1}"(N, S);
  fact N % 8 == 0;
  fact require aligned(x, 16);
  fact noalias;
  fact require noalias(p, y);
  directive "y" tile(m: "128", "acc") for "sm_90a";
  directive fuse();
  expect "spills" <= 0.5;
  stage [i in 0..N] {
    let %1 = x[i @check, 0 @clamp];
    let %2 = sum<f32>[k in 0..i if k != 2](%1 * x[k, 0 @launch]);
    if flag && i < S;
    y[i] @check = -(1.0) - -1.0 + %2 * %2 / a + (if %1 > inf { nan } else { f32(p.body.mass[i]) });
    p.pos[i, 2] = x[i - 1 @holes(2) @fill(-0.5), S @wrap];
  }
  stage [] {
    at[] = argmin<f32>[i in 0..N, j in 0..S](x[i, j]).1 + i64(i8(-128)) + i64(i32((3)));
  }
  scatter deterministic [k in 0..S] {
    y[k] max= f32(f64((0.1)));
  }
  repeat r in 0..N descending states(t) {
    along s in 0..S {
      stage [] {
        t[s] = cplx(f64(1.0), f64(-0.5)) * z[s] + cplx((f64(1.0)), f64(2.0)) + cplx(f64(1.0), z[0].re);
      }
    }
    let %3 = y[r];
    until w<f32, f32>[k in 0..N](%3, %3; 0.0, 1.0; p_0, p_1, q_0, q_1 => p_0 + q_0, max(p_1, q_1)).1 < 2.0;
  }
}
)";

TEST(TensorText, KeepsEveryConstruct) {
  const std::string text(kEverything);
  const auto function = read_back(text);
  ASSERT_TRUE(function);
  EXPECT_EQ(tir::to_string(*function), text);
}

struct Mistake {
  const char* from;
  const char* to;
  const char* message;
};

TEST(TensorText, TellsWhatIsWrong) {
  constexpr Mistake kMistakes[] = {
      {"output y: f32[N];", "output y: f32[N]", "expected ';', found 'output'"},
      {"%2 * %2", "%2 * %9", "%9 is not defined for this statement"},
      {"x[i @check, 0", "x[i @soft, 0", "expected a boundary mode"},
      {"y[k] max=", "y[k] min<", "expected '='"},
      {"x[k, 0 @launch]", "x[k]", "'x' takes 2 subscripts"},
      {"i < S", "i < a", "'<' does not take i64, f32"},
      {"i8(-128)", "i8(-129)", "this constant does not fit i8"},
      {"parameters(p, x,", "parameters(x,", "'p' is to be named once"},
      {"[s in", "[q in", ""},
      {"along s in", "along N in", "'N' is bound already"},
      {"N % 8 == 0", "y[0] == 0.0", "no tensor may be read here"},
      {"{0}, {1}", "{0}, {0}", "a split names each leaf once"},
      {"y[k] max= f32(f64((0.1)))", "y[k] max= f64(0.1)", "gets f64"},
      {"y[k] max=", "x[k, k] max=", "input 'x' is written"},
      {"let %3 = y[r]", "let %3 = y[k]", "'k' is not known here"},
      {"size 24", "size 20", "do not fit the record"},
      {"from p axis 0", "from p axis 1", "'p' has no axis 1"},
      {"{18446744073709551615, 0}", "{1}", "2 constants are expected, here are 1"},
  };
  for (const Mistake& mistake : kMistakes) {
    std::string text(kEverything);
    const std::size_t at = text.find(mistake.from);
    if (at == std::string::npos) continue;
    text.replace(at, std::string_view(mistake.from).size(), mistake.to);
    Text read(text);
    EXPECT_FALSE(read.function()) << mistake.to;
    EXPECT_NE(messages(read.sink).find(mistake.message), std::string::npos) << mistake.to << "\n"
                                                                            << messages(read.sink);
  }
}

// Text cut anywhere, or with a token gone or doubled, is an error or reads; it never crashes.
// Instrumented, each text takes ten times as long.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kStep = 7;
#else
constexpr std::size_t kStep = 1;
#endif

TEST(TensorText, SurvivesDamage) {
  const std::string text(kEverything);
  for (std::size_t cut = 0; cut < text.size(); cut += kStep) {
    Text(text.substr(0, cut)).function();
    Text(text.substr(0, cut) + text.substr(std::min(cut + 3, text.size()))).function();
    Text(text.substr(0, cut) + "(" + text.substr(cut)).function();
  }
  for (const char* opening : {"(", "-", "!", "exp(", "(if true { "}) {
    std::string deep = "function f { output y: f32[]; parameters(y); stage [] { y[] = ";
    for (int k = 0; k < 100'000; ++k) deep += opening;
    Text read(deep);
    EXPECT_FALSE(read.function());
    EXPECT_NE(messages(read.sink).find("too deeply nested"), std::string::npos) << opening;
  }
}

}  // namespace
}  // namespace cdsl
