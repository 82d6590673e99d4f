#include "frontend/sema/bounds.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "frontend/sema/extremes.h"

namespace cdsl::sema {
namespace {

const IndexInfo* index_of(const Analysis& a, ExprId subscript) {
  const auto* symbol = a.fn.arena.get_if<Symbol>(subscript);
  if (symbol == nullptr) return nullptr;
  const auto found = a.indices.find(symbol->symbol);
  return found == a.indices.end() ? nullptr : &found->second;
}

// The greatest value of a subscript that is an 8- or 16-bit unsigned number.
std::optional<std::int64_t> greatest_of_bytes(const ExprArena& arena, ExprId subscript) {
  if (!arena.is_apply(subscript, Op::Cast)) return std::nullopt;
  const ScalarType from = arena.type(arena.args(subscript)[0]);
  if (from == ScalarType::U8) return 255;
  if (from == ScalarType::U16) return 65535;
  return std::nullopt;
}

// e % n on an axis of extent n, where anything is read at all and e is not negative.
bool is_remainder_of_extent(Analysis& a, const AxisAccess& access) {
  ExprArena& arena = a.arena();
  const bool truncates = arena.is_apply(access.subscript, Op::Rem);
  if (!truncates && !arena.is_apply(access.subscript, Op::FloorMod)) return false;
  const ExprId dividend = arena.args(access.subscript)[0],
               divisor = arena.args(access.subscript)[1];
  if (divisor != access.hi || constant_integer(arena, access.lo) != 0) return false;
  const auto holds = [&](Op op, ExprId value) {
    return a.prover().holds(a.points, arena.apply(op, {value, arena.integer(0)})) ==
           Verdict::Proved;
  };
  return holds(Op::Gt, divisor) && (!truncates || holds(Op::Ge, dividend));
}

// What needs no prover: an index over exactly this axis, a constant in a constant axis.
bool is_plainly_inside(const Analysis& a, const AxisAccess& access) {
  const ExprArena& arena = a.fn.arena;
  if (const IndexInfo* info = index_of(a, access.subscript)) {
    if (info->hi != access.hi) return false;
    if (info->lo == access.lo) return true;
    const auto first = constant_integer(arena, info->lo), lo = constant_integer(arena, access.lo);
    return first && lo && *first >= *lo;
  }
  const auto lo_known = constant_integer(arena, access.lo),
             hi_known = constant_integer(arena, access.hi);
  if (const auto most = greatest_of_bytes(arena, access.subscript); most && lo_known && hi_known) {
    return *lo_known <= 0 && *most < *hi_known;
  }
  const auto value = constant_integer(arena, access.subscript);
  return value && lo_known && hi_known && *lo_known <= *value && *value < *hi_known;
}

// The last `count` guards, which are the nearest.
Context nearest_guards(const Context& points, std::size_t count) {
  const auto& all = points.conditions;
  return {points.axes,
          {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()}};
}

Verdict judge(Analysis& a, const AxisAccess& access) {
  constexpr std::size_t kFew = 4, kMany = 16;
  const ExprId shifted = index_sub(a.arena(), access.subscript, access.lo);
  const ExprId extent = index_sub(a.arena(), access.hi, access.lo);
  if (a.points.conditions.size() <= kMany) return a.prover().inside(a.points, shifted, extent);
  // Under a long chain of `else if` the nearest guards nearly always decide; leaving some out can
  // only lose a proof, but it could make a refutation wrong.
  for (const std::size_t count : {kFew, kMany}) {
    const Verdict verdict = a.prover().inside(nearest_guards(a.points, count), shifted, extent);
    if (verdict == Verdict::Proved) return verdict;
  }
  return Verdict::Unknown;
}

Verdict inside(Analysis& a, const AxisAccess& access) {
  const auto key =
      std::make_tuple(a.place, access.subscript.value, access.lo.value, access.hi.value);
  const auto [found, is_new] = a.verdicts.try_emplace(key, Verdict::Unknown);
  if (is_new) found->second = judge(a, access);
  return found->second;
}

std::string span_text(const Analysis& a, const AxisAccess& access) {
  return a.text(access.lo) + ".." + a.text(access.hi);
}

void report_outside(Analysis& a, const AxisAccess& access) {
  std::string message =
      "read of '" + access.tensor + "' is outside: subscript " + a.text(access.subscript);
  const auto least = extreme(a, access.subscript, false),
             greatest = extreme(a, access.subscript, true);
  if (least && greatest && *least == *greatest) {
    if (*least != access.subscript) message += " is " + a.text(*least);
  } else if (least && greatest) {
    message += " runs from " + a.text(*least) + " to " + a.text(*greatest);
  }
  a.report(Code::ReadOutside, access.at, message + ", the axis is " + span_text(a, access))
      .note(access.at, "add a boundary mode (@clamp, @zero, @wrap, ...), a guard, or a range")
      .fix(access.at.finish(), " @clamp");
}

void report_disagreement(Analysis& a, const AxisAccess& access, const IndexInfo& info) {
  a.report(Code::ExtentsDisagree, access.at,
           "'" + a.text(access.subscript) + "' runs over " + a.text(info.lo) + ".." +
               a.text(info.hi) + ", but axis " + std::to_string(access.axis) + " of '" +
               access.tensor + "' is " + span_text(a, access))
      .note(info.where, "the range comes from here")
      .note(access.at, "write the range of the index where only a part is meant");
}

// Compares the axis with the range that the index took from elsewhere. True: settled.
bool compare_bare(Analysis& a, const AxisAccess& access, const IndexInfo& info, Verdict verdict) {
  if (verdict == Verdict::Proved && info.origin == RangeOrigin::Declared) return true;
  if (verdict == Verdict::Proved && !a.points.conditions.empty()) return true;
  const ExprId own = index_sub(a.arena(), info.hi, info.lo);
  const ExprId axis = index_sub(a.arena(), access.hi, access.lo);
  const Verdict equal = a.prover().equal(own, axis);
  if (equal == Verdict::Proved) return verdict == Verdict::Proved;
  if (equal == Verdict::Refuted) {
    if (!a.points.conditions.empty() && verdict != Verdict::Refuted) return false;
    report_disagreement(a, access, info);
    return true;
  }
  require_equal(a, own, axis,
                "index '" + a.text(access.subscript) + "' runs over {0} elements, axis " +
                    std::to_string(access.axis) + " of '" + access.tensor + "' has {1}",
                access.at);
  return true;
}

}  // namespace

Bounds read_bounds(Analysis& a, const AxisAccess& access) {
  if (is_plainly_inside(a, access) || is_remainder_of_extent(a, access)) return Bounds::Proved;
  const Verdict verdict = inside(a, access);
  const IndexInfo* info = access.is_bare ? index_of(a, access.subscript) : nullptr;
  const bool is_compared = info != nullptr && (info->origin == RangeOrigin::Declared ||
                                               info->origin == RangeOrigin::Inferred);
  if (is_compared && compare_bare(a, access, *info, verdict)) return Bounds::Proved;
  if (verdict == Verdict::Proved) return Bounds::Proved;
  if (verdict == Verdict::Refuted) {
    report_outside(a, access);
    return Bounds::PerElement;
  }
  if (!a.points.conditions.empty()) return Bounds::PerElement;
  const ExprId shifted = index_sub(a.arena(), access.subscript, access.lo);
  const ExprId extent = index_sub(a.arena(), access.hi, access.lo);
  const auto found = corners(a, shifted, extent);
  if (!found) return Bounds::PerElement;
  a.add_check(found->condition,
              "read of '" + access.tensor + "' is outside: subscript " + a.text(access.subscript) +
                  " runs from {0} to {1} on axis " + std::to_string(access.axis) + " of extent {2}",
              {found->least, found->greatest, extent}, access.at);
  return Bounds::AtLaunch;
}

Bounds write_bounds(Analysis& a, const AxisAccess& access) {
  if (is_plainly_inside(a, access) || is_remainder_of_extent(a, access)) return Bounds::Proved;
  const Verdict verdict = inside(a, access);
  if (verdict == Verdict::Proved) return Bounds::Proved;
  if (verdict == Verdict::Refuted) {
    a.report(Code::WriteOutside, access.at,
             "some elements of '" + access.tensor + "' that this defines lie outside " +
                 span_text(a, access) + "; nothing is written there");
  }
  return Bounds::PerElement;
}

bool require_equal(Analysis& a, ExprId x, ExprId y, const std::string& message, SourceRange where) {
  const Verdict verdict = a.prover().equal(x, y);
  if (verdict == Verdict::Refuted) return false;
  if (verdict == Verdict::Unknown) {
    a.add_check(a.arena().apply(Op::Eq, {x, y}), message, {x, y}, where);
  }
  return true;
}

}  // namespace cdsl::sema
