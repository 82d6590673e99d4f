// How much a function computes at given sizes, as it is written: floating-point operations for bench, the evaluator's steps for
// verify.
#pragma once

#include "dsl/tensor/bind.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

struct Work {
  /// Each operation once for every value of the indices that it depends on: a row's maximum once a row, a running total once an
  /// element. A multiply-add counts two, a function such as exp one, complex products six.
  double flop = 0;
  double flop64 = 0;               // of those, in 64 bits
  /// Expressions that the evaluator computes, about 100 ns each.
  double steps = 0;
  double elements = 0;             // of all tensors
  bool hangs_on_data = false;      // a range that is read from a tensor: taken to be 16 long
};

/// `bindings`: of sizes and scalars, as tir::bind gives them.
Work count_work(const tir::Function& function, const tir::Bindings& bindings);

}  // namespace cdsl
