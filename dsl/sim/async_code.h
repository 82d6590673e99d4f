// What the asynchronous and matrix nodes of a kernel compile to: rows of Code's tables. `place` is a row of Code::places.
#pragma once

#include <cstdint>
#include <vector>

#include "dsl/loop/async_ir.h"
#include "dsl/sim/slot.h"

namespace cdsl::sim {

/// Init, arrive or wait at an arrival barrier.
struct ArrivalUse {
  uint32_t place = 0;
  Slot operand;                   // count, expected bytes, parity
  bool has_operand = false;
};

/// A copy by an agent. Places that do not occur are kNoPlace.
struct CopyUse {
  static constexpr uint32_t kNoPlace = 0xffffffffu;
  enum class Kind : uint8_t { Async, Bulk, Tensor };
  Kind kind = Kind::Async;
  bool is_store = false, adds = false;
  uint32_t to = kNoPlace, from = kNoPlace, barrier = kNoPlace;   // Tensor: the shared place is `to`, or of a store `from`
  int fixed_bytes = 0;            // Async
  Slot bytes, condition, multicast;
  bool has_condition = false, has_multicast = false;
  uint32_t map = 0;               // Tensor: its place in Kernel::maps
  std::vector<Slot> at;
  SourceRange where;
};

struct CopyWaitUse {
  loop::CopyBatch batch;
  uint32_t pending = 0;
  bool read = false;
};

/// Registers of a matrix operand: elements `base + offsets[k]` of a register buffer.
struct FragmentUse {
  uint32_t buffer = 0;            // row of Code::buffers
  ScalarType type = ScalarType::F32;
  Slot base;
  std::vector<int> offsets;
};

struct MatrixTilesUse {
  uint32_t place = 0;
  int count = 4;
  bool transposed = false, is_store = false;
  FragmentUse registers;
  SourceRange where;
};

struct MatrixUse {
  loop::MatrixShape shape;
  FragmentUse d, a, b;
  bool tf32 = false;
  SourceRange where;
};

/// One instruction of a warpgroup, as each of its warps runs it.
struct MatrixAsyncUse {
  loop::MatrixShape shape;
  FragmentUse d, a;
  bool a_in_registers = false, has_accumulate = false, tf32 = false;
  loop::SharedMatrix a_layout, b_layout;
  uint32_t a_place = 0, b_place = 0;
  Slot accumulate;
  SourceRange where;
};

struct NamedBarrierUse {
  bool sync = true;
  Slot id;
  int threads = 0;
  SourceRange where;
};

struct ElectUse {
  Slot result;
  SourceRange where;
};

struct BudgetUse {
  int registers = 0;
  bool raises = false;
  SourceRange where;
};

}  // namespace cdsl::sim
