#include "passes/decide/scatter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dsl/expr/walk.h"
#include "dsl/machine/memory.h"
#include "dsl/machine/predict.h"
#include "passes/recognize/accesses.h"

namespace cdsl::deciding {
namespace {

constexpr std::size_t kMostDecided = 96;      // scatters: as for stages (decide.cpp)
constexpr int64_t kMostBytes = 48 * 1024;   // of bins: more would leave a multiprocessor with few blocks
constexpr int kRegisters = 32;              // of a thread, as such kernels take
// M: on an H200, 16 M updates of 256 i32 take 3.2 ms: 20 passes a request, evenly over 32 sectors.
constexpr double kSectorClocks = 19;        // between two passes at one sector
constexpr int64_t kUnderWay = 4;            // loads of a thread: the loop over the points is unrolled
constexpr double kWorthwhile = 0.98;
constexpr double kMergeClocks = 60;         // a round of clearing and merging: a store, a load, a test

// How hardware updates this type in place; nothing where the general path widens it or goes in order.
std::optional<AtomicType> atomic_type(tir::ScatterOp op, ScalarType type) {
  const bool adds = op == tir::ScatterOp::Add, loops = op == tir::ScatterOp::Mul;
  switch (type) {
    case ScalarType::I32: case ScalarType::U32: return loops ? AtomicType::Loop : AtomicType::Int32;
    case ScalarType::I64: case ScalarType::U64: return loops ? AtomicType::Loop : AtomicType::Int64;
    case ScalarType::F32: return adds ? AtomicType::Float32 : AtomicType::Loop;
    case ScalarType::F64: return adds ? AtomicType::Float64 : AtomicType::Loop;
    case ScalarType::C64: return adds ? std::optional(AtomicType::Float32) : std::nullopt;
    case ScalarType::C128: return adds ? std::optional(AtomicType::Float64) : std::nullopt;
    default: return std::nullopt;
  }
}

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
const Architecture& architecture_of(const Schedule& schedule) {
  const Architecture* found = find_architecture(schedule.architecture);
  return found != nullptr ? *found : *find_architecture(kDefaultArchitecture);
}

double rounded(double us) { return std::round(us * 100) / 100; }

class Deciding {
 public:
  Deciding(const tir::Function& function, const tir::Scatter& scatter, std::size_t statement, bool in_loop,
           const SizeValues& sizes, PassContext& context)
      : function_(function), scatter_(scatter), tensor_(function.tensor(scatter.target.tensor)), sizes_(sizes),
        context_(context),
        arch_(architecture_of(context.schedule)) {
    taken_.name = tensor_.name;
    taken_.statement = statement;
    type_ = function.leaf(scatter.target.tensor, scatter.target.leaf).type;
    atomic_ = atomic_type(scatter.op, type_);
    for (const Axis& axis : scatter.domain.axes) {
      if (is_shared_out(axis)) last_ = axis.index;
      points_ *= static_cast<double>(distance(sizes.likely(axis.lo), sizes.likely(axis.hi), 1));
    }
    why_not_ = why_not(in_loop);
    count_reads();
  }

  std::optional<PrivateBins> run() {
    double block_us = 0;
    if (why_not_.empty()) block_us = best_block();
    const double direct_us = predict(arch_, direct()).us;
    bool fires = why_not_.empty() && block_us < direct_us * kWorthwhile;
    if (const std::string asked = this->asked("atomics"); !asked.empty()) {
      if (asked == "direct" || (asked == "block" && why_not_.empty())) {
        fires = asked == "block";
        context_.settled.insert(key("atomics"));
      } else {
        const std::string possible = why_not_.empty() ? "possible: direct, block" : "possible: direct";
        context_.impossible[key("atomics")] = {asked, asked == "block" ? why_not_ + "; " + possible : possible};
      }
    }
    leave_remark(fires, direct_us, block_us);
    return fires ? std::optional(taken_) : std::nullopt;
  }

 private:
  std::string key(const std::string& directive) const { return tensor_.name + "." + directive; }
  std::string asked(const std::string& directive) const {
    const auto found = context_.schedule.overrides.find(key(directive));
    return found == context_.schedule.overrides.end() ? "" : found->second;
  }

  bool reads_memory(ExprId id) const {
    const auto order = postorder(function_.arena, std::span(&id, 1));
    return std::any_of(order.begin(), order.end(), [&](ExprId node) { return function_.arena.get_if<Read>(node) != nullptr; });
  }

  // Can its points be spread over threads?
  bool is_shared_out(const Axis& axis) const {
    for (ExprId end : {axis.lo, axis.hi}) {
      if (reads_memory(end)) return false;
      for (SymbolId symbol : free_symbols(function_.arena, end)) {
        for (const Axis& other : scatter_.domain.axes)
          if (other.index == symbol) return false;
      }
    }
    return true;
  }

  std::string why_not(bool in_loop) {
    if (in_loop) return "it stands in a loop";
    if (scatter_.deterministic) return "one thread makes the updates in order";
    if (!atomic_) return fmt::format("{} has no atomic update of its own", name_of(type_));
    if (context_.schedule.strict && (is_float(type_) || is_complex(type_))) return "strict floats keep their order";
    const RecordType& element = function_.element(scatter_.target.tensor);
    if (element.leaves.size() != 1 || !element.leaves[0].extents.empty()) return "the elements of the target are records";
    const bool may_be_one = std::find(tensor_.may_be_one.begin(), tensor_.may_be_one.end(), true) != tensor_.may_be_one.end();
    const bool grouped = tensor_.layout.kind == Layout::Kind::Aosoa || tensor_.layout.kind == Layout::Kind::Split;
    if (tensor_.order == tir::Order::Strided || may_be_one || grouped) return "the elements of the target need not lie side by side";
    if (!last_.valid()) return "no axis of the points can be shared out";
    taken_.bins = 1;
    const int64_t most = kMostBytes / size_of(type_);
    for (ExprId extent : tensor_.shape) {
      const auto known = sizes_.known(extent);
      if (!known) return "the size of the target is open";
      if (*known <= 0) return "the target has no elements";
      if (*known > most || taken_.bins * *known > most) return fmt::format("the target takes more than {} KB", kMostBytes / 1024);
      taken_.bins *= *known;
    }
    return "";
  }

  void count_reads() {
    // A target for each expression, since that is where reads are looked for.
    std::vector<tir::Target> roots{scatter_.target};
    const auto look_in = [&](ExprId id) {
      roots.push_back(scatter_.target);
      roots.back().value = id;
    };
    for (ExprId subscript : scatter_.target.subscripts) look_in(subscript);
    if (scatter_.domain.guard.valid()) look_in(scatter_.domain.guard);
    for (const Access& access : accesses(function_, roots, sizes_)) {
      if (access.is_store() || !last_.valid() || !access.uses(last_)) continue;
      ++reads_;
      bytes_ += access.is_contiguous(last_) ? static_cast<double>(access.bytes) : kSectorBytes;
    }
  }

  // What both ways have in common: the points are read, in turns by as many blocks as are resident.
  KernelWork work(int threads, int64_t blocks, int64_t shared_bytes) const {
    KernelWork result;
    result.block = threads;
    result.registers = kRegisters;
    result.shared_bytes = shared_bytes;
    const int64_t resident = occupancy(arch_, threads, kRegisters, shared_bytes).blocks;
    result.grid = std::max<int64_t>(1, std::min(blocks, resident * arch_.sms));
    result.sectors = points_ * bytes_ / kSectorBytes;
    result.dram_read_bytes = points_ * bytes_;
    result.l1_wavefronts = points_ / kWarpLanes * reads_;
    result.ops(Unit::LoadStore) = points_ * (reads_ + 1);
    result.ops(Unit::Int) = points_ * (reads_ + 2);
    result.bytes_in_flight = std::clamp(bytes_ * kUnderWay, 4.0, 256.0);
    result.ilp = kUnderWay;
    return result;
  }

  // Each part of a complex number is updated by itself.
  double updates() const { return is_complex(type_) ? 2 : 1; }

  double targets() const {
    double count = 1;
    for (ExprId extent : tensor_.shape) count *= static_cast<double>(std::max<int64_t>(1, sizes_.likely(extent)));
    return count;
  }

  // Passes at one sector wait for each other as updates of one address do.
  void crowd(AtomicWork& atomics) const {
    const double sectors = std::max(1.0, targets() * static_cast<double>(size_of(type_)) / kSectorBytes);
    const double same = arch_.global_atomics[static_cast<std::size_t>(atomics.type)].same;
    atomics.hottest = std::max(atomics.hottest, atomics.passes / sectors * kSectorClocks / same);
  }

  KernelWork direct() const {
    const int threads = context_.schedule.block_threads;
    KernelWork result = work(threads, ceil_div(static_cast<int64_t>(points_), threads), 0);
    result.atomics.push_back(spread_atomics(AtomicPlace::Global, atomic_.value_or(AtomicType::Loop), points_ * updates(), targets(),
                                            static_cast<int>(size_of(type_)), static_cast<double>(result.grid)));
    crowd(result.atomics.back());
    return result;
  }

  // The blocks end at about the same time, so that what they merge hides behind nothing.
  double block_us(const PrivateBins& bins) const {
    const auto width = static_cast<int>(size_of(type_));
    KernelWork result = work(bins.threads, ceil_div(static_cast<int64_t>(points_), bins.points), bins.bins * width);
    const auto blocks = static_cast<double>(result.grid), count = static_cast<double>(bins.bins);
    result.atomics.push_back(spread_atomics(AtomicPlace::Shared, *atomic_, points_ * updates(), count, width, blocks));
    // Of each block, the bins that some point of it hits: neighbours go together where they share a sector.
    const double hit = count * -std::expm1(-points_ / blocks / count);
    AtomicWork merge{.place = AtomicPlace::Global, .type = *atomic_, .lanes = blocks * hit * updates()};
    merge.requests = blocks * std::ceil(count / kWarpLanes);
    merge.passes = merge.requests * std::max(1.0, std::min(count, double{kWarpLanes}) * width / kSectorBytes) * updates();
    merge.hottest = blocks;
    crowd(merge);
    result.shared_wavefronts = 2 * merge.requests;
    result.serial_clocks = std::ceil(count / bins.threads) * kMergeClocks + arch_.latency.l2;
    result.barriers_passed = 2;
    return predict(arch_, result).us + atomics_us(arch_, merge, arch_.sms);
  }

  std::vector<int> thread_counts() {
    const std::string text = asked("threads");
    int threads = 0;
    const char* end = text.data() + text.size();
    const bool is_number = !text.empty() && std::from_chars(text.data(), end, threads).ptr == end;
    if (is_number && threads > 0 && threads % kWarpLanes == 0 && threads <= arch_.max_threads_block) {
      context_.settled.insert(key("threads"));
      return {threads};
    }
    if (!text.empty()) context_.impossible[key("threads")] = {text, "a block has a multiple of 32 threads, at most 1024; possible: 32 to 1024"};
    return {256, 512, 1024};
  }

  // Large blocks share their bins between many threads, small ones start and merge sooner.
  double best_block() {
    double best = 0;
    PrivateBins chosen = taken_;
    for (int threads : thread_counts()) {
      PrivateBins bins = taken_;
      bins.threads = threads;
      bins.points = std::max<int64_t>(kUnderWay * threads, 2 * bins.bins);
      const double us = block_us(bins);
      if (best != 0 && us >= best) continue;
      best = us;
      chosen = bins;
    }
    taken_ = chosen;
    return best;
  }

  void leave_remark(bool fires, double direct_us, double block_us) {
    Remark remark{"atomics", tensor_.name, fires, fires ? "block" : "direct", {}, {}, {}, scatter_.where, key("atomics")};
    const bool possible = why_not_.empty();
    const auto compared = [&](double other, double taken) {
      return other > taken ? "slower" : asked("atomics").empty() ? "no faster" : "not asked for";
    };
    const auto predicted = [](double us) { return Remark::Number{"predicted", rounded(us), "us"}; };
    if (fires) {
      remark.reason = "each block has its own bins in shared memory, and merges those that it changed";
      remark.numbers = {predicted(block_us),
                        {"bins", static_cast<double>(taken_.bins), ""},
                        {"threads", static_cast<double>(taken_.threads), ""}};
      remark.alternatives.push_back({"direct", compared(direct_us, block_us), {predicted(direct_us)}});
    } else {
      remark.reason = possible ? "an atomic update of global memory a point" : why_not_;
      if (atomic_ && !scatter_.deterministic) remark.numbers = {predicted(direct_us)};
      if (possible) remark.alternatives.push_back({"block", compared(block_us, direct_us), {predicted(block_us)}});
    }
    context_.remarks.push_back(std::move(remark));
  }

  const tir::Function& function_;
  const tir::Scatter& scatter_;
  const tir::Tensor& tensor_;
  const SizeValues& sizes_;
  PassContext& context_;
  const Architecture& arch_;
  PrivateBins taken_;
  ScalarType type_{};
  std::optional<AtomicType> atomic_;
  SymbolId last_;                        // the index along the lanes
  std::string why_not_;
  double points_ = 1, reads_ = 0, bytes_ = 0;   // of all points; accesses and bytes of one point
};

void visit(const tir::Function& function, const tir::Block& block, bool in_loop, const SizeValues& sizes, PassContext& context,
           std::size_t& next, std::size_t& scatters, std::vector<PrivateBins>& result) {
  for (const tir::Statement& statement : block.statements) {
    const std::size_t number = next++;
    if (const auto* loop = std::get_if<tir::Loop>(&statement)) visit(function, *loop->body, true, sizes, context, next, scatters, result);
    const auto* scatter = std::get_if<tir::Scatter>(&statement);
    if (scatter == nullptr || scatters++ >= kMostDecided) continue;
    if (auto bins = Deciding(function, *scatter, number, in_loop, sizes, context).run()) result.push_back(std::move(*bins));
  }
}

}  // namespace

std::vector<PrivateBins> private_bins(const tir::Function& function, const SizeValues& sizes, PassContext& context) {
  std::vector<PrivateBins> result;
  std::size_t next = 0, scatters = 0;
  visit(function, function.body, false, sizes, context, next, scatters, result);
  return result;
}

}  // namespace cdsl::deciding
