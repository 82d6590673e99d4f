// The reader of cached kernels. With an even first byte the rest is a whole file; with an odd one it is sealed first, so that
// what stands behind the digest is reached.
#include <vector>

#include "fuzz/target.h"
#include "runtime/cache/cache_entry.h"
#include "runtime/cache/digest.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace cdsl;
  if (size > fuzz::kMostBytes || size < 1) return -1;
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> file(bytes + 1, bytes + size);
  if ((data[0] & 1) != 0) {
    const runtime::Digest seal = runtime::blake3(file);
    file.insert(file.end(), seal.begin(), seal.end());
  }
  std::string why;
  const auto entry = runtime::read_entry(file, why);
  fuzz::must(entry.has_value() == why.empty());
  if (!entry) return 0;
  const auto again = runtime::read_entry(runtime::write_entry(*entry), why);
  fuzz::must(again && again->key == entry->key && again->created == entry->created && again->code == entry->code);
  return 0;
}
