#include "passes/decide/scatter_price.h"

#include <algorithm>
#include <cmath>

#include "dsl/machine/memory.h"

namespace cdsl::deciding {
namespace {

constexpr int kRegisters = 32;              // of a thread, as such kernels take
constexpr int kBesideVectors = 20;          // the same beside the vectors that it holds
constexpr int kCountingBack = 8;            // and where it finds several indices from one number
// M: on an H200, 16 M updates of 256 i32 take 3.2 ms: 20 passes a request, evenly over 32 sectors.
constexpr double kSectorClocks = 19;        // between two passes at one sector
constexpr double kUnderWay = 4;             // loads of a thread: the loop over the points is unrolled
constexpr double kUnprefetched = 0.5;       // of a thread's time, in which its vector is on the way
constexpr double kMergeClocks = 60;         // a round of clearing and merging: a store, a load, a test
constexpr double kCopyClocks = 4;           // the same of a further copy: loads that do not wait for each other

int64_t ceil_div(double a, int64_t b) { return static_cast<int64_t>(std::ceil(a / static_cast<double>(b))); }

/// The points are read, in turns by as many blocks as are resident.
KernelWork reading(const Architecture& arch, const ScatterWork& work, int threads, int64_t blocks, int registers, int64_t shared_bytes) {
  KernelWork result;
  result.block = threads;
  result.registers = registers;
  result.shared_bytes = shared_bytes;
  const int64_t resident = occupancy(arch, threads, registers, shared_bytes).blocks;
  result.grid = std::max<int64_t>(1, std::min(blocks, resident * arch.sms));
  result.sectors = work.points * work.bytes / kSectorBytes;
  result.dram_read_bytes = work.points * work.bytes;
  result.l1_wavefronts = work.points / kWarpLanes * work.reads;
  result.ops(Unit::LoadStore) = work.points * (work.reads + 1);
  result.ops(Unit::Int) = work.points * (work.reads + 2);
  result.bytes_in_flight = std::clamp(work.bytes * kUnderWay, 4.0, 256.0);
  result.ilp = kUnderWay;
  return result;
}

/// Vectors come in fewer requests, and are on their way while others are counted.
void take_vectors(KernelWork& result, const ScatterWork& work, const PrivateBins& bins) {
  const VectorReads& vectors = work.vectors;
  const auto reads = static_cast<double>(vectors.reads.size());
  const double accesses = std::max(reads / static_cast<double>(bins.vector), vectors.bytes / kVectorBytes);
  result.l1_wavefronts += work.points * (vectors.bytes / kLineBytes - reads / kWarpLanes);
  result.ops(Unit::LoadStore) += work.points * (accesses - reads);
  const double others = std::max(0.0, work.bytes - vectors.bytes), ahead = std::max<double>(bins.prefetch, kUnprefetched);
  result.bytes_in_flight = std::clamp(vectors.bytes * static_cast<double>(bins.vector) * ahead + others, 4.0, 256.0);
}

/// Passes at one sector wait for each other as updates of one address do.
void crowd(const Architecture& arch, const ScatterWork& work, AtomicWork& atomics) {
  const double sectors = std::max(1.0, work.targets * work.width / kSectorBytes);
  const double same = arch.global_atomics[static_cast<std::size_t>(atomics.type)].same;
  atomics.hottest = std::max(atomics.hottest, atomics.passes / sectors * kSectorClocks / same);
}

}  // namespace

int registers_of(const ScatterWork& work, const PrivateBins& bins) {
  if (bins.vector == 1) return kRegisters;
  const int beside = kBesideVectors + (work.vectors.counts_back ? kCountingBack : 0);
  return std::max(kRegisters, beside + work.vectors.words * (1 + bins.prefetch));
}

int64_t shared_bytes_of(const ScatterWork& work, const PrivateBins& bins) { return bins.bins * bins.copies * work.width; }

double direct_us(const Architecture& arch, const ScatterWork& work, int threads) {
  KernelWork result = reading(arch, work, threads, ceil_div(work.points, threads), kRegisters, 0);
  result.atomics.push_back(spread_atomics(AtomicPlace::Global, work.atomic, work.points * work.updates, work.targets, work.width,
                                          static_cast<double>(result.grid)));
  crowd(arch, work, result.atomics.back());
  return predict(arch, result).us;
}

// The blocks end at about the same time, so that what they merge hides behind nothing.
double private_us(const Architecture& arch, const ScatterWork& work, const PrivateBins& bins) {
  KernelWork result = reading(arch, work, bins.threads, ceil_div(work.points, bins.points), registers_of(work, bins), shared_bytes_of(work, bins));
  if (bins.vector > 1) take_vectors(result, work, bins);
  const auto blocks = static_cast<double>(result.grid), count = static_cast<double>(bins.bins);
  result.atomics.push_back(spread_atomics(AtomicPlace::Shared, work.atomic, work.points * work.updates, count, work.width, blocks, bins.copies));
  // Of each block, the bins that some point of it hits: neighbours go together where they share a sector.
  const double hit = count * -std::expm1(-work.points / blocks / count);
  AtomicWork merge{.place = AtomicPlace::Global, .type = work.atomic, .lanes = blocks * hit * work.updates};
  merge.requests = blocks * std::ceil(count / kWarpLanes);
  merge.passes = merge.requests * std::max(1.0, std::min(count, double{kWarpLanes}) * work.width / kSectorBytes) * work.updates;
  merge.hottest = blocks;
  crowd(arch, work, merge);
  result.shared_wavefronts = 2 * merge.requests * bins.copies;
  const double rounds = std::ceil(count / bins.threads), on_each = std::ceil(blocks / arch.sms);
  result.serial_clocks = rounds * kMergeClocks + arch.latency.l2;
  result.barriers_passed = 2;
  // Copies are cleared and added up while all blocks of a multiprocessor do so.
  const double of_copies = (bins.copies - 1) * (rounds * kCopyClocks + 2 * on_each * std::ceil(count / kWarpLanes));
  return predict(arch, result).us + arch.us(of_copies) + atomics_us(arch, merge, arch.sms);
}

}  // namespace cdsl::deciding
