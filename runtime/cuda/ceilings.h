// The most that a GPU was seen to do: bytes moved and operations done a second, by kernels of ours that do nothing else.
#pragma once

#include "runtime/cuda/context.h"

namespace cdsl::runtime {

struct Ceilings {
  double bytes_per_second = 0;   // of memory: the better of a copy and of reads alone, 512 MiB each
  double flop32_per_second = 0;  // of multiply-adds in 32 bits, each two operations, outside matrix units
  double flop64_per_second = 0;
};

/// Takes some ten milliseconds and 1 GiB. Requires: `context` is current. Throws Error.
Ceilings measure_ceilings(const CudaContext& context);

}  // namespace cdsl::runtime
