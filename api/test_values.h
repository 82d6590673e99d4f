// Single values and whole leaves of made-up inputs; see api/test_data.h.
#pragma once

#include <cstdint>

#include "api/test_data.h"

namespace cdsl {

/// Well mixed bits of a pair of numbers.
uint64_t mix(uint64_t seed, uint64_t number);

Value scalar_value(ScalarType type, const DataOptions& options, uint64_t bits);

/// Every element of one leaf.
void fill_values(Array& array, uint32_t leaf, const DataOptions& options, uint64_t stream);

/// Subscripts in [0, limit). Bounds of ranges instead rise along the last axis from 0 to `limit`.
void fill_indices(Array& array, uint32_t leaf, int64_t limit, bool is_bound, uint64_t stream);

}  // namespace cdsl
