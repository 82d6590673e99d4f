// Scalar expressions of Tensor IR become expressions and statements of Loop IR, in the kernel's
// current block.
//
// What a statement needs and shares is named by Let in the order of evaluation; lazy arms stay
// expressions where they are small and harmless, and become If with a Var otherwise; a reduction is
// a loop nest with accumulators. No expression that is handed out nests deeper than a person would
// write, however long the source's is.
//
// Values of f16, bf16 and f8 are handed out in f32, except straight results of casts to them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/lower/eager.h"
#include "passes/lower/kernel_scope.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {

/// Tensors that a statement finds in another place than their own.
using Redirects = std::map<TensorId, Storage*>;

/// One test on the way to an element: where it fails the element does not exist.
struct AccessTest {
  ExprId inside;
  bool reports = false;
  uint32_t site = 0;
  ExprId subscript;  // what is reported
  ExprId fill;       // Tensor IR: what a read gives instead; invalid: 0
};

/// An element's address, behind its tests.
struct Place {
  BufferId buffer;
  uint32_t leaf = 0;
  ExprId index, within;
  std::vector<AccessTest> tests;
};

class Lowerer {
 public:
  explicit Lowerer(KernelScope& kernel) : kernel_(kernel), ranges_(kernel.arena()) {}

  KernelScope& kernel() { return kernel_; }
  loop::Builder& builder() { return kernel_.builder(); }
  ExprArena& arena() { return kernel_.arena(); }
  const Ranges& ranges() const { return ranges_; }

  /// Starts a statement that will evaluate `roots`: they decide what is shared. Forgets values of
  /// earlier statements.
  void begin(std::span<const ExprId> roots, const Redirects* reads = nullptr);
  /// Evaluates all roots (in one sweep, so that they share); afterwards `value` of each emits
  /// nothing.
  void prepare(std::span<const ExprId> roots);
  ExprId value(ExprId root);
  /// The value as a register (or constant), so that later stores can't change it.
  ExprId fixed(ExprId root, std::string_view hint);
  /// Evaluates the root now, for all uses in scope.
  void keep(ExprId root);
  /// What a store of `value`, to which the target's value was lowered, puts into memory of type `held`. An element of f16, bf16 or f8
  /// that is only moved goes back as it is.
  ExprId stored(ExprId target_value, ExprId value, ScalarType held);
  /// A register that holds `value`, unless it is a trifle.
  ExprId pinned(ExprId value, std::string_view hint) { return named(value, hint); }
  /// A register for a value in [lo, hi).
  ExprId pinned_within(ExprId value, std::string_view hint, ExprId lo, ExprId hi) {
    return is_trifle(arena(), value) ? value : builder().let_within(kernel_.fresh(hint), value, lo, hi);
  }
  /// Where the subscripts of a target lead. The caller handles the tests; `site` of each is the
  /// axis it tests.
  Place place_of_target(const tir::Target& target, Storage& storage);

  /// `index` of the source stands for `value`, which runs over [lo, hi) where these are given; `occupied`: that has a point
  /// wherever the index is in scope.
  void bind(SymbolId index, ExprId value, ExprId lo = {}, ExprId hi = {}, bool occupied = true);
  /// The same, where every thread's value surely lies in [lo, hi): tests that follow from that are left out.
  void bind_inside(SymbolId index, ExprId value, ExprId lo, ExprId hi);

  /// `point` counts the points of a box: axis k, whose index stands for indices[k], runs over
  /// [0, extents[k]), the last one fastest.
  void bind_flat(std::vector<ExprId> indices, std::vector<ExprId> extents, ExprId point) {
    flats_.push_back({std::move(indices), std::move(extents), point});
  }

  /// Tile form (tile_group.cpp): how a reduction is shared out, and where a load may be made.
  struct Hooks {
    /// The parts of a reduction; nothing: as a serial loop.
    std::function<std::optional<std::vector<ExprId>>(ReductionId)> reduce;
    /// The condition under which the element at this index may be loaded; invalid: always.
    std::function<ExprId(ExprId index)> predicate;
    /// Another place for what a read would load; nothing: where the tensor is.
    std::function<std::optional<ExprId>(ExprId read)> staged;
    /// Is this Select decided to evaluate both arms? Others are then decided to branch.
    std::function<bool(ExprId select)> selected;
    /// May what a read would load be loaded whether it is used or not? Its element is one of the tensor's.
    std::function<bool(ExprId read)> readable;
    /// The axes that a value hangs on.
    std::function<std::vector<ExprId>(ExprId id)> axes;
    /// A constant of the read's type that stands for the element where it may not be loaded; invalid: 0.
    std::function<ExprId(ExprId read)> outside;
  };
  void set_hooks(Hooks hooks) { hooks_ = std::move(hooks); }

  /// The Tensor IR value that a register holds which was assigned in the arms of a branch; invalid: it is none.
  ExprId assigned_in_arms(SymbolId local) const {
    const auto found = in_arms_.find(local.value);
    return found == in_arms_.end() ? ExprId{} : found->second;
  }

  /// What a bound index stands for.
  ExprId index_in_scope(SymbolId index) const { return symbols_.at(index.value); }
  /// The same, or nothing where it is not bound.
  ExprId try_index(SymbolId index) const {
    const auto found = symbols_.find(index.value);
    return found == symbols_.end() ? ExprId{} : found->second;
  }
  /// Index arithmetic of Tensor IR with the bound indices in place; emits nothing and remembers nothing.
  ExprId at_bound(ExprId id);
  /// The element at these subscripts, untested.
  Place place_at(Storage& storage, uint32_t leaf, std::vector<ExprId> subscripts) {
    return address(storage, leaf, std::move(subscripts), false);
  }

  /// Is the element surely one of the tensor's, where the last subscript is `along` and a constant that leaves its row by at most `ends`
  /// elements? Rows are at least as long.
  bool lies_in_rows_beside(ExprId read, SymbolId along, int64_t ends);

  /// What is bound or named inside ends with the scope.
  class Scope {
   public:
    explicit Scope(Lowerer& lowerer);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Lowerer& lowerer_;
    std::size_t values_, symbols_, ranges_, names_, flats_;
  };

 private:
  friend class ReductionLowering;
  template <class Key>
  struct Undo {
    Key key;
    ExprId before;  // invalid: was not bound
  };

  bool is_known(ExprId id) const { return values_.contains(id.value); }
  Known known() const {
    return [this](ExprId id) { return is_known(id); };
  }
  void remember(ExprId id, ExprId value);
  ExprId lookup(ExprId id);
  ExprId lower(ExprId id);
  ExprId lower_constant(ExprId id);
  ExprId lower_apply(ExprId id, Op op);
  ExprId lower_cast(ExprId id);

  // lazy.cpp
  /// Is it for the schedule to say whether this Select is an expression or a branch?
  bool is_decided() const { return hooks_.selected && arm_depth_ == 0; }
  bool is_selected(ExprId id) const { return hooks_.selected && hooks_.selected(id); }
  /// A register for the value of `id`, that arms of a branch will assign.
  loop::Variable register_for(ExprId id, std::string_view hint, ExprId first);
  ExprId lower_select(ExprId id);
  ExprId lower_logic(ExprId id, Op op);
  ExprId arm(ExprId root);
  void share_choices(ExprId select);
  void assign_arm(const loop::Variable& result, ExprId root);
  ExprId lower_chain(ExprId id, const std::vector<ExprId>& links);

  // read.cpp
  ExprId lower_read(ExprId id);
  ExprId selected(const std::vector<AccessTest>& tests, ExprId load);
  Place place_of_read(ExprId id, Storage& storage);
  Place address(Storage& storage, uint32_t leaf, std::vector<ExprId> subscripts, bool written);
  ExprId element_index(Storage& storage, const std::vector<ExprId>& subscripts);
  struct Flat {
    std::vector<ExprId> indices, extents;
    ExprId point;
  };
  const Flat* flat_at(std::span<const ExprId> subscripts, std::span<const ExprId> extents) const;
  ExprId fold_holes(ExprId& subscript, ExprId holes, std::string_view hint);
  AccessTest fold_axis(ExprId& subscript, const AxisRule& rule, ExprId extent,
                       std::string_view hint);
  void note_type_range(ExprId held, ExprId value);
  ExprId extent(Storage& storage, uint32_t leaf, std::size_t axis);
  std::string site_text(const std::string& access, std::size_t axis, TensorId tensor,
                        uint32_t leaf) const;

  ExprId finish(ExprId id, ExprId value);
  ExprId named(ExprId value, std::string_view hint);
  std::string hint_for(ExprId id) const;
  struct Weight {
    int depth = 1, size = 1;
  };
  Weight weight(ExprId value);

  KernelScope& kernel_;
  Ranges ranges_;
  UseCounts uses_;
  const Redirects* reads_ = nullptr;
  Hooks hooks_;
  int arm_depth_ = 0;                            // > 0: inside an expression arm, no statements
  std::unordered_map<uint32_t, ExprId> values_;  // Tensor IR node -> value in scope
  std::vector<Undo<uint32_t>> value_undo_;
  std::unordered_map<uint32_t, ExprId> symbols_;
  std::vector<Undo<uint32_t>> symbol_undo_;
  std::unordered_map<uint32_t, Weight> weights_;
  std::vector<Flat> flats_;
  std::unordered_map<uint32_t, ExprId> in_arms_;
};

/// 0 of the type (false, 0 + 0i).
ExprId zero(ExprArena& arena, ScalarType type);
/// f32 instead of f16, bf16 and f8.
ExprId widened(ExprArena& arena, ExprId value);

}  // namespace cdsl::lowering
