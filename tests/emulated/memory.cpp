#include "memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace cdsl::emulation {
namespace {

constexpr std::size_t kPage = 4096, kAlignment = 256;
constexpr std::size_t kArena = std::size_t{1} << 36;  // addresses, not memory

}  // namespace

void Allocation::mark(std::size_t first, std::size_t count, bool is_written) {
  std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(first), count, is_written ? 1 : 0);
}

Memory::Memory() {
  void* const all = mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  arena_ = reinterpret_cast<uintptr_t>(all);
}

Memory::~Memory() {
  munmap(reinterpret_cast<void*>(arena_), kArena);
}

uint32_t Memory::allocate(std::string name, int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  if (bytes < 0 || size > kArena / 2) throw std::bad_alloc();
  const std::size_t whole = (kPage + kAlignment + size + 2 * kPage - 1) / kPage * kPage;
  if (whole > kArena - used_) throw std::bad_alloc();
  const auto handle = static_cast<uint32_t>(allocations_.size());
  allocations_.push_back({std::move(name), arena_ + used_ + kPage + kAlignment, size, true, std::vector<uint8_t>(size), Cells(size)});
  used_ += whole;
  of_page_.resize(used_ / kPage, handle + 1);
  return handle;
}

void Memory::release(uint32_t handle) {
  Allocation& gone = allocations_[handle];
  gone.live = false;
  gone.written = {};
  gone.cells = {};
  const uintptr_t first = (gone.begin + kPage - 1) / kPage * kPage, last = (gone.begin + gone.bytes) / kPage * kPage;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

Allocation* Memory::near(uintptr_t address) {
  if (!holds(address)) return nullptr;
  return &allocations_[of_page_[(address - arena_) / kPage] - 1];
}

}  // namespace cdsl::emulation
