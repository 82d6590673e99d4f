// Which lane holds which element of the operands of a warp matrix instruction (mma.sync), as factors of axes.
// Source: PTX ISA, "Matrix fragments for mma" of each shape; lane / 4 is its groupID, lane % 4 its threadID_in_group.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dsl/loop/distribution.h"

namespace cdsl::loop {

/// The innermost factors of the axes of d (m, n), a (m, k) and b (k, column): one instruction's worth. `column` counts
/// what n counts, by other lanes. A Vector factor is as good as a Register one.
struct MatrixLayout {
  std::vector<Factor> m, n, k, column;
};

/// Nothing where no instruction has this shape on these types.
///   f16, bf16 -> f32: m16n8k8, m16n8k16.   f32 as tf32 -> f32: m16n8k4, m16n8k8.   f64: m8n8k4.
///   f8 -> f32: m16n8k32.   i8, u8 -> i32: m16n8k16, m16n8k32.
std::optional<MatrixLayout> matrix_layout(MatrixShape shape, ScalarType d, ScalarType a, ScalarType b, bool tf32);

/// The digits of an axis outside an instruction's (adjacent registers are one digit); nothing where its innermost digits
/// are not those of `inner`.
std::optional<std::vector<Digit>> outer_digits(std::span<const Digit> digits, const std::vector<Factor>& inner);

}  // namespace cdsl::loop
