// A dense host tensor: row-major elements in the C struct layout. What the evaluator reads and writes, what `.npy` files
// hold, and what devices are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dsl/types/record.h"
#include "dsl/types/value.h"

namespace cdsl {

struct Array {
  RecordType element;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  static Array zeros(RecordType element, std::vector<int64_t> shape);
  int64_t count() const;                               // product of the shape, 1 for rank 0
  /// Element `flat` (row-major), leaf `leaf`, position `within` of an array leaf.
  Value get(int64_t flat, uint32_t leaf = 0, int64_t within = 0) const;
  void set(int64_t flat, Value value, uint32_t leaf = 0, int64_t within = 0);
};

/// Everything a call is given: arrays and by-value scalars by parameter name, sizes by name.
struct Arguments {
  std::map<std::string, Array> arrays;
  std::map<std::string, Value> scalars;                // in the parameter's evaluation type
  std::map<std::string, int64_t> sizes;                // size parameters; derived sizes are filled in by bind_sizes
};

/// Is the size in bytes of a tensor of these extents (none negative) below 2^63?
bool fits_address_space(const std::vector<int64_t>& shape, int64_t element_size);

}  // namespace cdsl
