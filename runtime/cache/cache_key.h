// The name of a compiled kernel: a digest of everything that its machine code hangs on. Two
// compilations have one key exactly where all parts are equal.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/digest.h"

namespace cdsl::runtime {

struct KeyParts {
  std::string text;                  // the whole text that is compiled; it includes nothing
  std::string name;                  // what the compiler calls it in its log
  std::vector<std::string> options;  // as the compiler gets them, in order
  std::string nvrtc_version;         // Nvrtc::build()
  std::string emitter_version;       // of cuoptc
  std::string architecture;          // with its suffix: sm_90a
  std::string numeric_mode;          // default, strict, fast-math
};

class CacheKey {
 public:
  explicit CacheKey(const KeyParts& parts);
  /// Nothing where `hex` is not 64 digits 0-9a-f.
  static std::optional<CacheKey> parse(std::string_view hex);

  /// 64 digits 0-9a-f: fit to be a file's name.
  const std::string& hex() const { return hex_; }
  friend auto operator<=>(const CacheKey&, const CacheKey&) = default;

 private:
  explicit CacheKey(std::string hex) : hex_(std::move(hex)) {}
  std::string hex_;
};

}  // namespace cdsl::runtime
