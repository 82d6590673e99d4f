// Machine code and PTX in one file, from which the driver takes what its GPU can run. Through nvFatbin, loaded at run time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/library.h"

namespace cdsl::runtime {

struct FatbinContents {
  std::string architecture;            // of the cubin: "sm_90a"
  std::span<const std::byte> cubin;
  std::string ptx_architecture;        // "sm_90"; empty: no PTX
  std::string ptx;
  std::string identifier;              // what messages call it
};

/// Nothing, with the reason in `why`, where nvFatbin (of CUDA 12.4 or later) is missing or refuses.
std::optional<std::vector<std::byte>> make_fatbin(const LibraryHints& hints, const FatbinContents& contents, std::string& why);

}  // namespace cdsl::runtime
