#include "dsl/sim/fragment.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "dsl/types/arithmetic.h"

namespace cdsl::sim {

FragmentView::FragmentView(Warp& warp, const FragmentUse& use, SourceRange where)
    : warp_(warp), use_(use), buffer_(warp.code->buffers[use.buffer]) {
  const auto [least, most] = std::minmax_element(use.offsets.begin(), use.offsets.end());
  const int packed = std::max(4 / size_of(use.type), 1);
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((warp.mask >> lane & 1) == 0) continue;
    base_[lane] = get_lane(warp.registers, use.base, lane).i;
    if (base_[lane] + *least >= 0 && base_[lane] + *most < buffer_.count &&
        base_[lane] % packed == 0)
      continue;
    good_ = false;
    fault(warp, Fault::Kind::OutOfBounds, &use, where, lane,
          fmt::format("a fragment at {}[{}] with elements up to {}, which has {} elements",
                      buffer_.name, base_[lane], base_[lane] + *most, buffer_.count));
    return;
  }
}

FragmentView::FragmentView(Warp& warp, const FragmentUse& use, const int64_t (&base)[kLanes])
    : warp_(warp), use_(use), buffer_(warp.code->buffers[use.buffer]) {
  std::copy(base, base + kLanes, base_);
}

std::pair<std::byte*, uint8_t*> FragmentView::memory(int lane, std::size_t element) const {
  const auto offset =
      static_cast<std::size_t>(lane * warp_.code->thread_bytes + buffer_.offset +
                               (base_[lane] + use_.offsets[element]) * buffer_.element_size);
  uint8_t* flags = warp_.thread_written.empty() ? nullptr : warp_.thread_written.data() + offset;
  return {warp_.thread_memory.data() + offset, flags};
}

void FragmentView::check_written(Fault::Kind kind, const char* what, SourceRange where) const {
  if (warp_.thread_written.empty()) return;
  const auto size = static_cast<std::size_t>(buffer_.element_size);
  for (uint32_t left = warp_.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (std::size_t k = 0; k < count(); ++k) {
      if (std::memchr(written(lane, k), 0, size) == nullptr) continue;
      return fault(warp_, kind, &use_, where, lane,
                   fmt::format("{} {}[{}], which was never written or is under way", what,
                               buffer_.name, base_[lane] + use_.offsets[k]));
    }
  }
}

void FragmentView::mark(uint8_t flag) const {
  if (warp_.thread_written.empty()) return;
  for (uint32_t left = warp_.live; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    for (std::size_t k = 0; k < count(); ++k)
      std::memset(written(lane, k), flag, static_cast<std::size_t>(buffer_.element_size));
  }
}

double matrix_value(const std::byte* address, ScalarType type, bool tf32) {
  if (tf32) {
    uint32_t bits;
    std::memcpy(&bits, address, sizeof bits);
    return std::bit_cast<float>(bits & 0xffffe000u);
  }
  const Value value = load_element(address, type);
  return is_float(type) ? value.re : static_cast<double>(value.i);
}

void multiply_add(MatrixValues& d, const MatrixValues& a, const MatrixValues& b, ScalarType type) {
  for (int m = 0; m < d.rows; ++m) {
    for (int n = 0; n < d.columns; ++n) {
      double sum = d(m, n);
      for (int k = 0; k < a.columns; ++k) {
        sum += a(m, k) * b(k, n);
        if (type == ScalarType::F32) sum = static_cast<float>(sum);
      }
      if (type == ScalarType::I32)
        sum = static_cast<int32_t>(static_cast<uint32_t>(static_cast<int64_t>(sum)));
      d(m, n) = sum;
    }
  }
}

bool is_converged(Warp& warp, const void* place, SourceRange where, const char* what) {
  if (warp.mask == kAllLanes) return true;
  fault(warp, Fault::Kind::BadShuffle, place, where, std::countr_zero(warp.mask),
        fmt::format("{} that lane {} of the warp does not reach", what,
                    std::countr_zero(~warp.mask)));
  return false;
}

}  // namespace cdsl::sim
