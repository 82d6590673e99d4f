#include "passes/decide/carry.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/recognize/running.h"

namespace cdsl::deciding {
namespace {

constexpr std::size_t kMostNodes = 4096;       // of a statement
constexpr std::size_t kMostDecided = 96;       // statements of a function, of which all then get a kernel (decide.cpp)

class Carrying {
 public:
  Carrying(tir::Function& function, Candidate& candidate) : function_(function), arena_(function.arena), candidate_(candidate) {}

  std::string run() {
    const auto& axes = candidate_.stage->domain.axes;
    for (const tir::Target& store : candidate_.stores) {
      for (const Running& r : all_running(arena_, *candidate_.stage, store.value)) {
        if (first_ && (first_->axis != r.axis || first_->down != r.down)) return "running reductions go along different ways";
        first_ = r;
        if (std::string why = why_not(r); !why.empty()) return why;
        if (!made_.contains(r.node)) made_[r.node] = at_point(r);
      }
    }
    if (!first_) return "";
    if (candidate_.stage->domain.guard.valid()) return "a condition says which points are written";
    const SymbolId own = axes[first_->axis].index;
    const ExprId symbol = arena_.symbol_ref(own), place = this->place();
    Rewriter rewrite(arena_, [&](ExprId id) -> std::optional<ExprId> {
      if (const auto found = made_.find(id); found != made_.end()) return found->second;
      return id == symbol ? std::optional(place) : std::nullopt;
    });
    for (tir::Target& store : candidate_.stores) {
      store.value = rewrite(store.value);
      for (ExprId& subscript : store.subscripts) subscript = rewrite(subscript);
    }
    candidate_.running = std::move(running_);
    return "";
  }

 private:
  const Axis& along(const Running& r) const { return candidate_.stage->domain.axes[r.axis]; }
  /// Where the index stands now: the last point comes first where it runs from the end.
  ExprId place() const {
    const ExprId symbol = arena_.symbol_ref(along(*first_).index);
    if (!first_->down) return symbol;
    return index_sub(arena_, index_sub(arena_, along(*first_).hi, arena_.integer(1)), symbol);
  }

  std::string why_not(const Running& r) const {
    const Reduction& reduction = arena_.reduction(r.reduction);
    for (const Axis& axis : candidate_.stage->domain.axes) {
      const bool kept = uses(arena_, reduction.lifted[0], axis.index) || uses(arena_, reduction.guard, axis.index);
      if (axis.index != along(r).index && !kept) return "the running reduction is the same along another index";
    }
    const SymbolId own = reduction.axes[0].index;
    if (!uses(arena_, reduction.lifted[0], own)) return "the terms of the running reduction are all the same";
    std::vector<ExprId> terms = reduction.lifted;
    if (reduction.guard.valid()) terms.push_back(reduction.guard);
    const auto nodes = postorder(arena_, terms);
    if (std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) { return arena_.get_if<Reduce>(id) != nullptr; }))
      return "the terms of the running reduction are reductions";
    return "";
  }

  ExprId at_point(const Running& r) {
    Reduction reduction = arena_.reduction(r.reduction);
    const bool everywhere = !r.is_exclusive() || is_everywhere(reduction, along(r).hi);
    const std::unordered_map<SymbolId, ExprId> with{{reduction.axes[0].index, place()}};
    reduction.axes.clear();
    if (reduction.guard.valid()) reduction.guard = substitute(arena_, reduction.guard, with);
    for (ExprId& lifted : reduction.lifted) lifted = substitute(arena_, lifted, with);
    const ReductionId id = arena_.add_reduction(std::move(reduction));
    const ExprId limit = everywhere ? ExprId() : index_sub(arena_, along(r).hi, arena_.integer(1));
    running_.push_back({id, along(r).index, r.is_exclusive(), limit});
    return arena_.reduce(id);
  }

  /// Without the point itself there is one term less than points: may what would be the last be read too?
  bool is_everywhere(const Reduction& reduction, ExprId extent) const {
    const SymbolId index = reduction.axes[0].index;
    std::vector<ExprId> terms = reduction.lifted;
    if (reduction.guard.valid()) terms.push_back(reduction.guard);
    const auto nodes = postorder(arena_, terms);
    return std::all_of(nodes.begin(), nodes.end(), [&](ExprId id) {
      const auto* read = arena_.get_if<Read>(id);
      if (read == nullptr) return true;
      const auto args = arena_.args(id);
      const tir::Tensor& tensor = function_.tensor(read->tensor);
      for (std::size_t k = 0; k < args.size(); ++k) {
        if (!uses(arena_, args[k], index)) continue;
        const bool plain = k < tensor.shape.size() && args[k] == arena_.symbol_ref(index) && tensor.shape[k] == extent;
        if (!plain || (k < tensor.may_be_one.size() && tensor.may_be_one[k])) return false;
      }
      return true;
    });
  }

  tir::Function& function_;
  ExprArena& arena_;
  Candidate& candidate_;
  std::optional<Running> first_;
  std::unordered_map<ExprId, ExprId> made_;
  std::vector<RunningReduction> running_;
};

}  // namespace

std::string carry(tir::Function& function, Candidate& candidate) { return Carrying(function, candidate).run(); }

std::string why_not_carried(tir::Function& function, const tir::Stage& stage, bool strict, std::size_t statements) {
  if (statements > kMostDecided) return "the function has too many statements to decide about all";
  Candidate candidate;
  candidate.stage = &stage;
  candidate.stores = stage.targets;
  std::vector<ExprId> values;
  for (const tir::Target& store : stage.targets) values.push_back(store.value);
  if (postorder(function.arena, values).size() > kMostNodes) return "the statement is too large to compare mappings";
  if (std::string why = carry(function, candidate); !why.empty()) return why;
  return why_not(function, stage, candidate.stores, strict);
}

}  // namespace cdsl::deciding
