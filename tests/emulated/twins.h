// The twins in C++ of what emitted text says in PTX. A helper that holds `asm` keeps its name and its parameters; its body is
// replaced by that of its twin, which calls the machine.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cdsl::emulation {

struct Twin {
  std::string_view name;   // of the helper
  std::string_view body;   // in place of what stands between its braces
};

std::span<const Twin> twins();
/// Names of helpers with PTX that have none: whose units are refused. A name that ends in '*' stands for all that begin so.
std::span<const std::string_view> without_twin();

/// The text with all twins in place. Sets `problem` to a sentence where PTX is left that has none.
std::string with_twins(std::string text, std::string& problem);

}  // namespace cdsl::emulation
