// The header of an .npy file: a Python literal that gives element type, order and shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/result.h"

namespace cdsl {

/// A scalar of the file: NumPy's kind character ('f', 'i', 'u', 'c', 'b', 'V') and bytes.
struct NpyLeaf {
  std::string path;  // "" for a scalar type, "body.mass" in a nested structured type
  char kind = 'f';
  int64_t bytes = 0;
  bool swapped = false;          // big endian
  std::vector<int64_t> extents;  // of a sub-array
  int64_t offset = 0;            // in the element
};

struct NpyHeader {
  std::vector<NpyLeaf> leaves;  // without padding
  int64_t element_bytes = 0;
  bool fortran_order = false;
  std::vector<int64_t> shape;
  std::size_t data_offset = 0;  // of the first element in the file
};

Result<NpyHeader> parse_npy_header(std::string_view contents);

}  // namespace cdsl
