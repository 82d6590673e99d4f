// A product by cuBLAS between two kernels of ours, all on one stream: nothing waits in between.
//
//   A' = relu(A - 1/2),  C = A' B  (cuBLAS, which is column-major: C^T = B^T A'^T),  s[m] = sum_n C[m, n]
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cdsl/cdsl.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr const char* kProgram = R"(
fn activate(A: f32[M, K]) -> (R: f32[M, K]) { R[m, k] = max(A[m, k] - 0.5, 0.0); }
fn row_sums(C: f32[M, N]) -> (s: f32[M]) { s[m] = sum[n](C[m, n]); }
)";

void check(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}
#define CUDA(call) check((call) == cudaSuccess, #call)
#define CUBLAS(call) check((call) == CUBLAS_STATUS_SUCCESS, #call)

float* on_device(const std::vector<float>& from) {
  void* memory;
  CUDA(cudaMalloc(&memory, from.size() * sizeof(float)));
  CUDA(cudaMemcpy(memory, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice));
  return static_cast<float*>(memory);
}

}  // namespace

int main() try {
  constexpr int m = 129, k = 70, n = 200;
  cdsl::Runtime runtime;
  cdsl::Module module = runtime.parse(kProgram, "chain.cdsl");
  cdsl::Kernel activate = module.kernel("activate"), row_sums = module.kernel("row_sums");

  std::vector<float> a(m * k), b(k * n), s(m);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 37 % 101) / 100;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 53 % 89) / 89;
  float *A = on_device(a), *B = on_device(b), *R = on_device(a), *C = on_device(std::vector<float>(m * n)), *S = on_device(s);

  cudaStream_t stream;
  cublasHandle_t blas;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUBLAS(cublasCreate(&blas));
  CUBLAS(cublasSetStream(blas, stream));
  const float one = 1, zero = 0;
  activate.launch(stream, cdsl::tensor(A, {m, k}), cdsl::tensor(R, {m, k}));
  CUBLAS(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, B, n, R, k, &zero, C, n));
  row_sums.launch(stream, cdsl::tensor(C, {m, n}), cdsl::tensor(S, {m}));
  runtime.synchronize(stream);
  CUDA(cudaMemcpy(s.data(), S, s.size() * sizeof(float), cudaMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    double expected = 0;
    for (int l = 0; l < k; ++l) {
      double row = 0;
      for (int j = 0; j < n; ++j) row += b[static_cast<std::size_t>(l * n + j)];
      expected += std::fmax(a[static_cast<std::size_t>(i * k + l)] - 0.5, 0.0) * row;
    }
    wrong += std::fabs(s[static_cast<std::size_t>(i)] - expected) > 1e-4 * expected;
  }
  std::printf("chain with cuBLAS: %d of %d rows wrong\n", wrong, m);
  CUBLAS(cublasDestroy(blas));
  CUDA(cudaStreamDestroy(stream));
  for (float* memory : {A, B, R, C, S}) CUDA(cudaFree(memory));
  return wrong == 0 ? 0 : 1;
} catch (const cdsl::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status() >= CDSL_ERROR_NO_DRIVER && error.status() <= CDSL_ERROR_NO_NVRTC ? 77 : 1;
}
