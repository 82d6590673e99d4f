// Two threads share a runtime and a kernel; each launches on a stream of its own, with sizes of its own. No locks are needed.
// `streams_and_threads sim` runs on memory of the host, where there are no streams.
#include <atomic>
#include <cdsl/cdsl.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#ifdef HAVE_CUDA
#include <cuda_runtime.h>
#endif

namespace {

/// A stream of the thread that makes it; the default stream in the simulator.
class OwnStream {
 public:
  explicit OwnStream(bool simulated) {
#ifdef HAVE_CUDA
    if (!simulated && cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess) throw std::runtime_error("no stream");
#else
    static_cast<void>(simulated);
#endif
  }
  ~OwnStream() {
#ifdef HAVE_CUDA
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
#endif
  }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cdsl::Stream get() const { return stream_; }

 private:
#ifdef HAVE_CUDA
  cudaStream_t stream_ = nullptr;
#else
  cdsl::Stream stream_ = nullptr;
#endif
};

/// The sum of k*k below n, `rounds` times.
bool sums_are_right(cdsl::Runtime& runtime, cdsl::Kernel& dot, std::int64_t n, int rounds, bool simulated) {
  const OwnStream stream(simulated);
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k);
  cdsl::Buffer xs = dot.buffer("x", {n}), ys = dot.buffer("y", {n}), out = dot.buffer("s", {});
  xs.upload(x);
  ys.upload(x);
  dot.prepare_for(stream.get(), xs, ys, out);
  const double m = static_cast<double>(n - 1), expected = m * (m + 1) * (2 * m + 1) / 6;
  for (int round = 0; round < rounds; ++round) {
    out.upload(std::vector<double>{-1});
    dot.launch(stream.get(), xs, ys, out);
    runtime.synchronize(stream.get());
    std::vector<double> found(1);
    out.download(found);
    if (std::fabs(found[0] - expected) > 1e-9 * expected) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string device = argc > 1 ? argv[1] : "cuda";
  const bool simulated = device == "sim";
  cdsl::Runtime runtime({device, nullptr});
  cdsl::Kernel dot = runtime.parse("fn dot(x: f64[N], y: f64[N]) -> (s: f64) { s = sum[i](x[i] * y[i]); }").kernel();

  std::atomic<int> wrong{0};
  const auto work = [&](std::int64_t n) {
    try {
      if (!sums_are_right(runtime, dot, n, simulated ? 2 : 200, simulated)) ++wrong;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ++wrong;
    }
  };
  std::thread one(work, simulated ? 300 : 100000), two(work, simulated ? 77 : 54321);
  one.join();
  two.join();
  std::printf("two threads, two streams: %d wrong\n", wrong.load());
  return wrong.load();
} catch (const cdsl::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status() >= CDSL_ERROR_NO_DRIVER && error.status() <= CDSL_ERROR_NO_NVRTC ? 77 : 1;
}
