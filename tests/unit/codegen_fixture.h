// A one-kernel program around an expression, for tests that look at emitted text.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "codegen/cuda.h"
#include "dsl/loop/builder.h"

namespace cdsl::test {

/// Builds the body of `for i in 0..N` (grid-stride) of a kernel with buffers x, y, z of `type` and
/// out of `result`.
class KernelText {
 public:
  explicit KernelText(ScalarType type, ScalarType result)
      : program_(loop::Program::over(ExprArena{}, "f")), builder_(program_, "f_out"), type_(type) {
    function_.name = "f";
    n_ = builder_.parameter("N", ScalarType::I64);
    x_ = builder_.global("x", scalar_record(type), true);
    y_ = builder_.global("y", scalar_record(type), true);
    out_ = builder_.global("out", scalar_record(result));
  }

  loop::Builder& builder() { return builder_; }
  ExprArena& arena() { return program_.arena; }
  ExprId n() const { return n_; }
  BufferId x() const { return x_; }
  BufferId out() const { return out_; }

  /// The right side of `out[i] = ...;`, x[i] and y[i] read as `a` and `b`.
  std::string value(const std::function<ExprId(ExprId a, ExprId b, ExprId i)>& make) {
    builder_.grid_stride("i", n_, [&](ExprId i) {
      const ExprId a = builder_.let("a", builder_.load(x_, i)),
                   b = builder_.let("b", builder_.load(y_, i));
      builder_.store(out_, i, make(a, b, i));
    });
    const std::string text = emit();
    const std::size_t begin = text.find("out[i] = ");
    if (begin == std::string::npos) return text;
    const std::size_t from = begin + 9;
    return text.substr(from, text.find(";\n", from) - from);
  }

  std::string emit() {
    plan::Launch launch;
    launch.kernel = builder_.finish();
    program_.plan.arena = program_.arena;
    return emit_cuda(function_, program_, {}, options);
  }

  CudaOptions options = kernels_only();

 private:
  static CudaOptions kernels_only() {
    CudaOptions options;
    options.launcher = false;
    return options;
  }

  tir::Function function_;
  loop::Program program_;
  loop::Builder builder_;
  ScalarType type_;
  ExprId n_;
  BufferId x_, y_, out_;
};

}  // namespace cdsl::test
