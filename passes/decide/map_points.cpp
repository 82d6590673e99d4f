// Points that are computed each for itself: flat, lanes along an index.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "dsl/expr/integer.h"
#include "passes/decide/mappings.h"
#include "passes/decide/operations.h"

namespace cdsl::deciding {
namespace {

using loop::Factor;
using loop::Level;

constexpr int64_t kLanes = kWarpLanes;

GroupAxis& axis_of(Group& group, SymbolId index) {
  return *std::find_if(group.axes.begin(), group.axes.end(), [&](const GroupAxis& a) { return a.index == index; });
}

// Every access is at the box's own place.
bool is_flat(const Site& site) {
  if (!site.axes.reduced.empty()) return false;
  const auto& axes = site.axes.axes;
  for (const Axis& a : axes) {
    const auto lo = site.sizes.known(a.lo);
    if (!lo || *lo != 0) return false;
  }
  for (const Access& a : site.accesses) {
    const tir::Tensor& tensor = site.function.tensor(a.tensor);
    const bool constant = std::none_of(a.subscripts.begin(), a.subscripts.end(), [](const auto& s) { return !s.empty(); });
    if (constant && a.affine) continue;
    if (!a.affine || !site.is_bare(a) || tensor.order != tir::Order::RowMajor || tensor.shape.size() != axes.size()) return false;
    if (std::any_of(tensor.may_be_one.begin(), tensor.may_be_one.end(), [](bool one) { return one; })) return false;
    if (a.subscripts.size() != axes.size()) return false;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (!a.subscripts[k].contains(axes[k].index) || (k > 0 && tensor.shape[k] != axes[k].hi)) return false;
    }
  }
  return true;
}

// Functions have slow paths that are called, and what is held over a call is spilled: work hides the latency of memory then,
// not points of a thread.
constexpr double kHeavy = 32;

bool is_heavy(const Site& site) {
  if (!site.operations) site.operations = operations(site);
  double slots = 0, points = 1;
  for (const double unit : site.operations->all) slots += unit;
  for (std::size_t k = 0; k < site.axes.of_statement; ++k) points *= static_cast<double>(site.extent(site.axes.axes[k].index));
  return slots > kHeavy * points;
}

// The widest access: the start of a row does not matter, the base does.
int64_t widest_flat(const Site& site) {
  int64_t bytes = 0;
  for (const Access& a : site.accesses) {
    if (a.is_packed() && !a.subscripts.empty()) bytes = std::max(bytes, a.bytes);
  }
  return bytes == 0 || !site.assume.vectors ? 1 : std::max<int64_t>(1, 16 / bytes);
}

// How blocks whose tile lies inside are told from others: they test nothing (split), or along the lanes what they use, not what they
// read, where rows beside hold what lies beyond the ends (ends); or all blocks are alike (select).
enum class Guard : uint8_t { Ends, Split, Select };

bool open_ends(const Site& site, Group& group, SymbolId lanes) {
  const SymbolId beside = site.beside_rows(lanes);
  if (!beside.valid()) return false;
  GroupAxis& along = axis_of(group, lanes);
  GroupAxis& rows = axis_of(group, beside);
  const int64_t ends = std::max(along.low, along.high);
  if (ends == 0 || along.tile() < ends || rows.binding != Binding::Grid || rows.low + rows.high == 0) return false;
  along.ends = ends;
  along.low = along.high = 0;
  ++rows.low, ++rows.high;
  return true;
}

void add_guarded(Space& space, Choices choices, Group group, const std::string& reason, bool may_split = true, SymbolId lanes = {}) {
  for (const Guard guard : {Guard::Ends, Guard::Split, Guard::Select}) {
    if (guard != Guard::Select && !may_split) continue;
    group.split_edge = guard != Guard::Select;
    for (GroupAxis& a : group.axes) {
      const Site::Reach reach = group.split_edge && !group.flat && a.binding == Binding::Grid ? space.site().reach(a.index) : Site::Reach{};
      a.low = reach.low;
      a.high = reach.high;
      a.ends = 0;
    }
    if (guard == Guard::Ends && (!lanes.valid() || !open_ends(space.site(), group, lanes))) continue;
    choices["guard"] = guard == Guard::Ends ? "ends" : guard == Guard::Split ? "split" : "select";
    space.add(choices, group, reason);
  }
}

// Nothing is reduced but over the taps of a filter, a few constants.
bool is_window(const Site& site) {
  constexpr int64_t kAllTaps = 64;
  int64_t taps = 1;
  for (const SymbolId index : site.axes.reduced) {
    const auto extent = site.known_extent(index);
    if (!extent || *extent > kMostTaps || site.is_of_statement(index)) return false;
    taps *= std::max<int64_t>(1, *extent);
  }
  return taps <= kAllTaps;
}

// The outermost axis along which a stencil reads neighbours, besides that of the lanes.
SymbolId stencil_axis(const Site& site, SymbolId lanes) {
  for (std::size_t k = 0; k < site.axes.of_statement; ++k) {
    const SymbolId index = site.axes.axes[k].index;
    const Site::Reach reach = site.reach(index);
    if (index != lanes && reach.low + reach.high > 0) return index;
  }
  return {};
}

std::vector<std::pair<int64_t, int64_t>> pairs(const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
  std::vector<std::pair<int64_t, int64_t>> all;
  for (const int64_t a : first)
    for (const int64_t b : second) all.emplace_back(a, b);
  return all;
}

// As many lanes as a row has vectors, where those are fewer than a warp's: the others take further rows.
int64_t lanes_of_row(int64_t elements, int64_t vector) {
  const auto vectors = static_cast<uint64_t>(std::max<int64_t>(1, (elements + vector - 1) / vector));
  return vectors >= kLanes ? kLanes : static_cast<int64_t>(std::bit_ceil(vectors));
}

}  // namespace

void add_flat(const Site& site, Space& space) {
  if (!is_flat(site)) return space.refuse("map", "flat", "some access is at another place than the statement's own point");
  SymbolId point;
  ExprId count = site.arena.integer(1);
  const bool one = site.axes.axes.size() == 1;
  if (!one) {
    point = site.arena.add_symbol("point", SymbolKind::Index);
    for (const Axis& a : site.axes.axes) count = index_mul(site.arena, count, a.hi);
  }
  const std::vector<int64_t> unrolls = is_heavy(site) ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1, 2, 4};
  for (int64_t vector = widest_flat(site); vector >= 1; vector /= 2) {
    for (const int64_t warps : {8, 4, 16}) {
      for (const int64_t unroll : space.numbers("unroll", unrolls)) {
        Group group = site.bare();
        group.warps = static_cast<int>(warps);
        std::vector<Factor> factors;
        if (unroll > 1) factors.push_back({Level::Register, unroll, 1});
        factors.insert(factors.end(), {{Level::Warp, warps, 1}, {Level::Lane, kLanes, 1}});
        if (vector > 1) {
          factors.push_back({Level::Vector, vector, 1});
          align(site, group, [](const Access& a) { return a.is_packed() && !a.subscripts.empty(); });
        }
        if (one) {
          group.axes[0].factors = factors;
        } else {
          for (GroupAxis& a : group.axes) a.binding = Binding::Resident;   // within the tile of the box
          group.axes.push_back({.index = point, .lo = site.arena.integer(0), .hi = count, .binding = Binding::Grid, .factors = factors});
          group.flat = true;
        }
        add_guarded(space,
                    {{"map", "flat"}, {"vector", std::to_string(vector)}, {"threads", std::to_string(warps * kLanes)},
                     {"unroll", std::to_string(unroll)}},
                    std::move(group), "all accesses are at the statement's own point, so one index runs along the lanes");
      }
    }
  }
}

void add_lanes(const Site& site, Space& space) {
  for (std::size_t k = site.axes.of_statement; k-- > 0;) {
    const SymbolId lanes = site.axes.axes[k].index;
    const std::string choice = "lanes." + site.name_of(lanes);
    if (site.is_reduced(lanes)) {
      space.refuse("map", choice, "a reduction runs over " + site.name_of(lanes) + " too");
      continue;
    }
    bool mapped_again = false;
    for (std::size_t a = 0; a < site.axes.of_statement; ++a) mapped_again |= site.is_reduced(site.axes.axes[a].index);
    if (mapped_again) {
      space.refuse("map", choice, "values along a reduced index are used again");
      continue;
    }
    const Widths vectors = widths(site, space, lanes);
    int64_t points = 1;
    for (std::size_t a = 0; a < site.axes.of_statement; ++a) points = product(points, site.extent(site.axes.axes[a].index));
    // The axis beside: rows of a block share what stencils read.
    SymbolId beside;
    for (std::size_t a = 0; a < site.axes.of_statement; ++a)
      if (a != k && site.extent(site.axes.axes[a].index) >= 8) beside = site.axes.axes[a].index;
    SymbolId walked;                        // the outermost reduced axis that is long
    for (std::size_t a = site.axes.of_statement; a < site.axes.axes.size() && !walked.valid(); ++a)
      if (site.extent(site.axes.axes[a].index) >= 32) walked = site.axes.axes[a].index;
    // Nests of walks: where nothing is said of its registers, ptxas takes 32 to 48 of the 60 that it needs, and spills. Three walks
    // do with 85, what 24 warps of a multiprocessor leave a thread; two, which hold windows, get what they ask for.
    const std::size_t walks = site.axes.reduced.size();
    constexpr int64_t kNestWarps = 24;
    const std::vector<int64_t> block_warps{8, 4, 16};
    const SymbolId down = is_window(site) ? stencil_axis(site, lanes) : SymbolId{};
    for (const int64_t vector : vectors.values) {
      for (const auto& [warps, rows] : pairs(block_warps, down.valid() ? space.numbers("unroll", {1, 2, 4, 8}) : std::vector<int64_t>{1})) {
        std::vector<int64_t> shares{0};       // 0: each thread walks alone
        if (walked.valid()) {
          const int64_t tiles = std::max<int64_t>(1, points / (kLanes * vector));
          for (const int64_t n : share_counts(site, space, walked, tiles)) shares.push_back(n);
        }
        for (const auto& [share, together] : pairs(shares, walks == 1 ? space.numbers("unroll", {2, 4, 8}) : std::vector<int64_t>{1})) {
          const bool share_walk = share > 0;
          if (!share_walk && together != 2 && walks == 1) continue;
          Group group = site.bare();
          group.warps = static_cast<int>(warps);
          if (walks > 1) group.resident = walks == 2 ? 1 : static_cast<int>(std::max<int64_t>(1, kNestWarps / warps));
          for (GroupAxis& a : group.axes)
            if (site.is_reduced(a.index)) a.binding = Binding::Stream;
          GroupAxis& along = axis_of(group, lanes);
          const int64_t row = share_walk || !beside.valid() ? kLanes : lanes_of_row(site.extent(lanes), vector);
          along.factors = {{Level::Lane, row, 1}};
          if (vector > 1) along.factors.push_back({Level::Vector, vector, 1});
          ask_for(site, group, lanes, vectors.widest, vector);
          std::string map = choice;
          if (share_walk) {
            axis_of(group, walked).factors = {{Level::Warp, warps, 1}};
            if (together > 1)   // rows under way at once; a nest of walks has no registers to spare
              axis_of(group, walked).factors.insert(axis_of(group, walked).factors.begin(), Factor{Level::Register, together, 1});
            group.shares = static_cast<int>(share);
            group.shared = walked;
            guard_shares(site, group);
            map += "*warps." + site.name_of(walked);
          } else if (beside.valid()) {
            axis_of(group, beside).factors = {{Level::Warp, warps, 1}};
            if (row < kLanes) axis_of(group, beside).factors.push_back({Level::Lane, kLanes / row, row});
          } else {
            along.factors.insert(along.factors.begin(), Factor{Level::Warp, warps, 1});
          }
          if (rows > 1) axis_of(group, down).factors.push_back({Level::Register, rows, 1});
          std::string reason = "lanes along " + site.name_of(lanes);
          if (rows > 1) reason += fmt::format(", {} points of a thread along {}, which share what they read", rows, site.name_of(down));
          if (row < kLanes) reason += fmt::format(", {} for a row and {} rows a warp", row, kLanes / row);
          if (share_walk) reason += ", warps along " + site.name_of(walked);
          if (share > 1) reason += ", blocks reduce shares of it and the last to end combines them in a fixed order";
          Choices choices{{"map", map}, {"vector", std::to_string(vector)}, {"threads", std::to_string(warps * kLanes)},
                          {"shares", std::to_string(std::max<int64_t>(share, 1))}};
          if (down.valid()) choices["unroll"] = std::to_string(rows);
          if (share_walk && walks == 1) choices["unroll"] = std::to_string(together);
          add_guarded(space, std::move(choices), std::move(group), reason, is_window(site), lanes);
        }
      }
    }
  }
}

}  // namespace cdsl::deciding
