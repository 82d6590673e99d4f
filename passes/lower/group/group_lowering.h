// One group of the schedule as a kernel in tile form. The bindings of its axes, its staged tensors and its edges each have one
// rule here, whatever the group computes.
//
// Requires: `decide` found the group legal (docs/ir.md, 1.6). Ensures: what the group's stages compute, for every size that
// meets its guards.
#pragma once

#include <unordered_map>
#include <vector>

#include "dsl/schedule/group.h"
#include "passes/lower/expression.h"

namespace cdsl::lowering {

/// The blocks that the group takes: one for each tile of its grid axes.
ExprId blocks_of(ExprArena& arena, const Group& group);

class GroupLowering {
 public:
  GroupLowering(Lowerer& lowerer, const Group& group);
  /// Writes the body of the kernel.
  void run();

 private:
  struct Bound {
    const GroupAxis* axis;
    ExprId lo, hi, base, tile_index;     // base: of the block's tile; tile_index: the axis of tile form, or invalid
    ExprId inside;                       // index < hi; invalid: always
  };

  void place_blocks();
  void declare_axes();
  void body(bool tested);
  void bind(Bound& bound, ExprId index, bool tested);
  bool needs_test(const Bound& bound) const;
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
  std::vector<ExprId> roots_;
  bool tested_ = true;
};

}  // namespace cdsl::lowering
