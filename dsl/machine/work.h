// What a kernel asks of the machine, as plain data: the input of every prediction. Whoever fills it
// counts; nothing here knows what kind of kernel it is.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dsl/machine/architectures.h"
#include "dsl/machine/atomics.h"

namespace cdsl {

struct KernelWork {
  // Memory, summed over one launch.
  double dram_read_bytes = 0, dram_write_bytes = 0;  // what misses the L2 (dram_bytes)
  double sectors = 0;  // of global loads and stores that miss the L1: 32 bytes of L2 traffic each
  double l1_wavefronts = 0;      // of global requests (GlobalRequest::wavefronts)
  double shared_wavefronts = 0;  // of shared requests
  std::vector<AtomicWork> atomics;

  // Computation, summed over one launch.
  std::array<double, kUnits> lane_ops{};            // by Unit; an idle or masked lane counts
  std::array<double, kMatrixTypes> matrix_flops{};  // by Matrix
  double warp_instructions = 0;                     // issue slots; 0: taken from lane_ops

  // A thread and a block.
  double bytes_in_flight = 16;  // of loads that a thread has under way
  double ilp = 2;               // independent operations of a warp
  double serial_clocks = 0;     // of the longest chain of waits in one block, barriers apart
  double barriers_passed = 0;   // by a block

  // The launch.
  int block = 256;           // threads
  int registers = 32;        // a thread
  int64_t shared_bytes = 0;  // a block
  int barriers = 1;          // named barriers
  int cluster = 1;           // blocks
  int64_t grid = 1;          // blocks
  int64_t launches = 1;      // the same kernel again, each waiting for the one before

  double& ops(Unit unit) { return lane_ops[static_cast<std::size_t>(unit)]; }
  double ops(Unit unit) const { return lane_ops[static_cast<std::size_t>(unit)]; }
  double& flops(Matrix type) { return matrix_flops[static_cast<std::size_t>(type)]; }
  double flops(Matrix type) const { return matrix_flops[static_cast<std::size_t>(type)]; }
};

}  // namespace cdsl
