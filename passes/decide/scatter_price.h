// What the ways to carry out a scatter would take, by the machine model, at likely sizes.
#pragma once

#include "dsl/machine/predict.h"
#include "dsl/schedule/scatter.h"
#include "passes/decide/scatter_vectors.h"

namespace cdsl::deciding {

/// What all ways have in common.
struct ScatterWork {
  double points = 1;
  double reads = 0, bytes = 0;           // of one point
  double targets = 1;                    // elements that updates may go to
  int width = 4;                         // bytes of one
  AtomicType atomic = AtomicType::Int32;
  double updates = 1;                    // of a point: the parts of a complex number are updated by themselves
  VectorReads vectors;
};

/// Registers of a thread.
int registers_of(const ScatterWork& work, const PrivateBins& bins);
/// Of a block.
int64_t shared_bytes_of(const ScatterWork& work, const PrivateBins& bins);

/// Microseconds with an atomic update of global memory a point.
double direct_us(const Architecture& arch, const ScatterWork& work, int threads);
/// With private bins.
double private_us(const Architecture& arch, const ScatterWork& work, const PrivateBins& bins);

}  // namespace cdsl::deciding
