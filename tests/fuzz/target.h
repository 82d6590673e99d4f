// What all fuzz targets share: the bound on inputs, and bytes as text.
//
// A target is one file that defines LLVMFuzzerTestOneInput. It may let nothing escape: an exception, a failed CDSL_CHECK among
// them, ends the process and counts as found, as do 2 s of time and 512 MiB of memory for one input (measured without sanitizers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

namespace cdsl::fuzz {

inline constexpr std::size_t kMostBytes = 64 << 10;

inline std::string_view text_of(const uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A property that must hold of every input.
inline void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace cdsl::fuzz
