#include "passes/predict/trace.h"

#include <algorithm>
#include <bit>

#include "dsl/loop/shared_layout.h"
#include "dsl/loop/walk.h"
#include "dsl/support/check.h"
#include "passes/predict/tracer.h"

namespace cdsl::predicting {
namespace {

constexpr int kLoadCost = 64;            // as the simulator weighs what it evaluates lazily
constexpr int64_t kFewestBlocks = 8;

AtomicType type_of(loop::AtomicOp op, ScalarType type) {
  const bool adds = op == loop::AtomicOp::Add || op == loop::AtomicOp::Exchange;
  switch (type) {
    case ScalarType::I32: case ScalarType::U32: return op == loop::AtomicOp::Mul ? AtomicType::Loop : AtomicType::Int32;
    case ScalarType::I64: case ScalarType::U64: return op == loop::AtomicOp::Mul ? AtomicType::Loop : AtomicType::Int64;
    case ScalarType::F32: return adds ? AtomicType::Float32 : AtomicType::Loop;
    case ScalarType::F64: return adds ? AtomicType::Float64 : AtomicType::Loop;
    case ScalarType::C64: return AtomicType::Float32;
    case ScalarType::C128: return AtomicType::Float64;
    default: return AtomicType::Loop;
  }
}

}  // namespace

std::string_view name_of(AccessKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"load",        "store",        "atomic",
                                                      "shared_load", "shared_store", "shared_atomic"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool shows_more(const RequestSample& a, const RequestSample& b) {
  const int lanes = std::popcount(a.mask), others = std::popcount(b.mask);
  return lanes != others ? lanes > others : a.degree > b.degree;
}

LaunchCount trace(const LaunchInput& input, const TraceOptions& options) {
  return Tracer(input, options).run();
}

Tracer::Tracer(const LaunchInput& input, const TraceOptions& options)
    : input_(input),
      program_(input.program),
      arena_(input.program.arena),
      kernel_(input.kernel),
      options_(options),
      slots_(arena_.size(), 0),
      symbols_(arena_.symbol_count()) {
  weigh_expressions();
  std::size_t k = 0;
  for (const BufferId id : kernel_.buffers) {
    if (program_.buffer(id).space != loop::Space::Global) continue;
    GlobalUse& use = globals_[id.value];
    use.row = result_.buffers.size();
    result_.buffers.push_back({.buffer = id, .bytes = input.buffer_bytes[k++]});
  }
  for (const loop::SharedBuffer& shared : loop::shared_layout(program_, kernel_).buffers)
    shared_offsets_[shared.buffer.value] = shared.offset;
  for (std::size_t s = 0; s < kernel_.scalars.size(); ++s) {
    const auto& [value, is_known] = input.scalars[s];
    symbols_[kernel_.scalars[s].index()] = is_known ? Lanes::of(value) : Lanes::unknown_but_same();
  }
}

void Tracer::weigh_expressions() {
  costs_.resize(arena_.size());
  for (std::size_t k = 0; k < arena_.size(); ++k) {
    const ExprId id(k);
    int cost = arena_.get_if<Load>(id) != nullptr ? kLoadCost : 0;
    if (const auto* apply = arena_.get_if<Apply>(id)) cost = info(apply->op).cost;
    for (const ExprId arg : arena_.args(id)) cost += costs_[arg.index()];
    costs_[k] = std::min(cost, kLoadCost);
  }
}

// The first block, the last, and as many of each stretch between them as the budget admits.
LaunchCount Tracer::run() {
  const int64_t grid = input_.grid;
  if (grid <= 0) return result_;
  trace_block(0, 1);
  int64_t blocks = grid;
  if (options_.budget > 0)
    blocks = std::min(grid, std::max(kFewestBlocks, static_cast<int64_t>(options_.budget / std::max(spent_, 1.0))));
  sampled_ = sampled_ || blocks < grid;
  const int64_t between = blocks - 2;
  for (int64_t k = 0; k < between; ++k) {
    const int64_t inner = grid - 2, from = 1 + inner * k / between, to = 1 + inner * (k + 1) / between;
    // Not the same place of every stretch, for tiles at an edge come at regular distances; of the first its middle, for it begins at one.
    trace_block(from + (k * 7919 + (to - from) / 2) % (to - from), static_cast<double>(to - from));
  }
  if (grid > 1) trace_block(grid - 1, 1);
  finish();
  return result_;
}

void Tracer::trace_block(int64_t number, double weight) {
  const int64_t threads = int64_t{kernel_.block[0]} * kernel_.block[1] * kernel_.block[2];
  most_barriers_ = most_waits_ = 0;
  tickets_.clear();
  for (int64_t warp = 0; warp * kWarpLanes < threads; ++warp) {
    start_warp(number, warp);
    weight_ = weight;
    barriers_ = waits_ = 0;
    block(kernel_.body);
    most_barriers_ = std::max(most_barriers_, barriers_ / weight);   // of the one block, not of those that it stands for
    most_waits_ = std::max(most_waits_, waits_ / weight);
  }
  end_block(weight);
}

int64_t Tracer::special_value(loop::Special special, int64_t block, int64_t thread) const {
  const int* shape = kernel_.block;
  const int64_t cluster = int64_t{kernel_.cluster[0]} * kernel_.cluster[1] * kernel_.cluster[2];
  switch (special) {
    case loop::Special::ThreadX: return thread % shape[0];
    case loop::Special::ThreadY: return thread / shape[0] % shape[1];
    case loop::Special::ThreadZ: return thread / (int64_t{shape[0]} * shape[1]);
    case loop::Special::BlockX: return block;
    case loop::Special::BlockY: case loop::Special::BlockZ: return 0;
    case loop::Special::BlockDimX: return shape[0];
    case loop::Special::BlockDimY: return shape[1];
    case loop::Special::BlockDimZ: return shape[2];
    case loop::Special::GridDimX: return input_.grid;
    case loop::Special::GridDimY: case loop::Special::GridDimZ: return 1;
    case loop::Special::Lane: return thread % kWarpLanes;
    case loop::Special::Rank: return block % cluster;
    case loop::Special::Warp: break;
  }
  return thread / kWarpLanes;
}

void Tracer::start_warp(int64_t block, int64_t warp) {
  const int64_t threads = int64_t{kernel_.block[0]} * kernel_.block[1] * kernel_.block[2];
  const int64_t first = warp * kWarpLanes, lanes = std::min<int64_t>(kWarpLanes, threads - first);
  held_.clear();
  is_held_.clear();
  live_ = certain_ = possible_ = first_lanes(static_cast<int>(lanes));
  for (int k = 0; k < loop::kSpecialCount; ++k) {
    const auto special = static_cast<loop::Special>(k);
    Lanes values = Lanes::of(Value::of_int(special_value(special, block, first)));
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const Value value = Value::of_int(special_value(special, block, first + lane));
      values.uniform = values.uniform && value.i == values.value[0].i;
      values.value[static_cast<std::size_t>(lane)] = value;
    }
    symbols_[program_.special(special).index()] = values;
  }
}

// What loads of one block touch again comes from the L1.
void Tracer::end_block(double weight) {
  for (auto& [id, use] : globals_) {
    std::vector<int64_t>& sectors = use.in_block;
    use.raw += weight * static_cast<double>(sectors.size());
    std::sort(sectors.begin(), sectors.end());
    use.distinct += weight * static_cast<double>(std::unique(sectors.begin(), sectors.end()) - sectors.begin());
    sectors.clear();
  }
  result_.blocks_traced += 1;
  result_.barriers = std::max(result_.barriers, most_barriers_);
  longest_waits_ = std::max(longest_waits_, most_waits_);
  sum_of_waits_ += weight * most_waits_;
  blocks_weighed_ += weight;
}

void Tracer::finish() {
  // Where blocks follow each other all day, the longest one is waited for once, at the end.
  const double mean = sum_of_waits_ / std::max(1.0, blocks_weighed_);
  result_.serial_clocks = mean + (longest_waits_ - mean) * std::min(1.0, options_.blocks_at_once / static_cast<double>(std::max<int64_t>(1, input_.grid)));
  for (auto& [id, use] : globals_) {
    BufferCount& count = result_.buffers[use.row];
    if (use.raw > 0) count.l1_share = use.distinct / use.raw;
    const auto unique = [&](const std::vector<bool>& touched, double sectors) {
      if (sectors == 0) return 0.0;
      const double exact = static_cast<double>(std::count(touched.begin(), touched.end(), true)) * kSectorBytes;
      if (!sampled_ && !use.anywhere) return exact;
      const double whole = static_cast<double>(count.bytes);
      const double range = use.anywhere || use.high < use.low ? whole : static_cast<double>(use.high - use.low);
      return std::max(std::min({range, whole, sectors * kSectorBytes}), std::min(exact, whole));
    };
    count.read_unique = unique(use.read, count.read_sectors);
    count.written_unique = unique(use.written, count.written_sectors);
  }
  for (const auto& [site, hot] : atomics_) {
    AtomicWork& work = result_.atomics[static_cast<std::size_t>(std::distance(atomics_.begin(), atomics_.find(site)))];
    const AccessCount& access = result_.accesses[site];
    const bool shared = is_shared(access.kind);
    const double blocks = shared ? static_cast<double>(input_.grid) : 1;
    work.lanes = access.lanes;
    work.requests = access.requests;
    work.passes = access.passes;
    for (const auto& [address, updates] : hot.updates) work.hottest = std::max(work.hottest, updates / blocks);
    if (!hot.spread && !hot.drawn) continue;
    const loop::Buffer& buffer = program_.buffer(access.buffer);
    const auto found = globals_.find(access.buffer.value);
    const int64_t bytes = shared ? buffer.count * buffer.element.size : result_.buffers[found->second.row].bytes;
    const double targets = std::max(1.0, static_cast<double>(bytes) / access.width_bytes);
    const AtomicWork even = spread_atomics(work.place, work.type, access.lanes, targets, access.width_bytes, static_cast<double>(input_.grid));
    if (hot.spread)
      work = even;
    else
      work.hottest = std::max(work.hottest, even.hottest);
  }
  result_.exact = !sampled_ && std::all_of(result_.accesses.begin(), result_.accesses.end(),
                                           [](const AccessCount& a) { return a.exact; });
}

void Tracer::run(const loop::Atomic& n, SourceRange where) {
  const Place place = [&] {
    Place p = place_of(n.access, 1);
    if (!p.where.valid()) p.where = where;
    return p;
  }();
  const AccessKind kind = kind_of(n.access.buffer, true, true);
  store(place, kind);
  value(n.value);
  if (n.expected.valid()) value(n.expected);
  const Leaf& leaf = program_.buffer(n.access.buffer).element.leaves[n.access.leaf];
  const auto index = static_cast<std::size_t>(&site(place, kind) - result_.accesses.data());
  const auto place_in_list = static_cast<std::size_t>(std::distance(atomics_.begin(), atomics_.try_emplace(index).first));
  if (result_.atomics.size() < atomics_.size())
    result_.atomics.insert(result_.atomics.begin() + static_cast<std::ptrdiff_t>(place_in_list), AtomicWork{});
  result_.atomics[place_in_list].place = is_shared(kind) ? AtomicPlace::Shared : AtomicPlace::Global;
  result_.atomics[place_in_list].type = type_of(n.op, leaf.type);
  if (n.old.valid()) {
    Lanes found = Lanes::unknown();
    found.ticket = true;
    symbols_[n.old.index()] = found;
  }
}

}  // namespace cdsl::predicting
