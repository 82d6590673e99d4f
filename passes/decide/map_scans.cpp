// Running reductions, carried along their axis. Where rows lie along it, lanes take vectors of a row and warps runs of vectors: a row
// stays in the registers of a warp (warp.j) or of a block (block.j), or a block walks along it and carries what came before
// (stream.j). Where neighbours lie across it, lanes take columns, and registers and warps runs of each (lanes.i). Where there are few
// rows, each is cut into the tiles of many blocks (parts.j): totals of tiles first, then what stands before each, then all; or, of
// one row, in one pass by blocks that all run at once
// (rounds.j).
#include <algorithm>

#include "dsl/expr/integer.h"
#include "passes/decide/mappings.h"

namespace cdsl::deciding {
namespace {

using loop::Factor;
using loop::Level;

constexpr int64_t kLanes = kWarpLanes;
constexpr int64_t kMostHeld = 32;           // points of a tile that a thread keeps in registers
constexpr int64_t kFewHeld = 8;             // of so many, 32 registers are enough for a thread
constexpr int64_t kLeastWaiting = 4;        // points of a thread that wait for a round to end
// Registers beside the points, where all tiles are full and where the last may not be. M: nvcc 13.0, sm_90a, f32: none spills.
constexpr int64_t kRoundRegisters = 36, kTestedRegisters = 48, kMostRegisters = 128;
constexpr int64_t kMostThreads = 1024;      // of a block

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

class Scans {
 public:
  Scans(const Site& site, Space& space) : site_(site), space_(space), along_(site.candidate.running[0].along) {}

  void add() {
    const Widths vectors = widths(site_, space_, along_);
    for (std::size_t k = 0; k < site_.axes.of_statement; ++k)
      if (site_.axes.axes[k].index != along_ && site_.extent(site_.axes.axes[k].index) > 1) outer_ = site_.axes.axes[k].index;
    for (const int64_t vector : vectors.values) {
      lay({along_, vector, vectors.widest});
      hold_in_warp();
      for (const int64_t threads : block_sizes()) rows(threads / kLanes);
      walk_by_warps();
    }
    if (const SymbolId across = neighbours(); across.valid()) {
      const Widths columns = widths(site_, space_, across);
      for (const int64_t vector : columns.values) {
        lay({across, vector, columns.widest});
        for (const int64_t threads : block_sizes()) this->columns(threads / kLanes);
      }
    }
  }

 private:
  /// Along which index the lanes go, in vectors of so many elements.
  struct Lanes {
    SymbolId index;
    int64_t vector = 1;
    Width widest;
  };
  void lay(Lanes lanes) { lanes_ = std::move(lanes); }
  bool along_rows() const { return lanes_.index == along_; }

  std::vector<int64_t> block_sizes() const {
    std::vector<int64_t> sizes = space_.numbers("threads", {256, 512, 1024, 128});
    std::erase_if(sizes, [](int64_t n) { return n % kLanes != 0 || n > kMostThreads; });
    return sizes;
  }

  // The index other than the one along which most accesses have their neighbours.
  SymbolId neighbours() const {
    SymbolId best;
    int most = 0;
    for (const Axis& axis : site_.axes.axes) {
      const auto count = static_cast<int>(std::count_if(site_.accesses.begin(), site_.accesses.end(), [&](const Access& a) { return a.unit == axis.index; }));
      if (axis.index != along_ && site_.is_of_statement(axis.index) && count > most) most = count, best = axis.index;
    }
    return best;
  }

  Group start(int64_t warps, int64_t held) const {
    Group group = site_.bare();
    group.warps = static_cast<int>(warps);
    const int64_t words = held * std::max<int64_t>(1, widest_bytes() / 4);
    if (words <= (along_rows() ? kFewHeld : kFewHeld / 2) && warps * kLanes >= kMostThreads) group.resident = static_cast<int>(site_.arch.max_warps / warps);
    for (GroupAxis& a : group.axes)
      if (a.index != along_ && !site_.is_of_statement(a.index)) a.binding = Binding::Stream;
    ask_for(site_, group, lanes_.index, lanes_.widest, lanes_.vector);
    return group;
  }
  static GroupAxis& axis(Group& group, SymbolId index) {
    return *std::find_if(group.axes.begin(), group.axes.end(), [&](const GroupAxis& a) { return a.index == index; });
  }
  void set_along(Group& group, Binding binding, int64_t registers, int64_t warps, int64_t width = kLanes) const {
    GroupAxis& row = axis(group, along_);
    row.binding = binding;
    row.factors.clear();
    if (warps > 1) row.factors.push_back({Level::Warp, warps, 1});
    if (registers > 1) row.factors.push_back({Level::Register, registers, 1});
    std::vector<Factor>& lanes = axis(group, lanes_.index).factors;
    lanes.push_back({Level::Lane, width, 1});
    if (lanes_.vector > 1) lanes.push_back({Level::Vector, lanes_.vector, 1});
  }
  void offer(std::string map, Group group, int64_t registers, std::string reason) const {
    Choices made{{"map", std::move(map)}, {"vector", std::to_string(lanes_.vector)}, {"threads", std::to_string(group.warps * kLanes)}, {"unroll", std::to_string(registers)}};
    space_.add(std::move(made), std::move(group), std::move(reason));
  }

  // Of short rows a warp holds several, side by side.
  void hold_in_warp() {
    const std::string map = "warp." + site_.name_of(along_);
    const auto length = site_.known_extent(along_);
    const int64_t registers = std::max<int64_t>(1, ceil_div(length.value_or(0), kLanes * lanes_.vector));
    if (!outer_.valid()) return space_.refuse("map", map, "there is one row");
    if (!length || registers * lanes_.vector > kMostHeld) return;
    int64_t lanes = kLanes;
    while (lanes > 1 && lanes / 2 * lanes_.vector >= *length) lanes /= 2;
    for (const int64_t threads : block_sizes()) {
      const int64_t warps = threads / kLanes;
      Group group = start(warps, registers * lanes_.vector);
      set_along(group, Binding::Resident, registers, 1, lanes);
      std::vector<Factor>& rows = axis(group, outer_).factors;
      if (warps > 1) rows.push_back({Level::Warp, warps, 1});
      if (lanes < kLanes) rows.push_back({Level::Lane, kLanes / lanes, lanes});
      offer(map, std::move(group), registers, lanes < kLanes ? "rows stay in the registers of a part of a warp each and are read once" : "a row stays in the registers of a warp and is read once");
    }
  }

  // Where it does not, or may not.
  void walk_by_warps() {
    const std::string map = "warp." + site_.name_of(along_);
    const auto length = site_.known_extent(along_);
    if (!outer_.valid() || (length && *length <= kLanes * kMostHeld)) return;
    for (const int64_t threads : block_sizes()) {
      for (const int64_t registers : space_.numbers("unroll", {2, 1, 4, 8})) {
        const int64_t warps = threads / kLanes;
        if (registers * lanes_.vector > kMostHeld) continue;
        Group group = start(warps, registers * lanes_.vector);
        set_along(group, Binding::Stream, registers, 1);
        if (warps > 1) axis(group, outer_).factors = {{Level::Warp, warps, 1}};
        offer(map, std::move(group), registers, "a warp walks along each row and carries what came before");
      }
    }
  }

  void rows(int64_t warps) {
    const std::string name = site_.name_of(along_);
    const auto length = site_.known_extent(along_);
    const int64_t whole = std::max<int64_t>(1, ceil_div(length.value_or(0), warps * kLanes * lanes_.vector));
    if (length && whole * lanes_.vector <= kMostHeld) {
      Group group = start(warps, whole * lanes_.vector);
      set_along(group, Binding::Resident, whole, warps);
      offer("block." + name, std::move(group), whole, "a row stays in the registers of a block and is read once");
    } else {
      space_.refuse("map", "block." + name, !length ? "the length of a row is open" : "a row does not stay in the registers of a block");
    }
    walks("stream." + name, "a block walks along each row and carries what came before", warps);
  }

  void columns(int64_t warps) { walks("lanes." + site_.name_of(lanes_.index), "neighbouring lanes take neighbouring columns, and a block carries along them what came before", warps); }

  void walks(const std::string& map, const std::string& reason, int64_t warps) {
    for (const int64_t registers : space_.numbers("unroll", {2, 1, 4, 8})) {
      const int64_t held = registers * lanes_.vector;
      if (held > kMostHeld || registers * warps == 1) continue;
      Group group = start(warps, held);
      set_along(group, Binding::Stream, registers, warps);
      offer(map, std::move(group), registers, reason);
      parts(warps, registers);
      rounds(warps, registers);
    }
  }

  int64_t widest_bytes() const {
    int64_t bytes = 4;
    for (const RunningReduction& r : site_.candidate.running)
      bytes = std::max<int64_t>(bytes, size_of(evaluation_type(site_.arena.reduction(r.id).types[0])));
    return bytes * static_cast<int64_t>(site_.candidate.running.size());
  }

  void rounds(int64_t warps, int64_t registers) {
    const std::string map = "rounds." + site_.name_of(along_);
    const int64_t held = registers * lanes_.vector;
    if (site_.axes.axes.size() != 1) return space_.refuse("map", map, "there is more than one row");
    if (held < kLeastWaiting) return space_.refuse("map", map, "so few points a thread do not pay for a round");
    Group group = start(warps, held);
    set_along(group, Binding::Grid, registers, warps);
    group.rounds = true;
    // A thread holds points of three tiles: loaded, scanned, waiting.
    const auto length = site_.known_extent(along_);
    const bool even = length && *length % axis(group, along_).tile() == 0;
    const int64_t needed = 3 * held * std::max<int64_t>(1, widest_bytes() / 4) + (even ? kRoundRegisters : kTestedRegisters);
    group.resident = static_cast<int>(std::min<int64_t>(site_.arch.max_warps / warps, site_.arch.registers / (needed * warps * kLanes)));
    if (needed > kMostRegisters || group.resident == 0) return space_.refuse("map", map, "three tiles do not stay in registers");
    offer(map, std::move(group), registers, "blocks that all run at once take the tiles of the row in rounds: one pass");
  }

  void parts(int64_t warps, int64_t registers) {
    const std::string map = "parts." + site_.name_of(along_);
    if (site_.is_reduced(along_)) return space_.refuse("map", map, "all of the axis is reduced too");
    Group group = start(warps, registers * lanes_.vector);
    set_along(group, Binding::Grid, registers, warps);
    group.parts = true;
    group.across = !along_rows();
    const auto length = site_.known_extent(along_);
    const bool even = length && *length % axis(group, along_).tile() == 0;
    group.split_edge = along_rows() && lanes_.vector > 1 && lanes_.widest.multiples.empty() && !even;
    offer(map, std::move(group), registers, "many blocks share a row: totals of tiles first, then what stands before each, then all");
  }

  const Site& site_;
  Space& space_;
  SymbolId along_, outer_;
  Lanes lanes_;
};

}  // namespace

void add_scans(const Site& site, Space& space) { Scans(site, space).add(); }

}  // namespace cdsl::deciding
