// Hands out slots of a warp's register file and takes them back, so that the file stays small
// enough for the cache.
#pragma once

#include <map>
#include <vector>

#include "dsl/sim/slot.h"

namespace cdsl::sim {

class RegisterFile {
 public:
  Slot allocate(ScalarType type, bool uniform) {
    Slot slot{0, type, uniform};
    const uint32_t bytes = round_up(slot.bytes());
    auto& free = free_[bytes];
    if (free.empty()) {
      slot.offset = size_;
      size_ += bytes;
    } else {
      slot.offset = free.back();
      free.pop_back();
    }
    return slot;
  }
  void release(const Slot& slot) { free_[round_up(slot.bytes())].push_back(slot.offset); }
  uint32_t size() const { return size_; }

 private:
  static uint32_t round_up(uint32_t bytes) { return (bytes + 15) / 16 * 16; }

  std::map<uint32_t, std::vector<uint32_t>> free_;  // by size
  uint32_t size_ = 0;
};

}  // namespace cdsl::sim
