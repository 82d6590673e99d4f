// NVIDIA's own libraries behind plain C: CUB, cuBLAS and cuBLASLt, on the caller's memory and stream.
//
// CUB functions are called twice, as CUB's own: with null `scratch` they say how many bytes they need. All return 0, or a code
// of the library that failed, and launch without waiting, save lt_search.
#include <cub/cub.cuh>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include <cstdint>

constexpr int kAlgorithms = 64;
constexpr size_t kWorkspace = size_t(64) << 20;

// A product of row-major matrices with everything that a call needs.
struct Plan {
  cublasLtMatmulDesc_t what = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  void* workspace = nullptr;
  cublasLtMatmulHeuristicResult_t found[kAlgorithms];
  int count = 0, best = 0;
};

namespace {

cublasHandle_t blas = nullptr;
cublasLtHandle_t lt = nullptr;

int blas_on(cudaStream_t stream) {
  if (blas == nullptr)
    if (const cublasStatus_t status = cublasCreate(&blas); status != CUBLAS_STATUS_SUCCESS) return int(status);
  return int(cublasSetStream(blas, stream));
}

// Where the rows of a dense matrix begin.
struct Times {
  int64_t columns;
  __host__ __device__ int64_t operator()(int64_t row) const { return row * columns; }
};
auto starts(int64_t columns, int64_t first = 0) {
  return thrust::make_transform_iterator(thrust::make_counting_iterator<int64_t>(first), Times{columns});
}

int make_layout(cublasLtMatrixLayout_t* layout, cudaDataType_t type, int64_t rows, int64_t columns, int batch) {
  int failed = cublasLtMatrixLayoutCreate(layout, type, rows, columns, rows);
  const int64_t stride = rows * columns;
  failed |= cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
  failed |= cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
  return failed;
}

int find_algorithms(Plan& plan) {
  cublasLtMatmulPreference_t preference = nullptr;
  int failed = cublasLtMatmulPreferenceCreate(&preference);
  failed |= cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace, sizeof kWorkspace);
  if (!failed)
    failed = cublasLtMatmulAlgoGetHeuristic(lt, plan.what, plan.a, plan.b, plan.c, plan.c, preference, kAlgorithms, plan.found, &plan.count);
  if (preference != nullptr) cublasLtMatmulPreferenceDestroy(preference);
  return failed ? failed : plan.count == 0 ? int(CUBLAS_STATUS_NOT_SUPPORTED) : 0;
}

int run(Plan& plan, int which, const void* a, const void* b, void* c, cudaStream_t stream) {
  const float one = 1, zero = 0;
  // The row-major C = A B is the column-major C^T = B^T A^T.
  return cublasLtMatmul(lt, plan.what, &one, b, plan.a, a, plan.b, &zero, c, plan.c, c, plan.c, &plan.found[which].algo,
                        plan.workspace, kWorkspace, stream);
}

}  // namespace

extern "C" {

int cub_sum(cudaStream_t stream, const float* x, float* out, int64_t n, void* scratch, size_t* bytes) {
  return cub::DeviceReduce::Sum(scratch, *bytes, x, out, n, stream);
}

int cub_row_sum(cudaStream_t stream, const float* x, float* out, int64_t rows, int64_t columns, void* scratch, size_t* bytes) {
  return cub::DeviceSegmentedReduce::Sum(scratch, *bytes, x, out, rows, starts(columns), starts(columns, 1), stream);
}

// Pairs of the column and the value.
int cub_row_argmax(cudaStream_t stream, const float* x, void* out, int64_t rows, int64_t columns, void* scratch, size_t* bytes) {
  return cub::DeviceSegmentedReduce::ArgMax(scratch, *bytes, x, static_cast<cub::KeyValuePair<int, float>*>(out), rows, starts(columns),
                                            starts(columns, 1), stream);
}

int cub_running_total(cudaStream_t stream, const float* x, float* out, int64_t n, void* scratch, size_t* bytes) {
  return cub::DeviceScan::InclusiveSum(scratch, *bytes, x, out, n, stream);
}

int cub_histogram(cudaStream_t stream, const unsigned char* x, int* out, int64_t n, void* scratch, size_t* bytes) {
  return cub::DeviceHistogram::HistogramEven(scratch, *bytes, x, out, 257, 0, 256, n, stream);
}

// y[columns, rows] of x[rows, columns], both row-major.
int blas_transpose(cudaStream_t stream, const float* x, float* y, int rows, int columns) {
  if (const int failed = blas_on(stream)) return failed;
  const float one = 1, zero = 0;
  return cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, x, columns, &zero, y, rows, y, rows);
}

int blas_matrix_vector(cudaStream_t stream, const float* a, const float* x, float* y, int rows, int columns) {
  if (const int failed = blas_on(stream)) return failed;
  const float one = 1, zero = 0;
  return cublasSgemv(blas, CUBLAS_OP_T, columns, rows, &one, a, columns, x, 1, &zero, y, 1);
}

enum Type { kF32, kTf32, kF16, kBf16 };

void lt_destroy(Plan* plan) {
  if (plan->what != nullptr) cublasLtMatmulDescDestroy(plan->what);
  for (cublasLtMatrixLayout_t layout : {plan->a, plan->b, plan->c})
    if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
  cudaFree(plan->workspace);
  delete plan;
}

// C[m, n] = A[m, k] B[k, n] for each of `batch`; with `bias`, of n elements, GELU (tanh form) of it plus the bias.
int lt_create(Plan** out, int type, int batch, int64_t m, int64_t n, int64_t k, const void* bias) {
  if (lt == nullptr)
    if (const cublasStatus_t status = cublasLtCreate(&lt); status != CUBLAS_STATUS_SUCCESS) return int(status);
  Plan* plan = new Plan;
  const cudaDataType_t element = type == kF16 ? CUDA_R_16F : type == kBf16 ? CUDA_R_16BF : CUDA_R_32F;
  int failed = cublasLtMatmulDescCreate(&plan->what, type == kTf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F);
  if (bias != nullptr) {
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_GELU_BIAS;
    failed |= cublasLtMatmulDescSetAttribute(plan->what, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
    failed |= cublasLtMatmulDescSetAttribute(plan->what, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias);
  }
  failed |= make_layout(&plan->a, element, n, k, batch) | make_layout(&plan->b, element, k, m, batch) |
            make_layout(&plan->c, element, n, m, batch);
  if (!failed) failed = int(cudaMalloc(&plan->workspace, kWorkspace));
  if (!failed) failed = find_algorithms(*plan);
  if (failed)
    lt_destroy(plan);
  else
    *out = plan;
  return failed;
}

int lt_count(const Plan* plan) { return plan->count; }

// Times every algorithm that the heuristic offers and keeps the fastest. Waits.
int lt_search(Plan* plan, const void* a, const void* b, void* c, cudaStream_t stream) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float least = 1e30f;
  for (int i = 0; i < plan->count; ++i) {
    if (run(*plan, i, a, b, c, stream) != 0) continue;
    float best = 1e30f;
    for (int repeat = 0; repeat < 5; ++repeat) {
      float ms = 0;
      cudaEventRecord(start, stream);
      run(*plan, i, a, b, c, stream);
      cudaEventRecord(end, stream);
      if (cudaEventSynchronize(end) == cudaSuccess && cudaEventElapsedTime(&ms, start, end) == cudaSuccess && ms < best) best = ms;
    }
    if (best < least) least = best, plan->best = i;
  }
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  return least < 1e30f ? 0 : int(CUBLAS_STATUS_EXECUTION_FAILED);
}

int lt_run(Plan* plan, const void* a, const void* b, void* c, cudaStream_t stream) { return run(*plan, plan->best, a, b, c, stream); }

}  // extern "C"
