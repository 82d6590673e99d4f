#include "passes/decide/cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dsl/machine/divergence.h"
#include "dsl/machine/memory.h"
#include "passes/decide/axis_count.h"
#include "passes/decide/read_once.h"
#include "passes/decide/row_start.h"
#include "passes/decide/steadiness.h"

namespace cdsl::deciding {
namespace {

using loop::Level;

constexpr int64_t kMostBytes = 16;         // of one access
constexpr double kHidden = 0.25;           // of what runs beside the slowest resource
constexpr double kRim = 5;                 // E: of a stencil's tile at the rim, against one inside
constexpr double kShareUs = 0.01;          // E: of each share of one result
constexpr double kCombineUs = 2.5;         // the memory of tickets is cleared, and the last block goes over the shares

// E: between two kernels of one stream, and what a block takes to load, combine and store a tile of totals.
constexpr double kWaiting = 0.1;           // E: of the time of a pass in rounds
constexpr double kLaunchUs = 1.5, kTotalsRoundUs = 2, kTotalsARound = 8192;

bool hangs_on(const Group& group, const Choice& choice, const GroupAxis& axis) {
  if (group.flat) return !choice.hangs_on.empty();
  return std::find(choice.hangs_on.begin(), choice.hangs_on.end(), axis.index) != choice.hangs_on.end();
}

class Counter {
 public:
  Counter(const Site& site, const Group& group) : site_(site), group_(group), work_(result_.work) {
    for (const GroupAxis& a : group.axes) {
      if (!group.flat || &a == &group.axes.back()) axes_.emplace_back(site, group, a);
    }
  }

  Cost run() {
    work_.block = group_.warps * kWarpLanes;
    work_.grid = std::max(1, group_.shares);
    for (const AxisCount& a : axes_) {
      if (a.is(Binding::Grid)) work_.grid = product(work_.grid, a.tiles);
    }
    share_out();
    share_reads();
    for (const Access& a : site_.accesses) count(a);
    count_memory();
    count_operations();
    count_ends();
    count_rim();
    count_waits();
    const Prediction prediction = predict(site_.arch, work_);
    const double extra = group_.shares > 1 ? kCombineUs + kShareUs * group_.shares : group_.parts ? totals_us() : group_.rounds ? rounds_us(prediction.us) : 0;
    result_.us = prediction.us + extra;
    result_.score = score_of(prediction) + extra + unsteady_us({site_, group_, axes_, work_, loads_in_flight_, in_parts()}, prediction);
    return std::move(result_);
  }

 private:
  bool in_parts() const {
    return std::any_of(site_.accesses.begin(), site_.accesses.end(), [&](const Access& a) { return is_joined(a) && a.joined_bytes < a.pitch; });
  }

  // Flat: the box's own element moves with its one axis.
  int64_t stride(const Access& access, const AxisCount& a) const {
    if (!group_.flat) return site_.stride(access, a.axis->index);
    return uses(access, a) ? access.pitch : 0;
  }
  bool uses(const Access& access, const AxisCount& a) const {
    if (!group_.flat) return access.uses(a.axis->index);
    return std::any_of(access.subscripts.begin(), access.subscripts.end(), [](const auto& s) { return !s.empty(); });
  }
  // A sum that is carried along takes no walk of its own.
  int passes_over(const AxisCount& a) const {
    const bool along = !group_.online.empty() && site_.arena.reduction(group_.online[0].sum).axes[0].index == a.axis->index;
    return site_.passes_over(a.axis->index) - (along ? static_cast<int>(group_.online.size()) : 0);
  }
  const Staging* staging_of(const Access& access) const {
    if (access.is_store()) return nullptr;
    const Read read = *site_.arena.get_if<Read>(access.read);
    for (const Staging& s : group_.staged)
      if (s.tensor == read.tensor && s.leaf == read.leaf) return &s;
    return nullptr;
  }

  // Elements of one access: the vector digit, where the access may be one.
  int64_t width(const Access& access, const AxisCount& a) const {
    if (a.vector == 1) return 1;
    const bool aligned = group_.flat ? uses(access, a) && access.is_packed()
                         : a.axis->start ? starts_alike(site_, access, *a.axis->start, a.axis->index) : site_.is_aligned(access, a.axis->index);
    return aligned ? std::min(a.vector, std::max<int64_t>(1, 16 / access.bytes)) : 1;
  }

  // Fields move together where a thread has one record: more of them lie in arrays of registers, a field each.
  bool is_joined(const Access& access) const {
    const auto holds_one = [&](const AxisCount& a) { return !uses(access, a) || a.held() == 1; };
    return access.joined > 1 && site_.assume.vectors && choice_of(access) < 0 && std::all_of(axes_.begin(), axes_.end(), holds_one);
  }

  // Where the lanes of a warp go, from the digits of all axes: `offsets(a)(n)` are the bytes of n steps along axis a.
  template <class Offsets>
  LaneAddresses lanes_of(const Offsets& offsets) const {
    LaneAddresses address{};
    for (const AxisCount& a : axes_) {
      const auto offset = offsets(a);
      int64_t weight = 1;
      for (std::size_t k = a.axis->factors.size(); k-- > 0;) {
        const loop::Factor& f = a.axis->factors[k];
        for (int lane = 0; f.level == Level::Lane && lane < kWarpLanes; ++lane)
          address[static_cast<std::size_t>(lane)] += offset((lane / f.stride) % f.extent * weight);
        weight *= f.extent;
      }
    }
    return address;
  }

  void count(const Access& access) {
    AccessCost line{&access, 1, 0, static_cast<int>(access.bytes), 0};
    const Staging* staging = staging_of(access);
    int64_t in_flight = access.bytes;
    double ends = 0;                        // of each row: elements that are asked for one by one, in units of its requests
    const int choice = choice_of(access);
    if (choice >= 0) line.requests = shares_[static_cast<std::size_t>(choice)].taken;
    if (is_joined(access)) {
      line.requests /= static_cast<double>(access.joined);
      line.width_bytes = static_cast<int>(access.joined_bytes);
    }
    for (const AxisCount& a : axes_) {
      if (uses(access, a)) {
        const int64_t each = splits(choice, a) ? 1 : width(access, a);
        line.width_bytes = std::max(line.width_bytes, static_cast<int>(each * access.bytes));
        // Warps whose points all lie outside ask for nothing.
        double trips = static_cast<double>(std::min(ceil_div(a.extent, a.lanes * each), a.tiles * a.tile / (a.lanes * each)));
        if (a.axis->start && each > 1) ends = 2.0 * static_cast<double>(each - 1) / trips;
        if (a.is(Binding::Stream) && !access.is_store()) trips *= passes_over(a);
        line.requests *= trips;
        in_flight *= a.held();
      } else if (a.is(Binding::Grid)) {
        line.requests *= static_cast<double>(a.tiles * a.warps);
      } else if (!a.reduced || a.is(Binding::Resident)) {
        line.requests *= static_cast<double>(a.warps);
      }
    }
    const bool data_dependent = !access.strided;
    if (staging != nullptr) {
      stage(access, *staging, line);
    } else {
      const LaneAddresses address = lanes_of([&](const AxisCount& a) {
        return [bytes = stride(access, a)](int64_t steps) { return steps * bytes; };
      });
      const GlobalRequest request = global_request(address, kAllLanes, line.width_bytes);
      line.sectors_per_request = data_dependent ? kWarpLanes : request.sectors;
      line.requests *= anew_[&access];
      work_.l1_wavefronts += line.requests * (ends + (data_dependent ? kWarpLanes : request.wavefronts));
      issued_ += line.requests * (1 + ends);
      note(access, line.requests * (ends + line.sectors_per_request));
      if (access.is_store()) work_.dram_read_bytes += torn_bytes(access);
    }
    if (!access.is_store()) loads_in_flight_ += in_flight;
    result_.accesses.push_back(line);
  }

  // What points of a thread read in common is loaded once where nothing is tested, vectors first: by access, the share of its loads
  // that are still to be made.
  void share_reads() {
    for (const bool vectors : {true, false}) {
      for (const Access& a : site_.accesses)
        if (is_vector(a) == vectors) anew_[&a] = once_.share_left(a, vectors);
    }
  }
  bool is_vector(const Access& access) const {
    return std::any_of(axes_.begin(), axes_.end(), [&](const AxisCount& a) {
      return uses(access, a) && !splits(choice_of(access), a) && width(access, a) > 1;
    });
  }

  // A box of the tile, copied once a block and a round of what it streams over.
  void stage(const Access& access, const Staging& staging, AccessCost& line) {
    double rounds = 1;
    std::vector<int64_t> extents(access.subscripts.size(), 1);
    for (const AxisCount& a : axes_) {
      const bool moved = uses(access, a);
      const int64_t chunk = a.is(Binding::Stream) ? a.axis->chunk : 1;
      if (a.is(Binding::Grid)) rounds *= static_cast<double>(a.tiles);
      if (a.is(Binding::Stream) && moved) rounds *= static_cast<double>(ceil_div(a.tiles, chunk));
      for (std::size_t d = 0; d < extents.size(); ++d) {
        const auto found = access.subscripts[d].find(a.axis->index);
        const int64_t back = a.axis->skew > 1 ? a.axis->skew : 0;
        if (found != access.subscripts[d].end()) extents[d] += std::abs(found->second) * (a.tile * chunk - 1 + back);
      }
    }
    const std::size_t last = extents.size() - 1;
    const auto rows_below = [&](std::size_t d) {  // of one step along axis d
      return std::accumulate(extents.begin() + static_cast<std::ptrdiff_t>(d) + 1, extents.begin() + static_cast<std::ptrdiff_t>(last), int64_t{1}, std::multiplies<>());
    };
    const int64_t row = extents[last], rows = last == 0 ? 1 : extents[0] * rows_below(0);
    const int64_t minor = staging.transposed ? rows : row, major = staging.transposed ? row : rows;
    const auto place = [=, &staging, bytes = access.bytes](int64_t down, int64_t along) {
      if (staging.transposed) std::swap(down, along);
      return (down * minor + down / staging.every * staging.pad + along) * bytes;
    };
    const int width = static_cast<int>(std::min<int64_t>(access.bytes * staging.vector, kMostBytes));
    if (staged_.insert(staging.tensor.index()).second) {
      const int64_t lanes = kWarpLanes * staging.vector;   // elements of a request
      const double requests = rounds * static_cast<double>(rows * row) / static_cast<double>(lanes);
      line.sectors_per_request = std::ceil(static_cast<double>(std::min(row, lanes) * access.pitch) / kSectorBytes) * std::max(1.0, static_cast<double>(lanes) / static_cast<double>(row));
      note(access, requests * line.sectors_per_request);
      const double wavefronts = std::ceil(static_cast<double>(width) / 4);
      work_.l1_wavefronts += requests * wavefronts;
      issued_ += 2 * requests;
      const int64_t down = staging.transposed ? place(0, 1) : width;
      const SharedRequest put = shared_request(LaneStride{down, width, 0, kWarpLanes});
      work_.shared_wavefronts += requests * put.wavefronts;
      work_.shared_bytes += staging.transposed ? place(0, major) : place(major, 0);
      line.width_bytes = width;
    }
    const LaneAddresses address = lanes_of([&](const AxisCount& a) {
      int64_t down = 0, along = 0;
      for (std::size_t d = 0; d < access.subscripts.size(); ++d) {
        const auto found = access.subscripts[d].find(a.axis->index);
        if (found == access.subscripts[d].end()) continue;
        (d == last ? along : down) += found->second * (d == last ? 1 : rows_below(d));
      }
      return [=](int64_t steps) { return place(down * steps, along * steps); };
    });
    const SharedRequest get = shared_request(address, kAllLanes, width);
    line.bank_degree = get.degree;
    work_.shared_wavefronts += line.requests * get.wavefronts;
    issued_ += line.requests;
    staged_rounds_ = std::max(staged_rounds_, rounds / std::max(1.0, static_cast<double>(work_.grid)));
  }

  // Sectors at the ends of the rows of a tile that two blocks write in part are read for it: rows that begin within a sector.
  double torn_bytes(const Access& access) const {
    if (group_.staged.empty() || !access.unit.valid()) return 0;
    int64_t step = kSectorBytes, run = 0;
    double points = 1;
    for (const AxisCount& a : axes_) {
      points *= static_cast<double>(uses(access, a) ? a.extent : 1);
      if (a.axis->index == access.unit) run = a.axis->skew > 1 ? 0 : a.tile;
      else step = std::gcd(step, stride(access, a));
    }
    const double torn = 1 - static_cast<double>(step) / kSectorBytes;
    return run == 0 ? 0 : points / static_cast<double>(run) * 2 * torn * kSectorBytes;
  }

  void note(const Access& access, double sectors) {
    Touched& t = touched_[access.tensor.index()];
    t.access = &access;
    (access.is_store() ? t.written : t.read) += sectors * kSectorBytes;
  }

  // Do the taps along this axis move the access within the halo of a tile?
  bool is_within_halo(const Access& access, const AxisCount& taps) const {
    if (!taps.is(Binding::Stream) || taps.extent > kMostTaps) return false;
    return std::any_of(access.subscripts.begin(), access.subscripts.end(), [&](const auto& subscript) {
      const auto moves = [&](const AxisCount& a) { return a.halo > 0 && subscript.contains(a.axis->index); };
      return subscript.contains(taps.axis->index) && std::any_of(axes_.begin(), axes_.end(), moves);
    });
  }

  // Sectors that several requests of a block share come from the L1; those that several blocks share, from the L2.
  void count_memory() {
    for (const auto& [tensor, t] : touched_) {
      const double all = static_cast<double>(site_.elements_of(t.access->tensor)) * static_cast<double>(t.access->pitch);
      double block = 1;                     // elements that one block touches
      for (const AxisCount& a : axes_) {
        if (!uses(*t.access, a) || is_within_halo(*t.access, a)) continue;
        block *= static_cast<double>(a.is(Binding::Grid) ? a.tile + (t.read > 0 ? a.halo : 0) : a.extent);
      }
      const double footprint = block * static_cast<double>(t.access->pitch);
      const bool in_l1 = footprint <= 0.5 * site_.arch.l1_bytes || t.access->pitch > t.access->bytes;
      const double blocks = static_cast<double>(work_.grid) / std::max(1, group_.shares);
      const double missed = in_l1 ? std::min(t.read, std::max(blocks * footprint, std::min(all, t.read))) : t.read;
      const double resident = std::min<double>(blocks, site_.arch.sms * 4.0);
      work_.sectors += (missed + t.written) / kSectorBytes;
      if (t.read > 0) work_.dram_read_bytes += dram_bytes(site_.arch, std::min(all, missed), missed, std::min(all, resident * footprint));
      if (t.written > 0) work_.dram_write_bytes += std::min(std::max(all, 0.0), t.written);
    }
  }

  // Of a row in parts: what is read is read once more, without being stored, for the totals of its tiles; one block a row goes over
  // those.
  double totals_us() const {
    KernelWork totals = work_;
    double tiles = 1;
    for (const AxisCount& a : axes_)
      if (a.axis->index == group_.running[0].along) tiles = static_cast<double>(a.tiles);
    double read = 0, written = 0;
    for (const auto& [tensor, t] : touched_) read += t.read, written += t.written;
    totals.sectors *= read / std::max(1.0, read + written);
    totals.dram_write_bytes = 0;
    const double rounds = std::ceil(tiles / kTotalsARound);
    return predict(site_.arch, totals).us + 2 * kLaunchUs + rounds * kTotalsRoundUs;
  }

  // A block waits a little for the others in each round, and once more in the end.
  double rounds_us(double us) const { return kCombineUs + kWaiting * us + kTotalsRoundUs; }

  // --- Operations ---

  void count_operations() {
    const Operations& counted = counted_operations();
    work_.lane_ops = counted.all;
    double branches = 0;                    // of warps
    for (std::size_t k = 0; k < site_.choices.size(); ++k) {
      if (is_selected(site_.choices[k])) continue;
      for (const int arm : {0, 1}) {
        const double left_out = 1 - shares_[k].taken;
        for (std::size_t unit = 0; unit < kUnits; ++unit) work_.lane_ops[unit] -= left_out * counted.choices[k].arms[arm][unit];
      }
      branches += shares_[k].reached * counted.choices[k].points / kWarpLanes;
    }
    const double idle = points_with_idle();
    for (double& ops : work_.lane_ops) ops *= idle;
    work_.ops(Unit::LoadStore) += issued_ * kWarpLanes;
    work_.ops(Unit::Int) += 2 * issued_ * kWarpLanes;
    // No unit computes a branch, but it takes its turns to issue.
    if (branches > 0) work_.warp_instructions = std::accumulate(work_.lane_ops.begin(), work_.lane_ops.end(), 0.0) / kWarpLanes + kBranchIssues * branches;
  }

  // What is read beyond the ends of a row is not used: two comparisons and a choice.
  void count_ends() {
    for (const AxisCount& along : axes_) {
      if (along.axis->ends == 0) continue;
      for (const Access& access : site_.accesses) {
        if (!site_.is_windowed(access, along.axis->index) || (access.offsets.back() == 0 && access.subscripts.back().size() == 1)) continue;
        double reads = 1;
        for (const AxisCount& a : axes_)
          if (a.is(Binding::Grid) || uses(access, a)) reads *= static_cast<double>(a.extent);
        work_.ops(Unit::Int) += 2 * reads;
        work_.ops(Unit::Fp32) += reads;
      }
    }
  }

  // Tiles at the ends of what a stencil reads test each of its reads, which are scalars there.
  void count_rim() {
    double inside = 1;
    for (const AxisCount& a : axes_) {
      const int64_t tiles = ceil_div(a.axis->low, a.tile) + ceil_div(a.axis->high, a.tile);
      inside *= 1 - std::min(1.0, static_cast<double>(tiles) / static_cast<double>(std::max<int64_t>(1, a.tiles)));
    }
    const double dearer = inside + (1 - inside) * kRim;
    work_.l1_wavefronts *= dearer;
    for (double& unit : work_.lane_ops) unit *= dearer;
  }

  // The last tile of a walk is computed whole, however little is left for it.
  double points_with_idle() const {
    double factor = 1;
    for (const AxisCount& a : axes_) {
      if (!a.is(Binding::Stream) || group_.flat || !site_.known_extent(a.axis->index)) continue;
      const int64_t before = a.axis->start ? a.axis->start->vector / 2 : 0;
      factor *= static_cast<double>(ceil_div(a.extent + before, a.tile) * a.tile) / static_cast<double>(std::max<int64_t>(1, a.extent));
    }
    return factor;
  }

  const Operations& counted_operations() const {
    if (!site_.operations) site_.operations = operations(site_);
    return *site_.operations;
  }

  // --- Choices ---

  bool is_selected(const Choice& choice) const {
    return std::binary_search(group_.selected.begin(), group_.selected.end(), choice.select);
  }

  // The share of the warps that come to a choice, and that take an arm of it.
  struct Share {
    double reached = 1, taken = 1;
  };
  void share_out() {
    const Path coin{1, 0.5};
    for (const Choice& c : site_.choices) {                // after those around them
      const double reached = c.around < 0 ? 1 : shares_[static_cast<std::size_t>(c.around)].taken;
      shares_.push_back({reached, reached * (is_selected(c) ? 1 : branch_cost(std::span(&coin, 1), agreeing_lanes(group_, c)))});
    }
  }

  // In the arms of a branch whose condition moves with the vector, each element is accessed by itself.
  bool splits(int choice, const AxisCount& a) const {
    for (; choice >= 0; choice = site_.choices[static_cast<std::size_t>(choice)].around) {
      const Choice& c = site_.choices[static_cast<std::size_t>(choice)];
      if (hangs_on(group_, c, *a.axis) && !is_selected(c)) return true;
    }
    return false;
  }

  // The choice in an arm of which alone the access is made, else -1.
  int choice_of(const Access& access) const {
    if (access.is_store() || site_.choices.empty()) return -1;
    const auto& reads = counted_operations().choice_of;
    const auto found = reads.find(access.read);
    return found == reads.end() ? -1 : found->second;
  }

  // --- Waiting, registers ---

  // Registers of one point of a thread. Of a tile that is turned in registers a thread has whole vectors, which stay as they came.
  double registers_of_point() const {
    double words = 0;
    for (const Access& a : site_.accesses) {
      const Staging* staging = staging_of(a);
      if (staging != nullptr && (staging->vector > 1 || staging->every > 1)) words += static_cast<double>(a.bytes) / 4;
    }
    return words == 0 ? 1 : words;
  }

  void count_waits() {
    double rounds = 1, held = 1, results = 1;
    double meetings = 0;
    for (const AxisCount& a : axes_) {
      if (a.is(Binding::Stream)) rounds *= static_cast<double>(ceil_div(a.tiles, a.axis->chunk)) * passes_over(a);
      if (a.is(Binding::Resident)) held *= static_cast<double>(a.held());
      if (a.is(Binding::Grid)) results *= static_cast<double>(a.held());
      if (a.reduced && a.warps > 1) meetings += 2.0 * site_.passes_over(a.axis->index);
      const bool carried = !group_.running.empty() && a.axis->index == group_.running[0].along;
      if (carried && a.warps > 1) meetings += 2.0 * static_cast<double>(a.is(Binding::Stream) ? a.tiles : 1);
      if (carried && a.is(Binding::Stream)) held *= static_cast<double>(a.held());
    }
    if (group_.shares > 1) rounds = std::ceil(rounds / group_.shares);
    // A loop's rounds wait for memory one after another; the compiler keeps up to four plain ones under way.
    const double overlap = group_.staged.empty() && group_.running.empty() ? 4 : 1;
    work_.serial_clocks = std::ceil(rounds / overlap) * site_.arch.latency.dram;
    work_.barriers_passed = meetings + (group_.staged.empty() ? 0 : 2 * std::max(1.0, staged_rounds_));
    work_.bytes_in_flight = std::clamp(loads_in_flight_, 4.0, 256.0);
    work_.ilp = std::clamp(held * results, 1.0, 8.0);
    double reads = 0;
    for (const AccessCost& a : result_.accesses) reads += a.access->is_store() ? 0 : a.width_bytes / 4.0;
    results *= registers_of_point();
    const double registers = 24 + held * results + std::min(reads, 64.0);
    work_.registers = static_cast<int>(std::min(255.0, std::ceil(registers / 8) * 8));
    if (!group_.running.empty() && group_.resident > 0) {
      const auto allowed = static_cast<int>(site_.arch.registers / (group_.resident * work_.block) / 8 * 8);
      work_.registers = group_.rounds ? allowed : std::min(work_.registers, allowed);
    }
    if (held * results > 200) work_.registers = site_.arch.max_registers + 1;   // it would spill
  }

  struct Touched {
    const Access* access = nullptr;
    double read = 0, written = 0;           // bytes that requests transfer
  };

  const Site& site_;
  const Group& group_;
  Cost result_;
  KernelWork& work_;
  std::vector<AxisCount> axes_;
  std::map<std::size_t, Touched> touched_;  // by tensor
  std::set<std::size_t> staged_;
  ReadOnce once_{site_, group_, axes_};
  std::map<const Access*, double> anew_;
  std::vector<Share> shares_;               // by choice
  double issued_ = 0, loads_in_flight_ = 0, staged_rounds_ = 0;
};

}  // namespace

double Cost::sectors() const {
  double sum = 0;
  for (const AccessCost& a : accesses) sum += a.requests * a.sectors_per_request;
  return sum;
}

int agreeing_lanes(const Group& group, const Choice& choice) {
  if (choice.by_place) return kWarpLanes;
  int64_t different = 1;
  for (const GroupAxis& axis : group.axes) {
    for (const loop::Factor& f : axis.factors)
      if (f.level == Level::Lane && hangs_on(group, choice, axis)) different *= f.extent;
  }
  return static_cast<int>(std::max<int64_t>(1, kWarpLanes / different));
}

double score_of(const Prediction& prediction) {
  double score = prediction.us;
  for (std::size_t k = 1; k < prediction.roofs.size(); ++k) score += kHidden * prediction.roofs[k];
  return score;
}

Cost cost(const Site& site, const Group& group) { return Counter(site, group).run(); }

}  // namespace cdsl::deciding
