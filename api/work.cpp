#include "api/work.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "dsl/expr/walk.h"
#include "passes/recognize/intensity.h"

namespace cdsl {
namespace {

using Indices = std::set<SymbolId>;

constexpr double kUnknownLength = 16;

bool is_wide(ScalarType type) { return type == ScalarType::F64 || type == ScalarType::C128; }

/// One statement: its expressions, the indices that each depends on, and how long the axes are.
class StatementWork {
 public:
  StatementWork(const ExprArena& arena, tir::Bindings bindings, double times, Work& work)
      : arena_(arena), bindings_(std::move(bindings)), times_(times), work_(work) {}

  void add(const tir::Domain& domain, std::vector<ExprId> roots) {
    if (domain.guard.valid()) roots.push_back(domain.guard);
    nodes_ = postorder(arena_, roots);
    for (const Axis& axis : domain.axes) measure(axis);
    for (auto id = nodes_.rbegin(); id != nodes_.rend(); ++id) {      // outer reductions first: their indices bound inner ones
      if (const auto* reduce = arena_.get_if<Reduce>(*id)) {
        for (const Axis& axis : arena_.reduction(reduce->reduction).axes) measure(axis);
      }
    }
    for (const ExprId id : nodes_) count(id);
    double points = times_;
    for (const Axis& axis : domain.axes) points *= lengths_[axis.index].typical;
    work_.steps += points;
  }

 private:
  struct Length {
    double typical = 1, greatest = 1;
    Indices bound_by;
  };

  /// Nothing where a bound hangs on data.
  std::optional<int64_t> value(ExprId id, bool at_end) const {
    const ExprId roots[] = {id};
    for (const ExprId part : postorder(arena_, roots)) {
      if (arena_.get_if<Read>(part) != nullptr || arena_.get_if<Reduce>(part) != nullptr) return std::nullopt;
      const auto* symbol = arena_.get_if<Symbol>(part);
      if (symbol != nullptr && !bindings_.contains(symbol->symbol)) return std::nullopt;
    }
    return tir::evaluate_constant(arena_, id, at_end ? ends_ : bindings_).i;
  }

  void measure(const Axis& axis) {
    if (lengths_.contains(axis.index)) return;
    if (ends_.empty()) ends_ = bindings_;
    Length length;
    const auto lo = value(axis.lo, false), hi = value(axis.hi, false), last = value(axis.hi, true);
    if (lo && hi && last) {
      length.typical = static_cast<double>(std::max<int64_t>(*hi - *lo, 0));
      length.greatest = std::max(length.typical, static_cast<double>(*last - *lo));
    } else {
      work_.hangs_on_data = true;
      length.typical = length.greatest = kUnknownLength;
    }
    for (const ExprId bound : {axis.lo, axis.hi}) {
      for (const SymbolId symbol : free_symbols(arena_, bound)) {
        if (lengths_.contains(symbol)) length.bound_by.insert(symbol);
      }
    }
    const int64_t start = lo.value_or(0);
    bindings_[axis.index] = Value::of_int(start + static_cast<int64_t>(length.typical / 2));
    ends_[axis.index] = Value::of_int(start + std::max<int64_t>(static_cast<int64_t>(length.greatest) - 1, 0));
    lengths_[axis.index] = std::move(length);
  }

  /// Combinations of values of these indices. An axis whose bounds hang on an index that is not among them runs its full length.
  double combinations(const Indices& indices) const {
    double product = times_;
    for (const SymbolId index : indices) {
      const auto found = lengths_.find(index);
      if (found == lengths_.end()) continue;                           // of a loop: in `times_`
      const Length& length = found->second;
      const bool all_in = std::includes(indices.begin(), indices.end(), length.bound_by.begin(), length.bound_by.end());
      product *= all_in ? length.typical : length.greatest;
    }
    return product;
  }

  void count(ExprId id) {
    Indices& own = indices_[id];
    if (const auto* symbol = arena_.get_if<Symbol>(id)) own.insert(symbol->symbol);
    for_each_child(arena_, id, [&](ExprId child) { own.insert(indices_[child].begin(), indices_[child].end()); });
    if (const auto* reduce = arena_.get_if<Reduce>(id)) return count(*reduce, own);
    add(deciding::flops_of(arena_, id) * combinations(own), arena_.type(id));
    work_.steps += combinations(own);
  }

  void count(const Reduce& reduce, Indices& own) {
    const Reduction& reduction = arena_.reduction(reduce.reduction);
    work_.steps += combinations(own);                                  // with bounds, where terms are visited again
    Indices terms;
    for (const ExprId term : reduction.lifted) terms.insert(indices_[term].begin(), indices_[term].end());
    for (const Axis& axis : reduction.axes) {
      terms.insert(axis.index);
      own.erase(axis.index);
    }
    if (!counted_.insert(reduce.reduction).second) return;
    for (const ScalarType type : reduction.types) add((is_float(type) ? 1 : is_complex(type) ? 2 : 0) * combinations(terms), type);
  }

  void add(double flop, ScalarType type) {
    work_.flop += flop;
    if (is_wide(type)) work_.flop64 += flop;
  }

  const ExprArena& arena_;
  tir::Bindings bindings_, ends_;        // indices in the middle of their ranges, and at their ends
  double times_;
  Work& work_;
  std::vector<ExprId> nodes_;
  std::map<SymbolId, Length> lengths_;
  std::unordered_map<ExprId, Indices> indices_;
  std::set<ReductionId> counted_;
};

void add_block(const tir::Function& function, const tir::Block& block, const tir::Bindings& bindings, double times, Work& work) {
  for (const tir::Statement& statement : block.statements) {
    if (const auto* stage = std::get_if<tir::Stage>(&statement)) {
      std::vector<ExprId> roots;
      for (const tir::Target& target : stage->targets) roots.push_back(target.value);
      StatementWork(function.arena, bindings, times, work).add(stage->domain, std::move(roots));
    } else if (const auto* scatter = std::get_if<tir::Scatter>(&statement)) {
      StatementWork(function.arena, bindings, times, work).add(scatter->domain, {scatter->target.value});
    } else {
      const auto& loop = std::get<tir::Loop>(statement);
      const int64_t lo = tir::evaluate_constant(function.arena, loop.lo, bindings).i;
      const int64_t hi = tir::evaluate_constant(function.arena, loop.hi, bindings).i;
      tir::Bindings inside = bindings;
      inside[loop.index] = Value::of_int(lo + (hi - lo) / 2);
      add_block(function, *loop.body, inside, times * static_cast<double>(std::max<int64_t>(hi - lo, 0)), work);
    }
  }
}

}  // namespace

Work count_work(const tir::Function& function, const tir::Bindings& bindings) {
  Work work;
  add_block(function, function.body, bindings, 1, work);
  for (const tir::Tensor& tensor : function.tensors) {
    double count = 1;
    for (const ExprId extent : tensor.shape) count *= static_cast<double>(tir::evaluate_constant(function.arena, extent, bindings).i);
    work.elements += count;
  }
  return work;
}

}  // namespace cdsl
