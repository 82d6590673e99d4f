// How the places that a statement reads lie to its own point: at it, in another order, around it, at indices that data gives.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "passes/recognize/patterns.h"

namespace cdsl::deciding {
namespace {

template <class T>
void note(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

class Maps {
 public:
  Maps(const Subject& subject, Patterns& found) : subject_(subject), arena_(subject.arena), found_(found) {}

  void run() {
    gathers();
    stencils();
    bool reduces = false;
    for (ExprId id : subject_.outside) reduces |= arena_.get_if<Reduce>(id) != nullptr;
    for (ExprId id : subject_.outside)
      if (arena_.get_if<Read>(id) != nullptr) outer(subject_.access(id), reduces);
    if (reduces ? maps_results() : own_point_ || (found_.empty() && broadcasts_.empty())) found_.push_back(pointwise(reduces));
    if (!reduces) found_.insert(found_.end(), broadcasts_.begin(), broadcasts_.end());
  }

 private:
  void gathers() {
    std::map<TensorId, std::size_t> known;
    for (const Access& access : subject_.accesses) {
      if (access.is_store() || !subject_.is_by_data(access)) continue;
      const auto [at, is_new] = known.try_emplace(access.tensor, gathers_.size());
      if (is_new) gathers_.push_back({access.tensor, {}});
      for (ExprId id : postorder(arena_, arena_.args(access.read)))
        if (const auto* read = arena_.get_if<Read>(id)) note(gathers_[at->second].by, read->tensor);
    }
    found_.insert(found_.end(), gathers_.begin(), gathers_.end());
  }

  // What the ends of ranges read: row[i] and row[i + 1] are no values of their neighbours.
  std::unordered_set<ExprId> reads_of_bounds() const {
    std::unordered_set<ExprId> result;
    for (ReductionId id : subject_.reductions) {
      for (const Axis& axis : arena_.reduction(id).axes) {
        for (ExprId end : {axis.lo, axis.hi}) {
          if (!touches_memory(arena_, end)) continue;
          for (ExprId node : postorder(arena_, std::span(&end, 1))) result.insert(node);
        }
      }
    }
    return result;
  }

  // Reads that differ only in the constants beside the statement's indices.
  void stencils() {
    using Key = std::vector<int64_t>;
    std::map<std::pair<TensorId, Key>, std::set<std::vector<int64_t>>> places;
    std::map<std::pair<TensorId, Key>, std::vector<SymbolId>> indices_of;
    const std::unordered_set<ExprId> bounds = reads_of_bounds();
    for (const Access& access : subject_.accesses) {
      if (access.is_store() || bounds.contains(access.read) || !subject_.is_constant(access)) continue;
      Key key;
      std::vector<int64_t> offsets;
      std::vector<SymbolId> indices;
      bool fits = true;
      for (std::size_t d = 0; d < access.subscripts.size(); ++d) {
        const auto& subscript = access.subscripts[d];
        const bool own = subscript.size() == 1 && subscript.begin()->second == 1 && subject_.is_of_statement(subscript.begin()->first);
        fits &= subscript.size() <= 1;
        key.push_back(subscript.empty() ? -1 : static_cast<int64_t>(subscript.begin()->first.value));
        key.push_back(subscript.empty() ? 0 : subscript.begin()->second);
        if (own) offsets.push_back(access.offsets[d]), indices.push_back(subscript.begin()->first);
        else key.push_back(access.offsets[d]);
      }
      if (!fits || indices.empty()) continue;
      places[{access.tensor, key}].insert(offsets);
      indices_of[{access.tensor, key}] = indices;
    }
    for (const auto& [key, offsets] : places) {
      if (offsets.size() < 2) continue;
      Stencil made{key.first, offsets.size(), {}};
      const auto& indices = indices_of[key];
      for (std::size_t k = 0; k < indices.size(); ++k) {
        Stencil::Along along{indices[k], INT64_MAX, INT64_MIN};
        for (const auto& place : offsets) along.least = std::min(along.least, place[k]), along.greatest = std::max(along.greatest, place[k]);
        if (along.least != 0 || along.greatest != 0) made.along.push_back(along);
      }
      stencils_.insert(key.first);
      found_.push_back(made);
    }
  }

  // The statement's indices in memory order, outermost first; nothing where some subscript is more than one of them.
  std::optional<std::vector<SymbolId>> order_of(const Access& access, bool shifted_too) const {
    std::vector<SymbolId> order;
    const auto& tensor = subject_.function.tensor(access.tensor);
    const std::size_t rank = access.subscripts.size();
    for (std::size_t k = 0; k < rank; ++k) {
      const std::size_t d = tensor.order == tir::Order::ColMajor && k < tensor.shape.size() ? tensor.shape.size() - 1 - k : k;
      for (const auto& [index, coefficient] : access.subscripts[d]) {
        if (!subject_.is_of_statement(index)) continue;
        const bool plain = access.subscripts[d].size() == 1 && coefficient == 1 && (shifted_too || access.offsets[d] == 0);
        if (!plain || std::find(order.begin(), order.end(), index) != order.end()) return std::nullopt;
        order.push_back(index);
      }
    }
    return order;
  }

  void outer(const Access& access, bool reduces) {
    if (subject_.is_by_data(access)) return;
    const auto from = order_of(access, stencils_.contains(access.tensor));
    if (!from || !access.affine || (!subject_.is_constant(access) && !stencils_.contains(access.tensor))) {
      if (!reduces && reindexed_.insert(access.tensor).second) found_.push_back(Reindex{access.read});
      return;
    }
    const Access& store = subject_.accesses.front();
    const auto to = order_of(store, true).value_or(std::vector<SymbolId>());
    std::vector<SymbolId> common;
    for (SymbolId index : to)
      if (std::find(from->begin(), from->end(), index) != from->end()) common.push_back(index);
    if (common != *from && common.size() == from->size()) {
      if (permuted_.insert(access.tensor).second) found_.push_back(Permute{access.tensor, *from, common, from->back() != common.back()});
      return;
    }
    if (from->size() == subject_.axes.size()) {
      own_point_ |= !stencils_.contains(access.tensor);
      return;
    }
    Broadcast made{access.tensor, {}};
    for (const Axis& axis : subject_.axes)
      if (std::find(from->begin(), from->end(), axis.index) == from->end()) made.along.push_back(axis.index);
    if (broadcast_.insert(access.tensor).second) broadcasts_.push_back(made);
  }

  // Does the value of a reduction go to more points than it has itself?
  bool maps_results() const {
    for (const Pattern& p : found_)
      if (std::holds_alternative<Contraction>(p)) return false;
    std::unordered_set<SymbolId> used;
    for (ExprId id : subject_.outside) {
      if (arena_.get_if<Reduce>(id) == nullptr) continue;
      for (SymbolId symbol : free_symbols(arena_, id)) used.insert(symbol);
    }
    return std::any_of(subject_.axes.begin(), subject_.axes.end(), [&](const Axis& a) { return !used.contains(a.index); });
  }

  Pointwise pointwise(bool reduces) const {
    Pointwise made;
    for (const Axis& axis : subject_.axes) made.over.push_back(axis.index);
    std::vector<ExprId> values;
    for (const tir::Target& target : subject_.stores) values.push_back(target.value);
    made.functions = operator_names(arena_, values);
    made.after_reductions = reduces;
    return made;
  }

  const Subject& subject_;
  const ExprArena& arena_;
  Patterns& found_;
  std::vector<Gather> gathers_;
  std::vector<Broadcast> broadcasts_;
  std::set<TensorId> stencils_, permuted_, reindexed_, broadcast_;
  bool own_point_ = false;
};

}  // namespace

int64_t Stencil::radius() const {
  int64_t most = 0;
  for (const Along& a : along) most = std::max({most, -a.least, a.greatest});
  return most;
}

void add_maps(const Subject& subject, Patterns& found) { Maps(subject, found).run(); }

}  // namespace cdsl::deciding
