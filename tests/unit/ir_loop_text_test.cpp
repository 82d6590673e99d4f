// The text of Loop IR read back: the same text again, and a located error for what is malformed.
#include <gtest/gtest.h>

#include "api/pipeline.h"
#include "dsl/tensor/print.h"
#include "frontend/ir_reader/ir_reader.h"
#include "ir_programs.h"

namespace cdsl {
namespace {

using test::messages;

struct Text {
  explicit Text(const std::string& text) : file(sources.add("text.lir", text)) {}
  std::optional<std::vector<LoweredText>> read() { return read_loop_ir(sources, file, sink); }

  SourceManager sources;
  DiagnosticSink sink;
  std::uint32_t file;
};

TEST(LoopText, ReadsBackEveryLoweredFunction) {
  int count = 0;
  test::for_each_function([&](Source& source, const std::string& name) {
    const auto unit = compile(source, name, {});
    if (!unit) return;
    const std::string program = loop::to_string(unit->program);
    Text whole(tir::to_string(unit->function) + program);
    const auto read = whole.read();
    ASSERT_TRUE(read) << messages(whole.sink) << program;
    ASSERT_EQ(read->size(), 1U);
    EXPECT_EQ(loop::to_string(read->front().program), program);
    ++count;
  });
  EXPECT_GE(count, 80);
}

constexpr std::string_view kEverything = R"(program all;
record P size 24 align 8 {
  pos: f32[3] @0;
  body.mass: c64 @16;
}
site read_outside "x, \"axis\" 0" in "k";

note "everything \x0a at once"
kernel k(p: P[], x: f32[] const, h: i32[], N: i64, t: i64 index, e: i64 scalar, a: f32) block(64, 2, 1) cluster(2, 1, 1) {
  shared tile: f32[256];
  register own: P[4];
  %0 := i64(thread.x) + t;
  for i: i64 = %0 * %0 to N step i64(block.x) unroll 4 note "a loop" {
    let load: f32 = x[i] * a;
    var lane_2: c64 = p[i].body.mass;
    lane_2 = cplx(lane_2.re, -(1.0));
    %0 := own[3].body.mass;
    lane_2 = cplx((%0).re, (%0).im);
    p[i].pos[2] = p[i].pos[1] + tile[e];
    let (b: f32, c: f32) = vector x[2 * i];
    vector tile[2 * i] = (b, c);
    let was: i32 = atomic compare_exchange h[0], i32(1) expect i32(-1) acq_rel device;
    atomic add h[i64(was)], lane relaxed block;
    while was < i32(0) {
      barrier block;
      fence system;
    }
    if i == 3 {
      report 0, i;
    } else {
      note "nothing";
    }
    let s: f32 = shuffle down load, i32(16) mask 0xffffffff;
    let v: u32 = vote ballot s > inf mask 0x0000ffff;
  }
}

plan {
  parameter p: tensor 0 part 0 bytes N * 24;
  parameter x: tensor 1 part 0 bytes N * 4;
  workspace h: bytes 4;
  constant w: bytes 4 = "0000803f";
  view s = stride of tensor 0 axis 0;
  fill h "00000000";
  copy h from w bytes 4;
  loop t = 0 to N descending stop h {
    launch k blocks(max(N, s)) (buffer p, buffer x, buffer h, N, t, t + 1, dt);
  }
}
)";

TEST(LoopText, KeepsEveryConstruct) {
  const std::string text(kEverything);
  Text read(text);
  const auto programs = read.read();
  ASSERT_TRUE(programs) << messages(read.sink);
  EXPECT_EQ(loop::to_string(programs->front().program), text);
}

std::string with_variants() {
  std::string text(kEverything);
  const std::size_t steps = text.find("  fill h");
  return text.substr(0, steps) + R"(  variant fast when N % 8 == 0, aligned(p, 16), noalias(p, x) {
    fill h "00000000";
  }
  variant general {
    copy h from w bytes 4;
  }
}
)";
}

TEST(LoopText, KeepsVariants) {
  std::string text = with_variants();
  Text read(text);
  const auto programs = read.read();
  ASSERT_TRUE(programs) << messages(read.sink);
  EXPECT_EQ(programs->front().program.plan.variants.size(), 2U);
  EXPECT_EQ(loop::to_string(programs->front().program), text);
  constexpr std::pair<std::string_view, std::pair<std::string_view, std::string_view>> kMistakes[] =
      {
          {"variant general", {"variant fast", "a second variant is named fast"}},
          {"variant general", {"variant general when N == 1", "the last variant has guards"}},
          {"aligned(p, 16)", {"aligned(p, 12)", "no power of two"}},
          {"noalias(p, x)", {"noalias(p, h)", "memory that is no parameter"}},
          {"N % 8 == 0", {"N % 8", "bool"}},
          {"  variant general", {"  variants general", "expected '}'"}},
      };
  for (const auto& [from, change] : kMistakes) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), change.first);
    Text wrong(changed);
    EXPECT_FALSE(wrong.read()) << change.first;
    EXPECT_NE(messages(wrong.sink).find(change.second), std::string::npos)
        << change.first << "\n" << messages(wrong.sink);
  }
}

TEST(LoopText, TellsWhatIsWrong) {
  constexpr std::pair<std::string_view, std::pair<std::string_view, std::string_view>> kMistakes[] =
      {
          {"let v: u32", {"let x: u32", "hides a name"}},
          {"x[i] * a", {"x[i] * b", "'b' is not known here"}},
          {"x[i] * a", {"x[i] * i", "'*' does not take f32, i64"}},
          {"mask 0x0000ffff", {"mask 0x1ffffffff", "is not between"}},
          {"launch k", {"launch q", "expected the name of a kernel"}},
          {"(buffer p, buffer x",
           {"(buffer q, buffer x", "expected the name of a buffer of the plan"}},
          {"(buffer p, ", {"(", "arguments"}},
          {"report 0", {"report 7", "site"}},
          {"tile[2 * i] = (b, c)", {"tile[2 * i] = (b, c, b)", "vector"}},
          {"p[i].pos[1]", {"p[i].neg", "'p' has no leaf 'neg'"}},
          {"\"0000803f\"", {"\"0000803\"", "two hexadecimal digits"}},
          {"block(64, 2, 1)", {"block(64, 2)", "expected ','"}},
      };
  for (const auto& [from, change] : kMistakes) {
    std::string text(kEverything);
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), change.first);
    Text read(text);
    EXPECT_FALSE(read.read()) << change.first;
    EXPECT_NE(messages(read.sink).find(change.second), std::string::npos) << change.first << "\n"
                                                                          << messages(read.sink);
  }
}

TEST(LoopText, SurvivesDamage) {
  const std::string text(kEverything);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    Text(text.substr(0, cut)).read();
    Text(text.substr(0, cut) + text.substr(std::min(cut + 3, text.size()))).read();
  }
  std::string deep = "program p; kernel k() block(1, 1, 1) {";
  for (int k = 0; k < 100'000; ++k) deep += " while true {";
  Text read(deep);
  EXPECT_FALSE(read.read());
}

}  // namespace
}  // namespace cdsl
