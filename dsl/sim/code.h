// A kernel compiled for the simulator: a flat list of instructions, each a function over a warp,
// with tables for what does not fit an instruction. Made once a kernel by compile (compile.h), run
// by the scheduler (launch.h).
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "dsl/expr/ops.h"
#include "dsl/loop/loop_ir.h"
#include "dsl/sim/async_code.h"
#include "dsl/sim/slot.h"

namespace cdsl::sim {

struct Warp;
struct Instruction;

/// Executes the instruction on the lanes of the warp, returns the next one.
using Handler = const Instruction* (*)(Warp&, const Instruction&);

struct Instruction {
  Handler run = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0;  // offsets of slots in the register file
  int32_t jump = 0;                     // relative to this instruction
  uint32_t info = 0;                    // a row of one of Code's tables, or a number
};

/// An operator without a fast form: dsl/types/arithmetic.h, a lane at a time. Of a Cast, `operand`
/// is the source type.
struct GenericApply {
  Op op;
  ScalarType operand;
  Slot result;
  std::vector<Slot> args;
};

/// A buffer of the kernel and how the kernel uses it.
struct BufferUse {
  BufferId id;
  loop::Space space;
  std::string name;
  uint32_t argument = 0;  // Global: its place among the arguments
  int64_t offset = 0;     // Shared: bytes into the block's memory; Register: into the thread's
  int64_t element_size = 0, alignment = 1;
  int64_t count = 0;  // Shared, Register
  int granule = 1;    // bytes of its smallest leaf: races are looked for at this grain
  bool is_loaded = false, is_stored = false;
};

/// A place of the kernel that reads or writes memory.
struct Place {
  uint32_t buffer = 0;  // row of Code::buffers
  Slot index, within;
  bool has_within = false;
  Slot rank;              // Shared: of that block of the cluster
  bool has_rank = false;
  int64_t leaf_offset = 0, leaf_count = 1;
  ScalarType type = ScalarType::F32;
  int element_bytes = 4;  // of the leaf
  bool is_store = false, is_atomic = false;
  bool in_one = false;    // the values are fields of one element, not neighbouring elements
  int packed = 1;         // elements of the buffer in one value
  std::vector<Slot> values;  // loaded into or stored from; as many as the vector is wide
  std::string leaf;
  SourceRange where;
  uint32_t counters = 0;  // row of Code::sites

  int bytes() const { return element_bytes * static_cast<int>(values.size()); }
};

struct AtomicUse {
  uint32_t place = 0;
  loop::AtomicOp op;
  Slot expected, old;
  bool has_old = false;
  loop::Order order;
  loop::Scope scope;
};

struct LoopUse {
  Slot index, lo, hi, step;
};

struct ShuffleUse {
  loop::ShuffleKind kind;
  Slot result, value, lane;
  uint32_t mask;
  SourceRange where;
};

struct VoteUse {
  loop::VoteKind kind;
  Slot result, predicate;
  uint32_t mask;
  SourceRange where;
};

struct BarrierUse {
  loop::BarrierScope scope;
  SourceRange where;
};
struct ReportUse {
  uint32_t site;
  Slot value;
};

/// A register that is known to be in [lo, hi).
struct BoundsUse {
  Slot value, lo, hi;
  std::string name;
  SourceRange where;
};

/// A place as its counters name it. Several places of one Load node share a site.
struct Site {
  uint32_t buffer = 0;
  std::string leaf;
  SourceRange where;
  bool is_store = false, is_atomic = false;
  int width_bytes = 0;
};

struct Code {
  const loop::Kernel* kernel = nullptr;
  std::vector<Instruction> instructions;
  std::vector<SourceRange> where;  // of the statement that each instruction belongs to

  std::vector<GenericApply> applies;
  std::vector<BufferUse> buffers;
  std::vector<Place> places;
  std::vector<AtomicUse> atomics;
  std::vector<LoopUse> loops;
  std::vector<ShuffleUse> shuffles;
  std::vector<VoteUse> votes;
  std::vector<BarrierUse> barriers;
  std::vector<ReportUse> reports;
  std::vector<BoundsUse> bounds;
  std::vector<ArrivalUse> arrivals;
  std::vector<CopyUse> copies;
  std::vector<CopyWaitUse> copy_waits;
  std::vector<MatrixTilesUse> matrix_tiles;
  std::vector<MatrixUse> matrices;
  std::vector<MatrixAsyncUse> matrix_asyncs;
  std::vector<NamedBarrierUse> named_barriers;
  std::vector<ElectUse> elects;
  std::vector<BudgetUse> budgets;
  std::vector<Site> sites;

  std::vector<std::pair<Slot, Value>> constants;
  std::vector<Slot> scalars;  // as the kernel lists them
  std::vector<std::pair<loop::Special, Slot>> specials;

  uint32_t preset_bytes = 0;    // constants, scalars, specials: the start of the register file
  uint32_t register_bytes = 0;  // of a warp's register file
  uint32_t frames = 0;          // depth of control, at most
  int64_t shared_bytes = 0, thread_bytes = 0;
  std::set<uint32_t> loaded_maps, stored_maps;   // by place in Kernel::maps
  bool spins = false;   // a While waits for memory that other threads write
  bool orders = false;  // fences, or atomics that acquire or release, or arrival barriers
  bool proxies = false;  // agents read shared memory: writes of threads need a fence first
};

}  // namespace cdsl::sim
