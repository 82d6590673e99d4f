// Matrix instructions of tile form: d over (m, n) += a over (m, k) * b over (k, column).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dsl/loop/matrix_layout.h"
#include "dsl/loop/tile_rules.h"

namespace cdsl::loop {
namespace {

std::optional<SymbolId> common(std::span<const SymbolId> a, std::span<const SymbolId> b) {
  for (SymbolId s : a) {
    if (std::find(b.begin(), b.end(), s) != b.end()) return s;
  }
  return std::nullopt;
}

SymbolId other(std::span<const SymbolId> two, SymbolId one) { return two[0] == one ? two[1] : two[0]; }

bool same_places(const std::vector<Digit>& a, const std::vector<Digit>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Digit& x, const Digit& y) {
    return x.level == y.level && x.extent == y.extent && x.stride == y.stride;
  });
}

}  // namespace

void check_multiply(const Distribution& d, const ExprArena& arena, const TileMultiply& n, const Fail& fail) {
  const auto type = [&](SymbolId s) { return arena.symbol(s).type; };
  const auto layout = matrix_layout(n.shape, type(n.d), type(n.a), type(n.b), n.tf32);
  const std::string shape = fmt::format("m{}n{}k{}", n.shape.m, n.shape.n, n.shape.k);
  if (!layout) {
    return fail(fmt::format("there is no mma {} of {} and {} to {}{}", shape, cdsl::name_of(type(n.a)),
                            cdsl::name_of(type(n.b)), cdsl::name_of(type(n.d)), n.tf32 ? " by tf32" : ""));
  }
  const auto of_d = d.axes_of(n.d), of_a = d.axes_of(n.a), of_b = d.axes_of(n.b);
  const auto m = common(of_d, of_a), k = common(of_a, of_b);
  if (of_d.size() != 2 || of_a.size() != 2 || of_b.size() != 2 || !m || !k || *m == *k || common(of_d, of_b))
    return fail("mma asks for d over (m, n), a over (m, k) and b over (k, column)");
  const SymbolId columns = other(of_d, *m), column = other(of_b, *k);
  const auto outer = [&](SymbolId axis, const std::vector<Factor>& inner) {
    const auto digits = outer_digits(d.digits(axis), inner);
    const bool by_lanes = digits && std::any_of(digits->begin(), digits->end(),
                                                [](const Digit& x) { return x.level == Level::Lane; });
    if (!digits || by_lanes)
      fail(fmt::format("axis {} is not held by the lanes as mma {} asks", arena.symbol(axis).name, shape));
    return digits.value_or(std::vector<Digit>{});
  };
  outer(*m, layout->m);
  const auto outer_n = outer(columns, layout->n), outer_column = outer(column, layout->column);
  const bool by_threads = std::any_of(d.digits(*k).begin(), d.digits(*k).end(), [](const Digit& x) {
    return x.level == Level::Warp || x.level == Level::Rank;
  });
  outer(*k, layout->k);
  if (by_threads) fail("the contracted axis of mma is spread over warps or ranks");
  if (!same_places(outer_n, outer_column) || d.first_warp(columns) != d.first_warp(column))
    fail(fmt::format("axes {} and {} of mma do not count the same columns", arena.symbol(columns).name,
                     arena.symbol(column).name));
}

}  // namespace cdsl::loop
