// Where the values of a kernel in tile form are while it is written as lane form: coordinates of axes, registers of
// distributed values, which threads hold the same point. Used by the rules of all statements.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dsl/loop/builder.h"
#include "passes/lower/tiles/tile_plan.h"

namespace cdsl::lowering {

/// The digits that loops stand at: by axis, one index (i32) for each of its register digits.
using RegisterPoint = std::unordered_map<SymbolId, std::vector<ExprId>>;

/// A digit of an axis; `register_digit` is its place in register_digits(axis), if it is one.
struct AxisDigit {
  SymbolId axis;
  loop::Digit digit;
  std::size_t register_digit = 0;
  bool is_register() const { return digit.level == loop::Level::Register || digit.level == loop::Level::Vector; }
};

class LaneScope {
 public:
  LaneScope(loop::Program& program, const loop::Kernel& kernel);

  const loop::Program& program() const { return program_; }
  ExprArena& arena() { return program_.arena; }
  const loop::Kernel& kernel() const { return kernel_; }
  const loop::Distribution& distribution() const { return distribution_; }
  const TilePlan& plan() const { return plan_; }
  loop::Builder& builder() { return builder_; }

  // Values
  /// The expression at a point: axes are numbers, values in buffers are loads of them. Nodes of `given` are as it says.
  ExprId at(ExprId expression, const RegisterPoint& point, const std::unordered_map<ExprId, ExprId>& given = {});
  ExprId register_index(std::span<const SymbolId> axes, const RegisterPoint& point);
  /// The axes of a value in the order that its registers count them, the last one fastest.
  std::span<const SymbolId> register_order(SymbolId symbol) const;
  /// The value `symbol` at a point gets a value.
  void define(SymbolId symbol, ExprId value, const RegisterPoint& point);
  /// The same of a value that is a register already.
  void receive(SymbolId symbol, ExprId reg, const RegisterPoint& point);
  /// The array of registers that holds a value; none where each point has a register of its own.
  const BufferId* array_of(SymbolId symbol) const;
  /// The array that holds a window, and the place of its element `offset` at a point; the vector digit counts as it stands there.
  BufferId window_array(std::size_t window) const { return window_arrays_[window]; }
  ExprId window_place(std::size_t window, int64_t offset, const RegisterPoint& point);
  /// Are values along a digit neighbours in that array?
  bool is_fastest(SymbolId symbol, const RegisterLoop& loop) const;
  /// The register that stands for `symbol` in lane form, where it has no array.
  void rename(SymbolId symbol, ExprId value) { values_[symbol] = value; }
  SymbolId renamed(SymbolId symbol) const;

  // Threads. Numbers of digits are i32.
  /// From here on `axis`, whose statement `warps` run, can be asked for its number.
  void declare(const loop::TileAxis& axis, loop::WarpSet warps);
  ExprId coordinate(SymbolId axis, const RegisterPoint& point);
  ExprId digit_at(const AxisDigit& digit, const RegisterPoint& point);
  std::vector<AxisDigit> digits_of(SymbolId axis) const;
  /// True in one of `warps` threads of a block among those whose `named` digits are equal; invalid: always.
  ExprId first_of_replicas(const std::vector<loop::Digit>& named, loop::WarpSet warps);
  std::vector<loop::Digit> thread_digits(std::span<const SymbolId> axes) const;

  // Code
  void nest(const std::vector<RegisterLoop>& loops, RegisterPoint& point, const std::function<void()>& body,
            std::size_t k = 0);
  /// A buffer whose name is free in all of the kernel.
  BufferId shared(const std::string& name, ScalarType type, int64_t count);
  BufferId registers(const std::string& name, ScalarType type, int64_t count);
  /// How many points along the axis one vector digit holds, and how many the block covers at once: constants with names.
  ExprId vector_extent(const RegisterLoop& loop);
  ExprId weight(const AxisDigit& digit);
  ExprId i32(int64_t value) { return arena().integer(value, ScalarType::I32); }

 private:
  ExprId digit(loop::Level level, int64_t stride, int64_t extent, int64_t first, int64_t total);
  /// A quotient or remainder of an axis, as its digits; nothing where it is no sum of them.
  std::optional<ExprId> by_digits(ExprId id, const RegisterPoint& point);
  std::string free_name(const std::string& name);
  void order_by_vectors(SymbolId symbol);
  void declare_windows();

  loop::Program& program_;
  const loop::Kernel& kernel_;
  loop::Distribution distribution_;
  TilePlan plan_;
  loop::Builder builder_;
  std::unordered_map<SymbolId, BufferId> arrays_;
  std::unordered_map<SymbolId, std::vector<SymbolId>> register_orders_;   // where it is not that of the declarations
  std::vector<BufferId> window_arrays_;                 // as in the plan
  std::unordered_map<SymbolId, std::pair<std::size_t, const WindowTap*>> taps_;
  std::unordered_map<SymbolId, ExprId> values_;
  std::unordered_map<SymbolId, ExprId> thread_parts_;   // of axes: the number that lanes, warps and ranks make, i32
  std::unordered_map<SymbolId, int64_t> warps_of_axes_; // from the axis's first on
  std::unordered_map<std::string, int> buffer_names_;
};

}  // namespace cdsl::lowering
