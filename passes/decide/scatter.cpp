#include "passes/decide/scatter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/machine/memory.h"
#include "passes/decide/scatter_price.h"
#include "passes/recognize/accesses.h"

namespace cdsl::deciding {
namespace {

constexpr std::size_t kMostDecided = 96;      // scatters: as for stages (decide.cpp)
constexpr int64_t kMostBytes = 48 * 1024;   // of bins: more would leave a multiprocessor with few blocks
constexpr int64_t kUnderWay = 4;            // points of a thread at once, where no vectors are
constexpr double kWorthwhile = 0.98;
constexpr double kEnoughUnderWay = 32 << 10;   // M: bytes of a multiprocessor
constexpr double kAlike = 0.95;             // of the best: then it counts what the model leaves out
constexpr std::array kThreads = {256, 512, 1024};
constexpr std::array kCopies = {1, 8, 16, 32};   // fewer than 8 leave nearly all conflicts
constexpr std::array kPrefetches = {0, 1, 2, 4};

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

const Architecture& architecture_of(const Schedule& schedule) {
  const Architecture* found = find_architecture(schedule.architecture);
  return found != nullptr ? *found : *find_architecture(kDefaultArchitecture);
}

double rounded(double us) { return std::round(us * 100) / 100; }

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  return !text.empty() && std::from_chars(text.data(), end, number).ptr == end ? std::optional(number) : std::nullopt;
}

struct Priced {
  PrivateBins bins;
  double us = 0;
};

class Deciding {
 public:
  Deciding(tir::Function& function, const tir::Scatter& scatter, std::size_t statement, bool in_loop,
           const SizeValues& sizes, bool vectors, PassContext& context)
      : function_(function), scatter_(scatter), tensor_(function.tensor(scatter.target.tensor)), sizes_(sizes),
        context_(context),
        arch_(architecture_of(context.schedule)) {
    made_.name = tensor_.name;
    made_.statement = statement;
    type_ = function.leaf(scatter.target.tensor, scatter.target.leaf).type;
    atomic_ = atomic_type(scatter.op, type_);
    for (const Axis& axis : scatter.domain.axes) {
      if (is_shared_out(axis)) last_ = axis.index;
      work_.points *= static_cast<double>(distance(sizes.likely(axis.lo), sizes.likely(axis.hi), 1));
    }
    why_not_ = why_not(in_loop);
    describe(vectors);
  }

  std::optional<PrivateBins> run() {
    direct_us_ = direct_us(arch_, work_, context_.schedule.block_threads);
    if (why_not_.empty()) {
      block_ = best(1, 1);
      lane_ = best(2, kWarpLanes);
    }
    const Priced* taken = choose();
    leave_remarks(taken);
    return taken != nullptr ? std::optional(taken->bins) : std::nullopt;
  }

 private:
  std::string key(const std::string& directive) const { return tensor_.name + "." + directive; }
  std::string asked(const std::string& directive) const {
    const auto found = context_.schedule.overrides.find(key(directive));
    return found == context_.schedule.overrides.end() ? "" : found->second;
  }
  void settle(const std::string& directive) { context_.settled.insert(key(directive)); }
  void refuse(const std::string& directive, const std::string& why) { context_.impossible[key(directive)] = {asked(directive), why}; }

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
    const int64_t most = kMostBytes / size_of(type_);
    for (ExprId extent : tensor_.shape) {
      const auto known = sizes_.known(extent);
      if (!known) return "the size of the target is open";
      if (*known <= 0) return "the target has no elements";
      if (*known > most || made_.bins * *known > most) return fmt::format("the target takes more than {} KB", kMostBytes / 1024);
      made_.bins *= *known;
    }
    return "";
  }

  void describe(bool vectors) {
    work_.width = static_cast<int>(size_of(type_));
    work_.atomic = atomic_.value_or(AtomicType::Loop);
    work_.updates = is_complex(type_) ? 2 : 1;
    for (ExprId extent : tensor_.shape) work_.targets *= static_cast<double>(std::max<int64_t>(1, sizes_.likely(extent)));
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
      ++work_.reads;
      work_.bytes += access.is_contiguous(last_) ? static_cast<double>(access.bytes) : kSectorBytes;
    }
    if (!why_not_.empty()) return;
    work_.vectors = vector_reads(function_, scatter_);
    if (!vectors) work_.vectors.why_not = "the bases of its tensors may lie anywhere";
    if (has_vectors()) ask_for_few();
  }

  // Where sizes are open, their product may be great though no size is.
  void ask_for_few() {
    ExprId points = function_.arena.integer(1);
    for (const Axis& axis : scatter_.domain.axes) points = index_mul(function_.arena, points, axis.hi);
    if (scatter_.domain.axes.size() > 1 && !sizes_.known(points))
      few_ = function_.arena.apply(Op::Le, {points, function_.arena.integer(kMostPoints)});
  }

  bool has_vectors() const { return why_not_.empty() && work_.vectors.why_not.empty(); }

  std::vector<int> thread_counts() {
    if (asked("threads").empty()) return {kThreads.begin(), kThreads.end()};
    const auto threads = number_in(asked("threads"));
    if (threads && *threads > 0 && *threads % kWarpLanes == 0 && *threads <= arch_.max_threads_block) {
      settle("threads");
      return {*threads};
    }
    refuse("threads", "a block has a multiple of 32 threads, at most 1024; possible: 32 to 1024");
    return {kThreads.begin(), kThreads.end()};
  }

  std::vector<int> copy_counts(int least, int most) const {
    std::vector<int> counts;
    const auto wanted = number_in(asked("copies"));
    const auto is_count = [&](int copies) { return copies >= least && copies <= most && std::has_single_bit(static_cast<unsigned>(copies)); };
    if (wanted && is_count(*wanted)) return {*wanted};
    std::copy_if(kCopies.begin(), kCopies.end(), std::back_inserter(counts), is_count);
    return counts;
  }

  std::vector<int> prefetches() const {
    if (!has_vectors()) return {0};
    const auto wanted = number_in(asked("prefetch"));
    const bool possible = wanted && std::find(kPrefetches.begin(), kPrefetches.end(), *wanted) != kPrefetches.end();
    return possible ? std::vector{*wanted} : std::vector(kPrefetches.begin(), kPrefetches.end());
  }

  PrivateBins bins_of(int threads, int copies, int prefetch) const {
    PrivateBins bins = made_;
    bins.threads = threads;
    bins.copies = copies;
    int64_t round = kUnderWay * threads;
    if (has_vectors()) {
      const VectorReads& vectors = work_.vectors;
      bins.vector = vectors.width;
      bins.prefetch = prefetch;
      bins.vectors = vectors.reads;
      bins.aligned = vectors.tensors;
      bins.few = few_;
      round = threads * vectors.width * std::max(1, prefetch);
      bins.resident = static_cast<int>(occupancy(arch_, threads, registers_of(work_, bins), shared_bytes_of(work_, bins)).blocks);
    }
    bins.points = std::max(round, 2 * bins.bins * copies);
    return bins;
  }

  // Of ways that take about as long: the threads of a multiprocessor, the bytes that these have under way, where more do not help,
  // copies, which make it even for data that favours some bins, and few registers.
  std::array<double, 4> merits(const PrivateBins& bins) const {
    const auto threads = static_cast<double>(bins.threads * occupancy(arch_, bins.threads, registers_of(work_, bins), shared_bytes_of(work_, bins)).blocks);
    const double bytes = work_.vectors.bytes * static_cast<double>(bins.vector * bins.prefetch) * threads;
    return {threads, std::min(bytes, kEnoughUnderWay), static_cast<double>(bins.copies), -static_cast<double>(bins.prefetch)};
  }

  // Large blocks share their bins between many threads, small ones start and merge sooner; the more copies, the fewer blocks.
  std::optional<Priced> best(int least_copies, int most_copies) {
    std::vector<Priced> options;
    for (int copies : copy_counts(least_copies, most_copies)) {
      for (int threads : thread_counts()) {
        for (int prefetch : prefetches()) {
          Priced option{bins_of(threads, copies, prefetch), 0};
          option.us = private_us(arch_, work_, option.bins);
          if (std::isfinite(option.us)) options.push_back(std::move(option));
        }
      }
    }
    if (options.empty()) return std::nullopt;
    const auto sooner = [](const Priced& a, const Priced& b) { return a.us < b.us; };
    const double least = std::min_element(options.begin(), options.end(), sooner)->us;
    std::erase_if(options, [&](const Priced& option) { return option.us * kAlike > least; });
    return *std::min_element(options.begin(), options.end(), [&](const Priced& a, const Priced& b) {
      const auto of_a = merits(a.bins), of_b = merits(b.bins);
      return of_a != of_b ? of_a > of_b : a.us < b.us;
    });
  }

  // Nothing: each point updates global memory.
  const Priced* choose() {
    const Priced* block = block_ ? &*block_ : nullptr;
    const Priced* lane = lane_ ? &*lane_ : nullptr;
    const Priced* taken = block;
    // What lanes take does not hang on the data.
    if (lane != nullptr && (block == nullptr || lane->us * kAlike < block->us)) taken = lane;
    if (taken != nullptr && taken->us >= direct_us_ * kWorthwhile) taken = nullptr;
    const auto copies = number_in(asked("copies"));
    if (copies && *copies == 1 && block != nullptr) taken = block;
    if (copies && lane != nullptr && lane->bins.copies == *copies) taken = lane;
    if (const std::string how = asked("atomics"); !how.empty()) {
      const bool possible = how == "direct" || (how == "block" && block != nullptr) || (how == "lane" && lane != nullptr);
      if (possible) {
        taken = how == "direct" ? nullptr : how == "block" ? block : lane;
        settle("atomics");
      } else {
        const std::string choices = std::string("possible: direct") + (block != nullptr ? ", block" : "") + (lane != nullptr ? ", lane" : "");
        const std::string why = !why_not_.empty() ? why_not_ : "its bins do not fit into the shared memory of a block";
        refuse("atomics", how == "block" || how == "lane" ? why + "; " + choices : choices);
      }
    }
    const bool is_private = taken != nullptr;
    answer("copies", is_private ? taken->bins.copies : 1, !why_not_.empty() ? why_not_ : is_private ? "" : "each point updates global memory",
           is_private ? "1, 2, 4, 8, 16, 32, where they fit" : "1");
    const bool in_vectors = is_private && taken->bins.vector > 1;
    answer("prefetch", in_vectors ? taken->bins.prefetch : 0,
           !why_not_.empty() ? why_not_ : !has_vectors() ? work_.vectors.why_not : in_vectors ? "" : "each point updates global memory",
           in_vectors ? "0, 1, 2, 4" : "0");
    return taken;
  }

  // Of a number that `taken` has, whether it was asked for or not.
  void answer(const std::string& directive, int taken, const std::string& why_not, const std::string& possible) {
    if (asked(directive).empty()) return;
    if (number_in(asked(directive)) == taken)
      settle(directive);
    else
      refuse(directive, fmt::format("{}{}possible: {}", why_not, why_not.empty() ? "" : "; ", possible));
  }

  static Remark::Number predicted(double us) { return {"predicted", rounded(us), "us"}; }

  Remark::Alternative other(const std::string& directive, std::string choice, double us, double taken_us) const {
    return {std::move(choice), us > taken_us ? "slower" : asked(directive).empty() ? "no faster" : "not asked for", {predicted(us)}};
  }

  void leave_remarks(const Priced* taken) {
    const bool has_lanes = taken != nullptr && taken->bins.copies > 1;
    const std::string choice = taken == nullptr ? "direct" : has_lanes ? "lane" : "block";
    const double us = taken != nullptr ? taken->us : direct_us_;
    Remark remark{"atomics", tensor_.name, taken != nullptr, choice, {}, {}, {}, scatter_.where, key("atomics")};
    if (has_lanes)
      remark.reason = "each block has so many copies of its bins in shared memory that lanes of a warp do not wait for each other";
    else if (taken != nullptr)
      remark.reason = "each block has its own bins in shared memory, and merges those that it changed";
    else
      remark.reason = why_not_.empty() ? "an atomic update of global memory a point" : why_not_;
    if (taken != nullptr || (atomic_ && !scatter_.deterministic)) remark.numbers = {predicted(us)};
    if (taken != nullptr) {
      remark.numbers.push_back({"bins", static_cast<double>(taken->bins.bins), ""});
      remark.numbers.push_back({"threads", static_cast<double>(taken->bins.threads), ""});
      remark.alternatives.push_back(other("atomics", "direct", direct_us_, us));
    }
    if (block_ && choice != "block") remark.alternatives.push_back(other("atomics", "block", block_->us, us));
    if (lane_ && choice != "lane") remark.alternatives.push_back(other("atomics", "lane", lane_->us, us));
    context_.remarks.push_back(std::move(remark));
    if (taken == nullptr) return;
    if (has_lanes) copies_remark(*taken);
    prefetch_remark(*taken);
  }

  void copies_remark(const Priced& taken) {
    const PrivateBins& bins = taken.bins;
    Remark remark{"copies", tensor_.name, true, std::to_string(bins.copies), {}, {}, {}, scatter_.where, key("copies")};
    const int64_t bytes = shared_bytes_of(work_, bins), resident = occupancy(arch_, bins.threads, registers_of(work_, bins), bytes).blocks;
    remark.reason = "copies of each bin, one for every lane of a warp modulo that";
    remark.numbers = {predicted(taken.us), {"shared", static_cast<double>(bytes) / 1024, "KB"}, {"blocks of a multiprocessor", static_cast<double>(resident), ""}};
    for (int copies : kCopies) {
      if (copies == 1 || copies == bins.copies) continue;
      const double us = private_us(arch_, work_, bins_of(bins.threads, copies, bins.prefetch));
      if (std::isfinite(us)) remark.alternatives.push_back(other("copies", std::to_string(copies), us, taken.us));
    }
    context_.remarks.push_back(std::move(remark));
  }

  void prefetch_remark(const Priced& taken) {
    const PrivateBins& bins = taken.bins;
    const bool fires = bins.vector > 1;
    Remark remark{"prefetch", tensor_.name, fires, std::to_string(bins.prefetch), {}, {}, {}, scatter_.where, fires ? key("prefetch") : ""};
    remark.reason = !fires ? work_.vectors.why_not
                    : bins.prefetch == 0 ? "vectors of neighbouring points are loaded when they are needed"
                                         : "vectors of neighbouring points are on their way while a thread makes the updates of one";
    if (fires) {
      remark.numbers = {predicted(taken.us), {"points of a vector", static_cast<double>(bins.vector), ""}};
      for (int prefetch : kPrefetches) {
        if (prefetch == bins.prefetch) continue;
        const double us = private_us(arch_, work_, bins_of(bins.threads, bins.copies, prefetch));
        if (std::isfinite(us)) remark.alternatives.push_back(other("prefetch", std::to_string(prefetch), us, taken.us));
      }
    }
    context_.remarks.push_back(std::move(remark));
  }

  tir::Function& function_;              // whose arena grows
  const tir::Scatter& scatter_;
  const tir::Tensor& tensor_;
  const SizeValues& sizes_;
  PassContext& context_;
  const Architecture& arch_;
  PrivateBins made_;                     // what all ways have in common
  ScatterWork work_;
  ScalarType type_{};
  std::optional<AtomicType> atomic_;
  SymbolId last_;                        // the index along the lanes
  std::string why_not_;                  // no bins are private
  ExprId few_;                           // PrivateBins::few
  double direct_us_ = 0;
  std::optional<Priced> block_, lane_;   // the best of each
};

void visit(tir::Function& function, const tir::Block& block, bool in_loop, const SizeValues& sizes, bool vectors, PassContext& context,
           std::size_t& next, std::size_t& scatters, std::vector<PrivateBins>& result) {
  for (const tir::Statement& statement : block.statements) {
    const std::size_t number = next++;
    if (const auto* loop = std::get_if<tir::Loop>(&statement)) visit(function, *loop->body, true, sizes, vectors, context, next, scatters, result);
    const auto* scatter = std::get_if<tir::Scatter>(&statement);
    if (scatter == nullptr || scatters++ >= kMostDecided) continue;
    if (auto bins = Deciding(function, *scatter, number, in_loop, sizes, vectors, context).run()) result.push_back(std::move(*bins));
  }
}

}  // namespace

std::vector<PrivateBins> private_bins(tir::Function& function, const SizeValues& sizes, bool vectors, PassContext& context) {
  std::vector<PrivateBins> result;
  std::size_t next = 0, scatters = 0;
  visit(function, function.body, false, sizes, vectors, context, next, scatters, result);
  return result;
}

}  // namespace cdsl::deciding
