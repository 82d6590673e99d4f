// CUDA C++ of the asynchronous and matrix nodes: helpers that are used, dynamic shared memory, what
// an architecture lacks.
#include <gtest/gtest.h>

#include "codegen_fixture.h"
#include "dsl/loop/features.h"
#include "dsl/loop/shared_layout.h"
#include "dsl/support/check.h"

namespace cdsl::test {
namespace {

using T = ScalarType;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class AsyncCuda : public ::testing::Test {
 protected:
  KernelText text{T::F32, T::F32};
  loop::Builder& b = text.builder();

  ExprId i32(int64_t value) { return b.integer(value, T::I32); }
  ExprId zero() { return b.integer(0); }
};

TEST_F(AsyncCuda, CopyOfAThread) {
  const BufferId tile = b.shared("tile", scalar_record(T::F32), 128);
  b.issue(loop::CopyAsync{b.access(tile, zero()), b.access(text.x(), zero()), 16, {}});
  b.issue(loop::CopyCommit{});
  b.issue(loop::CopyWait{loop::CopyBatch::Async, 1, false});
  const std::string cuda = text.emit();
  EXPECT_TRUE(contains(cuda, "copy_async<16>(&tile[0], &x[0]);")) << cuda;
  EXPECT_TRUE(contains(cuda, "wait_async<1>();"));
  EXPECT_TRUE(contains(cuda, "__shared__ alignas(16) float tile[128];"));
  EXPECT_FALSE(contains(cuda, "mbarrier"));
}

TEST_F(AsyncCuda, BarriersAtOtherRanks) {
  b.kernel().cluster[0] = 2;
  const BufferId full = b.shared("full", scalar_record(T::U64), 2),
                 cell = b.shared("cell", scalar_record(T::F32), 32);
  const ExprId rank = b.special(loop::Special::Rank);
  b.issue(loop::BarrierArrive{loop::Builder::at_rank(b.access(full, zero()), rank), i32(64)});
  b.store(loop::Builder::at_rank(b.access(cell, zero()), i32(1)), b.arena().real(1, T::F32));
  const std::string cuda = text.emit();
  EXPECT_TRUE(contains(cuda, "barrier_expect_at(&full[0], (int)cluster_rank(), 64);")) << cuda;
  EXPECT_TRUE(contains(cuda, "*at_rank(&cell[0], 1) = 1.0f;")) << cuda;
}

TEST_F(AsyncCuda, MatrixOperandsByOffset) {
  const BufferId d = b.registers("d", scalar_record(T::F32), 8),
                 a = b.registers("a", scalar_record(T::BF16), 8),
                 w = b.registers("w", scalar_record(T::BF16), 4);
  const loop::Fragment right{w, zero(), {0, 1, 2, 3}}, left{a, zero(), {0, 1, 2, 3, 4, 5, 6, 7}};
  b.issue(loop::MatrixMultiply{{16, 8, 16}, {d, zero(), {0, 1, 4, 5}}, left, right, false});
  b.issue(loop::MatrixMultiply{{16, 8, 16}, {d, b.integer(2), {0, 1, 4, 5}}, left, right, false});
  b.issue(loop::MatrixMultiply{{16, 8, 16}, {d, zero(), {0, 1, 2, 3}}, left, right, false});
  const std::string cuda = text.emit();
  EXPECT_TRUE(contains(cuda, "mma_m16n8k16_f32_bf16(d, a, w);")) << cuda;
  EXPECT_TRUE(contains(cuda, "mma_m16n8k16_f32_bf16(&d[2], a, w);"));
  EXPECT_TRUE(contains(cuda, "mma_m16n8k16_f32_bf16_variant2(d, a, w);"));
  EXPECT_TRUE(contains(cuda, "\"+f\"(d[4]), \"+f\"(d[5])"));
  EXPECT_TRUE(contains(cuda, "alignas(4) bf16 a[8];"));
}

TEST_F(AsyncCuda, MuchSharedMemoryIsDynamic) {
  b.shared("small", scalar_record(T::F32), 4);
  const BufferId big = b.shared("big", scalar_record(T::F32), 16384);
  b.store(big, zero(), b.arena().real(1, T::F32));
  const std::string cuda = text.emit();
  EXPECT_TRUE(contains(
      cuda, "extern __shared__ __align__(1024) unsigned char shared_memory[];  // 65552 bytes"))
      << cuda;
  EXPECT_TRUE(contains(cuda, "float* const big = (float*)(shared_memory + 16);  // 16384"));
}

TEST_F(AsyncCuda, BudgetsCapRegisters) {
  b.issue(loop::RegisterBudget{40, false});
  EXPECT_TRUE(contains(text.emit(), "__launch_bounds__(256, 1)"));
}

TEST_F(AsyncCuda, ArchitectureLacksIt) {
  b.issue(loop::FenceAsync{});
  text.options.architecture = "sm_80";
  EXPECT_THROW(text.emit(), InternalError);
}

TEST(Features, NamesWhatIsMissing) {
  loop::Program program = loop::Program::over({}, "p");
  loop::Builder b(program, "k");
  b.kernel().block[0] = 128;
  b.issue(loop::MatrixBatch{});
  b.finish();
  EXPECT_EQ(loop::missing_feature(program, program.kernels[0], "sm_90a"), "");
  EXPECT_NE(loop::missing_feature(program, program.kernels[0], "sm_90"), "");
  EXPECT_NE(loop::missing_feature(program, program.kernels[0], "sm_100a"), "");
}

}  // namespace
}  // namespace cdsl::test
