// The parser: what trees text becomes, that printing gives the same tree again, which mistakes are
// reported where, and that hostile text ends in an error.
#include "frontend/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontend/ast_printer.h"

namespace cdsl {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

struct Parsed {
  SourceManager sources;
  DiagnosticSink sink;
  ast::Program program;

  explicit Parsed(const std::string& text, std::size_t limit = 20) : sink(limit) {
    program = parse_program(sources, sources.add("test.cdsl", text), sink);
  }
  std::string first_message() const {
    return sink.diagnostics().empty() ? "" : sink.diagnostics().front().message;
  }
};

std::string in_fn(const std::string& body) {
  return "fn f(x: f32[N]) -> (y: f32[N]) {\n" + body + "\n}\n";
}
std::string definition(const std::string& value) {
  return in_fn("y[i] = " + value + ";");
}

// The value of the one definition in the one function.
ast::ExprId value_of(const Parsed& parsed) {
  const auto& fn = std::get<ast::FnDecl>(parsed.program.items.at(0).node);
  return std::get<ast::Definition>(fn.body.statements.at(0).node).value;
}

template <class Node>
const Node& node_of(const Parsed& parsed) {
  return std::get<Node>(parsed.program.exprs[value_of(parsed)].node);
}

std::string normalised(const std::string& value) {
  Parsed parsed(definition(value));
  EXPECT_FALSE(parsed.sink.has_errors()) << value << ": " << parsed.first_message();
  return parsed.sink.has_errors() ? "" : ast::print(parsed.program.exprs, value_of(parsed));
}

constexpr const char* kEverything = R"(import "lib.cdsl"

struct P {
  x: f32;
  pos: f32[3];
}

reducer w(a: (f32, f32), b) identity (0, 0) commutative = (a.0 + b.0, a.1 * b.1);

reducer last(a: i32, b) identity -1 = b;

const k: f32[2, 2] = [[1, 2], [3, 4]];

def silu(x) = x / (1 + exp(-x));

fn g<T: float, S: size>(inout x: T[1|N, 2 * M] strided layout(aosoa(32)), s: f32[]) -> (y: T[N] col_major) where N % 8 == 0, require S == 2, aligned(x, 16), noalias(x, y) precision(tf32) {
  y = g<T: bf16, S: 1 + 2>(x, R: 2);
  run(x);
  let (a, b) = pair;
  let c = if i == 0 { a } else if i < 3 { b } else { 0 };
  tmp t: bf16[M, N] layout(split({x, y}, {m}));
  (n[i], mu[i]) = w[j]((1, x[i, j]));
  u[i in 1..H - 1, j in 0..=i, 0 if i > j] = sum<f64>[k in a..b, l if k < l](x[k, l]);
  scatter[i in 0..N] h[x[i]] += 1;
  scatter deterministic[i in 0..N, j if x[i] > 0] h[unique(p[i]), j] min= v[i];
  repeat q in 0..steps from u[i, j] = 0, v = v0 until err < 1e-6 {
    along r in 1..N descending {
      p[r] = u.clamp[r - 1, j] + u.fill(-inf)[r] - x[r - D * i @holes(S) @zero, j @wrap];
    }
  }
  r[i] = p[i] with (x: p[i].pos[2], pos: [1, 2, 3]);
  z = cplx(1, 2).re + 0xFF - 0b1_01 + 1.5e-3;
}

schedule g for sm_90a {
  C: tile(m: 128, n: 256), stages(4), persistent;
  sizes N in {1024, 4096};
  bind(j: thread.y);
  p: layout(soa);
}

expect g {
  spills == 0;
  sectors(A, B) <= 4;
}
)";

TEST(FrontendParser, PrintsWhatItParsed) {
  SourceManager sources;
  DiagnosticSink sink;
  sources.add("lib.cdsl", "");
  ast::Program program = parse_program(sources, sources.add("main.cdsl", kEverything), sink);
  ASSERT_FALSE(sink.has_errors()) << sink.diagnostics().front().message;
  EXPECT_EQ(ast::print(program), kEverything);
}

TEST(FrontendParser, PrecedenceIsThatOfGo) {
  EXPECT_EQ(normalised("((a) + (b * (c)))"), "a + b * c");
  EXPECT_EQ(normalised("(a + b) * c"), "(a + b) * c");
  EXPECT_EQ(normalised("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(normalised("(a - b) - c"), "a - b - c");
  EXPECT_EQ(normalised("(a << 2) + (b & c) ^ d"), "a << 2 + b & c ^ d");
  EXPECT_EQ(normalised("(a | b) == c && !(d || e)"), "a | b == c && !(d || e)");
  EXPECT_EQ(normalised("-(a * b)"), "-(a * b)");
  EXPECT_EQ(normalised("-a.x[i]"), "-a.x[i]");
  EXPECT_EQ(normalised("(-a).x"), "(-a).x");
  EXPECT_EQ(normalised("2 * (if a { b } else { c })"), "2 * (if a { b } else { c })");
  EXPECT_EQ(normalised("(a < b) == (c < d)"), "(a < b) == (c < d)");
}

TEST(FrontendParser, NamesFollowedByBrackets) {
  EXPECT_EQ(node_of<ast::Reduction>(Parsed(definition("total[k](x[k])"))).op.text, "total");
  EXPECT_EQ(node_of<ast::Index>(Parsed(definition("sum[k]"))).subscripts.size(), 1u);
  EXPECT_TRUE(node_of<ast::Index>(Parsed(definition("u.wrap[i]"))).mode.has_value());
  EXPECT_FALSE(node_of<ast::Index>(Parsed(definition("u.pos[i]"))).mode.has_value());
  EXPECT_FALSE(node_of<ast::Index>(Parsed(definition("u[i].wrap[0]"))).mode.has_value());
  EXPECT_EQ(node_of<ast::TuplePart>(Parsed(definition("a.0.1"))).index, 1u);
  Parsed generic(definition("f<T: bf16>(x, P: 1)"));
  const auto& call = node_of<ast::Call>(generic);
  ASSERT_EQ(call.arguments.size(), 3u);
  EXPECT_TRUE(call.arguments[0].generic);
  EXPECT_FALSE(call.arguments[1].key.has_value());
  EXPECT_EQ(call.arguments[2].key->text, "P");
}

TEST(FrontendParser, LiteralsAreExact) {
  Parsed wide(definition("340282366920938463463374607431768211455"));
  const auto& literal = node_of<ast::IntLiteral>(wide);
  EXPECT_EQ(literal.hi, ~std::uint64_t{0});
  EXPECT_EQ(literal.lo, ~std::uint64_t{0});
  EXPECT_EQ(node_of<ast::IntLiteral>(Parsed(definition("0xFF_FF"))).lo, 65535u);
  EXPECT_EQ(node_of<ast::IntLiteral>(Parsed(definition("0b1010"))).lo, 10u);
  EXPECT_EQ(node_of<ast::FloatLiteral>(Parsed(definition("1_0.2_5e1_0"))).text, "10.25e10");
}

TEST(FrontendParser, AlmostEveryWordIsAName) {
  for (const char* name :
       {"asm",    "do",     "float",  "int",       "template", "new",       "for",
        "N",      "min",    "max",    "threadIdx", "half",     "clamp",     "INFINITY",
        "NULL",   "assert", "repeat", "along",     "scatter",  "tmp",       "struct",
        "const",  "where",  "from",   "until",     "sum",      "f32",       "with",
        "unique", "inout",  "import", "schedule",  "def",      "precision", "strided"}) {
    std::string n(name);
    Parsed parsed("fn " + n + "(" + n + ": f32[M]) -> (y: f32[M]) { " + n + "[i] = " + n +
                  "[i] + " + n + "; " + n + " = " + n + "; (" + n + ", b) = " + n + "(" + n +
                  "); let z = " + n + "; }");
    EXPECT_FALSE(parsed.sink.has_errors()) << name << ": " << parsed.first_message();
  }
}

struct Mistake {
  const char* text;
  Code code;
  std::uint32_t line;
  std::uint32_t column;
};

void expect_mistakes(const std::vector<Mistake>& mistakes, bool inside) {
  for (const Mistake& mistake : mistakes) {
    Parsed parsed(inside ? in_fn(mistake.text) : mistake.text);
    ASSERT_FALSE(parsed.sink.diagnostics().empty()) << mistake.text;
    const Diagnostic& first = parsed.sink.diagnostics().front();
    LineColumn at = parsed.sources.line_column(first.range.file, first.range.begin);
    EXPECT_EQ(code_text(first.code), code_text(mistake.code))
        << mistake.text << ": " << first.message;
    EXPECT_EQ(at.line, mistake.line + (inside ? 1 : 0)) << mistake.text;
    EXPECT_EQ(at.column, mistake.column) << mistake.text;
  }
}

TEST(FrontendParser, MistakesInStatements) {
  expect_mistakes({{"y[i] = 0 <= i < N;", Code::ChainedComparison, 1, 15},
                   {"y[i] = x[i] ** 2;", Code::UnknownOperator, 1, 13},
                   {"y[i] = a ? b : c;", Code::UnknownOperator, 1, 10},
                   {"y[i] = a and b;", Code::UnknownOperator, 1, 10},
                   {"y[i] = +a;", Code::UnknownOperator, 1, 8},
                   {"y[i] = x[i]\nz[i] = 1;", Code::MissingSemicolon, 1, 12},
                   {"y[i] = x[i] z;", Code::Expected, 1, 13},
                   {"y[i] = (x[i];", Code::UnbalancedBracket, 1, 13},
                   {"y[i] = x[i]);", Code::UnbalancedBracket, 1, 12},
                   {"y[i] = ;", Code::ExpectedExpression, 1, 8},
                   {"y[i] == 1;", Code::Expected, 1, 6},
                   {"y[i] = 2 * if a { 1 } else { 2 };", Code::IfNeedsParentheses, 1, 12},
                   {"y[i] = if a { 1 } else { 2 } + 1;", Code::IfNeedsParentheses, 1, 8},
                   {"y[i] = if a { 1 };", Code::MissingElse, 1, 8},
                   {"y[i] = if a = 1 { 1 } else { 2 };", Code::AssignInExpression, 1, 13},
                   {"y[i] = x[i - 1 @clmap];", Code::UnknownMode, 1, 17},
                   {"y[i] = x[i @fill];", Code::ModeArgument, 1, 12},
                   {"y[i] = x[i @clamp @wrap];", Code::ModeNotAllowed, 1, 19},
                   {"y[i @clamp] = 0;", Code::ModeNotAllowed, 1, 5},
                   {"h[x[i]] += 1;", Code::CompoundAssignment, 1, 9},
                   {"scatter[i in 0..N] h[i] -= 1;", Code::BadScatterOperator, 1, 25},
                   {"r[i].x = 1;", Code::FieldAssignment, 1, 5},
                   {"y[i] = p with (1);", Code::MixedArguments, 1, 16},
                   {"y[i] = p with (x: 1, x: 2);", Code::DuplicateClause, 1, 22},
                   {"y = f(P: 1, x);", Code::PositionalAfterNamed, 1, 13},
                   {"s = sum[](x);", Code::EmptyList, 1, 8},
                   {"s = sum[k in N](x[k]);", Code::Expected, 1, 14},
                   {"u[i in 0..N if c, j] = 1;", Code::Expected, 1, 17},
                   {"for i in 0..N { y[i] = 1; }", Code::ExpectedStatement, 1, 1},
                   {"if a { y = 1; }", Code::ExpectedStatement, 1, 1},
                   {"rpeat t in 0..3 { }", Code::ExpectedStatement, 1, 1},
                   {"float t = 1;", Code::ConfusingDeclaration, 1, 1},
                   {"let t: f32 = 1;", Code::ConfusingDeclaration, 1, 6},
                   {"const t: f32 = 1;", Code::ImportInside, 1, 1},
                   {"let in = 1;", Code::ReservedWord, 1, 5},
                   {"y = 340282366920938463463374607431768211456;", Code::IntegerTooLarge, 1, 5}},
                  true);
}

TEST(FrontendParser, MistakesOutsideFunctions) {
  expect_mistakes({{"func f() { }", Code::ExpectedItem, 1, 1},
                   {"y[i] = 1;", Code::ExpectedItem, 1, 1},
                   {"fn f(x: f32[N]) { } }", Code::UnbalancedBracket, 1, 21},
                   {"fn f(x: f32[N]) {\n", Code::UnbalancedBracket, 2, 1},
                   {"fn f(f32 x) { }", Code::ConfusingDeclaration, 1, 6},
                   {"fn f<N>(x: f32) { }", Code::Expected, 1, 7},
                   {"fn f<T: real>(x: T) { }", Code::GenericKindUnknown, 1, 9},
                   {"fn f(x: P[N] layout(sao)) { }", Code::UnknownLayout, 1, 21},
                   {"fn f(x: f32[N]) -> f32[N] { }", Code::Expected, 1, 20},
                   {"fn f(x: f32[N]) wher N > 0 { }", Code::Expected, 1, 17},
                   {"struct P { x: f32, y: f32; }", Code::Expected, 1, 18},
                   {"def f(x) { x }", Code::Expected, 1, 10},
                   {"const a = 3;", Code::Expected, 1, 9},
                   {"import lib;", Code::Expected, 1, 8},
                   {"import \"none.cdsl\"", Code::FileNotFound, 1, 8},
                   {"expect f { x = 3; }", Code::AssignInExpression, 1, 14},
                   {"schedule f { C: tile(m: ); }", Code::ExpectedExpression, 1, 25}},
                  false);
}

TEST(FrontendParser, FindsSeveralMistakesInOneRun) {
  Parsed parsed(in_fn("y[i] = ;\nz[i] = (1;\nrepeat t in 0..3 { a = ; b = 1; c = }\nw = 1 1;") +
                "fn g(x) { y = ; }\n" + in_fn("a = ;"));
  EXPECT_EQ(parsed.sink.error_count(), 8u);
}

TEST(FrontendParser, StopsAtTheLimit) {
  Parsed parsed(in_fn(repeated("y = ;\n", 50)), 5);
  EXPECT_EQ(parsed.sink.error_count(), 5u);
  EXPECT_EQ(parsed.sink.diagnostics().size(), 6u);
  EXPECT_EQ(parsed.sink.diagnostics().back().code, Code::TooManyErrors);
}

TEST(FrontendParser, LongChainsParseAndDeepOnesAreRefused) {
  for (const std::string& value :
       {repeated("x[i] + ", 100000) + "1", "x" + repeated("[0]", 100000),
        "x" + repeated(".a", 100000), repeated("if a { 1 } else ", 10000) + "{ 2 }"}) {
    Parsed parsed(definition(value));
    EXPECT_FALSE(parsed.sink.has_errors()) << parsed.first_message();
    EXPECT_EQ(ast::print(parsed.program.exprs, value_of(parsed)), value);
    std::size_t visited = 0;
    ast::post_order(parsed.program.exprs, value_of(parsed), [&](ast::ExprId) { ++visited; });
    EXPECT_GT(visited, 10000u);
  }
  for (const std::string& value :
       {repeated("(", 10000) + "1" + repeated(")", 10000), repeated("-", 10000) + "1",
        repeated("x[", 10000) + "i" + repeated("]", 10000),
        repeated("f(", 10000) + "i" + repeated(")", 10000),
        repeated("1 + (", 100000) + "1" + repeated(")", 100000), repeated("(", 10000)}) {
    Parsed parsed(definition(value));
    EXPECT_EQ(parsed.sink.diagnostics().front().code, Code::NestedTooDeeply);
    EXPECT_LE(parsed.sink.error_count(), 3u);
  }
  Parsed blocks(in_fn(repeated("along i in 0..N {", 10000) + repeated("}", 10000)));
  EXPECT_EQ(blocks.sink.diagnostics().front().code, Code::NestedTooDeeply);
}

TEST(FrontendParser, TooManyExpressionsHaveAMessageOfTheirOwn) {
  for (std::uint32_t limit : {100u, 101u}) {
    SourceManager sources;
    DiagnosticSink sink;
    std::string text =
        "const a: f32[9] = [" + repeated("1, ", 98) + "1];";  // 100 expressions and a 9
    parse_program(sources, sources.add("a.cdsl", text + "\ndef ignored(x) = ;"), sink, limit);
    ASSERT_TRUE(sink.has_errors());
    EXPECT_EQ(sink.diagnostics()[0].code,
              limit == 100 ? Code::ProgramTooLarge : Code::ExpectedExpression);
    EXPECT_EQ(sink.error_count(), 1u);
  }
}

TEST(FrontendParser, EveryPrefixAndEveryShortFileIsSafe) {
  std::string all(kEverything);
  for (std::size_t size = 0; size < all.size(); ++size) Parsed prefix(all.substr(0, size));
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::string text{static_cast<char>(first), static_cast<char>(second)};
      bool blank =
          text.find_first_not_of(" \t\n") == std::string::npos || text == "\r\n" || text == "//";
      EXPECT_EQ(Parsed(text).sink.has_errors(), !blank) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace cdsl
