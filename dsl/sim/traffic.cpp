#include "dsl/sim/traffic.h"

#include <algorithm>
#include <bit>

namespace cdsl::sim {
namespace {

int ideal(int accesses, int bytes) {
  return (accesses * bytes + kSectorBytes - 1) / kSectorBytes;
}

// Lanes in ascending order of address, as most are: one look back is enough.
bool ascending_traffic(const int64_t (&address)[32], uint32_t mask, int bytes,
                       GlobalTraffic& result) {
  int64_t last_address = -1, last_sector = -1;
  int accesses = 0, sectors = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int64_t a = address[std::countr_zero(left)];
    if (a < last_address) return false;
    if (a == last_address) continue;
    const int64_t first = a / kSectorBytes, end = (a + bytes - 1) / kSectorBytes;
    sectors += static_cast<int>(end - std::max(first, last_sector + 1)) + 1;
    last_address = a;
    last_sector = end;
    ++accesses;
  }
  result = {sectors, ideal(accesses, bytes)};
  return true;
}

// Wavefronts of the lanes `phase`: the most distinct words that one bank holds.
int degree(const int64_t (&address)[32], uint32_t phase, int bytes) {
  int64_t words[kBanks][32];
  int count[kBanks] = {};
  int most = 0;
  const int words_each = std::max(1, bytes / kBankBytes);
  for (uint32_t left = phase; left != 0; left &= left - 1) {
    const int64_t first = address[std::countr_zero(left)] / kBankBytes;
    for (int64_t word = first; word < first + words_each; ++word) {
      const auto bank = static_cast<std::size_t>(word % kBanks);
      int64_t* const begin = words[bank];
      int64_t* const end = begin + count[bank];
      if (std::find(begin, end, word) != end) continue;
      *end = word;
      most = std::max(most, ++count[bank]);
    }
  }
  return most;
}

}  // namespace

GlobalTraffic global_traffic(const int64_t (&address)[32], uint32_t mask, int bytes) {
  GlobalTraffic result;
  if (ascending_traffic(address, mask, bytes, result)) return result;
  int64_t sorted[32];
  int n = 0;
  for (uint32_t left = mask; left != 0; left &= left - 1)
    sorted[n++] = address[std::countr_zero(left)];
  std::sort(sorted, sorted + n);
  std::fill(sorted + n, sorted + 32, sorted[n - 1]);
  ascending_traffic(sorted, ~0u, bytes, result);
  return result;
}

SharedTraffic shared_traffic(const int64_t (&address)[32], uint32_t mask, int bytes) {
  const int lanes = bytes <= 4 ? 32 : std::max(1, 128 / bytes);
  const uint32_t all = lanes == 32 ? ~0u : (1u << lanes) - 1;
  SharedTraffic result;
  for (int first = 0; first < 32; first += lanes) {
    const uint32_t phase = mask & all << first;
    if (phase == 0) continue;
    result.wavefronts += degree(address, phase, bytes);
    ++result.ideal_wavefronts;
  }
  return result;
}

}  // namespace cdsl::sim
