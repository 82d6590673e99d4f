// Device memory: allocations with pages around them that nobody owns, a record of which bytes were written, and of who touched them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shadow.h"

namespace cdsl::emulation {

struct Allocation {
  std::string name;
  uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool live = true;
  std::vector<uint8_t> written = {};  // a flag a byte
  Cells cells = {};

  std::byte* data() const { return reinterpret_cast<std::byte*>(begin); }
  void mark(std::size_t first, std::size_t count, bool is_written);
};

class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Starts at a multiple of 256 bytes and of no more, with at least 4,096 bytes on either side that belong to nothing. Throws
  /// std::bad_alloc.
  uint32_t allocate(std::string name, int64_t bytes);
  void release(uint32_t handle);
  Allocation& operator[](uint32_t handle) { return allocations_[handle]; }
  const Allocation& operator[](uint32_t handle) const { return allocations_[handle]; }

  bool holds(uintptr_t address) const { return address - arena_ < used_; }
  /// The allocation that the place is in or, between two, nearest to; null before there is any.
  Allocation* near(uintptr_t address);

 private:
  uintptr_t arena_ = 0;
  std::size_t used_ = 0;
  std::vector<uint32_t> of_page_;  // 1 + the allocation
  std::vector<Allocation> allocations_;
};

}  // namespace cdsl::emulation
