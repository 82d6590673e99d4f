// `--set KEY=VALUE`: the first byte chooses a program and an architecture, each line of the rest is one setting, up to a few.
#include <array>
#include <memory>

#include "fuzz/compile_text.h"
#include "fuzz/target.h"

namespace {

constexpr std::array<const char*, 7> kPrograms = {
    "fn scale(x: f32[M, N], s: f32) -> (y: f32[M, N]) { y[i, j] = s * x[i, j]; }",
    "fn product(A: f16[M, K], B: f16[K, N]) -> (C: f32[M, N]) { C[i, j] = sum[k](A[i, k] * B[k, j]); }",
    "fn softmax(x: f32[M, N]) -> (y: f32[M, N]) { top[i] = max[j](x[i, j]); den[i] = sum[j](exp(x[i, j] - top[i]));\n"
    "  y[i, j] = exp(x[i, j] - top[i]) / den[i]; }",
    "fn heat(inout u: f32[H, W], T: i64) { repeat t in 0..T { u[i in 1..H-1, j in 1..W-1] =\n"
    "  0.25 * (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1]); } }",
    "fn bins(x: i32[N]) -> (h: i32[256]) { scatter[i] h[x[i]] += 1; }",
    "fn running(x: f32[N]) -> (y: f32[N]) { y[i] = sum[j in 0..=i](x[j]); }",
    "struct P { x: f32; y: f32; } fn move(p: P[N] layout(auto)) -> (q: P[N] layout(auto)) {\n"
    "  tmp r: P[N] layout(auto); r[i] = P(x: p[i].y, y: p[i].x); q[i] = P(x: r[i].x + 1, y: r[i].y); }",
};
constexpr std::size_t kMostSettings = 8;

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace cdsl;
  if (size > fuzz::kMostBytes || size < 1) return -1;
  CompileOptions options = fuzz::options_of(0);
  const unsigned choice = (data[0] - '0') & 0xFFu;
  if (choice / kPrograms.size() % 2 == 1) options.architecture = "sm_80";
  std::string_view rest = fuzz::text_of(data + 1, size - 1);
  while (!rest.empty() && options.overrides.size() < kMostSettings) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos) options.overrides[std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  fuzz::compile_text("fuzz.cdsl", kPrograms[choice % kPrograms.size()], options);
  return 0;
}
