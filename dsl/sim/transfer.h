// What agents have under way: copies and matrix instructions that were issued and are not complete. Plain data; agents.h and
// matrix.h act on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dsl/sim/async_code.h"
#include "dsl/sim/shadow.h"

namespace cdsl::sim {

struct Warp;
struct BlockState;

/// A piece of memory, resolved when a copy is issued.
struct End {
  std::byte* bytes = nullptr;
  uint8_t* written = nullptr;     // flags; null where nobody looks
  Shadow* shadow = nullptr;
  int64_t shadow_offset = 0;
  bool is_shared = false;
};

struct Transfer {
  struct Read { End from; int64_t at = 0, bytes = 0; };          // `at`: in `staged`
  struct Write { End to; int64_t at = 0, bytes = 0; };
  struct Arrival { BlockState* block = nullptr; int64_t offset = 0, bytes = 0; };   // of an arrival barrier

  Warp* warp = nullptr;           // who issued it
  int lane = 0;
  Actor who{};
  const CopyUse* use = nullptr;
  std::vector<Read> reads;        // what no read covers is 0
  std::vector<Write> writes;
  std::vector<std::byte> staged;
  std::vector<Arrival> arrivals;
  ScalarType type = ScalarType::U8;   // of what it adds
  static constexpr uint32_t kNoBatch = 0xffffffffu;
  uint32_t batch = kNoBatch;      // of the lane, among its batches of the kind
  bool was_read = false;
};

/// A matrix instruction that a warp has under way.
struct MatrixJob {
  const MatrixAsyncUse* use = nullptr;
  Actor who{};
  int64_t a_start = 0, b_start = 0;   // bytes into the block's shared memory
  bool accumulate = true;
  int64_t base[kLanes] = {}, a_base[kLanes] = {};   // of d and a, in elements
  std::vector<std::byte> a;           // its registers, lane by lane, where a is not in shared memory
  uint32_t batch = 0;
};

}  // namespace cdsl::sim
