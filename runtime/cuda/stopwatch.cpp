#include "runtime/cuda/stopwatch.h"

#include <algorithm>

#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

// CUdevice_attribute of cuda.h.
constexpr int kMultiprocessorCount = 16, kL2Bytes = 38;

constexpr std::size_t kLeastBytes = std::size_t{256} << 20;
constexpr unsigned kReadThreads = 512, kReadBlocksEach = 8;   // of a multiprocessor

// cdsl_read reads all 16-byte words of zeros; a store that never happens keeps the reads. cdsl_hold looks at the clock until the
// time has come; cdsl_clock does, and tells how many cycles and nanoseconds went by.
constexpr const char* kKernels = R"(
.version 6.4
.target sm_75
.address_size 64

.visible .entry cdsl_read(.param .u64 from, .param .u64 count) {
  .reg .pred p;
  .reg .b32 block, size, thread, part<4>, all;
  .reg .b64 start, at, index, step, last;
  ld.param.u64 start, [from];
  ld.param.u64 last, [count];
  mov.u32 block, %ctaid.x;
  mov.u32 size, %ntid.x;
  mov.u32 thread, %tid.x;
  mul.wide.u32 index, block, size;
  cvt.u64.u32 step, thread;
  add.u64 index, index, step;
  mov.u32 block, %nctaid.x;
  mul.wide.u32 step, block, size;
  mov.u32 all, 0;
more:
  setp.ge.u64 p, index, last;
  @p bra done;
  shl.b64 at, index, 4;
  add.u64 at, start, at;
  ld.global.v4.u32 {part0, part1, part2, part3}, [at];
  or.b32 part0, part0, part1;
  or.b32 part2, part2, part3;
  or.b32 part0, part0, part2;
  or.b32 all, all, part0;
  add.u64 index, index, step;
  bra more;
done:
  setp.ne.u32 p, all, 0;
  @p st.global.u32 [start], all;
  ret;
}

.visible .entry cdsl_hold(.param .u64 nanoseconds) {
  .reg .pred p;
  .reg .b64 now, last;
  ld.param.u64 last, [nanoseconds];
  mov.u64 now, %globaltimer;
  add.u64 last, now, last;
again:
  mov.u64 now, %globaltimer;
  setp.lt.u64 p, now, last;
  @p bra again;
  ret;
}

.visible .entry cdsl_clock(.param .u64 to, .param .u64 nanoseconds) {
  .reg .pred p;
  .reg .b64 at, first, now, last, cycles, end;
  ld.param.u64 at, [to];
  ld.param.u64 last, [nanoseconds];
  mov.u64 first, %globaltimer;
  mov.u64 cycles, %clock64;
  add.u64 last, first, last;
again:
  mov.u64 now, %globaltimer;
  setp.lt.u64 p, now, last;
  @p bra again;
  mov.u64 end, %clock64;
  sub.u64 cycles, end, cycles;
  sub.u64 now, now, first;
  st.global.u64 [at], cycles;
  st.global.u64 [at+8], now;
  ret;
}
)";

}  // namespace

std::unique_ptr<Stopwatch> CudaStopwatch::make(std::shared_ptr<const CudaApi> api, int device) {
  std::unique_ptr<CudaStopwatch> made(new CudaStopwatch(std::move(api)));
  made->prepare(device);
  return made;
}

void CudaStopwatch::prepare(int device) {
  int multiprocessors = 0, l2_bytes = 0;
  api_->check(api_->device_attribute(&multiprocessors, kMultiprocessorCount, device), "cuDeviceGetAttribute");
  api_->check(api_->device_attribute(&l2_bytes, kL2Bytes, device), "cuDeviceGetAttribute");
  blocks_ = static_cast<unsigned>(multiprocessors) * kReadBlocksEach;
  bytes_ = std::max(kLeastBytes, 2 * static_cast<std::size_t>(l2_bytes));
  api_->check(api_->event_create(&start_, 0), "cuEventCreate");
  api_->check(api_->event_create(&stop_, 0), "cuEventCreate");
  api_->check(api_->module_load(&module_, kKernels), "cuModuleLoadData", "the kernels that time others cannot be loaded");
  api_->check(api_->module_function(&read_, module_, "cdsl_read"), "cuModuleGetFunction");
  api_->check(api_->module_function(&hold_, module_, "cdsl_hold"), "cuModuleGetFunction");
  api_->check(api_->module_function(&clock_, module_, "cdsl_clock"), "cuModuleGetFunction");
  for (CudaPointer* memory : {&written_, &clean_}) {
    api_->check(api_->allocate(memory, bytes_), "cuMemAlloc", "cannot allocate memory to clear the L2 cache with");
    api_->check(api_->set_bytes(*memory, 0, bytes_), "cuMemsetD8");
  }
}

CudaStopwatch::~CudaStopwatch() {
  for (const CudaPointer memory : {written_, clean_}) {
    if (memory != 0) api_->free(memory);
  }
  if (module_ != nullptr) api_->module_unload(module_);
  for (CudaEvent* event : {start_, stop_}) {
    if (event != nullptr) api_->event_destroy(event);
  }
}

void CudaStopwatch::launch(CudaFunction* kernel, const char* name, unsigned blocks, unsigned threads, void** arguments) const {
  api_->check(api_->launch(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr), "cuLaunchKernel", name);
}

// The writes drive out what was used; the reads of other memory drive out the written lines, which would else be written back
// within the time that is taken.
void CudaStopwatch::evict() {
  api_->check(api_->set_bytes(written_, 0, bytes_), "cuMemsetD8");
  unsigned long long count = bytes_ / 16;
  void* arguments[] = {&clean_, &count};
  launch(read_, "cdsl_read", blocks_, kReadThreads, arguments);
}

void CudaStopwatch::hold(double microseconds) {
  auto nanoseconds = static_cast<unsigned long long>(1000 * std::max(microseconds, 0.0));
  void* arguments[] = {&nanoseconds};
  launch(hold_, "cdsl_hold", 1, 1, arguments);
}

void CudaStopwatch::start() { api_->check(api_->event_record(start_, nullptr), "cuEventRecord"); }

void CudaStopwatch::stop() { api_->check(api_->event_record(stop_, nullptr), "cuEventRecord"); }

double CudaStopwatch::microseconds() {
  api_->check(api_->event_synchronize(stop_), "cuEventSynchronize", "a kernel that was timed faulted");
  float milliseconds = 0;
  api_->check(api_->event_elapsed(&milliseconds, start_, stop_), "cuEventElapsedTime");
  return 1000.0 * static_cast<double>(milliseconds);
}

// What is cleared with holds nothing that is needed.
double CudaStopwatch::clock_mhz() {
  unsigned long long counts[2] = {0, 0}, nanoseconds = 300'000;
  void* arguments[] = {&written_, &nanoseconds};
  launch(clock_, "cdsl_clock", 1, 1, arguments);
  api_->check(api_->to_host(counts, written_, sizeof counts), "cuMemcpyDtoH");
  return counts[1] > 0 ? 1e3 * static_cast<double>(counts[0]) / static_cast<double>(counts[1]) : 0;
}

}  // namespace cdsl::runtime
