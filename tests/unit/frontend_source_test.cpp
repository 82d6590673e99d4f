// Source files, tokens' faults, imports, diagnostics and how they are shown.
#include "frontend/source.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "dsl/support/suggest.h"
#include "frontend/parser.h"
#include "frontend/render.h"

namespace cdsl {
namespace {

struct Loaded {
  SourceManager sources;
  DiagnosticSink sink;
  ast::Program program;

  explicit Loaded(const std::string& text) {
    program = parse_program(sources, sources.add("a.cdsl", text), sink);
  }
  const Diagnostic& first() const { return sink.diagnostics().at(0); }
  LineColumn place() const { return sources.line_column(first().range.file, first().range.begin); }
};

constexpr const char* kGood = "fn f(x: f32[N]) -> (y: f32[N]) { y[i] = x[i]; }\n";

void expect_fault(const std::string& text, Code code, std::uint32_t line, std::uint32_t column) {
  Loaded loaded(text);
  ASSERT_TRUE(loaded.sink.has_errors()) << text;
  EXPECT_EQ(code_text(loaded.first().code), code_text(code))
      << text << ": " << loaded.first().message;
  EXPECT_EQ(loaded.place().line, line) << text;
  EXPECT_EQ(loaded.place().column, column) << text;
}

TEST(FrontendSource, BytesThatMayNotStandInAFile) {
  std::string good(kGood);
  expect_fault(good + std::string(1, '\0') + good, Code::NulByte, 2, 1);
  expect_fault(good + "\xEF\xBB\xBF" + good, Code::MisplacedBom, 2, 1);
  expect_fault("// a\x07", Code::ControlCharacter, 1, 5);
  expect_fault("// a\rb", Code::ControlCharacter, 1, 5);
  expect_fault("// \xFF", Code::InvalidUtf8, 1, 4);
  expect_fault("// \xC0\x80", Code::InvalidUtf8, 1, 4);      // overlong
  expect_fault("// \xED\xA0\x80", Code::InvalidUtf8, 1, 4);  // surrogate
  expect_fault("// \xE2\x82", Code::InvalidUtf8, 1, 4);      // cut short
  EXPECT_FALSE(Loaded("\xEF\xBB\xBF" + good).sink.has_errors());
  EXPECT_FALSE(Loaded("// \xE2\x82\xAC \xF0\x9F\x98\x80\n" + good).sink.has_errors());
}

TEST(FrontendSource, TokensThatAreNotWellFormed) {
  expect_fault("/*", Code::UnterminatedComment, 1, 1);
  expect_fault("import \"a", Code::UnterminatedString, 1, 8);
  expect_fault("import \"a\\q\"", Code::BadEscape, 1, 10);
  expect_fault("\xCE\xB1", Code::UnexpectedCharacter, 1, 1);
  expect_fault("#", Code::UnexpectedCharacter, 1, 1);
  for (const char* number :
       {"1.", ".5", "1e", "1e+", "0x", "0b2", "12ab", "1__0", "1_", "007", "1.5f"})
    expect_fault("const a: f32 = " + std::string(number) + ";", Code::BadNumber, 1, 16);
  for (const char* number : {"0", "1_000", "0xFf", "0b01", "1.5", "0.0", "1e5", "1.5e-3", "00.5e1"})
    EXPECT_FALSE(Loaded("const a: f32 = " + std::string(number) + ";").sink.has_errors()) << number;
}

TEST(FrontendSource, CommentsDoNotNest) {
  EXPECT_FALSE(Loaded("/* /* */").sink.has_errors());
  expect_fault("/* */ /* x", Code::UnterminatedComment, 1, 7);
}

TEST(FrontendSource, LinesAndColumnsWithAnyLineEnd) {
  for (const char* end : {"\n", "\r\n"}) {
    std::string e(end);
    expect_fault(
        "fn f(x: f32[N])" + e + "  -> (y: f32[N])" + e + "{" + e + "\ty[i] = x[i] + ;" + e + "}",
        Code::ExpectedExpression, 4, 16);
  }
}

class ImportTest : public testing::Test {
 protected:
  SourceManager sources;
  DiagnosticSink sink;

  ast::Program parse(const std::string& root) {
    return parse_program(sources, sources.add("d/root.cdsl", root), sink);
  }
};

TEST_F(ImportTest, ImportedItemsComeFirstAndOnce) {
  sources.add("d/left.cdsl", "import \"base.cdsl\"\ndef l(x) = x;");
  sources.add("d/right.cdsl", "import \"./base.cdsl\"\ndef r(x) = x;");
  sources.add("d/base.cdsl", "def b(x) = x;");
  ast::Program program = parse("import \"left.cdsl\"\nimport \"../d/right.cdsl\"\ndef m(x) = x;");
  ASSERT_FALSE(sink.has_errors()) << sink.diagnostics().front().message;
  std::string names;
  for (const ast::Item& item : program.items)
    if (const auto* def = std::get_if<ast::DefDecl>(&item.node)) names += def->name.text;
  EXPECT_EQ(names, "blrm");
}

TEST_F(ImportTest, CirclesAreNamed) {
  sources.add("d/a.cdsl", "import \"b.cdsl\"");
  sources.add("d/b.cdsl", "import \"a.cdsl\"");
  parse("import \"a.cdsl\"");
  ASSERT_EQ(sink.error_count(), 1u);
  EXPECT_EQ(sink.diagnostics()[0].code, Code::ImportCycle);
  EXPECT_EQ(sink.diagnostics()[0].notes.size(), 1u);
}

TEST_F(ImportTest, AFileMayNotImportItself) {
  parse("import \"root.cdsl\"");
  ASSERT_EQ(sink.error_count(), 1u);
  EXPECT_EQ(sink.diagnostics()[0].code, Code::ImportCycle);
}

TEST_F(ImportTest, SearchesTheGivenDirectories) {
  sources.add_import_directory("lib");
  sources.add("lib/far.cdsl", "def far(x) = x;");
  parse("import \"far.cdsl\"");
  EXPECT_FALSE(sink.has_errors());
}

TEST(FrontendRender, ShowsPlaceCaretFixAndNote) {
  SourceManager sources;
  DiagnosticSink sink;
  sources.add("a.cdsl", "let a = 1\n\tx \xE2\x82\xAC = \x01 2;\n");
  sink.report(Code::Expected, {0, 11, 12}, "bad").fix({0, 11, 12}, "yy").note({0, 4, 9}, "here");
  EXPECT_EQ(render_text(sources, sink),
            "a.cdsl:2:2: error: bad [C0100]\n"
            "   x \xE2\x82\xAC = \xEF\xBF\xBD 2;\n"
            "   ^\n"
            "  fix: yy \xE2\x82\xAC = \xEF\xBF\xBD 2;\n"
            "a.cdsl:1:5: note: here\n"
            "  let a = 1\n"
            "      ^~~~~\n");
}

TEST(FrontendRender, CropsLongLines) {
  SourceManager sources;
  DiagnosticSink sink;
  sources.add("a.cdsl", std::string(100000, 'x'));
  sink.report(Code::Expected, {0, 50000, 50001}, "bad");
  EXPECT_LT(render_text(sources, sink).size(), 400u);
}

TEST(FrontendRender, JsonIsOneLineEach) {
  SourceManager sources;
  DiagnosticSink sink;
  sources.add("a.cdsl", "x\ny");
  sink.report(Code::NeverUsed, {0, 2, 3}, "quote \" and \xFF").fix({0, 2, 3}, "z");
  EXPECT_EQ(
      render_json(sources, sink),
      "{\"code\":\"C0221\",\"fix_its\":[{\"range\":{\"begin\":2,\"column\":1,\"end\":3,"
      "\"end_column\":2,\"end_line\":2,\"file\":\"a.cdsl\",\"line\":2},\"replacement\":\"z\"}],"
      "\"message\":\"quote \\\" and \xEF\xBF\xBD\",\"name\":\"NeverUsed\",\"notes\":[],"
      "\"range\":{\"begin\":2,\"column\":1,\"end\":3,\"end_column\":2,\"end_line\":2,"
      "\"file\":\"a.cdsl\",\"line\":2},\"severity\":\"warning\"}\n");
}

TEST(Diagnostics, EveryCodeIsExplained) {
  for (const CodeInfo& entry : all_codes()) {
    EXPECT_FALSE(entry.title.empty());
    EXPECT_FALSE(entry.explanation.empty()) << entry.name;
    EXPECT_EQ(find_code(code_text(entry.code)), entry.code);
    EXPECT_NE(explain(entry.code).find(entry.title), std::string::npos);
  }
  EXPECT_EQ(find_code("c106"), Code::ChainedComparison);
  EXPECT_EQ(find_code("C9999"), std::nullopt);
  EXPECT_EQ(find_code("C01x"), std::nullopt);
  EXPECT_EQ(find_code(""), std::nullopt);
}

TEST(Diagnostics, WarningsAreNoErrorsAndRepetitionsAreDropped) {
  DiagnosticSink sink(1);
  sink.report(Code::NeverUsed, {0, 0, 1}, "w");
  EXPECT_FALSE(sink.has_errors());
  sink.report(Code::Expected, {0, 0, 1}, "e");
  sink.report(Code::Expected, {0, 0, 1}, "e");
  EXPECT_EQ(sink.diagnostics().size(), 2u);
  EXPECT_FALSE(sink.full());
  sink.report(Code::Expected, {0, 1, 2}, "e");
  EXPECT_TRUE(sink.full());
}

TEST(Diagnostics, SuggestsTheNearestName) {
  constexpr std::string_view names[] = {"clamp", "reflect", "N", "alpha"};
  EXPECT_EQ(nearest("clmap", names), "clamp");
  EXPECT_EQ(nearest("Clamp", names), "clamp");
  EXPECT_EQ(nearest("n", names), "N");
  EXPECT_EQ(nearest("x", names), std::nullopt);
  EXPECT_EQ(nearest("clamp", names), std::nullopt);
  EXPECT_EQ(nearest("somethingelse", names), std::nullopt);
}

}  // namespace
}  // namespace cdsl
