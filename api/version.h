// The version of cuoptc, which is also part of every cached kernel's key.
#pragma once

#include <string_view>

namespace cdsl {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace cdsl
