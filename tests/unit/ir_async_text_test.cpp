// Text of the asynchronous and matrix nodes: read back as it was written, and what is wrong with
// it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

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

constexpr std::string_view kEverything = R"(program all;

kernel k(x: f32[], h: f16[], n: i64, map m) block(256, 1, 1) cluster(2, 1, 1) {
  shared tile: f32[1024];
  shared sa: f16[4096];
  shared bars: u64[2];
  register d: f32[32];
  register a: f16[8];
  register b: f16[4];
  let leader: bool = elect warp;
  barrier_init bars[1] count i32(1);
  fence init;
  arrive bars[0];
  arrive bars[0] at i32(1) expect i32(64);
  wait bars[n] parity i32(1);
  copy_async tile[thread.x] = x[n + 1] bytes 4;
  copy_async tile[0] = x[0] bytes 16 when leader && n > 3;
  copy_commit async;
  copy_wait async 2;
  copy_bulk tile[0] = x[n] bytes i32(64) arrive bars[0];
  copy_bulk tile[0] at i32(1) = tile[16] bytes i32(64) arrive bars[0] at i32(1);
  copy_bulk x[0] = tile[0] bytes i32(64) add;
  copy_commit bulk;
  copy_wait bulk 0 read;
  copy_tensor tile[0] = m at (i32(0), lane) multicast i32(3) arrive bars[1];
  copy_tensor m at (n, cluster.rank) = tile[0];
  fence proxy;
  matrix_load x4 transposed a[0; 0..8] = sa[lane * i32(8)];
  matrix_load x1 a[0; 4, 5] = sa[0];
  matrix_store x2 sa[lane * i32(8)] = a[4 * n; 2, 3, 6, 7];
  mma m16n8k16 d[0; 0..4] += a[0; 0..8] * b[0; 0..4];
  mma_fence;
  mma_async m64n64k16 d[0; 0..32] += sa[0] swizzle 128 leading 0 stride 1024 * sa[64] swizzle 64 leading 512 stride 512 transposed accumulate n > 0;
  mma_async m64n64k16 d[0; 0..32] += a[0; 0..8] * sa[0] swizzle 0 leading 128 stride 256;
  mma_commit;
  mma_wait 1;
  barrier_arrive i32(3) threads 64;
  barrier_sync i32(3) threads 64;
  registers lower 40;
  registers raise 232;
  tile[0] at i32(1) = 1.0;
  let (far: f32) = vector tile[thread.x] at i32(1);
  atomic add tile[0] at cluster.rank, far relaxed cluster;
}

plan {
  parameter x: tensor 0 part 0 bytes n * 4;
  parameter h: tensor 1 part 0 bytes n * 2;
  map m: f32 of x extents (n, n / 32) strides (n * 4) box (32, 8) swizzle 128;
  launch k tiles(n) resident (buffer x, buffer h, n);
}
)";

TEST(AsyncText, KeepsEveryNode) {
  const std::string text(kEverything);
  Text read(text);
  const auto programs = read.read();
  ASSERT_TRUE(programs) << messages(read.sink);
  EXPECT_EQ(loop::to_string(programs->front().program), text);
}

TEST(AsyncText, TellsWhatIsWrong) {
  constexpr std::pair<std::string_view, std::pair<std::string_view, std::string_view>> kMistakes[] =
      {
          {"wait bars[n]", {"wait tile[n]", "no element of a shared buffer of u64"}},
          {"bytes 16 when", {"bytes 12 when", "not 4, 8 or 16"}},
          {"cluster(2, 1, 1) ", {"", "without clusters"}},
          {"d[0; 0..32] += sa[0]", {"d[0; 0..16] += sa[0]", "32 are needed"}},
          {"m16n8k16 d[0; 0..4]", {"m16n8k4 d[0; 0..4]", "no mma m16n8k4 of f16"}},
          {"a[0; 4, 5] = sa[0]", {"a[0; 4, 6] = sa[0]", "not packed"}},
          {"threads 64;", {"threads 48;", "a named barrier of 48 threads"}},
          {"raise 232", {"raise 230", "a multiple of 8"}},
          {"box (32, 8)", {"box (8, 8)", "rows of 32 bytes with a swizzle of 128"}},
          {"= m at (i32(0), lane)", {"= m at (i32(0))", "1 coordinates"}},
          {"copy_tensor m at", {"copy_tensor q at", "expected the name of a tensor map"}},
          {"matrix_load x4", {"matrix_load x3", "expected x1, x2 or x4"}},
          {"copy_bulk x[0] = tile[0] bytes i32(64) add",
           {"copy_bulk x[0] = tile[0] bytes i32(64) arrive bars[0]", "arrives at a barrier"}},
          {"copy_wait bulk 0 read", {"copy_wait async 0 read", "only bulk copies"}},
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

TEST(AsyncText, SurvivesDamage) {
  const std::string text(kEverything);
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    Text(text.substr(0, cut) + text.substr(std::min(cut + 3, text.size()))).read();
  }
}

TEST(AsyncText, ReadsBackTheProgramsOfTheDevice) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CDSL_SOURCE_DIR) + "/tests/gpu/lane")) {
    std::ifstream in(entry.path());
    std::stringstream whole;
    whole << in.rdbuf();
    Text read(whole.str());
    const auto programs = read.read();
    ASSERT_TRUE(programs) << entry.path() << messages(read.sink);
    // Written by hand, they need not be as the printer writes them; what it writes is.
    for (const LoweredText& program : *programs) {
      const std::string text = loop::to_string(program.program);
      Text again(tir::to_string(*program.function) + text);
      const auto back = again.read();
      ASSERT_TRUE(back) << entry.path() << messages(again.sink);
      EXPECT_EQ(loop::to_string(back->front().program), text);
    }
    ++count;
  }
  EXPECT_GE(count, 9);
}

}  // namespace
}  // namespace cdsl
