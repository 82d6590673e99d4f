// NumPy's .npy files (versions 1 to 3) as host arrays, and back.
//
// Types NumPy lacks stand as their bit patterns: bf16 as uint16, f8 as uint8. Records are
// structured types with the C layout. Nothing in a file is trusted: a header that lies about its
// length, type or shape is an error in words.
#pragma once

#include <string>
#include <string_view>

#include "api/result.h"
#include "dsl/tensor/array.h"

namespace cdsl {

/// The array in a file's `contents`, converted to elements of `wanted` (field order, padding, byte
/// order and order of axes may differ; types and names of fields may not).
Result<Array> parse_npy(std::string_view contents, const RecordType& wanted);

/// Contents of a version 1.0 (or, for a long header, 2.0) file.
std::string format_npy(const Array& array);

}  // namespace cdsl
