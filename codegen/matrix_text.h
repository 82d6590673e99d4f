// The device functions that matrix instructions and boxes of tensor maps become: their operands depend on shape and types, so
// that each is written for the case at hand. `$N` stands for the name, `$D` for the qualifiers.
#pragma once

#include <string>
#include <vector>

#include "dsl/loop/async_ir.h"
#include "dsl/types/scalar_type.h"

namespace cdsl::cuda {

/// A function and the name it wants.
struct MatrixText {
  std::string stem, text;
};

/// The registers of an operand, as offsets of elements from the pointer that the function takes.
struct MatrixOperand {
  ScalarType type;
  std::vector<int> offsets;
};

/// `void $N(T* to, const void* from)`; stores the other way round.
MatrixText matrix_load_text(int count, bool transposed, const MatrixOperand& registers);
MatrixText matrix_store_text(int count, bool transposed, const MatrixOperand& registers);

/// `void $N(D* d, const A* a, const B* b)`: d += a * b.
MatrixText mma_text(loop::MatrixShape shape, const MatrixOperand& d, const MatrixOperand& a, const MatrixOperand& b,
                    bool tf32);

/// How an instruction of a warpgroup takes its operands.
struct WarpgroupOperands {
  MatrixOperand d, a;                 // a: in registers where it has offsets
  ScalarType a_type, b_type;
  bool a_transposed = false, b_transposed = false, tf32 = false;
};
/// `void $N(float* d, a, unsigned long long b, bool accumulate)`; a is a pointer to registers or a descriptor.
MatrixText wgmma_text(loop::MatrixShape shape, const WarpgroupOperands& operands);

/// `void $N(void* to, const TensorMap* map, unsigned long long* barrier[, unsigned short ranks], int x0, ...)`.
MatrixText copy_box_text(int axes, bool multicast);
/// `void $N(const TensorMap* map, const void* from, int x0, ...)`.
MatrixText store_box_text(int axes);

/// `void $N(T* to, const T* from, int bytes)`: adds from shared to global memory.
MatrixText add_bulk_text(ScalarType type);

}  // namespace cdsl::cuda
