// The closed forms for lanes a constant stride apart.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "dsl/machine/memory.h"

namespace cdsl {
namespace {

constexpr int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}

// Sum of floor((a * i + b) / m) over i in 0..n; a >= 0, m > 0. Each round is a step of Euclid's
// algorithm.
int64_t floor_sum(int64_t n, int64_t m, int64_t a, int64_t b) {
  int64_t sum = n * floor_div(b, m);
  b -= floor_div(b, m) * m;
  while (n > 0) {
    sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
    a %= m;
    b %= m;
    const int64_t last = a * n + b;
    if (last < m) break;
    n = last / m;
    b = last % m;
    std::swap(m, a);
  }
  return sum;
}

// The same set of bytes with a stride that is not negative.
LaneStride ascending(LaneStride p) {
  if (p.stride < 0) {
    p.offset += (p.lanes - 1) * p.stride;
    p.stride = -p.stride;
  }
  return p;
}

// Distinct pieces of `piece` bytes. Between neighbours lie stride - width bytes: fewer than a piece
// cannot hide a whole one, so that the lanes cover a run; otherwise no two lanes share a piece.
int64_t pieces(const LaneStride& p, int64_t piece) {
  if (p.stride - p.width < piece) {
    const int64_t last = p.offset + (p.lanes - 1) * p.stride + p.width - 1;
    return floor_div(last, piece) - floor_div(p.offset, piece) + 1;
  }
  return p.lanes + floor_sum(p.lanes, piece, p.stride, p.offset + p.width - 1) -
         floor_sum(p.lanes, piece, p.stride, p.offset);
}

// Degree of one phase where a lane takes one word or part of one.
int narrow_degree(const LaneStride& p) {
  constexpr int64_t kRow = kBanks * kBankBytes;
  if (p.stride < kBankBytes) return 1;  // at most 32 words in a row
  if (p.stride % kBankBytes == 0) {
    const int64_t repeat = kBanks / std::gcd(p.stride / kBankBytes, int64_t{kBanks});
    return static_cast<int>((p.lanes + repeat - 1) / repeat);
  }
  // Every lane has a word of its own, unevenly spread: count the lanes of each bank.
  int64_t most = 0;
  for (int bank = 0; bank < kBanks; ++bank) {
    const int64_t first = p.offset - bank * kBankBytes;
    most = std::max(most, floor_sum(p.lanes, kRow, p.stride, first) -
                              floor_sum(p.lanes, kRow, p.stride, first - kBankBytes));
  }
  return static_cast<int>(most);
}

// Degree of a phase of `lanes` where a lane takes `width` / 4 words: banks work in groups of that
// many.
int wide_degree(int64_t stride, int width, int lanes) {
  if (stride == 0) return 1;
  const int64_t groups = kBanks * kBankBytes / width;
  const int64_t repeat = groups / std::gcd(stride / width, groups);
  return static_cast<int>((lanes + repeat - 1) / repeat);
}

}  // namespace

GlobalRequest global_request(const LaneStride& pattern) {
  GlobalRequest result;
  if (pattern.lanes <= 0) return result;
  const LaneStride p = ascending(pattern);
  result.lanes = p.lanes;
  result.bytes = pieces(p, 1);
  result.sectors = static_cast<int>(pieces(p, kSectorBytes));
  result.ideal_sectors = static_cast<int>((result.bytes + kSectorBytes - 1) / kSectorBytes);
  result.wavefronts = static_cast<int>(pieces(p, kLineBytes));
  return result;
}

SharedRequest shared_request(const LaneStride& pattern) {
  SharedRequest result;
  if (pattern.lanes <= 0) return result;
  if (pattern.width <= kBankBytes) {
    result.degree = result.wavefronts = narrow_degree(ascending(pattern));
    result.ideal_wavefronts = 1;
    return result;
  }
  const int phase = kBanks * kBankBytes / pattern.width;
  const int64_t stride = std::abs(pattern.stride);
  const int full = pattern.lanes / phase, rest = pattern.lanes % phase;
  if (full > 0) result.degree = wide_degree(stride, pattern.width, phase);
  result.wavefronts = full * result.degree;
  result.ideal_wavefronts = full;
  if (rest > 0) {
    const int degree = wide_degree(stride, pattern.width, rest);
    result.wavefronts += degree;
    ++result.ideal_wavefronts;
    result.degree = std::max(result.degree, degree);
  }
  return result;
}

}  // namespace cdsl
