#include "frontend/sema/domain.h"

#include <algorithm>
#include <limits>

#include "dsl/expr/integer.h"
#include "dsl/ranges/interval.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/extremes.h"

namespace cdsl::sema {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();

// Can the value be the greatest i64? An index lies below the end of its range.
bool may_be_greatest(const Analysis& a, ExprId value) {
  const auto span = interval_of(a.fn.arena, value, [&](SymbolId symbol) -> std::optional<Interval> {
    if (a.fn.arena.symbol(symbol).kind != SymbolKind::Index) return std::nullopt;
    return Interval{kLeast, kGreatest - 1};
  });
  return !span || span->hi == kGreatest;
}

// b + 1 of a..=b. Where it would wrap there is no such range: an error, or found at launch; only an
// end that is read from a tensor wraps (to an empty range).
std::optional<ExprId> closed_end(Analysis& a, ExprId last, SourceRange at) {
  ExprArena& arena = a.arena();
  if (constant_integer(arena, last) == kGreatest) {
    a.report(Code::ClosedEnd, at, "a closed range cannot end at the greatest i64");
    return std::nullopt;
  }
  if (may_be_greatest(a, last)) {
    const auto greatest = extreme(a, last, true);
    if (greatest && may_be_greatest(a, *greatest)) {
      a.add_check(arena.apply(Op::Lt, {*greatest, arena.integer(kGreatest)}),
                  "a closed range ends at {0}, the greatest i64", {*greatest}, at,
                  Analysis::AsFact::No);
    }
  }
  return index_add(arena, last, arena.integer(1));
}

// A range for an index that occurs in compound subscripts only: `2*k` of an axis 0..N proposes 0..N
// / 2.
std::string proposal(const Analysis& a, const std::string& index, const CompoundRead& read) {
  std::string hi = a.text(read.hi);
  if (const auto* product = a.ast_if<ast::Binary>(read.subscript)) {
    for (const bool left : {true, false}) {
      const auto* name = a.ast_if<ast::NameRef>(left ? product->rhs : product->lhs);
      const auto* factor = a.ast_if<ast::IntLiteral>(left ? product->lhs : product->rhs);
      if (product->op != ast::BinaryOp::Mul || name == nullptr || factor == nullptr) continue;
      if (name->name == index)
        hi = (hi.find(' ') != hi.npos ? "(" + hi + ")" : hi) + " / " + factor->text;
    }
  }
  return a.text(read.lo) + ".." + hi;
}

// A range may not use indices to its right.
bool uses_later(Analysis& a, const ast::BinderList& list, std::size_t k) {
  bool found = false;
  for (const ast::ExprId bound : {list.binders[k].span->lo, list.binders[k].span->hi}) {
    ast::post_order(a.program.exprs, bound, [&](ast::ExprId id) {
      const auto* name = a.ast_if<ast::NameRef>(id);
      if (name == nullptr || found) return;
      for (std::size_t later = k; later < list.binders.size(); ++later) {
        if (list.binders[later].index.text != name->name || a.scopes.find(name->name) != nullptr)
          continue;
        a.report(Code::RangeDependsOnLater, a.range(id),
                 "the range of '" + list.binders[k].index.text + "' uses '" + name->name +
                     (later == k ? "' itself" : "', which is bound to its right"));
        found = true;
      }
    });
  }
  return found;
}

bool may_be_least(const Analysis& a, ExprId value) {
  const auto span = interval_of(a.fn.arena, value);
  return !span || span->lo == kLeast;
}

}  // namespace

bool require_step_below(Analysis& a, const Span& span) {
  ExprArena& arena = a.arena();
  if (constant_integer(arena, span.lo) == kLeast) {
    a.report(Code::ClosedEnd, span.where, "a descending loop cannot end at the least i64");
    return false;
  }
  if (!may_be_least(a, span.lo)) return true;
  const auto least = extreme(a, span.lo, false);
  if (!least || !may_be_least(a, *least)) return true;
  a.add_check(arena.apply(Op::Gt, {*least, arena.integer(kLeast)}),
              "a descending loop ends at {0}, the least i64", {*least}, span.where,
              Analysis::AsFact::No);
  return true;
}

std::optional<Span> evaluate_range(Analysis& a, const ast::IndexRange& range) {
  const auto lo = evaluate_integer(a, range.lo, "a bound of a range");
  const auto hi = evaluate_integer(a, range.hi, "a bound of a range");
  if (!lo || !hi) return std::nullopt;
  const auto end = range.closed ? closed_end(a, hi->expr, range.range) : hi->expr;
  if (!end) return std::nullopt;
  return Span{lo->expr, *end, RangeOrigin::Written, range.range};
}

std::optional<Span> inferred_range(Analysis& a, const ast::Name& index, const ReadsByIndex& reads) {
  const auto found = reads.find(index.text);
  if (found != reads.end() && !found->second.bare.empty()) {
    const BareRead& first = found->second.bare.front();
    return Span{first.lo, first.hi, RangeOrigin::Inferred, first.at};
  }
  if (found != reads.end() && !found->second.unknown.empty()) {
    const auto& [name, at] = found->second.unknown.front();
    report_unknown_name(a, name, at);
    return std::nullopt;
  }
  auto& error =
      a.report(Code::RangeNeeded, index.range, "index '" + index.text + "' needs a range");
  if (found != reads.end() && !found->second.compound.empty()) {
    const CompoundRead& read = found->second.compound.front();
    const std::string range = proposal(a, index.text, read);
    error.note(a.range(read.subscript),
               "it occurs only inside compound subscripts, such as this one");
    error.fix(index.range.finish(), " in " + range);
  } else {
    error.note(index.range,
               "no bare read x[" + index.text + "] gives it one: write " + index.text + " in a..b");
  }
  return std::nullopt;
}

std::optional<Axis> bind_index(Analysis& a, AtPoints& points, const ast::Name& index,
                               const Span& span) {
  const Axis axis = a.make_axis(index.text, span.lo, span.hi, span.origin, span.where);
  if (!a.declare(index, {IndexName{axis.index}, {}, 0})) return std::nullopt;
  points.add(axis);
  return axis;
}

std::optional<BoundIndices> bind_indices(Analysis& a, AtPoints& points, const ast::BinderList& list,
                                         std::vector<ast::ExprId> uses) {
  if (list.binders.size() > kMaxRank) {
    a.report(Code::RankLimit, list.range,
             "at most " + std::to_string(kMaxRank) + " indices are bound at once");
    return std::nullopt;
  }
  if (list.guard.valid()) uses.push_back(list.guard);
  std::optional<ReadsByIndex> reads;
  BoundIndices bound;
  for (std::size_t k = 0; k < list.binders.size(); ++k) {
    const ast::Binder& binder = list.binders[k];
    const auto same = [&](const ast::Binder& other) {
      return other.index.text == binder.index.text;
    };
    const auto first = std::find_if(list.binders.begin(), list.binders.end(), same);
    if (first != list.binders.begin() + static_cast<std::ptrdiff_t>(k)) {
      a.report(Code::RepeatedIndex, binder.index.range,
               "index '" + binder.index.text + "' is bound twice")
          .note(first->index.range, "first bound here");
      return std::nullopt;
    }
    std::optional<Span> span;
    if (binder.span) {
      if (uses_later(a, list, k)) return std::nullopt;
      span = evaluate_range(a, *binder.span);
    } else {
      if (!reads) reads = collect_reads(a, uses);
      span = inferred_range(a, binder.index, *reads);
    }
    if (!span) return std::nullopt;
    const auto axis = bind_index(a, points, binder.index, *span);
    if (!axis) return std::nullopt;
    bound.axes.push_back(*axis);
  }
  if (list.guard.valid()) {
    const auto guard = evaluate_condition(a, list.guard);
    if (!guard) return std::nullopt;
    bound.guard = *guard;
    points.assume(*guard);
  }
  return bound;
}

}  // namespace cdsl::sema
