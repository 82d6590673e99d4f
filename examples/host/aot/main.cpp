// Functions of .cdsl files as functions of C++, typed: KERN_HEADER is written by cuoptc library. The same program is built twice,
// over machine code (typed_aot) and over text that is compiled at run time (typed_jit, which takes "sim" too).
#include <algorithm>
#include <cdsl/cdsl.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifdef HAVE_CUDA
#include <cuda_runtime.h>
#endif

#include KERN_HEADER

namespace {

bool on_device = true;

void must(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

/// Memory for a kernel: of the GPU, or of the host for the simulator.
template <class T>
class Memory {
 public:
  explicit Memory(std::size_t count) : count_(count) {
#ifdef HAVE_CUDA
    if (on_device) {
      must(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)) == cudaSuccess, "cudaMalloc");
      return;
    }
#endif
    data_ = static_cast<T*>(std::aligned_alloc(256, (count * sizeof(T) + 255) / 256 * 256));
  }
  explicit Memory(const std::vector<T>& from) : Memory(from.size()) { copy(data_, from.data()); }
  ~Memory() {
#ifdef HAVE_CUDA
    if (on_device) {
      cudaFree(data_);
      return;
    }
#endif
    std::free(data_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  T* get() { return data_; }
  std::vector<T> host() const {
    std::vector<T> to(count_);
    copy(to.data(), data_);
    return to;
  }

 private:
  void copy(T* to, const T* from) const {
#ifdef HAVE_CUDA
    if (on_device) return must(cudaMemcpy(to, from, count_ * sizeof(T), cudaMemcpyDefault) == cudaSuccess, "cudaMemcpy");
#endif
    std::memcpy(static_cast<void*>(to), from, count_ * sizeof(T));
  }
  std::size_t count_;
  T* data_ = nullptr;
};

bool saxpy_is_right() {
  std::vector<float> x(1000), y(1000, 1.0f);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k);
  Memory<float> xs(x), ys(y), rs(1000);
  KERN::saxpy(xs.get(), ys.get(), 2.0f, rs.get(), 1000, nullptr);
  KERN::synchronize(nullptr);
  const auto r = rs.host();
  for (std::size_t k = 0; k < r.size(); ++k) {
    if (r[k] != 2.0f * static_cast<float>(k) + 1.0f) return false;
  }
  return true;
}

bool rows_are_right() {
  constexpr long long rows = 7, columns = 96;
  std::vector<float> x(rows * columns);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<float>(k % 13);
  Memory<float> xs(x);
  Memory<KERN::Summary> out(rows);
  // The same with its arguments by name, and with the workspace given.
  const KERN::summarize_args args{xs.get(), out.get(), rows, columns};
  Memory<char> workspace(static_cast<std::size_t>(KERN::summarize_workspace_bytes(args)) + 256);
  KERN::summarize(args, nullptr, workspace.get());
  KERN::synchronize(nullptr);
  const auto found = out.host();
  for (long long i = 0; i < rows; ++i) {
    const auto first = x.begin() + i * columns;
    double sum = 0;
    std::for_each(first, first + columns, [&](float v) { sum += v; });
    const auto& row = found[static_cast<std::size_t>(i)];
    if (row.top != *std::max_element(first, first + columns) || row.mean != static_cast<float>(sum / columns)) return false;
  }
  return true;
}

/// A value that lies outside is dropped, and the next synchronization says so.
bool outside_is_reported() {
  std::vector<int> x(500, 3);
  x[17] = 64;
  Memory<int> xs(x), hs(64);
  KERN::histogram(xs.get(), hs.get(), 500, nullptr);
  try {
    KERN::synchronize(nullptr);
    return false;
  } catch (const cdsl::Error& error) {
    std::printf("as it should be: %s\n", error.what());
    if (error.status() != CDSL_ERROR_CHECK) return false;
  }
  KERN::synchronize(nullptr);  // once
  return hs.host()[3] == 499;
}

/// Two calls recorded once and replayed: the second takes its workspace in the order of the stream, inside the graph.
bool graph_is_right() {
#ifdef HAVE_CUDA
  if (!on_device) return true;
  constexpr long long rows = 3, columns = 64;
  std::vector<float> x(rows * columns, 1.0f);
  Memory<float> xs(x), ys(x), sums(x);
  Memory<KERN::Summary> out(rows);
  const KERN::saxpy_args add{xs.get(), ys.get(), 2.0f, sums.get(), rows * columns};
  const KERN::summarize_args summarize{sums.get(), out.get(), rows, columns};
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "cudaStreamCreateWithFlags");
  KERN::prepare_saxpy(add, stream);
  KERN::prepare_summarize(summarize, stream);
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess, "cudaStreamBeginCapture");
  KERN::saxpy(add, stream);
  KERN::summarize(summarize, stream);
  must(cudaStreamEndCapture(stream, &graph) == cudaSuccess, "cudaStreamEndCapture");
  must(cudaGraphInstantiate(&ready, graph, 0) == cudaSuccess, "cudaGraphInstantiate");
  for (int replay = 0; replay < 3; ++replay) must(cudaGraphLaunch(ready, stream) == cudaSuccess, "cudaGraphLaunch");
  KERN::synchronize(stream);
  const auto found = out.host();
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return std::all_of(found.begin(), found.end(), [](const KERN::Summary& row) { return row.mean == 3.0f && row.top == 3.0f; });
#else
  return true;
#endif
}

bool mistakes_are_refused() {
  Memory<float> xs(100);
  try {
    KERN::saxpy(xs.get(), xs.get(), 2.0f, xs.get(), 100, nullptr);
    return false;
  } catch (const cdsl::Error& error) {
    std::printf("as it should be: %s\n", error.what());
    return error.status() == CDSL_ERROR_ARGUMENT;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string device = argc > 1 ? argv[1] : "cuda";
  on_device = device == "cuda";
#ifndef HAVE_CUDA
  if (on_device) return std::puts("built without the CUDA toolkit, so that there is no memory of a device"), 77;
#endif
  KERN::open(device.c_str());
  bool fine = true;
  const auto expect = [&](bool right, const char* what) {
    if (!right) std::printf("wrong: %s\n", what);
    fine &= right;
  };
  expect(saxpy_is_right(), "saxpy");
  expect(rows_are_right(), "rows");
  expect(outside_is_reported(), "reports");
  expect(graph_is_right(), "graph");
  expect(mistakes_are_refused(), "mistakes");
  if (fine) std::puts("all right");
  return fine ? 0 : 1;
} catch (const cdsl::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status() >= CDSL_ERROR_NO_DRIVER && error.status() <= CDSL_ERROR_NO_NVRTC ? 77 : 1;
}
