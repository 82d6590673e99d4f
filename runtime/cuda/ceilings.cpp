#include "runtime/cuda/ceilings.h"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/cuda/memory.h"

namespace cdsl::runtime {
namespace {

constexpr std::size_t kBytes = std::size_t{512} << 20;
constexpr unsigned kMoveThreads = 512, kWordsEach = 4;            // 16-byte words of a thread, a block's width apart
constexpr unsigned kMathThreads = 256, kMathBlocksEach = 8;       // of a multiprocessor
constexpr int kChains = 8, kUnrolled = 16, kIterations = 1024;    // independent multiply-adds, and how often
constexpr int kWarmUps = 2, kRuns = 5;

/// A copy of 16-byte words, or reads of them with a store that never happens (memory that is or-ed to this value).
std::string mover(std::string_view name, bool stores) {
  std::string loads, uses;
  for (unsigned k = 0; k < kWordsEach; ++k) {
    const unsigned at = 16 * kMoveThreads * k;
    loads += fmt::format("  ld.global.v4.u32 {{w{0}_0, w{0}_1, w{0}_2, w{0}_3}}, [from+{1}];\n", k, at);
    if (stores) {
      uses += fmt::format("  st.global.v4.u32 [to+{1}], {{w{0}_0, w{0}_1, w{0}_2, w{0}_3}};\n", k, at);
    } else {
      for (int part = 0; part < 4; ++part) uses += fmt::format("  or.b32 all, all, w{}_{};\n", k, part);
    }
  }
  if (!stores) uses += "  setp.eq.u32 p, all, 0x5a17c0de;\n  @p st.global.u32 [to], all;\n";
  return fmt::format(R"(
.visible .entry {}(.param .u64 target, .param .u64 source) {{
  .reg .pred p;
  .reg .b32 block, thread, all, w0_<4>, w1_<4>, w2_<4>, w3_<4>;
  .reg .b64 to, from, at, within;
  ld.param.u64 to, [target];
  ld.param.u64 from, [source];
  mov.u32 block, %ctaid.x;
  mov.u32 thread, %tid.x;
  mul.wide.u32 at, block, {};
  mul.wide.u32 within, thread, 16;
  add.u64 at, at, within;
  add.u64 to, to, at;
  add.u64 from, from, at;
  mov.u32 all, 0;
{}{}  ret;
}}
)",
                     name, 16 * kMoveThreads * kWordsEach, loads, uses);
}

/// Chains of multiply-adds. `type` is f32 or f64; the result is stored where it is the constant that it never is.
std::string math(std::string_view name, std::string_view type, std::string_view one, std::string_view half, std::string_view never) {
  std::string starts, body, sums;
  for (int k = 0; k < kChains; ++k) {
    starts += fmt::format("  add.{0} a{1}, start, {2};\n", type, k, k % 2 == 0 ? one : half);
    if (k > 0) sums += fmt::format("  add.{0} a0, a0, a{1};\n", type, k);
  }
  for (int k = 0; k < kChains * kUnrolled; ++k) body += fmt::format("  fma.rn.{0} a{1}, a{1}, factor, summand;\n", type, k % kChains);
  return fmt::format(R"(
.visible .entry {name}(.param .u64 target) {{
  .reg .pred p;
  .reg .b32 thread, count;
  .reg .{type} start, factor, summand, a<{chains}>;
  .reg .b64 to;
  ld.param.u64 to, [target];
  mov.u32 thread, %tid.x;
  cvt.rn.{type}.u32 start, thread;
  mov.{type} factor, {half};
  mov.{type} summand, {one};
{starts}  mov.u32 count, {iterations};
more:
{body}  sub.u32 count, count, 1;
  setp.ne.u32 p, count, 0;
  @p bra more;
{sums}  setp.eq.{type} p, a0, {never};
  @p st.global.{type} [to], a0;
  ret;
}}
)",
                     fmt::arg("name", name), fmt::arg("type", type), fmt::arg("chains", kChains), fmt::arg("half", half),
                     fmt::arg("one", one), fmt::arg("starts", starts), fmt::arg("iterations", kIterations), fmt::arg("body", body),
                     fmt::arg("sums", sums), fmt::arg("never", never));
}

std::string kernels() {
  return ".version 6.4\n.target sm_75\n.address_size 64\n" + mover("cdsl_copy", true) + mover("cdsl_scan", false) +
         math("cdsl_math32", "f32", "0f3F800000", "0f3F000000", "0fC7C35000") +
         math("cdsl_math64", "f64", "0d3FF0000000000000", "0d3FE0000000000000", "0dC0F86A0000000000");
}

class Meter {
 public:
  explicit Meter(const CudaContext& context)
      : context_(context), api_(context.api()), to_(context.shared_api(), kBytes, "what memory is measured with"),
        from_(context.shared_api(), kBytes, "what memory is measured with") {
    api_.check(api_.event_create(&start_, 0), "cuEventCreate");
    api_.check(api_.event_create(&stop_, 0), "cuEventCreate");
    api_.check(api_.module_load(&module_, kernels().c_str()), "cuModuleLoadData", "the kernels that measure the GPU cannot be loaded");
    api_.check(api_.set_bytes(from_.pointer(), 0, kBytes), "cuMemsetD8");
  }
  ~Meter() {
    if (module_ != nullptr) api_.module_unload(module_);
    for (CudaEvent* event : {start_, stop_}) {
      if (event != nullptr) api_.event_destroy(event);
    }
  }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  Ceilings measure() const {
    const double copied = 2.0 * kBytes / move("cdsl_copy"), read = 1.0 * kBytes / move("cdsl_scan");
    return {std::max(copied, read), flop() / calculate("cdsl_math32"), flop() / calculate("cdsl_math64")};
  }

 private:
  unsigned math_blocks() const { return static_cast<unsigned>(context_.multiprocessors()) * kMathBlocksEach; }
  double flop() const { return 2.0 * kChains * kUnrolled * kIterations * kMathThreads * math_blocks(); }

  double move(const char* name) const {
    CudaPointer to = to_.pointer(), from = from_.pointer();
    void* arguments[] = {&to, &from};
    return seconds(name, static_cast<unsigned>(kBytes / (16 * kMoveThreads * kWordsEach)), kMoveThreads, arguments);
  }
  double calculate(const char* name) const {
    CudaPointer to = to_.pointer();
    void* arguments[] = {&to};
    return seconds(name, math_blocks(), kMathThreads, arguments);
  }

  /// Of the fastest run.
  double seconds(const char* name, unsigned blocks, unsigned threads, void** arguments) const {
    CudaFunction* kernel = nullptr;
    api_.check(api_.module_function(&kernel, module_, name), "cuModuleGetFunction", name);
    float best = 0;
    for (int run = 0; run < kWarmUps + kRuns; ++run) {
      api_.check(api_.event_record(start_, nullptr), "cuEventRecord");
      api_.check(api_.launch(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel", name);
      api_.check(api_.event_record(stop_, nullptr), "cuEventRecord");
      api_.check(api_.event_synchronize(stop_), "cuEventSynchronize", name);
      float milliseconds = 0;
      api_.check(api_.event_elapsed(&milliseconds, start_, stop_), "cuEventElapsedTime");
      if (run >= kWarmUps && (best == 0 || milliseconds < best)) best = milliseconds;
    }
    return static_cast<double>(best) / 1e3;
  }

  const CudaContext& context_;
  const CudaApi& api_;
  CudaMemory to_, from_;
  CudaEvent *start_ = nullptr, *stop_ = nullptr;
  CudaModule* module_ = nullptr;
};

}  // namespace

Ceilings measure_ceilings(const CudaContext& context) { return Meter(context).measure(); }

}  // namespace cdsl::runtime
