#include "dsl/machine/roofline.h"

#include <algorithm>

#include "dsl/machine/latency.h"
#include "dsl/machine/memory.h"

namespace cdsl {
namespace {

constexpr double kL2PerSmBytes = 64;  // a clock, what one multiprocessor takes from the L2

// The launch as the formulas see it.
struct Shape {
  double sms_used;      // multiprocessors with a block
  double sms_balanced;  // as many, equally loaded, would end when the busiest does
  int resident_warps;   // of a multiprocessor in use
  double resident_threads;

  Shape(const Architecture& arch, const KernelWork& work, const Occupancy& resident,
        const Waves& fit) {
    const auto blocks = static_cast<double>(std::max<int64_t>(work.grid, 1));
    const double sms =
        work.cluster == 1
            ? arch.sms
            : std::min<double>(
                  arch.sms,
                  static_cast<double>(resident_clusters(arch, work.cluster, 1)) * work.cluster);
    sms_used = std::min(sms, blocks);
    sms_balanced = std::max(1.0, sms * fit.balance);
    const int on_each =
        static_cast<int>(std::min<int64_t>(resident.blocks, (work.grid + arch.sms - 1) / arch.sms));
    resident_warps = std::max(1, on_each) * warps_of(work.block);
    resident_threads = static_cast<double>(std::max(1, on_each)) * work.block;
  }
};

double& at(Roofs& roofs, Bound bound) {
  return roofs[static_cast<std::size_t>(bound)];
}

// Little's law, with the first round of loads inside the ramp of the launch.
double dram_us(const Architecture& arch, const KernelWork& work, const Shape& shape) {
  const double streaming =
      (work.dram_read_bytes / arch.dram_read_gbs + work.dram_write_bytes / arch.dram_write_gbs) *
      1e-3;
  const double in_flight = work.bytes_in_flight * shape.resident_threads;
  const double share = bandwidth_share(arch, in_flight, shape.sms_used);
  const double bytes = work.dram_read_bytes + work.dram_write_bytes;
  const double later = bytes == 0 ? 0 : std::max(0.0, 1 - in_flight * shape.sms_used / bytes);
  return share <= 0 ? streaming : std::max(streaming, streaming * later / share);
}

void add_memory(Roofs& roofs, const Architecture& arch, const KernelWork& work,
                const Shape& shape) {
  at(roofs, Bound::Dram) = dram_us(arch, work, shape);
  const double l2_bytes = work.sectors * kSectorBytes;
  at(roofs, Bound::L2) =
      arch.us(l2_bytes / std::min(arch.l2_bytes_per_clock, kL2PerSmBytes * shape.sms_used));
  // Global and shared requests go through the same pipe; the larger part gives the name.
  const double clocks = kLineBytes / arch.l1_bytes_per_clock / shape.sms_balanced;
  const double l1 = arch.us(work.l1_wavefronts * clocks);
  const double shared = arch.us(work.shared_wavefronts * clocks);
  at(roofs, Bound::L1) = l1 >= shared ? l1 + shared : l1;
  at(roofs, Bound::Shared) = shared > l1 ? l1 + shared : shared;
  double in_shared = 0, in_global = 0;
  for (const AtomicWork& atomic : work.atomics)
    (atomic.place == AtomicPlace::Shared ? in_shared : in_global) +=
        atomics_us(arch, atomic, shape.sms_balanced);
  at(roofs, Bound::Atomics) = std::max(in_shared, in_global);
}

void add_computation(Roofs& roofs, const Architecture& arch, const KernelWork& work,
                     const Shape& shape) {
  constexpr std::array<Bound, kUnits> kNames = {Bound::Fp32,    Bound::Fp64,     Bound::Half2,
                                                Bound::Int,     Bound::Sfu,      Bound::Convert,
                                                Bound::Shuffle, Bound::LoadStore};
  double instructions = work.warp_instructions;
  for (std::size_t i = 0; i < kUnits; ++i) {
    if (work.warp_instructions == 0) instructions += work.lane_ops[i] / kWarpLanes;
    if (work.lane_ops[i] == 0 || arch.rates[i] == 0) continue;
    const Unit unit = static_cast<Unit>(i);
    double rate = arch.rates[i] * shape.sms_balanced;
    rate *= std::min(1.0, hide_arithmetic(arch, unit, shape.resident_warps).busy * work.ilp);
    if (unit == Unit::Fp32) rate *= arch.fp32_sustained;
    at(roofs, kNames[i]) = arch.us(work.lane_ops[i] / rate);
  }
  for (std::size_t i = 0; i < kMatrixTypes; ++i) {
    if (work.matrix_flops[i] == 0 || arch.matrix_rates[i] == 0) continue;
    at(roofs, Bound::Matrix) += arch.us(
        work.matrix_flops[i] / (arch.matrix_rates[i] * shape.sms_balanced * arch.matrix_sustained));
  }
  const double ready = static_cast<double>(shape.resident_warps) / arch.sub_partitions * work.ilp;
  const double issued = arch.issue_slots * std::min(1.0, ready / arch.latency.alu);
  at(roofs, Bound::Issue) = arch.us(instructions / (issued * shape.sms_balanced));
}

}  // namespace

std::string_view name_of(Bound bound) {
  constexpr std::array<std::string_view, kBounds> kNames = {
      "launch",     "dram",   "l2",    "l1",      "shared",  "fp32",
      "fp64",       "half2",  "int",   "sfu",     "convert", "shuffle",
      "load/store", "matrix", "issue", "atomics", "latency", "blocks"};
  return kNames[static_cast<std::size_t>(bound)];
}

Roofs roofline(const Architecture& arch, const KernelWork& work, const Occupancy& resident,
               const Waves& fit) {
  const Shape shape(arch, work, resident, fit);
  Roofs roofs{};
  at(roofs, Bound::Launch) = arch.launch_us + arch.ramp_us;
  add_memory(roofs, arch, work, shape);
  add_computation(roofs, arch, work, shape);
  const double block_clocks = work.serial_clocks + work.barriers_passed * arch.latency.barrier;
  at(roofs, Bound::Latency) = arch.us(static_cast<double>(fit.rounds) * block_clocks);
  at(roofs, Bound::Blocks) = static_cast<double>(work.grid) * arch.block_ns * 1e-3;
  return roofs;
}

Bound bound_of(const Roofs& roofs) {
  return static_cast<Bound>(std::max_element(roofs.begin(), roofs.end()) - roofs.begin());
}

}  // namespace cdsl
