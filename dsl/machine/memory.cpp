#include "dsl/machine/memory.h"

#include <algorithm>
#include <bit>

namespace cdsl {
namespace {

constexpr double kReusableL2 = 0.6;

constexpr int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

constexpr int64_t ceil_div(int64_t a, int64_t b) {
  return floor_div(a + b - 1, b);
}

// Half-open ranges of bytes that the active lanes access, ascending by first byte.
struct Ranges {
  std::array<int64_t, kWarpLanes> first;
  int count = 0;

  Ranges(const LaneAddresses& address, uint32_t mask) {
    for (uint32_t left = mask; left != 0; left &= left - 1)
      first[static_cast<std::size_t>(count++)] =
          address[static_cast<std::size_t>(std::countr_zero(left))];
    std::sort(first.begin(), first.begin() + count);
  }
};

// Distinct pieces of `piece` bytes that ascending ranges of `width` bytes touch.
int64_t pieces(const Ranges& ranges, int width, int64_t piece) {
  int64_t total = 0, next = INT64_MIN;  // pieces before `next` are counted
  for (int i = 0; i < ranges.count; ++i) {
    const int64_t first = ranges.first[static_cast<std::size_t>(i)];
    const int64_t end = floor_div(first + width - 1, piece) + 1;
    total += std::max<int64_t>(0, end - std::max(floor_div(first, piece), next));
    next = std::max(next, end);
  }
  return total;
}

int phase_lanes(int width) {
  return width <= kBankBytes ? kWarpLanes : std::max(1, kBanks * kBankBytes / width);
}

// The most distinct words that one bank holds for the lanes of one phase.
int bank_degree(const LaneAddresses& address, uint32_t phase, int width) {
  std::array<std::array<int64_t, kWarpLanes>, kBanks> words;
  std::array<int, kBanks> count{};
  int most = 0;
  for (uint32_t left = phase; left != 0; left &= left - 1) {
    const int64_t byte = address[static_cast<std::size_t>(std::countr_zero(left))];
    const int64_t first = floor_div(byte, kBankBytes);
    for (int64_t word = first; word < first + std::max(1, width / kBankBytes); ++word) {
      const auto bank = static_cast<std::size_t>(word & (kBanks - 1));
      const auto begin = words[bank].begin(), end = begin + count[bank];
      if (std::find(begin, end, word) != end) continue;
      *end = word;
      most = std::max(most, ++count[bank]);
    }
  }
  return most;
}

}  // namespace

LaneAddresses addresses(const LaneStride& pattern) {
  LaneAddresses result{};
  for (int lane = 0; lane < kWarpLanes; ++lane)
    result[static_cast<std::size_t>(lane)] = pattern.offset + lane * pattern.stride;
  return result;
}

LaneAddresses addresses(const LaneGrid& pattern) {
  LaneAddresses result{};
  for (int lane = 0; lane < kWarpLanes; ++lane)
    result[static_cast<std::size_t>(lane)] = pattern.offset +
                                             lane % pattern.inner * pattern.inner_stride +
                                             lane / pattern.inner * pattern.outer_stride;
  return result;
}

GlobalRequest global_request(const LaneAddresses& address, uint32_t mask, int width) {
  const Ranges ranges(address, mask);
  GlobalRequest result;
  result.lanes = ranges.count;
  result.bytes = pieces(ranges, width, 1);
  result.sectors = static_cast<int>(pieces(ranges, width, kSectorBytes));
  result.ideal_sectors = static_cast<int>(ceil_div(result.bytes, kSectorBytes));
  result.wavefronts = static_cast<int>(pieces(ranges, width, kLineBytes));
  return result;
}

SharedRequest shared_request(const LaneAddresses& address, uint32_t mask, int width) {
  const int lanes = phase_lanes(width);
  SharedRequest result;
  for (int first = 0; first < kWarpLanes; first += lanes) {
    const uint32_t phase = mask & first_lanes(lanes) << first;
    if (phase == 0) continue;
    const int degree = bank_degree(address, phase, width);
    result.wavefronts += degree;
    ++result.ideal_wavefronts;
    result.degree = std::max(result.degree, degree);
  }
  return result;
}

int global_atomic_passes(const LaneAddresses& address, uint32_t mask, int width) {
  const Ranges ranges(address, mask);
  int total = 0, most = 0, run = 0;  // of the current sector; of the current word
  for (int i = 0; i < ranges.count; ++i) {
    const int64_t at = ranges.first[static_cast<std::size_t>(i)];
    const int64_t before = i == 0 ? at : ranges.first[static_cast<std::size_t>(i - 1)];
    if (floor_div(at, kSectorBytes) != floor_div(before, kSectorBytes)) {
      total += most;
      most = 0;
    }
    run = i > 0 && floor_div(at, width) == floor_div(before, width) ? run + 1 : 1;
    most = std::max(most, run);
  }
  return total + most;
}

int shared_atomic_passes(const LaneAddresses& address, uint32_t mask, int width) {
  const int banks = kBanks * kBankBytes / width;
  std::array<int, kBanks> lanes{};
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int64_t at = address[static_cast<std::size_t>(std::countr_zero(left))];
    ++lanes[static_cast<std::size_t>(floor_div(at, width) & (banks - 1))];
  }
  return *std::max_element(lanes.begin(), lanes.end());
}

double dram_bytes(const Architecture& arch, double unique, double touched, double working_set) {
  const double room = kReusableL2 * static_cast<double>(arch.l2_bytes);
  if (working_set <= room) return unique;
  // A working set beyond the room loses the share that does not fit.
  return unique + (touched - unique) * (1 - room / working_set);
}

}  // namespace cdsl
