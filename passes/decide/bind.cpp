#include "passes/decide/bind.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "passes/decide/mappings.h"

namespace cdsl::deciding {

constexpr int64_t kMostShares = 4096;
constexpr int64_t kLeastShare = 8;          // elements of a walk, of one share

Bound bind(const Site& site) {
  Space space(site);
  if (!site.candidate.running.empty()) {
    add_scans(site, space);
    return space.choose();
  }
  add_products(site, space);
  add_rows(site, space);
  add_flat(site, space);
  add_permuting_tiles(site, space);
  add_lanes(site, space);
  return space.choose();
}

Widths widths(const Site& site, Space& space, SymbolId index) {
  Widths result{site.widest(index), {}};
  if (!result.widest.why.empty()) space.refuse("vector", std::to_string(2 * result.widest.elements), result.widest.why);
  for (int64_t w = result.widest.elements; w >= 1; w /= 2) result.values.push_back(w);
  return result;
}

std::vector<int64_t> share_counts(const Site& site, Space& space, SymbolId index, int64_t tiles) {
  std::string why;
  if (site.passes_over(index) != 1) why = "what is walked over is gone through more than once";
  // Shares are combined when blocks end, which is too late for a reduction that goes on with the sum.
  if (site.is_reduced_inside(index)) why = "it is reduced again for each term of another reduction";
  if (site.is_of_statement(index)) why = "values along " + site.name_of(index) + " are stored too";
  for (std::size_t k = 0; k < site.axes.of_statement; ++k)
    if (site.is_reduced(site.axes.axes[k].index)) why = "values along a reduced index are used again";
  // Few rounds for many shares would be waste, which only a guard on the length rules out.
  if (why.empty() && !site.known_extent(index) && tiles > 1 && !site.assume.resident) why = "this variant holds at any length";
  std::vector<int64_t> counts{1};
  if (!why.empty()) {
    if (const std::string asked = space.asked("shares"); !asked.empty() && asked != "1") space.refuse("shares", asked, why);
    return counts;
  }
  for (const int64_t blocks : {1, 2, 4, 8}) {
    const int64_t shares = blocks * site.arch.sms / tiles;
    if (shares > 1 && shares <= kMostShares) counts.push_back(shares);
  }
  counts = space.numbers("shares", std::move(counts));
  std::erase_if(counts, [](int64_t n) { return n > kMostShares; });
  return counts;
}

void guard_shares(const Site& site, Group& group) {
  if (group.shares == 1 || site.known_extent(group.shared)) return;
  const Axis& axis = site.axis(group.shared);
  ExprArena& arena = site.arena;
  group.guards.push_back(arena.apply(Op::Ge, {index_sub(arena, axis.hi, axis.lo), arena.integer(kLeastShare * group.shares)}));
}

void align(const Site& site, Group& group, const std::function<bool(const Access&)>& is_vector) {
  group.alignment = 16;
  for (const Access& a : site.accesses) {
    const bool there = std::find(group.aligned.begin(), group.aligned.end(), a.tensor) != group.aligned.end();
    if (!there && is_vector(a)) group.aligned.push_back(a.tensor);
  }
}

void ask_for(const Site& site, Group& group, SymbolId index, const Width& widest, int64_t elements) {
  if (elements == 1) return;
  align(site, group, [&](const Access& a) { return site.is_aligned(a, index) || site.is_windowed(a, index); });
  for (SizeMultiple multiple : widest.multiples) {
    multiple.of = elements;
    group.multiples.push_back(multiple);
    ExprArena& arena = site.arena;
    const ExprId rest = arena.apply(Op::Rem, {arena.symbol_ref(multiple.size), arena.integer(elements)});
    group.guards.push_back(arena.apply(Op::Eq, {rest, arena.integer(0)}));
  }
}

}  // namespace cdsl::deciding
