// The simulator executes lane-form Loop IR: warps of co-resident blocks, interleaved by a seeded
// schedule. It finds what a GPU would let pass (races, unwritten reads, divergent barriers) and
// counts what its hardware counters would count.
//
// Guarantees: the same program, memory, arguments and options give the same result, faults and
// counters. A read outside its buffer yields 0 and a write there is dropped, so that a run with
// faults still ends. docs/ir.md, "Execution".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/machine/architectures.h"

namespace cdsl::sim {

struct Options {
  uint64_t seed = 1;
  int64_t resident_blocks =
      4;              // blocks interleaved at a time, at most (a cluster counts as a whole)
  bool check = true;  // races, unwritten reads; false: faster, bounds and alignment only
  uint64_t step_limit = 20'000'000'000ull;  // lane-operations of one launch before "does not end"
  int max_faults = 16;  // different faults (kind and place) before a launch stops
  std::string_view architecture = kDefaultArchitecture;  // whose launch limits hold
};

/// Device memory of the simulator: allocations aligned to 256 bytes, or some bytes past that, and a record of which bytes
/// were written.
class Memory {
 public:
  struct Allocation {
    std::string name;
    std::vector<std::byte> bytes;
    std::vector<uint8_t> written;  // a flag a byte
    bool complete = false;         // every byte was written: flags need no look
    bool live = true;
    int64_t past = 0;              // bytes after a multiple of 256 at which it starts
  };

  /// A new allocation of `bytes`, contents unwritten (and zero). Handles are never reused.
  uint32_t allocate(std::string name, int64_t bytes, int64_t past = 0);
  void release(uint32_t handle);
  std::byte* data(uint32_t handle) { return allocations_[handle].bytes.data(); }
  int64_t size(uint32_t handle) const {
    return static_cast<int64_t>(allocations_[handle].bytes.size());
  }
  int64_t past(uint32_t handle) const { return allocations_[handle].past; }
  /// Requires: the range lies inside the allocation, here and below.
  void mark_written(uint32_t handle, int64_t offset, int64_t bytes);
  /// Forgets that a range was written: workspace between uses.
  void mark_unwritten(uint32_t handle, int64_t offset, int64_t bytes);
  bool written(uint32_t handle, int64_t offset, int64_t bytes) const;

  std::size_t allocation_count() const { return allocations_.size(); }
  Allocation& allocation(uint32_t handle) { return allocations_[handle]; }

 private:
  std::vector<Allocation> allocations_;
};

struct Fault {
  enum class Kind : uint8_t {
    OutOfBounds,
    Misaligned,
    Race,
    DivergentBarrier,
    UnwrittenRead,
    Deadlock,
    StepLimit,
    LaunchLimit,
    BadShuffle,
    BadBarrier,  // an arrival barrier that is not initialised, or gets more than its count
    BadCopy,     // a bulk copy of a wrong size, or whose shared memory goes away
    BrokenFact,  // a register outside the bounds that its Let gives
    BadMatrix    // registers of a matrix instruction under way, a missing fence
  };
  Kind kind;
  std::string message;  // buffer, element, block and thread, and the other thread of a race
  std::string kernel;
  SourceRange where;
  uint64_t count = 1;  // faults of this kind at this place; the message tells of the first
};
/// "out of bounds", "race", ...
std::string_view name_of(Fault::Kind kind);

/// Counters of one access site (a Load node or a storing statement of a kernel), as the hardware
/// counts them.
struct AccessCounters {
  std::string kernel, buffer, leaf;
  SourceRange where;
  bool is_store = false, is_atomic = false, is_shared = false;
  int width_bytes = 0;         // bytes a lane
  uint64_t requests = 0;       // warp-level
  uint64_t lanes = 0;          // active lanes summed
  uint64_t sectors = 0;        // distinct 32-byte sectors summed (global)
  uint64_t ideal_sectors = 0;  // ceil(distinct bytes / 32) summed
  uint64_t wavefronts = 0;     // shared: passes needed; ideal_wavefronts without conflicts
  uint64_t ideal_wavefronts = 0;
};

struct KernelCounters {
  uint64_t launches = 0, blocks = 0, warps = 0;
  uint64_t warp_instructions = 0,
           lane_instructions = 0;                 // operations of Loop IR, not of the machine
  uint64_t branches = 0, divergent_branches = 0;  // of If, For and While, a warp at a time
  uint64_t barriers = 0, atomics = 0;             // barriers: a warp's arrivals; atomics: lanes
};

struct Report {
  uint32_t site = 0;
  int64_t value = 0;
  uint64_t count = 0;
};

struct Result {
  std::vector<Fault> faults;
  std::vector<Report> reports;  // first value and count, by site
  std::vector<AccessCounters> accesses;
  std::map<std::string, KernelCounters> kernels;
};

/// A kernel argument: a piece of an allocation, or a scalar value.
struct Argument {
  bool is_buffer = false;
  uint32_t handle = 0;
  int64_t offset = 0;  // bytes
  Value value;
  int64_t bytes = -1;  // of the buffer, from `offset`; -1: to the end of the allocation
  /// A tensor map of memory from `offset` on: elements innermost first, bytes of axis 1, 2, ...
  bool is_map = false;
  std::vector<int64_t> extents = {}, strides = {};
};

/// Prepares a program once, then launches its kernels on `memory`. Results accumulate.
class Simulator {
 public:
  /// Keeps references to both. Requires: `program` is verified (loop::verify).
  Simulator(const loop::Program& program, Memory& memory, Options options = {});
  ~Simulator();
  /// Runs one launch to its end. `arguments` as the kernel lists them: global buffers, then
  /// scalars, then tensor maps.
  void launch(uint32_t kernel, const int64_t (&grid)[3], std::span<const Argument> arguments);
  const Result& result() const;
  /// Options::resident_blocks of the launches that follow.
  void set_resident_blocks(int64_t blocks);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cdsl::sim
