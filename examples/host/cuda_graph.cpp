// Launches captured in a CUDA graph: after `prepare`, a launch neither compiles nor allocates, so that it can be recorded once and
// replayed at the price of one call.
#include <cuda_runtime.h>

#include <cdsl/cdsl.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr const char* kProgram = R"(
fn step(u: f32[N], c: f32) -> (v: f32[N]) {
  v[i] = u[i] + c * (u.clamp[i - 1] + u.clamp[i + 1] - 2 * u[i]);
}
fn energy(u: f32[N]) -> (e: f32) { e = sum[i](u[i] * u[i]); }
)";

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

}  // namespace

int main() try {
  constexpr int n = 1 << 16, pairs = 10, replays = 5;
  cdsl::Runtime runtime;
  cdsl::Module module = runtime.parse(kProgram, "heat.cdsl");
  cdsl::Kernel step = module.kernel("step"), energy = module.kernel("energy");

  float *u, *v, *e;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&u), n * sizeof(float)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&v), n * sizeof(float)));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&e), sizeof(float)));
  std::vector<float> start(n, 0.0f);
  start[n / 2] = 1024.0f;
  CHECK(cudaMemcpy(u, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const auto us = cdsl::tensor(u, {n}), vs = cdsl::tensor(v, {n}), es = cdsl::tensor(e, {});

  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  step.prepare_for(stream, us, 0.25f, vs);
  step.prepare_for(stream, vs, 0.25f, us);
  energy.prepare_for(stream, us, es);

  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int k = 0; k < pairs; ++k) {
    step.launch(stream, us, 0.25f, vs);
    step.launch(stream, vs, 0.25f, us);
  }
  energy.launch(stream, us, es);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int k = 0; k < replays; ++k) CHECK(cudaGraphLaunch(ready, stream));
  runtime.synchronize(stream);

  std::vector<float> host = start, next(n);
  for (int k = 0; k < 2 * pairs * replays; ++k) {
    for (int i = 0; i < n; ++i) {
      const float left = host[static_cast<std::size_t>(i > 0 ? i - 1 : 0)], right = host[static_cast<std::size_t>(i + 1 < n ? i + 1 : n - 1)];
      const float here = host[static_cast<std::size_t>(i)];
      next[static_cast<std::size_t>(i)] = here + 0.25f * (left + right - 2 * here);
    }
    host.swap(next);
  }
  double expected = 0;
  for (const float value : host) expected += static_cast<double>(value) * value;
  float found = 0;
  CHECK(cudaMemcpy(&found, e, sizeof found, cudaMemcpyDeviceToHost));
  std::printf("energy after %d steps in %d replays: %g, the host has %g\n", 2 * pairs * replays, replays, found, expected);
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  for (float* memory : {u, v, e}) CHECK(cudaFree(memory));
  return found > expected * (1 - 1e-5) && found < expected * (1 + 1e-5) ? 0 : 1;
} catch (const cdsl::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status() >= CDSL_ERROR_NO_DRIVER && error.status() <= CDSL_ERROR_NO_NVRTC ? 77 : 1;
}
