// Which axes each value of a kernel in tile form is distributed over, who holds it, and who acts (docs/ir.md, section
// 2.8). Computed once for a kernel; expressions are looked at when they are first asked for, each node once, without
// recursion. The kernel must stay where it is; its program's arena may grow. In lane form nothing has axes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::loop {

/// A factor of an axis with its place in the number: index = sum of digit * weight.
struct Digit {
  Level level = Level::Register;
  int64_t extent = 1;
  int64_t stride = 1;                 // Lane, Warp, Rank: digit = (place / stride) mod extent
  int64_t weight = 1;
};

/// The warps of a block that run a statement, by the roles (`if` on `warp`) around it: bit w is warp w.
struct WarpSet {
  uint32_t mask = 0;
  int first() const;
  int count() const;
  bool contiguous() const;
  friend bool operator==(WarpSet, WarpSet) = default;
};

class Distribution {
 public:
  Distribution(const Program& program, const Kernel& kernel);

  // Axes. Spans of axes are in the order of their declarations.
  std::span<const SymbolId> axes() const { return order_; }
  bool is_axis(SymbolId symbol) const { return axes_.contains(symbol); }
  int64_t extent(SymbolId axis) const { return axes_.at(axis).extent; }
  int64_t first_warp(SymbolId axis) const { return axes_.at(axis).first_warp; }
  /// All digits, outermost first.
  std::span<const Digit> digits(SymbolId axis) const { return axes_.at(axis).digits; }
  /// The digits that one thread runs over (Register, then Vector), outermost first.
  std::span<const Digit> register_digits(SymbolId axis) const { return axes_.at(axis).registers; }
  /// The digits at one level, outermost first.
  std::vector<Digit> digits(SymbolId axis, Level level) const;

  // Values. Symbols that no statement of the kernel defines (parameters, specials) have no axes.
  std::span<const SymbolId> axes_of(SymbolId symbol) const;
  std::span<const SymbolId> axes_of(ExprId expression) const;
  /// Registers a thread holds of a value over these axes: the product of the register digits.
  int64_t registers_of(std::span<const SymbolId> axes) const;
  int64_t registers_of(SymbolId symbol) const { return registers_of(axes_of(symbol)); }
  /// May the value differ between threads that hold the same point? It depends on thread.*, lane, warp, an Elect, a
  /// Shuffle, a Vote or a register buffer, or was assigned by some threads only.
  bool lane_wise(SymbolId symbol) const { return lane_wise_.contains(symbol); }
  bool lane_wise(ExprId expression) const;

  // Statements of the kernel.
  /// Done once for every point of these: the axes of its expressions (of the Var for an Assign), and of the distributed
  /// Ifs around it. For a collective the axes at which its values are taken.
  std::span<const SymbolId> axes_of(const Statement& statement) const;
  /// Executed by every thread as written: it, or an If, While or For around it that is no role, mentions a lane-wise value.
  bool lane_wise(const Statement& statement) const;
  WarpSet warps_of(const Statement& statement) const;
  /// Is `statement` an If on `warp` and constants alone? Its body is then the program of some warps.
  bool is_role(const Statement& statement) const;
  /// The warps for which a role's condition holds.
  WarpSet warps_where(ExprId role_condition) const;

  /// What tells threads (`total` lanes, warps or ranks) apart besides the digits of `axes` at `level`: places that hold
  /// the same point. An effect is done where all of them, (place / stride) mod extent, are 0; warps count from the
  /// first that runs the statement.
  std::vector<Factor> unnamed(std::span<const SymbolId> axes, Level level, int64_t total) const;
  static std::vector<Factor> unnamed(std::vector<Digit> named, Level level, int64_t total);

 private:
  using SetId = uint32_t;             // index into sets_; 0 is empty
  struct AxisFacts {
    std::vector<Digit> digits, registers;
    int64_t extent = 1, first_warp = 0;
    uint32_t position = 0;            // in order_
  };
  struct Facts {                      // of an expression
    SetId axes = 0;
    bool thread = false;              // depends on the thread by more than `warp` itself
    bool warp = false;                // mentions `warp`
    bool free = false;                // mentions more than `warp` and constants
  };
  struct Place {                      // of a statement
    SetId axes = 0;
    bool lane_wise = false, role = false;
    WarpSet warps;
  };
  struct Walk;                        // one walk over the kernel

  void add_axis(const TileAxis& axis);
  SetId set_of(std::vector<SymbolId> axes) const;
  SetId join(SetId a, SetId b) const;
  SetId without(SetId set, std::span<const SymbolId> axes) const;
  const Facts& facts(ExprId id) const;
  Facts facts_of_node(ExprId id) const;

  const Program& program_;
  uint32_t all_warps_ = 0;
  std::vector<SymbolId> order_;
  std::unordered_map<SymbolId, AxisFacts> axes_;
  std::unordered_map<SymbolId, SetId> symbols_;
  std::unordered_set<SymbolId> lane_wise_;
  std::unordered_map<const Statement*, Place> places_;
  // Filled as questions are asked.
  mutable std::deque<std::vector<SymbolId>> sets_;
  mutable std::map<std::vector<SymbolId>, SetId> set_ids_;
  mutable std::map<std::pair<SetId, SetId>, SetId> joins_;
  mutable std::unordered_map<ExprId, Facts> facts_;
};

}  // namespace cdsl::loop
