#include "runtime/cache/digest.h"

#include <bit>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/BLAKE3.h>

namespace cdsl::runtime {

Digest blake3(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  return std::bit_cast<Digest>(llvm::BLAKE3::hash<sizeof(Digest)>(llvm::ArrayRef<uint8_t>(data, bytes.size())));
}

}  // namespace cdsl::runtime
