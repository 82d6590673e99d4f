// Reductions along the index that is contiguous in memory: a row is held by a warp, by a block, or walked by a block; a result
// that few blocks would compute is shared out over more.
#include <algorithm>
#include <cmath>

#include "dsl/expr/integer.h"
#include "passes/decide/mappings.h"
#include "passes/decide/online.h"
#include "passes/decide/row_start.h"

namespace cdsl::deciding {
namespace {

using loop::Factor;
using loop::Level;

constexpr int64_t kLanes = kWarpLanes;
constexpr int64_t kRoundsOfTwoWarps = 64;   // E
constexpr int64_t kMostHeld = 64;           // elements of a row that a thread keeps in registers

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

class Rows {
 public:
  Rows(const Site& site, Space& space, SymbolId along)
      : site_(site), space_(space), along_(along), online_(online_sums(site, along)), vectors_(widths(site, space, along)), name_(site.name_of(along)) {
    for (std::size_t k = 0; k < site.axes.of_statement; ++k)
      if (site.axes.axes[k].index != along && site.extent(site.axes.axes[k].index) > 1) outer_ = site.axes.axes[k].index;
    // A reduction of several indices walks the others; what is mapped again along the row must be held or walked again.
    others_ = std::any_of(site.axes.reduced.begin(), site.axes.reduced.end(), [&](SymbolId r) { return r != along; });
    // A row in registers is read once whatever depends on what.
    may_be_online_ = !online_.empty() && !others_ && (space.asked("online") == "on" || !fits_in_registers());
    if (!may_be_online_) space.refuse("online", "on", online_.empty() ? "no sum of exponentials below the row's maximum" : "a row stays in registers");
  }

  void add() {
    const auto anywhere = row_start(site_, along_);
    const bool is_wider = anywhere && (anywhere->vector > vectors_.widest.elements || !vectors_.widest.multiples.empty());
    if (is_wider) begins_ = "row";
    else space_.refuse("start", "vector", anywhere ? "all rows begin at vectors" : "no access goes along the rows, or this variant holds at any alignment");
    for (const int64_t vector : vectors_.values) share_out(vector);
    if (!is_wider) return;
    begins_ = "vector";
    start_ = anywhere;
    for (int64_t vector = anywhere->vector; vector > 1; vector /= 2) share_out(start_->vector = vector);
  }

 private:
  void share_out(int64_t vector) {
    hold_in_warp(vector);
    for (const int64_t warps : {8, 4, 16, 32, 2}) {
      hold_in_block(vector, warps);
      walk(vector, warps);
    }
  }

  struct Held {
    int64_t registers = 0;                  // groups of vectors a thread
    bool guarded = false;                   // a guard on the length
  };

  Group start(int64_t vector, int64_t warps) const {
    Group group = site_.bare();
    group.warps = static_cast<int>(warps);
    for (GroupAxis& a : group.axes)
      if (a.index != along_ && site_.is_reduced(a.index)) a.binding = Binding::Stream;
    if (start_) align(site_, group, [&](const Access& a) { return starts_alike(site_, a, *start_, along_); });
    else ask_for(site_, group, along_, vectors_.widest, vector);
    return group;
  }
  static GroupAxis& axis(Group& group, SymbolId index) {
    return *std::find_if(group.axes.begin(), group.axes.end(), [&](const GroupAxis& a) { return a.index == index; });
  }
  void set_row(Group& group, Binding binding, int64_t registers, int64_t warps, int64_t vector) const {
    GroupAxis& row = axis(group, along_);
    row.binding = binding;
    row.start = start_;
    row.factors.clear();
    if (registers > 1) row.factors.push_back({Level::Register, registers, 1});
    if (warps > 1) row.factors.push_back({Level::Warp, warps, 1});
    row.factors.push_back({Level::Lane, kLanes, 1});
    if (vector > 1) row.factors.push_back({Level::Vector, vector, 1});
  }
  Choices choices(const std::string& map, int64_t vector, int64_t warps) const {
    Choices made{{"map", map + "." + name_}, {"vector", std::to_string(vector)}, {"threads", std::to_string(warps * kLanes)}};
    if (!begins_.empty()) made["start"] = begins_;
    return made;
  }

  // Points that a tile may have before the row.
  int64_t before(int64_t vector) const { return start_ ? vector - 1 : 0; }

  // Where the length is open, a guard bounds it.
  std::optional<Held> held(int64_t vector, int64_t threads) const {
    const auto length = site_.known_extent(along_);
    if (!length && !site_.assume.resident) return std::nullopt;
    const int64_t points = length.value_or(site_.extent(along_)) + before(vector);
    const int64_t registers = std::max<int64_t>(1, ceil_div(points, threads * vector));
    if (registers * vector > kMostHeld) return std::nullopt;
    return Held{registers, !length};
  }
  void guard_length(Group& group, int64_t vector, const Held& held) const {
    if (!held.guarded) return;
    const GroupAxis& row = axis(group, along_);
    ExprArena& arena = site_.arena;
    group.guards.push_back(arena.apply(Op::Le, {index_sub(arena, row.hi, row.lo), arena.integer(row.tile() - before(vector))}));
  }

  void hold_in_warp(int64_t vector) {
    const auto fit = held(vector, kLanes);
    if (!outer_.valid() || others_ || !fit) {
      return space_.refuse("map", "warp." + name_, others_ ? "other indices are reduced too" : !outer_.valid() ? "there is one row"
                           : "a row does not stay in the registers of a warp, or its length is open");
    }
    for (const int64_t warps : {8, 4, 16}) {
      Group group = start(vector, warps);
      set_row(group, Binding::Resident, fit->registers, 1, vector);
      axis(group, outer_).factors = {{Level::Warp, warps, 1}};
      guard_length(group, vector, *fit);
      space_.add(choices("warp", vector, warps), std::move(group), "a row stays in the registers of a warp and is read once");
    }
  }

  bool fits_in_registers() const {
    for (const int64_t warps : {32, 16, 8}) {
      const auto fit = held(1, warps * kLanes);
      if (!fit) continue;
      Group group = start(1, warps);
      set_row(group, Binding::Resident, fit->registers, warps, 1);
      if (std::isfinite(cost(site_, group).us)) return true;
    }
    return false;
  }

  void hold_in_block(int64_t vector, int64_t warps) {
    const auto fit = held(vector, warps * kLanes);
    if (others_ || !fit) {
      return space_.refuse("map", "block." + name_, others_ ? "other indices are reduced too"
                           : "a row does not stay in the registers of a block, or its length is open");
    }
    Group group = start(vector, warps);
    set_row(group, Binding::Resident, fit->registers, warps, vector);
    guard_length(group, vector, *fit);
    space_.add(choices("block", vector, warps), std::move(group), "a row stays in the registers of a block and is read once");
  }

  void walk(int64_t vector, int64_t warps) {
    // Each round of the walk for the stores would walk again for the terms of the other reduction.
    if (site_.is_of_statement(along_) && site_.is_reduced_inside(along_))
      return space_.refuse("map", "stream." + name_, "the row is reduced again for each term of another reduction");
    // Measured: two warps take a row of a hundred rounds 7 % longer than four.
    const bool is_long = site_.extent(along_) > kRoundsOfTwoWarps * warps * kLanes * vector;
    if (warps == 2 && is_long && space_.asked("threads").empty()) return;
    if (may_be_online_) walk_online(vector, warps);
    for (const int64_t unroll : space_.numbers("unroll", {4, 1, 2})) {
      for (const int64_t shares : share_counts(site_, space_, along_, likely_results())) {
        Group group = start(vector, warps);
        set_row(group, Binding::Stream, unroll, warps, vector);
        group.shares = static_cast<int>(shares);
        group.shared = along_;
        if (likely_results() > 1) guard_shares(site_, group);
        Choices made = choices("stream", vector, warps);
        made["unroll"] = std::to_string(unroll);
        made["shares"] = std::to_string(shares);
        if (may_be_online_) made["online"] = "off";
        const int passes = site_.passes_over(along_);
        std::string reason = passes == 1 ? "a block walks over each row once" : "a block walks over each row " + std::to_string(passes) + " times";
        if (shares > 1) reason = "blocks reduce shares of a row, the last to end combines them in a fixed order";
        space_.add(std::move(made), std::move(group), std::move(reason));
      }
    }
  }

  // The maximum and the sums below it in one walk. Two accesses under way: of more, the last round computes much for little.
  void walk_online(int64_t vector, int64_t warps) {
    const int walks = site_.passes_over(along_) - static_cast<int>(online_.size());
    const std::string times = walks == 1 ? "once" : std::to_string(walks) + " times";
    for (const int64_t unroll : space_.numbers("unroll", {2, 4, 1})) {
      Group group = start(vector, warps);
      set_row(group, Binding::Stream, unroll, warps, vector);
      group.online = online_;
      Choices made = choices("stream", vector, warps);
      made["unroll"] = std::to_string(unroll);
      made["shares"] = "1";
      made["online"] = "on";
      space_.add(std::move(made), std::move(group), "a block walks over each row " + times + ", and rescales its sums where the maximum grows");
    }
  }

  int64_t likely_results() const {
    int64_t results = 1;
    for (std::size_t k = 0; k < site_.axes.of_statement; ++k)
      if (site_.axes.axes[k].index != along_) results = product(results, site_.extent(site_.axes.axes[k].index));
    return results;
  }

  const Site& site_;
  Space& space_;
  SymbolId along_, outer_;
  std::vector<OnlineSum> online_;
  Widths vectors_;
  std::optional<RowStart> start_;         // of the options that are being added
  std::string begins_;                    // the same as a choice; "": there is none
  std::string name_;
  bool others_ = false, may_be_online_ = false;
};

}  // namespace

void add_rows(const Site& site, Space& space) {
  // Along the reduced index with the most contiguous reads; other reduced indices of the statement's own cannot be walked.
  SymbolId along;
  int most = 0;
  for (SymbolId index : site.axes.reduced) {
    int count = 0;
    for (const Access& a : site.accesses) count += !a.is_store() && a.unit == index;
    if (count > most) most = count, along = index;
  }
  if (!along.valid()) return;
  for (std::size_t k = 0; k < site.axes.of_statement; ++k) {
    const SymbolId index = site.axes.axes[k].index;
    if (index != along && site.is_reduced(index)) return;
  }
  Rows(site, space, along).add();
}

}  // namespace cdsl::deciding
