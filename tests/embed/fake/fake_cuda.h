// What tests see of the driver that is none (fake_driver.cpp): what was asked of it, and how to make it fail.
//
// Memory of the "device" is memory of the host; launches are written down and do nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fake {

struct Launch {
  std::string kernel;
  unsigned blocks = 0, threads = 0, shared_bytes = 0;
  void* stream = nullptr;
  void* context = nullptr;
  std::vector<std::vector<unsigned char>> parameters;

  uint64_t pointer(std::size_t k) const { return *reinterpret_cast<const uint64_t*>(parameters.at(k).data()); }
};

struct State {
  std::vector<Launch> launches;
  int allocations = 0, frees = 0, modules = 0, fills = 0, copies = 0, synchronizations = 0;
};

}  // namespace fake

extern "C" {
/// A copy of what happened so far; `fake_reset` forgets it, and every failure that was asked for.
void fake_state(fake::State* out);
void fake_reset();
/// The next calls of this function of the driver return `code` (CUresult), until `fake_reset`.
void fake_fail(const char* function, int code);
/// Makes context number `context` (from 1) of device `device` current for this thread; 0: none.
void fake_make_current(int context, int device);
}
