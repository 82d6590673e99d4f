// How a program is compiled and at which sizes it runs: the ways that a check tries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/pipeline.h"
#include "tests/random/rng.h"

namespace cdsl::random {

/// In the words of `cuoptc verify`.
struct Setup {
  std::vector<std::string> flags;  // --O0, --strict, --specialize, --arch=sm_80, --set=C.map=general
  std::map<std::string, int64_t> sizes;

  CompileOptions options() const;
  std::string text() const;
  /// What text() gave.
  static Setup from(const std::string& text);
};

/// Another way to compile, at other sizes; of another architecture only where it is simulated.
Setup another_way(const std::map<std::string, int64_t>& sizes, bool simulated, Rng& rng);

/// A random choice of what the compiler offered in its remarks. Fewer keys with each of the `tries`, since choices may exclude each other.
Setup overridden(const std::map<std::string, int64_t>& sizes, const Remarks& remarks, int tries, Rng& rng);

/// What one choice excludes is refused in words: true where all errors name one of the choices.
bool is_refused_override(const Source& source, const Setup& setup);

std::vector<std::string> split(const std::string& text, char at);

}  // namespace cdsl::random
