// Scans, windows, and what a reduction runs along.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "passes/recognize/patterns.h"

namespace cdsl::deciding {
namespace {

struct Place {
  SymbolId index;
  int64_t offset = 0;
};

// `index`, `index + c`, `c + index`, `index - c`, under casts.
std::optional<Place> place(const ExprArena& arena, ExprId id) {
  if (const auto* symbol = arena.get_if<Symbol>(id)) return Place{symbol->symbol, 0};
  const auto* apply = arena.get_if<Apply>(id);
  if (apply == nullptr) return std::nullopt;
  const auto args = arena.args(id);
  if (apply->op == Op::Cast) return place(arena, args[0]);
  if (apply->op != Op::Add && apply->op != Op::Sub) return std::nullopt;
  auto left = place(arena, args[0]);
  auto c = constant_integer(arena, args[1]);
  if (!left && apply->op == Op::Add) left = place(arena, args[1]), c = constant_integer(arena, args[0]);
  if (!left || !c || *c > INT32_MAX || *c < -INT32_MAX) return std::nullopt;
  left->offset += apply->op == Op::Sub ? -*c : *c;
  return left;
}

class OneReduction {
 public:
  OneReduction(const Subject& subject, ReductionId id, Patterns& found)
      : subject_(subject), arena_(subject.arena), id_(id), reduction_(arena_.reduction(id)), found_(found) {
    roots_ = reduction_.lifted;
    if (reduction_.guard.valid()) roots_.push_back(reduction_.guard);
    for (ExprId read : postorder(arena_, roots_))
      if (arena_.get_if<Read>(read) != nullptr) reads_.push_back(&subject.access(read));
    find_source();
  }

  void run() {
    std::vector<Window> windows = this->windows();
    const Scan scan = this->scan();
    if (!scan.along.empty()) found_.push_back(scan);
    auto product = contraction(subject_, id_);
    if (product) {
      product->windows = windows;
      product->epilogue = operator_names(arena_, values());
      for (ExprId id : subject_.outside)
        if (const auto* read = arena_.get_if<Read>(id)) note(product->epilogue_reads, read->tensor);
      found_.push_back(*product);
      if (product->is_product() || !windows.empty()) return;
    }
    if (!windows.empty()) found_.push_back(SlidingWindow{std::move(windows), reduction_.monoid});
    else if (scan.along.empty() && !pairs()) found_.push_back(shape());
  }

 private:
  bool is_reduced(SymbolId index) const {
    return std::any_of(reduction_.axes.begin(), reduction_.axes.end(), [&](const Axis& a) { return a.index == index; });
  }
  template <class T>
  static void note(std::vector<T>& list, T value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  }
  std::vector<ExprId> values() const {
    std::vector<ExprId> result;
    for (const tir::Target& target : subject_.stores) result.push_back(target.value);
    return result;
  }
  bool pairs() const {
    return std::any_of(found_.begin(), found_.end(), [&](const Pattern& p) {
      const auto* pairs = std::get_if<AllPairs>(&p);
      return pairs != nullptr && (is_reduced(pairs->other) || reads_tensor(arena_, reduction_.lifted[0], pairs->tensor));
    });
  }

  // Of the reads that the reduction moves, the one that most indices do.
  void find_source() {
    std::size_t most = 0;
    for (const Access* read : reads_) {
      std::vector<SymbolId> indices;
      for (const auto& subscript : read->subscripts)
        for (const auto& [index, coefficient] : subscript) note(indices, index);
      const bool moved = std::any_of(indices.begin(), indices.end(), [&](SymbolId s) { return is_reduced(s); });
      if (!moved || indices.size() <= most) continue;
      most = indices.size();
      source_ = read;
    }
  }

  Scan scan() const {
    Scan result{{}, reduction_.monoid, source_ != nullptr ? source_->tensor : TensorId()};
    std::vector<SymbolId> used;
    for (ExprId term : reduction_.lifted)
      for (SymbolId symbol : free_symbols(arena_, term)) note(used, symbol);
    const auto add = [&](SymbolId reduced, std::optional<Place> end, bool reverse) {
      if (!end || !subject_.is_of_statement(end->index)) return;
      if (std::find(used.begin(), used.end(), end->index) != used.end()) return;
      result.along.push_back({end->index, reduced, reverse, reverse ? 1 - end->offset : end->offset});
    };
    for (const Axis& axis : reduction_.axes) {
      const auto lo = place(arena_, axis.lo), hi = place(arena_, axis.hi);
      const bool from = lo && subject_.is_of_statement(lo->index), until = hi && subject_.is_of_statement(hi->index);
      if (from != until) add(axis.index, until ? hi : lo, from);
    }
    if (result.along.empty() && reduction_.guard.valid()) by_guard(add);
    return result;
  }

  // sum[k if k <= i]
  template <class Add>
  void by_guard(const Add& add) const {
    const auto* apply = arena_.get_if<Apply>(reduction_.guard);
    if (apply == nullptr || arena_.args(reduction_.guard).size() != 2) return;
    auto left = place(arena_, arena_.args(reduction_.guard)[0]), right = place(arena_, arena_.args(reduction_.guard)[1]);
    Op op = apply->op;
    if (!left || !right) return;
    if (is_reduced(right->index)) {
      std::swap(left, right);
      op = op == Op::Lt ? Op::Gt : op == Op::Le ? Op::Ge : op == Op::Gt ? Op::Lt : op == Op::Ge ? Op::Le : op;
    }
    if (!is_reduced(left->index)) return;
    right->offset -= left->offset;
    if (op == Op::Le || op == Op::Gt) ++right->offset;   // as the end, or the start, of a half-open range
    if (op == Op::Lt || op == Op::Le) add(left->index, right, false);
    if (op == Op::Gt || op == Op::Ge) add(left->index, right, true);
  }

  // What the index is multiplied by in a subscript, where that is no constant.
  ExprId multiple(ExprId subscript, SymbolId index) const {
    for (ExprId id : postorder(arena_, std::span(&subscript, 1))) {
      if (!arena_.is_apply(id, Op::Mul)) continue;
      const auto args = arena_.args(id);
      for (const auto& [factor, rest] : {std::pair(args[0], args[1]), std::pair(args[1], args[0])}) {
        const auto at = place(arena_, rest);
        if (at && at->index == index && !constant_integer(arena_, factor)) return factor;
      }
    }
    return {};
  }

  std::vector<Window> windows() const {
    std::vector<Window> result;
    const auto add = [&](const Window& made) {
      const auto same = [&](const Window& w) { return w.index == made.index && w.along == made.along; };
      if (std::none_of(result.begin(), result.end(), same)) result.push_back(made);
    };
    for (const Axis& axis : reduction_.axes) {            // sum[k in i - 2..i + 3](x[k])
      const auto lo = place(arena_, axis.lo), hi = place(arena_, axis.hi);
      if (!lo || !hi || lo->index != hi->index || !subject_.is_of_statement(lo->index) || hi->offset <= lo->offset) continue;
      if (source_ != nullptr) add({source_->tensor, lo->index, axis.index, 1, 1, {}, {}, hi->offset - lo->offset});
    }
    for (const Access* read : reads_) {
      if (!read->strided) continue;
      const auto args = arena_.args(read->read);
      for (std::size_t d = 0; d < read->subscripts.size(); ++d) {
        const auto& subscript = read->subscripts[d];
        for (const auto& [index, stride] : subscript) {
          if (!subject_.is_of_statement(index) || stride == 0) continue;
          for (const Axis& axis : reduction_.axes) {
            const auto step = subscript.find(axis.index);
            if (step == subscript.end() || step->second == 0) continue;
            const auto lo = constant_integer(arena_, axis.lo), hi = subject_.sizes.known(axis.hi);
            add({read->tensor, index, axis.index, stride, step->second, multiple(args[d], index), multiple(args[d], axis.index),
                 lo && hi ? std::optional(distance(*lo, *hi, 0)) : std::nullopt});
          }
        }
      }
    }
    return result;
  }

  ReductionShape shape() const {
    ReductionShape result;
    result.monoid = reduction_.monoid;
    bool whole = true;
    for (const Axis& axis : reduction_.axes) {
      result.over.push_back(axis.index);
      for (ExprId end : {axis.lo, axis.hi}) {
        result.ragged |= touches_memory(arena_, end);
        for (SymbolId symbol : free_symbols(arena_, end)) result.triangular |= subject_.is_of_statement(symbol);
      }
    }
    for (ExprId root : roots_)
      for (SymbolId symbol : free_symbols(arena_, root)) whole &= !subject_.is_of_statement(symbol);
    if (source_ != nullptr) result.source = source_->tensor;
    if (whole && !result.ragged && !result.triangular) result.by = ReductionShape::By::Full;
    else if (source_ != nullptr && source_->unit.valid())
      result.by = is_reduced(source_->unit) ? ReductionShape::By::Row : ReductionShape::By::Column;
    result.triangular &= !result.ragged;
    return result;
  }

  const Subject& subject_;
  const ExprArena& arena_;
  ReductionId id_;
  const Reduction& reduction_;
  Patterns& found_;
  std::vector<ExprId> roots_;
  std::vector<const Access*> reads_;
  const Access* source_ = nullptr;
};

}  // namespace

void add_reductions(const Subject& subject, Patterns& found) {
  for (ReductionId id : subject.reductions) OneReduction(subject, id, found).run();
}

}  // namespace cdsl::deciding
