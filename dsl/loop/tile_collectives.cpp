// Reductions and scans of tile form: parts, types and axes.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "dsl/loop/tile_rules.h"

namespace cdsl::loop {
namespace {

struct CollectiveRules {
  const Distribution& d;
  const ExprArena& arena;
  const Fail& fail;
  const char* what;                   // "reduce", "scan"

  const std::string& name(SymbolId s) const { return arena.symbol(s).name; }

  // The number of values, and the types of values and results, as in Reduction (dsl/expr/expr.h).
  void parts(const Combine& how, const std::vector<ExprId>& values, const std::vector<SymbolId>& results) const {
    const bool has_position = how.monoid == Monoid::ArgMin || how.monoid == Monoid::ArgMax;
    const std::size_t count = how.monoid == Monoid::User ? values.size() : has_position ? 2 : 1;
    if (values.empty() || values.size() != count || results.size() != count)
      return fail(fmt::format("{} {} of {} values to {} results", what, name_of(how.monoid), values.size(), results.size()));
    const auto type = [&](std::size_t k) { return arena.type(values[k]); };
    const bool of_bool = how.monoid == Monoid::Any || how.monoid == Monoid::All || how.monoid == Monoid::Count;
    if (how.monoid != Monoid::User && (type(0) == ScalarType::Bool) != of_bool)
      fail(fmt::format("{} {} of {}", what, name_of(how.monoid), cdsl::name_of(type(0))));
    if (has_position && type(1) != ScalarType::I64 && type(1) != ScalarType::I32)
      fail(fmt::format("the position of {} {} is no i64 or i32", what, name_of(how.monoid)));
    for (std::size_t k = 0; k < count; ++k) {
      if (is_storage_only(type(k))) fail(fmt::format("{} of {}, which is for storage only", what, cdsl::name_of(type(k))));
      const ScalarType expected = how.monoid == Monoid::Count ? ScalarType::I64 : type(k);
      if (arena.symbol(results[k]).type != expected)
        fail(fmt::format("{} has not the type of what {} combines", name(results[k]), what));
    }
    if (how.monoid == Monoid::User) reducer(how, values);
  }

  void reducer(const Combine& how, const std::vector<ExprId>& values) const {
    const std::size_t count = values.size();
    if (how.identity.size() != count || how.combine.size() != count || how.left.size() != count || how.right.size() != count)
      return fail(fmt::format("{} user has not an identity and a combination for each value", what));
    std::unordered_set<SymbolId> bound(how.left.begin(), how.left.end());
    bound.insert(how.right.begin(), how.right.end());
    for (std::size_t k = 0; k < count; ++k) {
      const ScalarType type = arena.type(values[k]);
      for (ExprId part : {how.identity[k], how.combine[k]}) {
        if (arena.type(part) != type) fail(fmt::format("{} user gives a part another type", what));
        if (!d.axes_of(part).empty() || d.lane_wise(part))
          fail(fmt::format("the identity or the combination of {} user is not the same everywhere", what));
      }
      for (SymbolId side : {how.left[k], how.right[k]}) {
        if (arena.symbol(side).type != type) fail(fmt::format("accumulator {} has not the type of its value", name(side)));
      }
      for (ExprId outside : {values[k], how.identity[k]}) {
        for (SymbolId free : free_symbols(arena, outside)) {
          if (bound.contains(free)) fail(fmt::format("accumulator {} is read outside the combination", name(free)));
        }
      }
    }
  }

  // `axes` are different axes over which the values are distributed.
  void over(std::span<const SymbolId> axes, const std::vector<ExprId>& values) const {
    std::unordered_set<SymbolId> held, seen;
    for (ExprId value : values) {
      const auto of_value = d.axes_of(value);
      held.insert(of_value.begin(), of_value.end());
    }
    if (axes.empty()) fail(fmt::format("{} over no axis", what));
    for (SymbolId axis : axes) {
      if (!d.is_axis(axis)) {
        fail(fmt::format("{} over {}, no axis", what, name(axis)));
      } else if (!held.contains(axis)) {
        fail(fmt::format("{} over {}, but its values are not distributed over it", what, name(axis)));
      }
      if (!seen.insert(axis).second) fail(fmt::format("{} over {} twice", what, name(axis)));
    }
  }
};

}  // namespace

void check_reduce(const Distribution& d, const ExprArena& arena, const TileReduce& n, const Fail& fail) {
  const CollectiveRules rules{d, arena, fail, "reduce"};
  rules.parts(n.how, n.values, n.results);
  rules.over(n.axes, n.values);
}

void check_scan(const Distribution& d, const ExprArena& arena, const TileScan& n, const Fail& fail) {
  const CollectiveRules rules{d, arena, fail, "scan"};
  rules.parts(n.how, n.values, n.results);
  if (!n.totals.empty()) rules.parts(n.how, n.values, n.totals);
  rules.over(std::span(&n.axis, 1), n.values);
}

}  // namespace cdsl::loop
