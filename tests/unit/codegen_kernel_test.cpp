// Kernels as a whole: signatures, statements, records, reports.
#include "codegen_fixture.h"

#include "codegen/contract.h"

namespace cdsl {
namespace {

using test::KernelText;
using T = ScalarType;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CodegenKernel, Saxpy) {
  KernelText text(T::F32, T::F32);
  loop::Builder& b = text.builder();
  const ExprId scale = b.parameter("scale", T::F32, SymbolKind::Scalar);
  b.kernel().note = "out[i] = scale * x[i]";
  b.grid_stride("i", text.n(),
                [&](ExprId i) { b.store(text.out(), i, b.mul(scale, b.load(text.x(), i))); });
  EXPECT_TRUE(contains(text.emit(), R"(// out[i] = scale * x[i]
extern "C" __global__ void __launch_bounds__(256)
f_out(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ out,
    long long N, float scale) {
  // grid-stride
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N;
      i += (long long)gridDim.x * blockDim.x) {
    out[i] = scale * x[i];
  }
}
)"));
}

// A load that NVRTC may join with one of `out` must not go past the coherent caches.
TEST(CodegenKernel, WhatIsReadBesideMemoryThatIsReadBackIsNotRestricted) {
  KernelText text(T::F32, T::F32);
  loop::Builder& b = text.builder();
  b.grid_stride("i", text.n(), [&](ExprId i) { b.store(text.out(), i, b.add(b.load(text.x(), i), b.load(text.out(), i))); });
  EXPECT_TRUE(contains(text.emit(), "(const float* x, const float* y, float* __restrict__ out,"));
}

TEST(CodegenKernel, AddressesArePlain) {
  KernelText text(T::F32, T::F32);
  loop::Builder& b = text.builder();
  const ExprId m = b.parameter("M", T::I64);
  b.grid_stride("i", text.n(), [&](ExprId i) {
    const ExprId row = b.let("row", b.mul(i, m));
    b.for_("j", b.integer(0), m, [&](ExprId j) {
      b.store(text.out(), b.add(row, j), b.load(text.x(), b.add(b.mul(j, text.n()), i)));
    });
  });
  const std::string emitted = text.emit();
  EXPECT_TRUE(contains(emitted, "const long long row = i * M;"));
  EXPECT_TRUE(contains(emitted, "out[row + j] = x[j * N + i];"));
  EXPECT_TRUE(contains(emitted, "for (long long j = 0; j < M; ++j) {"));
}

TEST(CodegenKernel, RegistersThatNobodyReadsAreNotPrinted) {
  KernelText text(T::F32, T::F32);
  loop::Builder& b = text.builder();
  b.let("unused", b.arena().real(1, T::F32));
  EXPECT_FALSE(contains(text.emit(), "unused"));
}

TEST(CodegenKernel, AccumulatorsAndBranches) {
  KernelText text(T::F32, T::F32);
  loop::Builder& b = text.builder();
  const loop::Variable acc = b.var("acc", b.arena().real(0, T::F32));
  b.for_("k", b.integer(9), b.integer(-1), b.integer(-1), [&](ExprId k) {
    b.if_(
        b.less(k, b.integer(3)), [&] { b.assign(acc, b.add(acc.ref, b.load(text.x(), k))); },
        [&] { b.if_(b.less(k, b.integer(5)), [&] { b.assign(acc, acc.ref); }); });
  });
  EXPECT_TRUE(contains(text.emit(), R"(  float acc = 0.0f;
  for (long long k = 9; k > -1; --k) {
    if (k < 3) {
      acc += x[k];
    } else if (k < 5) {
      acc = acc;
    }
  }
)"));
}

TEST(CodegenKernel, BoundsThatMayChangeAreEvaluatedOnce) {
  KernelText text(T::I64, T::I64);
  loop::Builder& b = text.builder();
  b.for_("k", b.load(text.x(), b.integer(0)), b.load(text.x(), b.integer(1)),
         [&](ExprId k) { b.store(text.out(), k, k); });
  b.for_("k", b.load(text.x(), b.integer(0)), b.load(text.x(), b.integer(1)),
         [&](ExprId k) { b.store(text.out(), k, k); });
  const std::string emitted = text.emit();
  EXPECT_TRUE(contains(
      emitted, "const long long k_end = x[1];\n  for (long long k = x[0]; k < k_end; ++k) {"));
  EXPECT_TRUE(contains(emitted, "const long long k_end_1 = x[1];"));
}

TEST(CodegenKernel, RecordsKeepTheirShape) {
  RecordType body{"Body",
                  {{"pos", T::F32, {3}},
                   {"tag.id", T::I32, {}},
                   {"tag.on", T::Bool, {}},
                   {"double", T::F64, {}}}};
  lay_out(body);
  KernelText text(T::F32, T::F32);
  loop::Builder& b = text.builder();
  const BufferId p = b.global("p", body, true);
  b.grid_stride("i", text.n(), [&](ExprId i) {
    b.store(text.out(), i, b.add(b.load(p, i, 0, b.integer(2)), b.cast(b.load(p, i, 3), T::F32)));
    b.store(text.out(), i, b.cast(b.load(p, i, 1), T::F32));
  });
  const std::string emitted = text.emit();
  EXPECT_TRUE(contains(emitted, R"(struct Body {
  float pos[3];
  struct {
    int id;
    bool on;
  } tag;
  double double_;
};
static_assert(sizeof(Body) == 32, "Body is laid out as C does");
)"));
  EXPECT_TRUE(contains(emitted, "out[i] = p[i].pos[2] + (float)p[i].double_;"));
  EXPECT_TRUE(contains(emitted, "out[i] = (float)p[i].tag.id;"));
}

TEST(CodegenKernel, OnlyTheHelpersInUseArePrinted) {
  KernelText text(T::BF16, T::BF16);
  const std::string emitted = [&] {
    loop::Builder& b = text.builder();
    b.grid_stride("i", text.n(), [&](ExprId i) {
      b.store(
          text.out(), i,
          b.cast(b.mul(b.cast(b.load(text.x(), i), T::F32), b.arena().real(2, T::F32)), T::BF16));
    });
    return text.emit();
  }();
  EXPECT_TRUE(contains(emitted, "out[i] = to_bf16(to_f32(x[i]) * 2.0f);"));
  EXPECT_TRUE(contains(emitted, "struct bf16 {"));
  EXPECT_TRUE(contains(emitted, "float to_f32(bf16 h)"));
  EXPECT_FALSE(contains(emitted, "f16 to_f16"));
  EXPECT_FALSE(contains(emitted, "max_nan"));
}

TEST(CodegenKernel, WrittenMemoryIsNotRestrictedWhereThreadsMeet) {
  KernelText text(T::F32, T::F32);
  text.builder().barrier();
  const std::string emitted = text.emit();
  EXPECT_TRUE(contains(emitted, "const float* __restrict__ x"));
  EXPECT_TRUE(contains(emitted, "float* out"));
  EXPECT_TRUE(contains(emitted, "__syncthreads();"));
}

TEST(CodegenKernel, ReportsComeLast) {
  KernelText text(T::F32, T::F32);
  text.builder().report(0, text.builder().integer(7));
  const std::string emitted = text.emit();
  EXPECT_TRUE(contains(emitted, "long long N,\n    cdsl_report* reports)") ||
              contains(emitted, "long long N, cdsl_report* reports)"));
  EXPECT_TRUE(contains(emitted, "report_at(reports, 0, 7);"));
}

TEST(CodegenKernel, Atomics) {
  const auto atomic = [](T type, loop::AtomicOp op) {
    KernelText text(type, type);
    loop::Builder& b = text.builder();
    b.atomic(op, b.access(text.out(), b.integer(0)), b.load(text.x(), b.integer(0)));
    return text.emit();
  };
  EXPECT_TRUE(contains(atomic(T::F32, loop::AtomicOp::Add), "atomicAdd(&out[0], x[0]);"));
  EXPECT_TRUE(contains(atomic(T::I64, loop::AtomicOp::Add), "atomic_add(&out[0], x[0]);"));
  EXPECT_TRUE(contains(atomic(T::I64, loop::AtomicOp::Max), "atomicMax(&out[0], x[0]);"));
  const std::string product = atomic(T::F32, loop::AtomicOp::Mul);
  EXPECT_TRUE(contains(product, "const float update = x[0];"));
  EXPECT_TRUE(contains(product, "[&](float before) { return before * update; });"));
}

TEST(CodegenKernel, TheSameTextTwice) {
  const auto emit = [] {
    KernelText text(T::F32, T::F32);
    return text.value([&](ExprId a, ExprId b, ExprId) {
      return text.builder().apply(Op::Max, {a, b});
    });
  };
  EXPECT_EQ(emit(), emit());
}

TEST(CodegenKernel, LineDirectives) {
  KernelText text(T::F32, T::F32);
  text.options.locate = [](SourceRange where) {
    return std::pair{std::string("dir\\a.cdsl"), static_cast<int>(where.begin)};
  };
  loop::Builder& b = text.builder();
  b.at({0, 7, 9});
  b.store(text.out(), b.integer(0), b.load(text.x(), b.integer(0)));
  EXPECT_TRUE(contains(text.emit(), "#line 7 \"dir\\\\a.cdsl\"\n  out[0] = x[0];"));
}

}  // namespace
}  // namespace cdsl
