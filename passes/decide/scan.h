// scan: a running sum whose every element adds up all before it does n^2/2 additions. Where `decide` can give it a kernel that
// carries the sum along (passes/decide/carry.h), it is left to that. Cut into blocks it does 33 an element:
//
//   y[i] = sum[k in 0..i + 1](x[k])        y_block[b] = sum[k in 64*b .. min(64*b + 64, n)](x[k])
//                                          y_before[b] = sum[d in 0..b](y_block[d])
//                                          y[i] = y_before[i / 64] + sum[k in 64*(i / 64)..i + 1](x[k])
//
// and y_before, a running sum of a 64th, is cut again. So for products, least and greatest elements, `any` and `all`; running up
// or down; along any axis of a statement. Sums are taken in another order, which `--strict` forbids.
//
// Requires: verified Tensor IR. Ensures: the same values but for the order of floating-point sums and products; temporaries are
// added before the statement.
#pragma once

#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

tir::Function cut_scans(tir::Function function, PassContext& context);
/// For the general path: those too that other variants carry.
tir::Function cut_all_scans(tir::Function function, PassContext& context);

inline constexpr Pass<tir::Function, tir::Function> kScan{"scan", "running sums in blocks", cut_scans};
inline constexpr Pass<tir::Function, tir::Function> kScanAll{"scan-all", "running sums in blocks, all of them", cut_all_scans};

}  // namespace cdsl
