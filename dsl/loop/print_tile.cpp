#include "dsl/loop/print_tile.h"

#include <utility>

#include <fmt/format.h>

namespace cdsl::loop {
namespace {

std::string joined(const auto& items, auto&& text) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ", ") + text(item);
  return out;
}

std::string symbols(const ExprArena& arena, const std::vector<SymbolId>& list) {
  return joined(list, [&](SymbolId s) { return arena.symbol(s).name; });
}

std::string typed(const ExprArena& arena, const std::vector<SymbolId>& list) {
  return joined(list, [&](SymbolId s) {
    return fmt::format("{}: {}", arena.symbol(s).name, name_of(arena.symbol(s).type));
  });
}

// (a, b)  or  (a, b; 0.0, 0.0; l0, l1, r0, r1 commutative => e0, e1)
std::string operands(const Combine& how, const std::vector<ExprId>& values, const ExprArena& arena,
                     const ExprNames& names) {
  const auto text = [&](const std::vector<ExprId>& list) {
    return joined(list, [&](ExprId id) { return cdsl::to_string(arena, id, names); });
  };
  if (how.monoid != Monoid::User) return "(" + text(values) + ")";
  std::vector<SymbolId> sides = how.left;
  sides.insert(sides.end(), how.right.begin(), how.right.end());
  return fmt::format("({}; {}; {}{} => {})", text(values), text(how.identity), symbols(arena, sides),
                     how.commutative ? " commutative" : "", text(how.combine));
}

}  // namespace

// axis m = warp 8 from 4 * reg 2 * lane 4 by 8 * vec 4;
std::string to_text(const TileAxis& axis, const ExprArena& arena, const ExprNames&) {
  int64_t from = axis.first_warp;
  std::string factors;
  for (const Factor& f : axis.factors) {
    factors += fmt::format("{}{} {}", factors.empty() ? "" : " * ", name_of(f.level), f.extent);
    if (f.stride != 1) factors += fmt::format(" by {}", f.stride);
    if (f.level == Level::Warp && from != 0) factors += fmt::format(" from {}", std::exchange(from, 0));
  }
  return fmt::format("axis {} = {};", arena.symbol(axis.index).name, factors);
}

std::string to_text(const TileReduce& n, const ExprArena& arena, const ExprNames& names) {
  return fmt::format("let ({}) = reduce {} over ({}) {};", typed(arena, n.results), name_of(n.how.monoid),
                     symbols(arena, n.axes), operands(n.how, n.values, arena, names));
}

std::string to_text(const TileScan& n, const ExprArena& arena, const ExprNames& names) {
  const std::string totals = n.totals.empty() ? "" : "; " + typed(arena, n.totals);
  return fmt::format("let ({}{}) = scan {} along {}{} {};", typed(arena, n.results), totals,
                     name_of(n.how.monoid), arena.symbol(n.axis).name, n.exclusive ? " exclusive" : "",
                     operands(n.how, n.values, arena, names));
}

std::string to_text(const TileMultiply& n, const ExprArena& arena, const ExprNames&) {
  const auto name = [&](SymbolId s) { return arena.symbol(s).name; };
  return fmt::format("mma m{}n{}k{} {} += {} * {}{};", n.shape.m, n.shape.n, n.shape.k, name(n.d), name(n.a),
                     name(n.b), n.tf32 ? " tf32" : "");
}

std::string over_text(const std::vector<SymbolId>& axes, const ExprArena& arena) {
  return axes.empty() ? "" : " over (" + symbols(arena, axes) + ")";
}

}  // namespace cdsl::loop
