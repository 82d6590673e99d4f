// What the warps of one launch do to memory and to the pipelines, found without running it: the kernel is walked warp by warp
// with every register that depends on indices, sizes and scalars alone known for each lane (lanes.h).
//
// Guarantees: where `exact` is set, requests, lanes, sectors and wavefronts equal the simulator's counters. What depends on
// data is estimated: a lane that may be active counts as active, an unknown address as one spread over its buffer, a loop of
// unknown length as kAssumedRounds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/machine/memory.h"
#include "dsl/machine/work.h"

namespace cdsl::predicting {

/// Rounds of a loop whose bounds are data, and of one that waits for data.
inline constexpr int kAssumedRounds = 16;

enum class AccessKind : uint8_t { Load, Store, Atomic, SharedLoad, SharedStore, SharedAtomic };
/// "load", "store", "atomic", "shared_load", "shared_store", "shared_atomic".
std::string_view name_of(AccessKind kind);
constexpr bool is_shared(AccessKind kind) { return kind >= AccessKind::SharedLoad; }

/// One request as its lanes make it, for pictures: of those with the most active lanes, the first with the highest degree.
struct RequestSample {
  uint32_t mask = 0;               // active lanes; 0: no request has known addresses
  LaneAddresses address{};         // bytes from the start of the buffer; shared: from the start of the block's shared memory
  bool shifted = false;            // all lanes by a number that depends on data, taken as 0
  int sectors = 0, ideal_sectors = 0;        // global
  int wavefronts = 0, degree = 0;            // shared
};
/// Is `a` the better picture of the two?
bool shows_more(const RequestSample& a, const RequestSample& b);

/// All requests that one place of the source makes of one leaf of a buffer, summed over a launch.
struct AccessCount {
  BufferId buffer;
  uint32_t leaf = 0;
  AccessKind kind = AccessKind::Load;
  SourceRange where;
  int width_bytes = 4;             // a lane
  double requests = 0, lanes = 0;
  double sectors = 0, ideal_sectors = 0, lines = 0;      // global
  double wavefronts = 0, ideal_wavefronts = 0;           // shared
  int bank_degree = 0;             // shared: the most of any request
  double passes = 0;               // atomics
  bool exact = true;               // every request was counted
  bool data_dependent = false;     // an address or an active lane depends on data
  RequestSample sample;
};

/// A global buffer of the launch.
struct BufferCount {
  BufferId buffer;
  int64_t bytes = 0;               // that it has
  double read_sectors = 0, written_sectors = 0;   // of requests
  double l1_share = 1;             // of the read sectors that miss the L1
  double read_unique = 0, written_unique = 0;     // bytes touched at all, by whole sectors
};

struct LaunchCount {
  std::vector<AccessCount> accesses;
  std::vector<BufferCount> buffers;
  std::array<double, kUnits> lane_ops{};
  std::array<double, kMatrixTypes> matrix_flops{};
  double flops = 0;                // of active lanes: a multiply-add is two
  double barriers = 0;             // that one block passes
  double serial_clocks = 0;        // that a warp waits for loads, one round after another, at L2 latency
  double atomic_lanes = 0;
  std::vector<AtomicWork> atomics;
  double blocks_traced = 0;
  bool exact = true;               // nothing was sampled and nothing depends on data
};

/// A launch as the plan makes it, everything evaluated.
struct LaunchInput {
  const loop::Program& program;
  const loop::Kernel& kernel;
  int64_t grid = 1;
  double rounds = 1;                          // that blocks take over items or tiles: above 1 where they are resident
  std::vector<int64_t> buffer_bytes;          // of the kernel's global buffers, in order
  std::vector<std::pair<Value, bool>> scalars;   // and whether they are known
  struct Map {
    std::vector<int64_t> extents, strides;    // bytes of axis 1, 2, ...
  };
  std::vector<Map> maps;
};

struct TraceOptions {
  double l2_latency = 260;
  double blocks_at_once = 528;           // about: of the device
  /// Expressions to evaluate at most; what is left is sampled: some rounds of long loops, some blocks. 0: no limit.
  double budget = 3e5;
  /// Each load of the text counts, as the simulator makes it, also where the compiler has its value at hand.
  bool as_written = false;
};

LaunchCount trace(const LaunchInput& input, const TraceOptions& options);

}  // namespace cdsl::predicting
