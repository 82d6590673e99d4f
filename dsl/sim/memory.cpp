#include <algorithm>

#include "dsl/sim/simulator.h"
#include "dsl/support/check.h"

namespace cdsl::sim {
namespace {

auto range(std::vector<uint8_t>& flags, int64_t offset, int64_t bytes) {
  CDSL_CHECK(offset >= 0 && bytes >= 0 && offset + bytes <= static_cast<int64_t>(flags.size()),
             "range of device memory");
  const auto first = flags.begin() + offset;
  return std::pair(first, first + bytes);
}

}  // namespace

uint32_t Memory::allocate(std::string name, int64_t bytes, int64_t past) {
  Allocation allocation;
  allocation.name = std::move(name);
  allocation.bytes.resize(static_cast<std::size_t>(bytes));
  allocation.written.resize(static_cast<std::size_t>(bytes));
  allocation.complete = bytes == 0;
  allocation.past = past;
  allocations_.push_back(std::move(allocation));
  return static_cast<uint32_t>(allocations_.size() - 1);
}

void Memory::release(uint32_t handle) {
  Allocation& allocation = allocations_[handle];
  CDSL_CHECK(allocation.live, "double release of " + allocation.name);
  allocation.live = false;
  std::vector<std::byte>().swap(allocation.bytes);
  std::vector<uint8_t>().swap(allocation.written);
}

void Memory::mark_written(uint32_t handle, int64_t offset, int64_t bytes) {
  Allocation& allocation = allocations_[handle];
  const auto [first, last] = range(allocation.written, offset, bytes);
  std::fill(first, last, uint8_t{1});
  if (bytes == size(handle)) allocation.complete = true;
}

void Memory::mark_unwritten(uint32_t handle, int64_t offset, int64_t bytes) {
  Allocation& allocation = allocations_[handle];
  const auto [first, last] = range(allocation.written, offset, bytes);
  std::fill(first, last, uint8_t{0});
  if (bytes > 0) allocation.complete = false;
}

bool Memory::written(uint32_t handle, int64_t offset, int64_t bytes) const {
  const std::vector<uint8_t>& flags = allocations_[handle].written;
  CDSL_CHECK(offset >= 0 && bytes >= 0 && offset + bytes <= static_cast<int64_t>(flags.size()),
             "range of device memory");
  return std::all_of(flags.begin() + offset, flags.begin() + offset + bytes,
                     [](uint8_t flag) { return flag != 0; });
}

}  // namespace cdsl::sim
