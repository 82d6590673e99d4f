// One group of the schedule as a kernel in tile form. The bindings of its axes, its staged tensors and its edges each have one
// rule here, whatever the group computes.
//
// Requires: `decide` found the group legal (docs/ir.md, 1.6). Ensures: what the group's stages compute, for every size that
// meets its guards.
#pragma once

#include <set>
#include <unordered_map>
#include <vector>

#include "dsl/schedule/group.h"
#include "passes/lower/expression.h"

namespace cdsl::lowering {

/// The blocks that the group takes: one for each tile of its grid axes.
ExprId blocks_of(ExprArena& arena, const Group& group);

class GroupLowering {
 public:
  /// `counter`: of the plan, an i32 for each tile of results, 0 when the kernel starts; of groups with shares only.
  GroupLowering(Lowerer& lowerer, const Group& group, uint32_t counter);
  /// Writes the body of the kernel.
  void run();

 private:
  struct Bound {
    const GroupAxis* axis;
    ExprId lo, hi, base, tile_index;     // base: of the block's tile; tile_index: the axis of tile form, or invalid
    ExprId inside;                       // index < hi; invalid: always
  };

  void tile();
  void place_blocks(ExprId number);
  void find_bounds();
  ExprId tiles_along(const Bound& bound);
  void place(Bound& bound, ExprId tile);
  ExprId place_in_bands(ExprId number, Bound& down, Bound& across, bool alone);
  /// Points of the block's tile along an axis, as a constant with a name.
  ExprId tile_of(const GroupAxis& axis);
  void declare_axes();
  void note_alignment();
  void body(bool tested);
  void bind(Bound& bound, ExprId index, bool tested);
  bool needs_test(const Bound& bound) const;
  struct Roots {
    std::set<SymbolId> symbols;          // axes, sizes, loops, results of reductions
    bool unclear = false;                // a variable is among them
  };
  Roots roots_of(ExprId id) const;
  bool is_replicated() const;
  /// The axes of tile form that a value of Tensor IR hangs on, and the conditions around it.
  std::vector<ExprId> axes_of(ExprId id) const;
  /// Conjunction of `inside` of the axes whose tile indices occur in `id`.
  ExprId inside_where(ExprId id) const;

  // streams
  void over(std::vector<Bound*> streams, bool tested, const std::function<void()>& inner);
  void round(Bound& stream, ExprId first, bool tested, const std::function<void()>& inner);
  std::vector<Bound*> open_streams(std::span<const ExprId> roots);

  // reductions
  void reduce_first(ExprId root);
  std::optional<std::vector<ExprId>> reduce(ReductionId id);
  std::vector<ExprId> terms(const Reduction& reduction, const std::vector<ExprId>& identity);
  ExprId position(const Reduction& reduction);
  void report_empty(const Reduction& reduction, const std::vector<ExprId>& parts);

  // shares.cpp
  struct Shared {
    ReductionId id;
    loop::Combine how;
    std::vector<BufferId> parts;         // a value a share
    std::vector<ExprId> identity;
  };
  bool is_shared(const Reduction& reduction) const;
  void in_shares();
  ExprId result_number() const;
  ExprId results() const;
  ExprId part_index(ExprId share) const;
  std::vector<loop::Factor> share_factors() const;
  std::vector<ExprId> share(ReductionId id, const loop::Combine& how, const std::vector<ExprId>& identity, const std::string& name,
                            std::vector<ExprId> values);
  std::vector<ExprId> combine_shares(ReductionId id, const std::string& name);

  // kept.cpp
  void find_kept();
  bool reads_earlier(std::size_t k) const;
  void keep(std::span<const ExprId> roots);

  // stores
  void store(std::size_t k);
  void write(std::size_t k);

  // staging.cpp
  struct Box {
    const Staging* staging;
    ExprId read;                         // the node that is staged
    BufferId buffer;
    std::vector<int64_t> extents;
    std::vector<ExprId> origins;         // subscripts at the first point of the tile
    int64_t pitch = 0;
  };
  void declare_boxes();
  void fill_boxes(std::span<const ExprId> moving);
  ExprId pitch_of(const Box& box);
  void fill(Box& box);
  std::optional<ExprId> staged(ExprId read);
  std::optional<Box> box_of(const Staging& staging, ExprId read);

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  const Group& group_;
  std::vector<Bound> bounds_;
  std::vector<Box> boxes_;
  std::vector<ExprId> predicates_;       // conditions around what is being evaluated
  std::vector<ExprId> conditions_;       // the same, of Tensor IR
  std::vector<ExprId> roots_;
  std::vector<ExprId> kept_;             // values that are held for several uses, ascending
  bool tested_ = true;
  uint32_t counter_ = kNoBuffer;
  ExprId share_, tile_;                  // of this block
  SymbolId tile_number_;                 // of a persistent block: all its indices hang on it
  std::vector<Shared> shared_;
  bool combining_ = false;               // all shares are in memory
};

}  // namespace cdsl::lowering
