// How the statements of a kernel in tile form are gathered into loops over register digits, before any of them is written:
// which run together, which accesses are vectors, and which values must wait in register buffers.
//
//   group   neighbouring pointwise statements with the same register digits
//   phase   one nest of loops: loads first, so that all are under way before the first is used; then the rest
//   unit    what stands in the innermost place: scalar statements (in a loop over the vector digit), one vector access, or the
//           accesses that fill a window
//
// The body of a distributed If is planned like any block, for the axes that its condition does not name.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dsl/loop/distribution.h"
#include "passes/lower/tiles/divisors.h"
#include "passes/lower/tiles/windows.h"

namespace cdsl::lowering {

/// One loop over registers: digit `digit` of register_digits(axis). The innermost may be the vector of an access.
struct RegisterLoop {
  SymbolId axis;
  std::size_t digit = 0;
  int64_t extent = 1;
  bool is_vector = false;
  friend bool operator==(const RegisterLoop&, const RegisterLoop&) = default;
};

struct Unit {
  enum class Kind : uint8_t { Scalar, Load, Store, Window };
  Kind kind = Kind::Scalar;
  std::vector<const loop::Statement*> statements;
  int64_t width = 1;                   // elements of one vector access
  std::vector<Divisors::End> ends;     // where its guard may hold for some elements of a vector only: what holds for all of one
  std::size_t window = 0;              // Window: which of windows()
  int number = 0;                      // 0: straight in the kernel's blocks, in no loop over registers
};

/// Memory that a statement names.
struct Touch {
  BufferId buffer;
  ExprId index;
  bool writes = false;
};

struct Phase {
  std::vector<Unit> units;
  std::vector<Touch> touches;
  bool only_loads = true;
};

struct Group {
  std::vector<RegisterLoop> loops;     // outermost first; the vector digit, if any, last
  std::vector<Phase> phases;
};

/// The statements of one block in order: a group, or a statement that is written by a rule of its own.
struct Piece {
  const loop::Statement* statement = nullptr;   // null: a group
  Group group;
};

class TilePlan {
 public:
  TilePlan(const loop::Program& program, const loop::Kernel& kernel, const loop::Distribution& distribution);

  const std::vector<Piece>& pieces(const loop::Block& block) const { return blocks_.at(&block); }
  /// Values of which a thread holds an array: those of several registers that outlive the unit that defines them, and
  /// operands of matrix instructions.
  const std::vector<SymbolId>& buffered() const { return buffered_; }
  const std::vector<Window>& windows() const { return windows_; }
  /// Loops over the register digits of these axes.
  std::vector<RegisterLoop> loops(std::span<const SymbolId> axes) const;

 private:
  struct Around {
    std::vector<SymbolId> axes;        // whose digits stand already
    int unit = 0;
  };
  // tile_plan.cpp
  void plan(const loop::Block& block, const Around& around);
  bool is_pointwise(const loop::Statement& statement) const;
  int add(std::vector<Piece>& pieces, const loop::Statement& statement, std::span<const SymbolId> axes, const Around& around);
  std::vector<SymbolId> axes_of(const loop::Statement& statement, const Around& around) const;
  std::vector<RegisterLoop> loops_of(const loop::Statement& statement, std::span<const SymbolId> axes, const Around& around) const;
  int place(Group& group, const loop::Statement& statement, std::span<const SymbolId> axes, const Around& around);
  int new_unit(int inside);
  bool loads_memory(const loop::Statement& statement) const;
  bool conflict(const Phase& phase, const std::vector<Touch>& touches) const;
  void touch(const loop::Statement& statement, std::vector<Touch>& touches) const;
  void note(const loop::Statement& statement, int unit);
  void buffer(SymbolId symbol);
  void window(const loop::Block& block, const Around& around);

  // vector_units.cpp
  std::optional<Unit> vector_unit(const Group& group, const loop::Statement& statement, std::span<const SymbolId> axes) const;
  void find_width(Unit& unit, const loop::Access& access, ExprId guard, const RegisterLoop& vector) const;
  bool aligned(BufferId buffer, int64_t bytes) const;

  const loop::Program& program_;
  const loop::Kernel& kernel_;
  const loop::Distribution& distribution_;
  Divisors divisors_;
  std::unordered_map<const loop::Block*, std::vector<Piece>> blocks_;
  std::vector<int> inside_{0};                        // of each unit, the one around it
  std::unordered_map<SymbolId, int> defined_in_;      // units of values of several registers
  std::unordered_set<SymbolId> is_buffered_;
  std::vector<SymbolId> buffered_;
  std::vector<Window> windows_;
  std::unordered_map<const loop::Statement*, std::size_t> window_of_;   // of each tap
};

/// The one Load of a value, which a vector unit makes whole: of `value`, or of the first arm of a Select.
struct GuardedLoad {
  ExprId guard, load, value, otherwise;   // guard and otherwise invalid: always
};
std::optional<GuardedLoad> guarded_load(const loop::Program& program, ExprId value);

/// The Store that a statement is, straight or alone in an If.
struct GuardedStore {
  ExprId guard;
  const loop::Statement* statement;
  const loop::Store& store() const { return std::get<loop::Store>(statement->node); }
};
std::optional<GuardedStore> guarded_store(const loop::Statement& statement);

}  // namespace cdsl::lowering
