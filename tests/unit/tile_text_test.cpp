// Kernels in tile form (tests/lit/tile): read, verified, printed, and the same text again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "dsl/loop/builder.h"
#include "dsl/loop/distribution.h"
#include "frontend/ir_reader/ir_reader.h"

namespace cdsl {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Without the lines that tell lit what to run.
std::string without_comments(const std::string& text) {
  std::stringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("//")) kept += line + "\n";
  }
  return kept;
}

TEST(TileText, ReadsBackEveryExample) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CDSL_SOURCE_DIR "/tests/lit/tile")) {
    if (entry.path().extension() != ".lir") continue;
    const std::string text = without_comments(read_file(entry.path()));
    SourceManager sources;
    DiagnosticSink sink;
    const auto programs = read_loop_ir(sources, sources.add("tile.lir", text), sink);
    std::string messages;
    for (const Diagnostic& d : sink.diagnostics()) messages += d.message + "\n";
    ASSERT_TRUE(programs) << entry.path() << "\n" << messages;
    const loop::Program& program = programs->front().program;
    EXPECT_EQ(loop::to_string(program), text) << entry.path();
    EXPECT_EQ(loop::verify(program), std::vector<std::string>{}) << entry.path();
    EXPECT_TRUE(loop::is_tile_form(program.kernels[0]));
    ++count;
  }
  EXPECT_GE(count, 7);
}

TEST(TileText, SurvivesDamage) {
  const std::string text = read_file(CDSL_SOURCE_DIR "/tests/lit/tile/reducers.lir");
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    SourceManager sources;
    DiagnosticSink sink;
    read_loop_ir(sources, sources.add("tile.lir", text.substr(0, cut) + text.substr(std::min(cut + 3, text.size()))),
                 sink);
  }
}

TEST(TileText, SaysWhoHoldsWhat) {
  using namespace loop;
  Program program = Program::over({}, "held");
  Builder b(program, "k");
  const BufferId x = b.global("x", scalar_record(ScalarType::F32), true), y = b.global("y", scalar_record(ScalarType::F32));
  const ExprId m = b.axis("m", {{Level::Warp, 4, 2}, {Level::Lane, 4, 8}, {Level::Register, 4}}, 0);
  const ExprId n = b.axis("n", {{Level::Register, 2}, {Level::Lane, 8}, {Level::Vector, 4}}, 0);
  const ExprId at_n = b.let("at_n", b.load(x, n));
  const ExprId row = b.let("row", b.load(x, m));
  const ExprId product = b.let("product", b.mul(at_n, row));
  const ExprId sum = b.reduce("sum", Monoid::Sum, {n}, product);
  const Variable mine = b.var("mine", b.integer(0, ScalarType::I32));
  b.if_(b.less(b.special(Special::Warp), b.integer(2, ScalarType::I32)), [&] { b.assign(mine, b.integer(1, ScalarType::I32)); });
  b.store(y, m, sum);
  b.finish();
  const Kernel& kernel = program.kernels[0];
  const Distribution d(program, kernel);
  const auto symbol = [&](ExprId id) { return program.arena.get_if<Symbol>(id)->symbol; };
  EXPECT_EQ(d.axes_of(product).size(), 2U);
  EXPECT_EQ(d.axes_of(product)[0], symbol(m));
  EXPECT_EQ(d.registers_of(symbol(product)), 32);
  EXPECT_EQ(d.registers_of(symbol(sum)), 4);
  EXPECT_EQ(d.extent(symbol(n)), 64);
  EXPECT_EQ(d.register_digits(symbol(n)).size(), 2U);
  EXPECT_EQ(d.digits(symbol(n))[0].weight, 32);
  const auto held = d.axes_of(symbol(sum));
  const auto lanes = d.unnamed(held, Level::Lane, 32), warps = d.unnamed(held, Level::Warp, 8);
  ASSERT_EQ(lanes.size(), 1U);
  EXPECT_EQ(lanes[0].extent, 8);
  EXPECT_EQ(lanes[0].stride, 1);
  ASSERT_EQ(warps.size(), 1U);
  EXPECT_EQ(warps[0].extent, 2);
  const Statement& role = kernel.body.statements[7];
  EXPECT_TRUE(d.is_role(role));
  EXPECT_FALSE(d.lane_wise(role));
  EXPECT_EQ(d.warps_of(std::get<If>(role.node).then_body->statements[0]).mask, 3U);
  EXPECT_TRUE(d.lane_wise(mine.symbol));         // warps 0 and 1 assigned it, the others did not
  EXPECT_FALSE(d.lane_wise(symbol(sum)));
}

TEST(TileText, TheBuilderMakesIt) {
  using namespace loop;
  Program program = Program::over({}, "built");
  Builder b(program, "k");
  const BufferId x = b.global("x", scalar_record(ScalarType::F32), true),
                 y = b.global("y", scalar_record(ScalarType::F32));
  const ExprId j = b.axis("j", {{Level::Warp, 4, 2}, {Level::Register, 4}, {Level::Lane, 32}, {Level::Vector, 4}}, 0);
  const ExprId v = b.let("v", b.load(x, j));
  const Variable acc = b.var_over("acc", {j}, b.arena().real(0, ScalarType::F32));
  b.assign(acc, b.add(acc.ref, v));
  const ExprId top = b.reduce("top", Monoid::Max, {j}, acc.ref);
  const auto best = b.reduce("best", {Monoid::ArgMax, {}, {}, {}, {}, true}, {j}, {v, j});
  const auto sums = b.scan("sums", {}, j, {v}, true, true);
  b.store(y, j, b.add(b.add(top, best[0]), b.add(sums.results[0], sums.totals[0])));
  b.finish();
  EXPECT_EQ(verify(program), std::vector<std::string>{});
  EXPECT_EQ(to_string(program), R"(program built;

kernel k(x: f32[] const, y: f32[]) block(256, 1, 1) {
  axis j = warp 4 by 2 * reg 4 * lane 32 * vec 4;
  let v: f32 = x[j];
  var acc over (j): f32 = 0.0;
  acc = acc + v;
  let (top: f32) = reduce max over (j) (acc);
  let (best_0: f32, best_1: i64) = reduce argmax over (j) (v, j);
  let (sums: f32; sums_all: f32) = scan sum along j exclusive (v);
  y[j] = top + best_0 + (sums + sums_all);
}

plan {
}
)");
}

}  // namespace
}  // namespace cdsl
