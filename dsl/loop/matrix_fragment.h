// Which element of a matrix tile each register of a thread holds, in the order that matrix instructions name registers.
// Source: PTX ISA, "Matrix Fragments for mma" of each shape, and "Register Fragments" of wgmma.mma_async.
#pragma once

#include "dsl/loop/async_ir.h"
#include "dsl/types/scalar_type.h"

namespace cdsl::loop {

enum class Operand : uint8_t { D, A, B };

/// Row and column of d are m and n, of a: m and k, of b: k and n.
struct MatrixPlace { int row = 0, column = 0; };

/// Elements that a thread holds of an operand: of a warp's instruction, or of a warpgroup's (m is 64).
int fragment_elements(Operand operand, MatrixShape shape);

/// The place of `element` of the fragment of `thread` (of 32, or of 128 where m is 64).
MatrixPlace fragment_place(Operand operand, MatrixShape shape, ScalarType type, int thread, int element);

/// Does wgmma have the shape for a and b of these types and d in f32?
///   f16, bf16: k16.   f32 as tf32: k8.   f8e4m3, f8e5m2 in any mix: k32.   m64, n a multiple of 8 up to 256.
bool is_warpgroup_shape(MatrixShape shape, ScalarType d, ScalarType a, ScalarType b, bool tf32);

/// Byte offset, from the 1,024-byte aligned start of shared memory, of element (row, column) of a matrix that begins at
/// `start` (bytes): `row` counts m or n, `column` counts k. Source: PTX ISA, "Shared Memory Matrix Layout"; the canonical
/// layouts of CUTLASS's mma_sm90_desc.hpp.
int64_t shared_matrix_place(const SharedMatrix& matrix, int64_t start, int element_size, int row, int column);

/// The xor pattern of the copy engine and of wgmma on a byte offset: 16-byte chunk ^= row, within groups of 8 rows.
int64_t swizzled(int64_t offset, int swizzle_bytes);

}  // namespace cdsl::loop
