// Writes one kernel of tile form as lane form, statement by statement. Each kind of node has its rule in a file of its own;
// what they share is here: where a value of tile form is now, and loops over register digits.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "dsl/loop/builder.h"
#include "passes/lower/tiles/tile_plan.h"

namespace cdsl::lowering {

/// The digits that loops stand at: by axis, one index (i64) for each of its register digits.
using RegisterPoint = std::unordered_map<SymbolId, std::vector<ExprId>>;

class LaneWriter {
 public:
  LaneWriter(loop::Program& program, const loop::Kernel& kernel, const loop::Block& body);
  /// The kernel in lane form.
  loop::Kernel run();

 private:
  // lane_writer.cpp
  void block(const loop::Block& block);
  void statement(const loop::Statement& statement);
  void copy(const loop::Statement& statement);
  void write(const loop::TileAxis& axis);
  void write(const loop::TileReduce& reduce, const loop::Statement& statement);   // reduce.cpp
  void write(const loop::TileScan& scan, const loop::Statement& statement);       // scan.cpp
  void write(const loop::TileMultiply& multiply);                                 // multiply.cpp

  // pointwise.cpp
  void group(const Group& group);
  void nest(const std::vector<RegisterLoop>& loops, std::size_t k, RegisterPoint& point, const std::function<void()>& body);
  void units(const std::vector<Unit>& units, const Group& group, RegisterPoint& point);
  void point_statement(const loop::Statement& statement, const RegisterPoint& point);
  void vector_load(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point);
  void vector_store(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point);
  void once(const loop::Statement& statement, const std::function<void()>& body);

  // values.cpp
  /// The expression at a point: axes are numbers, values in buffers are loads of them.
  ExprId at(ExprId expression, const RegisterPoint& point);
  ExprId coordinate(SymbolId axis, const RegisterPoint& point);
  ExprId register_index(std::span<const SymbolId> axes, const RegisterPoint& point);
  /// The value `symbol` at a point gets a value.
  void define(SymbolId symbol, ExprId value, const RegisterPoint& point);
  loop::Access access_at(const loop::Access& access, const RegisterPoint& point);
  /// The digits of lanes, warps and ranks of `axis`, as part of its number (i64).
  ExprId thread_part(SymbolId axis);
  /// A buffer of the kernel whose name is free in all of it.
  BufferId shared_named(const std::string& name, ScalarType type, int64_t count);
  BufferId registers_named(const std::string& name, ScalarType type, int64_t count);
  /// (place / stride) mod extent of a level, i32.
  ExprId digit(loop::Level level, int64_t stride, int64_t extent, int64_t first_warp);
  /// True in one thread of those that hold the same points of `axes`; invalid: always.
  ExprId first_of_replicas(std::span<const SymbolId> axes, std::span<const loop::Level> levels);
  int64_t places(loop::Level level) const;

  // reduce.cpp, shared by collectives
  void collective_barrier(const loop::Statement& statement);
  bool is_only_barrier_of_loop(const loop::Statement& statement) const;
  bool has_level(std::span<const SymbolId> axes, loop::Level level) const;
  /// Loops in the order of the axes' numbers.
  std::vector<RegisterLoop> loops_of(std::span<const SymbolId> axes) const;
  std::vector<BufferId> scratch_for(std::span<const SymbolId> kept, std::span<const SymbolId> reduced, loop::Level level,
                                    const std::vector<ScalarType>& types, const std::string& name);
  std::vector<ExprId> over_lanes(const loop::Combine& how, std::span<const SymbolId> axes, std::vector<ExprId> value,
                                 const std::string& name);
  std::vector<ExprId> over_warps(const loop::TileReduce& reduce, std::span<const SymbolId> kept,
                                 const std::vector<BufferId>& scratch, const RegisterPoint& point, bool writing,
                                 std::vector<ExprId> value, const std::string& name);
  std::vector<ExprId> over_ranks(const loop::TileReduce& reduce, std::span<const SymbolId> kept,
                                 const std::vector<BufferId>& scratch, const RegisterPoint& point, bool writing,
                                 std::vector<ExprId> value, const std::string& name);
  ExprId i64(int64_t value) { return arena_.integer(value); }
  ExprId i32(int64_t value) { return arena_.integer(value, ScalarType::I32); }

  loop::Program& program_;
  ExprArena& arena_;
  const loop::Kernel& kernel_;
  const loop::Block& body_;
  loop::Distribution distribution_;
  TilePlan plan_;
  loop::Builder builder_;
  std::unordered_map<SymbolId, BufferId> buffers_;      // values held in register buffers
  std::unordered_map<SymbolId, ExprId> values_;         // values of one register, and uniform ones that were renamed
  std::unordered_map<SymbolId, ExprId> thread_parts_;
  std::unordered_map<std::string, int> buffer_names_;
  std::vector<const loop::Block*> loops_around_;        // bodies of For and While
};

}  // namespace cdsl::lowering
