// The texts of each level, line by line, and what each line was made from.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "api/explain.h"
#include "api/linked_text.h"

namespace cdsl {
namespace {

struct Example {
  std::unique_ptr<Source> source;
  CompileOptions options;
  Compiled unit;
  Explanation explanation;

  explicit Example(const std::string& name, std::map<std::string, int64_t> sizes, bool decide = true) {
    SourceInput input;
    input.path = std::string(CDSL_SOURCE_DIR) + "/examples/" + name + ".cdsl";
    source = load_and_parse(input);
    options.defines.sizes = std::move(sizes);
    options.check_defines = false;   // examples have some of these sizes
    options.decide = decide;
    std::vector<std::string> skipped;
    unit = compile(*source, functions_to_compile(*source, "", options, skipped).at(0), options).value();
    auto explained = explain(Environment{}, *source, unit, options, {.measure = false});
    if (!explained) throw std::runtime_error(explained.message());
    explanation = std::move(*explained);
  }
  std::vector<LinkedLine> loop_ir() const { return linked_loop_ir(unit.program, explanation.prediction); }
  std::vector<LinkedLine> cuda() const { return linked_cuda(*source, unit, options); }
};

LinkedLine line_with(const std::vector<LinkedLine>& lines, const std::string& text) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const LinkedLine& line) { return line.text.find(text) != std::string::npos; });
  EXPECT_NE(found, lines.end()) << text;
  return found == lines.end() ? LinkedLine{} : *found;
}

TEST(LinkedText, IsTheTextOfEachLevel) {
  for (const bool decide : {true, false}) {
    for (const char* name : {"transpose", "row_sum", "layer_norm", "nbody"}) {
      const Example example(name, {{"M", 64}, {"N", 96}}, decide);
      EXPECT_EQ(joined(example.loop_ir()), loop::to_string(example.unit.program));
      CompileOptions plain = example.options;
      plain.line_directives = false;
      EXPECT_EQ(joined(example.cuda()), emit(*example.source, example.unit, plain));
    }
  }
}

TEST(LinkedText, CudaLeadsToTheStatementOfLoopIr) {
  const Example example("transpose", {{"M", 1000}, {"N", 1000}});
  const std::vector<LinkedLine> loop_ir = example.loop_ir(), cuda = example.cuda();
  const int barrier = line_with(cuda, "__syncthreads").made_from;
  ASSERT_GT(barrier, 0);
  EXPECT_EQ(loop_ir.at(static_cast<std::size_t>(barrier) - 1).text, "  barrier block;");
  EXPECT_EQ(line_with(cuda, "// transpose, made by").made_from, 0);
  EXPECT_EQ(line_with(cuda, "cudaError_t refuse").made_from, 0);
  EXPECT_EQ(line_with(cuda, "(&X_tile[(").made_from, line_with(cuda, ", &X_value[X_rowr").made_from);   // one statement, two lines
}

TEST(LinkedText, LoopIrLeadsToTheSourceAndToItsAccesses) {
  const Example example("transpose", {{"M", 1000}, {"N", 1000}});
  const LinkedLine store = line_with(example.loop_ir(), " Y[(");
  ASSERT_TRUE(store.where.valid());
  EXPECT_EQ(example.source->files.text(store.where), "Y[j, i] = X[i, j];");
  ASSERT_EQ(store.touches.size(), 1u);
  const auto& access = example.explanation.prediction.kernels.at(store.touches[0].kernel).accesses.at(store.touches[0].access);
  EXPECT_EQ(access.tensor, "Y");
  EXPECT_EQ(access.kind, predicting::AccessKind::Store);
}

TEST(LinkedText, AStatementHasTheAccessesOfItsOwnKind) {
  const Example example("histogram", {{"N", 100000}});
  for (const LinkedLine& line : example.loop_ir()) {
    for (const LinkedLine::Touch& touch : line.touches) {
      const predicting::AccessKind kind = example.explanation.prediction.kernels.at(touch.kernel).accesses.at(touch.access).kind;
      const bool is_atomic = kind == predicting::AccessKind::Atomic || kind == predicting::AccessKind::SharedAtomic;
      const bool is_store = line.text.find("h_bins[bin] = ") != std::string::npos;
      EXPECT_TRUE(!is_atomic || line.text.find("atomic") != std::string::npos) << line.text;
      EXPECT_TRUE(!is_store || kind == predicting::AccessKind::SharedStore) << line.text;
    }
  }
}

TEST(LinkedText, PtxLeadsToTheLineThatCallsAHelper) {
  const std::vector<LinkedLine> lines = linked_ptx(
      "//\n// maker\n//\n\n\n.version 9.0\n\n.visible .entry f(\n)\n{\n\t.reg .b32 %r<3>;\n"
      "\t.loc\t1 30 5\n\tmov.u32 %r1, %tid.x;\n"
      "\t.loc\t1 4 3, function_name $L__info_string0, inlined_at 1 32 9\n\tadd.s32 %r2, %r1, 1;\n"
      "\t.loc\t1 9 1, function_name $L__info_string1, inlined_at 1 4 3\n\tadd.s32 %r2, %r2, 1;\n"
      "$L__BB0_1:\n\t.loc\t1 33 1\n\tret;\n}\n\t.file\t1 \"f.cu\"\n\t.section\t.debug_str\n\t{\n$L__info_string0:\n\t}\n");
  EXPECT_EQ(line_with(lines, "mov.u32").made_from, 30);
  EXPECT_EQ(line_with(lines, "%r2, %r1").made_from, 32);
  EXPECT_EQ(line_with(lines, "%r2, %r2").made_from, 32);
  EXPECT_EQ(line_with(lines, "$L__BB0_1").made_from, 0);
  EXPECT_EQ(line_with(lines, "ret;").made_from, 33);
  EXPECT_EQ(line_with(lines, ".reg").made_from, 0);
  EXPECT_EQ(lines.back().text, "}");
  EXPECT_EQ(joined(lines).find(".loc"), std::string::npos);
  EXPECT_EQ(joined(lines).find("info_string"), std::string::npos);
  EXPECT_EQ(joined(lines).find("\n\n\n"), std::string::npos);
}

TEST(LinkedText, TextWithoutDebugInformationHasNoLinks) {
  for (const LinkedLine& line : linked_ptx(".entry f()\n{\n\tret;\n}\n")) EXPECT_EQ(line.made_from, 0);
  EXPECT_TRUE(linked_ptx("").empty());
}

}  // namespace
}  // namespace cdsl
