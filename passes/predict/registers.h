// Registers of a thread, guessed from Loop IR: emission and decisions never depend on a toolkit. ptxas says what is true;
// `explain` prints its numbers where NVRTC is found.
#pragma once

#include "dsl/loop/program.h"

namespace cdsl::predicting {

struct RegisterEstimate {
  int registers = 0;               // a thread, a multiple of 8, at most 255
  int64_t spill_bytes = 0;         // a thread: what does not fit 255
};

/// The most registers that are live at once: a walk over the kernel in the order of its text, in which
///   - a register lives from its definition to its last use; one that is defined before a loop and used in it, to its end,
///   - a value takes size / 4 registers (a predicate none), a register buffer as many as it has elements,
///   - a statement needs the Sethi-Ullman number of its deepest expression besides,
///   - each global buffer that is used has an address of 2, and each loop a counter,
///   - 10 are always taken,
///   - no more than the threads of all blocks that have to be resident can have.
/// Against ptxas of CUDA 13.0 (sm_90a) on 11 kernels of the general path in examples/: off by 8 at most.
RegisterEstimate estimate_registers(const loop::Program& program, const loop::Kernel& kernel);

/// Bytes that a thread loads from global memory before it uses the first of them: the most of any block of statements.
double bytes_in_flight(const loop::Program& program, const loop::Kernel& kernel);

}  // namespace cdsl::predicting
