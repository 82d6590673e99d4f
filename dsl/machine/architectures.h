// The table of architectures: what one multiprocessor and the reference part of each can hold,
// issue and move. Every formula of the machine model takes a row of it.
//
// Guarantees: rows stand in ascending order of compute capability; every figure is positive where
// the architecture has the unit at all, and 0 where it has not (a rate of 0 means "no such unit").
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace cdsl {

inline constexpr int kWarpLanes = 32;

/// Pipelines of a multiprocessor. Rates are lane-operations a clock: a warp instruction is 32, a
/// fused multiply-add is one, a packed pair of 16-bit values is one lane.
enum class Unit : uint8_t { Fp32, Fp64, Half2, Int, Sfu, Convert, Shuffle, LoadStore };
inline constexpr std::size_t kUnits = 8;

/// Operand types of the matrix pipeline. Rates are floating-point (or integer) operations a clock,
/// dense.
enum class Matrix : uint8_t { F16, Bf16, Tf32, F8, F64, I8 };
inline constexpr std::size_t kMatrixTypes = 6;

/// How an atomic is carried out: natively on the type, or as a loop around compare-and-swap.
enum class AtomicType : uint8_t { Int32, Int64, Float32, Float64, Half2, Loop };
inline constexpr std::size_t kAtomicTypes = 6;

/// Clocks that atomics of one type take at one place. A *pass* is what the place does at once:
/// shared memory one lane of each bank, the L2 one word of each sector.
struct AtomicRate {
  double request = 0;  // of a multiprocessor, a warp request (shared only)
  double pass = 0;     // shared: of a multiprocessor; global: of the whole device
  double lane = 0;     // global: of the whole device, a lane
  double same = 0;     // between two updates of one address, whoever makes them
};

/// Clocks from issue to use. `alu` is a dependent 32-bit multiply-add.
struct Latencies {
  double alu = 4, fp64 = 8, sfu = 17, shuffle = 24, shared = 29, l1 = 40, l2 = 260, dram = 570;
  double barrier = 30;  // __syncthreads of 256 threads
};

/// One architecture. Where figures come from: docs/decisions/0019-machine-model.md.
struct Architecture {
  std::string_view name;  // "sm_90a"
  std::string_view part;  // the reference part, which `sms` and all rates of the device describe
  int major = 0, minor = 0;
  bool can_emit = true;  // NVRTC 13 compiles for it (sm_70 lives in the model only)

  // What a multiprocessor holds. Source: cuda_occupancy.h of CUDA 13.0.
  int max_warps = 64, max_blocks = 32;
  int max_threads_block = 1024;
  int sub_partitions = 4;
  int registers = 65536, registers_block = 65536;
  int register_unit = 256;  // allocation granularity, registers a warp
  int warp_unit = 4;        // the launch check rounds the warps of a block up to this
  int max_registers = 255;  // per thread
  /// Named barriers that resident blocks share; 0: they limit nothing (before 9.0).
  int barriers = 64;
  int shared_bytes = 0, max_shared_block = 0, shared_unit = 128, shared_reserved = 1024;
  std::span<const int> carveouts{};  // KiB of shared memory that the L1 split offers, ascending
  int l1_bytes = 0;                  // L1 and shared memory together

  // The part.
  int sms = 0;
  /// Multiprocessors of each graphics cluster, where measured: clusters of blocks live inside one.
  std::span<const int> gpcs{};
  double clock_ghz = 0;  // boost, which memory-bound and short kernels run at
  double dram_gbs = 0;   // nominal
  double dram_read_gbs = 0, dram_write_gbs = 0;  // what plain streams reach
  int64_t l2_bytes = 0;
  double l2_bytes_per_clock = 0;     // of the device, reached
  double l1_bytes_per_clock = 128;   // of a multiprocessor; shared memory alike
  double bytes_in_flight = 0;        // per multiprocessor, to aim at
  double bytes_in_flight_least = 0;  // below it bandwidth falls in proportion
  Latencies latency{};

  // Rates.
  int issue_slots = 4;  // warp instructions a clock
  std::array<double, kUnits> rates{};
  std::array<double, kMatrixTypes> matrix_rates{};
  double fp32_sustained = 1;    // share that register-tiled products reach (register banks)
  double matrix_sustained = 1;  // share that the best matrix kernels reach (power)
  std::array<AtomicRate, kAtomicTypes> shared_atomics{}, global_atomics{};

  // Launches, as device time.
  double launch_us = 0.6;  // an empty kernel
  double ramp_us = 0.7;    // first load to last store of a kernel that moves one vector a thread
  double block_ns = 0.6;   // of the device, to start a block

  double rate(Unit unit) const { return rates[static_cast<std::size_t>(unit)]; }
  double matrix_rate(Matrix type) const { return matrix_rates[static_cast<std::size_t>(type)]; }
  /// Clocks of one multiprocessor, or of the device, as microseconds.
  double us(double clocks) const { return clocks / (clock_ghz * 1e3); }
};

std::span<const Architecture> architectures();
/// "sm_90" and "sm_90a" find the same row; null where there is none.
const Architecture* find_architecture(std::string_view name);
inline constexpr std::string_view kDefaultArchitecture = "sm_90a";

/// Launch limits of every architecture in the table.
inline constexpr int64_t kMaxGridX = 2147483647, kMaxGridYZ = 65535;

}  // namespace cdsl
