// Where the shared buffers of a kernel lie in its block's shared memory. One answer for codegen, launches and the simulator:
// descriptors and swizzles depend on it.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::loop {

/// Static shared memory that every launch may use; more has to be asked for, as dynamic shared memory.
inline constexpr int64_t kMaxStaticShared = 48 * 1024;

struct SharedBuffer {
  BufferId buffer;
  int64_t offset = 0, alignment = 16;     // bytes; the block's shared memory starts at a multiple of 1,024
};

struct SharedLayout {
  std::vector<SharedBuffer> buffers;      // the shared buffers, in the kernel's order
  int64_t bytes = 0;

  bool is_dynamic() const { return bytes > kMaxStaticShared; }
  /// As the launch has to ask for.
  int64_t dynamic_bytes() const { return is_dynamic() ? bytes : 0; }
};

/// Buffers of the widest alignment first. A buffer is aligned to what its accesses need: 16 bytes in general, 128 for boxes of
/// tensor maps, 8 rows of the swizzle where it is swizzled.
SharedLayout shared_layout(const Program& program, const Kernel& kernel);

}  // namespace cdsl::loop
