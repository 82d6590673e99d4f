// BLAKE3, which names cached kernels and seals their files: as hard to forge as SHA-256, at gigabytes a second on any processor.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace cdsl::runtime {

using Digest = std::array<std::byte, 32>;

Digest blake3(std::span<const std::byte> bytes);

}  // namespace cdsl::runtime
