#include "passes/decide/layout_price.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "dsl/machine/memory.h"
#include "dsl/machine/predict.h"
#include "passes/decide/cost.h"

namespace cdsl::deciding {
namespace {

constexpr int kBlock = 256;
constexpr int64_t kApart = 4099;           // records between lanes that go where data says: every alignment occurs
constexpr int64_t kPartBytes = int64_t{1} << 44;   // parts lie far from each other
constexpr int64_t kSample = 64;            // records: whole groups of the widths that are priced
constexpr double kGroupOps = 3;            // of an address in AoSoA: quotient, remainder, sum

// Addresses of fields in a layout.
class Places {
 public:
  Places(const RecordType& record, const Layout& layout) : record_(record), parts_(parts_of(record, layout)) {
    for (uint32_t leaf = 0; leaf < record.leaves.size(); ++leaf) {
      std::size_t part = 0;
      while (parts_[part].leaf_of[leaf] == LayoutPart::kAbsent) ++part;
      part_of_.push_back(part);
    }
  }

  int64_t address(const FieldAccess& field, int64_t record) const {
    const LayoutPart& part = parts_[part_of_[field.leaf]];
    const Leaf& leaf = record_.leaves[field.leaf];
    const int64_t within = record % part.group * leaf.count() + field.element;
    return static_cast<int64_t>(part_of_[field.leaf]) * kPartBytes + record / part.group * part.element.size +
           part.element.leaves[part.leaf_of[field.leaf]].offset + within * size_of(leaf.type);
  }
  int width(const FieldAccess& field) const { return static_cast<int>(size_of(record_.leaves[field.leaf].type)); }
  bool is_grouped() const { return parts_[0].group > 1; }

  LaneAddresses lanes(const FieldAccess& field, int64_t step) const {
    LaneAddresses result{};
    for (int64_t lane = 0; lane < kWarpLanes; ++lane) result[static_cast<std::size_t>(lane)] = address(field, lane * step);
    return result;
  }

  // Different sectors of the fields of `count` records that lie `step` apart.
  double sectors(std::span<const FieldAccess> fields, int64_t step, int64_t count) const {
    std::vector<int64_t> touched;
    for (const FieldAccess& field : fields) {
      for (int64_t k = 0; k < count; ++k) {
        const int64_t first = address(field, k * step);
        for (int64_t s = first / kSectorBytes; s <= (first + width(field) - 1) / kSectorBytes; ++s) touched.push_back(s);
      }
    }
    std::sort(touched.begin(), touched.end());
    return static_cast<double>(std::unique(touched.begin(), touched.end()) - touched.begin());
  }

 private:
  const RecordType& record_;
  std::vector<LayoutPart> parts_;
  std::vector<std::size_t> part_of_;       // by leaf
};

// The work of one statement.
class Counter {
 public:
  Counter(const Architecture& arch, const Places& places, double elements, const StatementUses& statement)
      : arch_(arch), places_(places), elements_(elements) {
    work_.block = kBlock;
    work_.grid = static_cast<int64_t>(std::ceil(std::max(1.0, statement.points / kBlock)));
    work_.launches = static_cast<int64_t>(std::min(statement.runs, 1e9));
  }

  void count(const RecordUse& use) {
    const int64_t step = use.irregular ? kApart : use.step;
    double sectors = 0;
    for (const FieldAccess& field : use.fields) {
      const GlobalRequest request = global_request(places_.lanes(field, step), kAllLanes, places_.width(field));
      sectors += request.sectors;
      work_.l1_wavefronts += use.warps * request.wavefronts;
      work_.ops(Unit::LoadStore) += use.warps * kWarpLanes;
      if (places_.is_grouped()) work_.ops(Unit::Int) += use.warps * kWarpLanes * kGroupOps;
    }
    requests += use.warps * static_cast<double>(use.fields.size());
    request_sectors += use.warps * sectors;
    // Where all lanes are at one record, its sectors hold the next ones too.
    const double different = step != 0 || use.walk == 0 ? places_.sectors(use.fields, step, step == 0 ? 1 : kWarpLanes)
                                                        : places_.sectors(use.fields, use.walk, kWarpLanes) / kWarpLanes;
    in_flight_ += different * kSectorBytes / kWarpLanes;         // whole sectors are under way
    warps += use.warps;
    warp_sectors += use.warps * different;
    // Stores of different fields leave the multiprocessor one by one, loads find the sectors of others in the L1.
    const double to_l2 = use.is_store ? use.warps * sectors : std::min(use.warps * sectors, use.different * different);
    work_.sectors += to_l2;
    count_memory(use, use.different * different * kSectorBytes, different);
  }

  KernelWork done() {
    work_.bytes_in_flight = std::clamp(in_flight_, 4.0, 256.0);
    return work_;
  }

  double requests = 0, request_sectors = 0, warps = 0, warp_sectors = 0;

 private:
  void count_memory(const RecordUse& use, double touched, double warp_sectors_of_use) {
    const double all = places_.sectors(use.fields, 1, kSample) / kSample * kSectorBytes * elements_;
    const double unique = std::min(all, touched);
    const double resident = static_cast<double>(arch_.sms) * arch_.max_warps * warp_sectors_of_use * kSectorBytes;
    const double again = use.irregular || use.comes_back ? unique : use.step > 1 ? std::min(unique, resident) : 0;
    (use.is_store ? work_.dram_write_bytes : work_.dram_read_bytes) += dram_bytes(arch_, unique, touched, again);
  }

  const Architecture& arch_;
  const Places& places_;
  double elements_;
  KernelWork work_;
  double in_flight_ = 0;
};

}  // namespace

LayoutPrice price(const Architecture& arch, const RecordType& record, const Layout& layout, double elements, TensorId tensor,
                  std::span<const StatementUses> statements) {
  const Places places(record, layout);
  LayoutPrice result;
  double requests = 0, sectors = 0, warps = 0, warp_sectors = 0;
  for (const StatementUses& statement : statements) {
    Counter counter(arch, places, elements, statement);
    for (const RecordUse& use : statement.uses)
      if (use.tensor == tensor) counter.count(use);
    if (counter.requests == 0) continue;
    const Prediction prediction = predict(arch, counter.done());
    result.us += prediction.us;
    result.score += score_of(prediction);
    requests += counter.requests * statement.runs, sectors += counter.request_sectors * statement.runs;
    warps += counter.warps * statement.runs, warp_sectors += counter.warp_sectors * statement.runs;
  }
  result.sectors_per_request = requests > 0 ? sectors / requests : 0;
  result.sectors_per_warp = warps > 0 ? warp_sectors / warps : 0;
  return result;
}

double conversion_us(const Architecture& arch, const RecordType& record, double elements) {
  KernelWork work;
  const double bytes = elements * static_cast<double>(record.size);
  work.dram_read_bytes = work.dram_write_bytes = bytes;
  work.sectors = 2 * bytes / kSectorBytes;
  work.block = kBlock;
  work.grid = static_cast<int64_t>(std::ceil(std::max(1.0, elements / kBlock)));
  return predict(arch, work).us;
}

}  // namespace cdsl::deciding
