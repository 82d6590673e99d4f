// One group of the schedule as a kernel in tile form. The bindings of its axes, its staged tensors and its edges each have one
// rule here, whatever the group computes.
//
// Requires: `decide` found the group legal (docs/ir.md, 1.6). Ensures: what the group's stages compute, for every size that
// meets its guards.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "dsl/schedule/group.h"
#include "passes/lower/expression.h"

namespace cdsl::lowering {

/// The blocks that the group takes: one for each tile of its grid axes.
ExprId blocks_of(ExprArena& arena, const Group& group);

/// `value` with running reductions as a person would write them, for comments.
ExprId with_ranges(ExprArena& arena, const Group& group, ExprId value);

/// Of a group in parts, for each running reduction: a value a tile of the axis and point of the others, in workspace.
using Parts = std::vector<uint32_t>;
Parts add_parts(Memory& memory, const Group& group);

class GroupLowering {
 public:
  /// `counter`: of the plan, an i32 for each tile of results, 0 when the kernel starts; of groups with shares and in rounds only.
  /// `parts`: what stands before each tile, or its total; of groups in parts, or in rounds, only.
  GroupLowering(Lowerer& lowerer, const Group& group, uint32_t counter, Parts parts = {});
  /// Writes the body of the kernel.
  void run();
  /// The body of a kernel that stores the totals of tiles in the parts, and nothing else.
  void run_totals();

 private:
  struct Bound {
    const GroupAxis* axis;
    ExprId lo, hi, base, tile_index;     // base: of the block's tile; tile_index: the axis of tile form, or invalid
    ExprId inside;                       // index < hi; invalid: always
    ExprId begin;                        // where its tiles begin, at or before lo
    std::vector<ExprId> axes, own;       // of tile form, that tile_index is made of; those that one thread takes, where they stand apart
  };

  void tile();
  void place_blocks(ExprId number);
  void find_bounds();
  ExprId tiles_along(const Bound& bound);
  void place(Bound& bound, ExprId tile);
  ExprId place_in_bands(ExprId number, Bound& down, Bound& across, int64_t most_rows, std::string name, bool alone);
  /// Points of the block's tile along an axis, as a constant with a name.
  ExprId tile_of(const GroupAxis& axis);
  void declare_axes();
  void note_alignment();
  void note_streams();
  void body(bool tested);
  void bind(Bound& bound, ExprId index, bool tested);
  void bind_skewed(Bound& bound);
  ExprId first_of_row(const Bound& bound, TensorId tensor, uint32_t leaf, std::span<const ExprId> subscripts);
  ExprId begin_of(Bound& bound);
  bool is_moved_by(const Bound& bound, const std::vector<SymbolId>& symbols) const;
  bool needs_test(const Bound& bound) const;
  struct Roots {
    std::set<SymbolId> symbols;          // axes, sizes, loops, results of reductions
    bool unclear = false;                // a variable is among them
  };
  Roots roots_of(ExprId id) const;
  bool is_replicated() const;
  bool is_readable(ExprId read);
  bool may_take_both(ExprId select);
  int64_t unrolled_taps(const Bound& stream) const;
  bool moves_vectors(const Bound& stream) const;
  /// The axes of tile form that a value of Tensor IR hangs on, and the conditions around it.
  std::vector<ExprId> axes_of(ExprId id) const;
  /// Conjunction of `inside` of the axes whose tile indices occur in `id`.
  ExprId inside_where(ExprId id) const;

  // streams
  void over(std::vector<Bound*> streams, bool tested, const std::function<void()>& inner);
  void over_row(Bound& stream, ExprId start, ExprId stride, const std::function<void()>& inner);
  void round(Bound& stream, ExprId first, bool tested, const std::function<void()>& inner);
  std::vector<Bound*> open_streams(std::span<const ExprId> roots);

  // reductions
  void reduce_first(ExprId root);
  std::optional<std::vector<ExprId>> reduce(ReductionId id);
  std::vector<ExprId> terms(const Reduction& reduction, const std::vector<ExprId>& identity);
  ExprId position(const Reduction& reduction);
  ScalarType position_type(const Reduction& reduction) const;
  void finish_position(const Reduction& reduction, std::vector<ExprId>& parts);
  struct Outside {
    ExprId read, value;                  // the read is the whole term, and at points outside this element, of which the term is the identity
    bool is_used = false;
  };
  Outside outside(const Reduction& reduction, ExprId identity) const;
  void report_empty(const Reduction& reduction, const std::vector<ExprId>& parts);

  // online.cpp
  bool is_online(ReductionId id) const;
  ExprId reduce_online(ReductionId id);
  ExprId finite_top(ExprId top);
  ExprId exponential(const OnlineSum& sum, ExprId gap);
  bool is_walked_online(const GroupAxis& axis) const;
  void declare_apart(Bound& bound);

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

  // running.cpp
  const RunningReduction* running(ReductionId id) const;
  Bound& bound_of(SymbolId index);
  bool is_carried_along(const GroupAxis& axis) const { return !group_.running.empty() && axis.index == group_.running[0].along; }
  struct Carried {
    loop::Combine how;
    ExprId identity;
    std::vector<ExprId> axes;            // of tile form, that values of one place along the axis hang on
  };
  Carried carried(const RunningReduction& running);
  ExprId running_term(const RunningReduction& running, const Carried& c);
  std::vector<ExprId> run_along(const RunningReduction& running);
  void declare_carries(ExprId value);
  void carry_on();
  ExprId part_before(const RunningReduction& running, const Carried& c);
  ExprId part_number();
  ExprId inside_others() const;
  BufferId part_buffer(std::size_t number, bool written);
  void store_totals();

  // rounds.cpp
  struct Round {                         // of one running reduction
    Carried c;
    loop::Variable term, waiting;        // of the next tile; of the last one, scanned
    loop::Variable before_round, before; // what stands before the round, before the block's tile of it
  };
  struct Rounds {
    ExprId block, grid, tiles, place;    // place: an axis over the threads
  };
  void in_rounds();
  void at_tile(const Rounds& r, Bound& bound, ExprId tile, const std::function<void()>& body);
  void load_terms(const Rounds& r, Bound& bound, ExprId tile);
  void tell(const Rounds& r, ExprId tile, const std::vector<ExprId>& totals);
  void gather(const Rounds& r, ExprId last);
  struct Taken {
    ExprId from;                         // the first thread's tile of the round
    std::vector<loop::Variable> parts;
  };
  void take(const Rounds& r, ExprId last, Taken& taken);

  // kept.cpp
  void find_kept();
  bool reads_earlier(std::size_t k) const;
  void keep(std::span<const ExprId> roots);

  // stores
  void store(std::size_t k);
  void write(std::size_t k, ExprId now = {});
  void store_together();
  ExprId value_now(std::size_t k);
  ExprId under_condition(std::size_t k, const std::function<ExprId()>& body);

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
  ExprId place_in(const Box& box, ExprId row, ExprId column);
  void fill(Box& box);
  ExprId inside_box(ExprId subscript, ExprId at, ExprId extent);
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
  std::map<ReductionId, ExprId> online_; // results
  Outside outside_;                      // of the terms that are being lowered
  bool combining_ = false;               // all shares are in memory
  Parts parts_;
  bool totals_ = false;                  // this kernel stores the totals of tiles
  std::map<ReductionId, Round> rounds_;
  std::map<ReductionId, loop::Variable> carries_;   // what came before this round of a walk
  std::vector<std::pair<loop::Variable, ExprId>> carried_on_;   // what comes before the next
};

/// The kernel between: running[number]'s totals become what stands before each tile. A block, or where totals lie across lanes a
/// lane, takes those of one row.
void sum_up_parts(Lowerer& lowerer, const Group& group, uint32_t parts, std::size_t number);
/// The blocks that it takes.
ExprId blocks_of_parts(ExprArena& arena, const Group& group);

}  // namespace cdsl::lowering
