// SHA-256, which names cached kernels and seals their files.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace cdsl::runtime {

using Digest = std::array<std::byte, 32>;

Digest sha256(std::span<const std::byte> bytes);

}  // namespace cdsl::runtime
