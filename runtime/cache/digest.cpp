#include "runtime/cache/digest.h"

#include <bit>

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

namespace cdsl::runtime {

Digest sha256(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  return std::bit_cast<Digest>(llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(data, bytes.size())));
}

}  // namespace cdsl::runtime
