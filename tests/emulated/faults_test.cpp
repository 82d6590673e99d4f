// That the machine finds what it is there to find: kernels in a right and in a wrong form, of which only the wrong one faults.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "batch.h"
#include "dsl/loop/program.h"

namespace cdsl::emulation {
namespace {

/// The body of `k(float* x, float* y, int n)`; x and y have 64 elements, n is 64, y starts unwritten.
struct Kernel {
  std::string body;
  int block[3] = {64, 1, 1};
  int64_t blocks = 1;
};

/// `wrong` faults under every seed, `right` under none.
struct Pair {
  std::string name, kind, words;
  Kernel right, wrong;
};

// What the barriers of a block are for.
const std::string kSum = R"(
  __shared__ float sums[2];
  float sum = x[threadIdx.x];
  for (int k = 0; k < 5; ++k) sum += __shfl_xor_sync(0xffffffffu, sum, 1 << k);
  if ((threadIdx.x & 31) == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  const float total = sums[0] + sums[1];
)";

std::string without(std::string text, const std::string& what) {
  for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
  return text;
}

const std::string kLeave = "  __shared__ int last[1];\n  y[blockIdx.x * 16 + threadIdx.x] = x[threadIdx.x];\n";
const std::string kAddUp = R"(
  if (threadIdx.x == 0) {
    __threadfence();
    const int ended = atomicAdd((int*)&x[60], 1);
    __threadfence();
    last[0] = ended % 2;
  }
  __syncthreads();
  if (last[0] != 0) {
    y[32 + threadIdx.x] = y[threadIdx.x] + y[16 + threadIdx.x];
  }
)";

const Pair kPairs[] = {
    {"write_after_read_in_a_loop", "race", "no barrier",
     {"  __shared__ float tile[64];\n  float sum = 0.0f;\n  for (int k = 0; k < 4; ++k) {\n    tile[threadIdx.x] = x[(threadIdx.x + k) % n];\n"
      "    __syncthreads();\n    sum += tile[63 - threadIdx.x];\n    __syncthreads();\n  }\n  y[threadIdx.x] = sum;\n"},
     {"  __shared__ float tile[64];\n  float sum = 0.0f;\n  for (int k = 0; k < 4; ++k) {\n    tile[threadIdx.x] = x[(threadIdx.x + k) % n];\n"
      "    __syncthreads();\n    sum += tile[63 - threadIdx.x];\n  }\n  y[threadIdx.x] = sum;\n"}},
    {"read_after_write", "race", "no barrier",
     {"  __shared__ float tile[64];\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  y[threadIdx.x] = tile[63 - threadIdx.x];\n"},
     {"  __shared__ float tile[64];\n  tile[threadIdx.x] = 0.0f;\n  __syncthreads();\n  tile[threadIdx.x] = x[threadIdx.x];\n"
      "  y[threadIdx.x] = tile[63 - threadIdx.x];\n"}},
    {"barrier_under_divergent_control", "divergent barrier", "has returned",
     {"  __shared__ float tile[64];\n  if (threadIdx.x < 16) {\n    tile[threadIdx.x] = x[threadIdx.x];\n  }\n  __syncthreads();\n"
      "  y[threadIdx.x] = tile[threadIdx.x & 15];\n"},
     {"  __shared__ float tile[64];\n  if (threadIdx.x < 16) {\n    tile[threadIdx.x] = x[threadIdx.x];\n    __syncthreads();\n"
      "    y[threadIdx.x] = tile[threadIdx.x & 15];\n  }\n"}},
    {"two_barriers_of_a_branch", "divergent barrier", "another barrier",
     {"  if (threadIdx.x < 16) {\n    y[threadIdx.x] = 1.0f;\n  } else {\n    y[threadIdx.x] = 2.0f;\n  }\n  __syncthreads();\n"},
     {"  if (threadIdx.x < 16) {\n    y[threadIdx.x] = 1.0f;\n    __syncthreads();\n  } else {\n    y[threadIdx.x] = 2.0f;\n    __syncthreads();\n  }\n"}},
    {"early_return", "divergent barrier", "has returned",
     {"  __shared__ float tile[64];\n  if (threadIdx.x < 50) {\n    tile[threadIdx.x] = x[threadIdx.x];\n  }\n  __syncthreads();\n"
      "  if (threadIdx.x < 50) {\n    y[threadIdx.x] = tile[49 - threadIdx.x];\n  }\n"},
     {"  __shared__ float tile[64];\n  if (threadIdx.x >= 50) return;\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n"
      "  y[threadIdx.x] = tile[49 - threadIdx.x];\n"}},
    {"active_threads_not_a_multiple_of_32", "bad shuffle", "does not take part",
     {"  float sum = threadIdx.x < 48 ? x[threadIdx.x] : 0.0f;\n  for (int k = 0; k < 5; ++k) sum += __shfl_xor_sync(0xffffffffu, sum, 1 << k);\n"
      "  y[threadIdx.x] = sum;\n"},
     {"  float sum = x[threadIdx.x];\n  for (int k = 0; k < 5; ++k) sum += __shfl_xor_sync(0xffffffffu, sum, 1 << k);\n  y[threadIdx.x] = sum;\n",
      {48, 1, 1}}},
    {"a_lane_that_does_not_come", "bad shuffle", "waits for lanes of its warp",
     {"  const float sum = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);\n  if (threadIdx.x < 48) {\n    y[threadIdx.x] = sum;\n  }\n"},
     {"  if (threadIdx.x < 48) {\n    y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);\n  }\n"}},
    {"a_mask_without_this_lane", "bad shuffle", "not named by the mask",
     {"  y[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 1);\n"}, {"  y[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, x[threadIdx.x], 1);\n"}},
    {"second_thread_axis", "race", "no barrier",
     {"  __shared__ float tile[64];\n  tile[threadIdx.y * 8 + threadIdx.x] = x[threadIdx.y * 8 + threadIdx.x];\n  __syncthreads();\n"
      "  y[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x * 8 + threadIdx.y];\n",
      {8, 8, 1}},
     {"  __shared__ float tile[64];\n  tile[threadIdx.x] = x[threadIdx.y * 8 + threadIdx.x];\n  __syncthreads();\n"
      "  y[threadIdx.y * 8 + threadIdx.x] = tile[threadIdx.x];\n",
      {8, 8, 1}}},
    {"two_reductions_in_one_kernel", "race", "no barrier",
     {kSum + "  float square = x[threadIdx.x] * total;\n  __syncthreads();\n  for (int k = 0; k < 5; ++k) square += __shfl_xor_sync(0xffffffffu, square, 1 << k);\n"
             "  if ((threadIdx.x & 31) == 0) sums[threadIdx.x / 32] = square;\n  __syncthreads();\n  y[threadIdx.x] = sums[0] + sums[1];\n"},
     {kSum + "  float square = x[threadIdx.x] * total;\n  for (int k = 0; k < 5; ++k) square += __shfl_xor_sync(0xffffffffu, square, 1 << k);\n"
             "  if ((threadIdx.x & 31) == 0) sums[threadIdx.x / 32] = square;\n  __syncthreads();\n  y[threadIdx.x] = sums[0] + sums[1];\n"}},
    {"lock_step_of_a_warp", "race", "no barrier",
     {"  __shared__ float tile[32];\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncwarp();\n  y[threadIdx.x] = tile[31 - threadIdx.x];\n", {32, 1, 1}},
     {"  __shared__ float tile[32];\n  tile[threadIdx.x] = 0.0f;\n  __syncwarp();\n  tile[threadIdx.x] = x[threadIdx.x];\n  y[threadIdx.x] = tile[31 - threadIdx.x];\n",
      {32, 1, 1}}},
    {"a_warp_barrier_between_two_warps", "race", "no barrier",
     {"  __shared__ float tile[64];\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  y[threadIdx.x] = tile[63 - threadIdx.x];\n"},
     {"  __shared__ float tile[64];\n  tile[threadIdx.x] = 0.0f;\n  __syncthreads();\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncwarp();\n"
      "  y[threadIdx.x] = tile[63 - threadIdx.x];\n"}},

    {"global_race_between_blocks", "race", "no barrier", {"  y[blockIdx.x * 32 + threadIdx.x] = 1.0f;\n", {32, 1, 1}, 2}, {"  y[threadIdx.x] = 1.0f;\n", {32, 1, 1}, 2}},
    {"sum_without_an_atomic", "race", "no barrier",
     {"  if (threadIdx.x == 0) y[0] = 0.0f;\n  __syncthreads();\n  atomicAdd(&y[0], x[threadIdx.x]);\n"},
     {"  if (threadIdx.x == 0) y[0] = 0.0f;\n  __syncthreads();\n  y[0] += x[threadIdx.x];\n"}},

    // Each block leaves a value; the one that ends last adds up all. x[60] counts the blocks.
    {"a_count_before_all_have_written", "race", "no barrier",
     {kLeave + "  __syncthreads();\n" + kAddUp, {16, 1, 1}, 2}, {kLeave + kAddUp, {16, 1, 1}, 2}},
    {"a_count_without_a_fence", "race", "no barrier", {kLeave + "  __threadfence();\n  __syncthreads();\n" + kAddUp, {16, 1, 1}, 2},
     {kLeave + "  __syncthreads();\n" + without(kAddUp, "__threadfence();"), {16, 1, 1}, 2}},

    {"read_beyond_the_end", "out of bounds", "byte 256 of 'x'", {"  y[threadIdx.x] = x[threadIdx.x];\n"}, {"  y[threadIdx.x] = x[threadIdx.x + 1];\n"}},
    {"read_before_the_start", "out of bounds", "byte -4 of 'x'", {"  y[threadIdx.x] = x[threadIdx.x];\n"}, {"  y[threadIdx.x] = x[(int)threadIdx.x - 1];\n"}},
    {"write_beyond_the_end", "out of bounds", "of 'y'", {"  y[threadIdx.x] = 1.0f;\n"}, {"  y[threadIdx.x + 1] = 1.0f;\n"}},
    {"far_away", "out of bounds", "belongs to nothing", {"  y[threadIdx.x] = x[threadIdx.x];\n"}, {"  y[threadIdx.x] = x[threadIdx.x + (1ll << 42)];\n"}},
    {"null", "out of bounds", "belongs to nothing", {"  y[threadIdx.x] = 1.0f;\n"}, {"  ((float*)0)[threadIdx.x] = 1.0f;\n"}},
    {"beyond_shared_memory", "out of bounds", "array of 64",
     {"  __shared__ float tile[64];\n  tile[threadIdx.x] = x[threadIdx.x];\n  y[threadIdx.x] = tile[threadIdx.x];\n"},
     {"  __shared__ float tile[64];\n  tile[threadIdx.x + 1] = x[threadIdx.x];\n  y[threadIdx.x] = tile[threadIdx.x + 1];\n"}},
    {"beyond_an_array_of_registers", "out of bounds", "array of 4",
     {"  float r[4];\n  for (int k = 0; k < 4; ++k) r[k] = x[(k + threadIdx.x) % n];\n  y[threadIdx.x] = r[threadIdx.x & 3];\n"},
     {"  float r[4];\n  for (int k = 0; k < 4; ++k) r[k] = x[(k + threadIdx.x) % n];\n  y[threadIdx.x] = r[(threadIdx.x & 3) + 1];\n"}},

    {"vector_of_which_the_end_is_not_used", "out of bounds", "16 bytes",
     {"  struct alignas(16) four { float at[4]; };\n  const four v = *(const four*)&x[60];\n  y[threadIdx.x] = v.at[0];\n"},
     {"  struct __attribute__((packed)) four { float at[4]; };\n  const four v = *(const four*)&x[62];\n  y[threadIdx.x] = v.at[0];\n"}},
    {"vector_of_a_wrong_address", "misaligned", "multiple of 16",
     {"  struct alignas(16) four { float at[4]; };\n  const four v = *(const four*)&x[4 * (threadIdx.x & 7)];\n  y[threadIdx.x] = v.at[3];\n"},
     {"  struct alignas(16) four { float at[4]; };\n  const four v = *(const four*)&x[4 * (threadIdx.x & 7) + 1];\n  y[threadIdx.x] = v.at[3];\n"}},
    {"vector_of_a_wrong_shared_address", "misaligned", "multiple of 8",
     {"  __shared__ alignas(16) float tile[64];\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  struct alignas(8) two { float at[2]; };\n"
      "  const two v = *(const two*)&tile[2 * (threadIdx.x & 15)];\n  y[threadIdx.x] = v.at[1];\n"},
     {"  __shared__ alignas(16) float tile[64];\n  tile[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  struct alignas(8) two { float at[2]; };\n"
      "  const two v = *(const two*)&tile[2 * (threadIdx.x & 15) + 1];\n  y[threadIdx.x] = v.at[1];\n"}},
    {"atomic_of_a_wrong_address", "misaligned", "not a multiple",
     {"  y[threadIdx.x] = 0.0f;\n  atomicAdd(&y[threadIdx.x], 1.0f);\n"},
     {"  y[threadIdx.x] = 0.0f;\n  atomicAdd((float*)((char*)&y[threadIdx.x & 31] + 2), 1.0f);\n"}},

    {"read_of_unwritten_output", "unwritten read", "of 'y'", {"  y[threadIdx.x] = 0.0f;\n  y[threadIdx.x] += 1.0f;\n"}, {"  y[threadIdx.x] += 1.0f;\n"}},
    {"read_of_unwritten_shared_memory", "unwritten read", "nothing of the block wrote",
     {"  __shared__ float tile[64];\n  tile[threadIdx.x] = 1.0f;\n  __syncthreads();\n  y[threadIdx.x] = tile[63 - threadIdx.x];\n"},
     {"  __shared__ float tile[64];\n  if (threadIdx.x < 63) {\n    tile[threadIdx.x] = 1.0f;\n  }\n  __syncthreads();\n  y[threadIdx.x] = tile[63 - threadIdx.x];\n"}},
    {"shared_memory_of_the_block_before", "unwritten read", "nothing of the block wrote",
     {"  __shared__ float tile[32];\n  tile[threadIdx.x] = 1.0f;\n  y[blockIdx.x] = tile[threadIdx.x];\n", {1, 1, 1}, 40},
     {"  __shared__ float tile[32];\n  if (blockIdx.x < 20) {\n    tile[threadIdx.x] = 1.0f;\n  }\n  y[blockIdx.x] = tile[threadIdx.x];\n", {1, 1, 1}, 40}},

    {"a_flag_that_nobody_sets", "step limit", "does not end",
     {"  __shared__ int flag[1];\n  if (threadIdx.x == 0) flag[0] = 0;\n  __syncthreads();\n  if (threadIdx.x == 0) atomicExch(&flag[0], 1);\n"
      "  while (atomicAdd(&flag[0], 0) == 0) {\n  }\n  y[threadIdx.x] = 1.0f;\n"},
     {"  __shared__ int flag[1];\n  if (threadIdx.x == 0) flag[0] = 0;\n  __syncthreads();\n  while (atomicAdd(&flag[0], 0) == 0) {\n  }\n  y[threadIdx.x] = 1.0f;\n"}},
    {"a_loop_that_touches_nothing", "step limit", "does not end",
     {"  for (int k = 0; k < n; ++k) {\n  }\n  y[threadIdx.x] = 1.0f;\n"}, {"  for (int k = 0; n > 0; k += 2) {\n  }\n  y[threadIdx.x] = 1.0f;\n"}},
    {"too_many_threads", "launch limit", "of at most 1024", {"  y[threadIdx.x & 63 ? 0 : threadIdx.x / 64] = 0.0f;\n", {1, 1, 1}}, {"", {32, 33, 1}}},
};

/// All kernels in one build: unit 2k is the right form of pair k, unit 2k + 1 the wrong one.
class Faults : public ::testing::TestWithParam<std::size_t> {
 protected:
  static void SetUpTestSuite() {
    batch_ = std::make_unique<Batch>(BatchOptions{.step_limit = 10'000'000});
    for (const Pair& pair : kPairs) {
      for (const Kernel* kernel : {&pair.right, &pair.wrong}) {
        programs_.push_back(std::make_unique<loop::Program>(loop::Program::over({}, "k")));
        loop::Kernel& made = programs_.back()->kernels.emplace_back();
        made.name = "k";
        std::copy(std::begin(kernel->block), std::end(kernel->block), std::begin(made.block));
        batch_->add_text(*programs_.back(), "extern \"C\" __global__ void __launch_bounds__(64)\nk(float* x, float* y, int n) {\n" + kernel->body + "}\n", "sm_90a");
      }
    }
    batch_->build();
  }
  static void TearDownTestSuite() {
    batch_.reset();
    programs_.clear();
  }

  static std::vector<runtime::Fault> run(std::size_t unit, const Kernel& kernel, uint64_t seed) {
    EXPECT_EQ(batch_->problem(unit), "");
    const auto device = batch_->device(unit, false, seed);
    const auto x = device->allocate("x", 256), y = device->allocate("y", 256);
    std::vector<float> values(64, 1.0f);
    values[60] = 0.0f;
    device->upload(x, std::as_bytes(std::span(values)));
    device->poison(y, std::byte{0xFF});
    const runtime::KernelArgument arguments[] = {runtime::KernelArgument::of(x), runtime::KernelArgument::of(y),
                                                 runtime::KernelArgument::of(Value::of_int(64), ScalarType::I32)};
    device->launch(0, kernel.blocks, arguments);
    return device->take_faults();
  }

  static std::unique_ptr<Batch> batch_;
  static std::vector<std::unique_ptr<loop::Program>> programs_;
};
std::unique_ptr<Batch> Faults::batch_;
std::vector<std::unique_ptr<loop::Program>> Faults::programs_;

TEST_P(Faults, OnlyTheWrongFormIsReported) {
  const Pair& pair = kPairs[GetParam()];
  const bool endless = pair.kind == "step limit";
  for (uint64_t seed = 1; seed <= (endless ? 1u : 5u); ++seed) {
    for (const runtime::Fault& fault : run(2 * GetParam(), pair.right, seed)) ADD_FAILURE() << "right form: " << fault.kind << ": " << fault.message;
    const auto faults = run(2 * GetParam() + 1, pair.wrong, seed);
    ASSERT_FALSE(faults.empty()) << "seed " << seed;
    EXPECT_EQ(faults[0].kind, pair.kind) << faults[0].message;
    EXPECT_NE(faults[0].message.find(pair.words), std::string::npos) << faults[0].message;
  }
}
INSTANTIATE_TEST_SUITE_P(Pairs, Faults, ::testing::Range<std::size_t>(0, std::size(kPairs)), [](const auto& info) { return kPairs[info.param].name; });

}  // namespace
}  // namespace cdsl::emulation
