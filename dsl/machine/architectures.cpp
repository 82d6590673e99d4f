// Sources, by letter:
//   G  CUDA C++ Programming Guide, "Compute Capabilities" and the throughput of native instructions
//   O  cuda_occupancy.h of CUDA 13.0
//   D  the vendor's data sheet or white paper of the part
//   B  published microbenchmarks, not measured again: Jia et al. 2018 (Volta), 2019 (Turing),
//      Luo et al. 2024 (Ampere to Hopper)
//   C  CUB's tuning of device transforms (bytes in flight)
//   M  measured on one H200: bench/machine_constants.cu, and streaming kernels of 2026-11-29
//   S  scaled from M by clock, L2 width or memory bandwidth: order of magnitude only
#include "dsl/machine/architectures.h"

#include <vector>

namespace cdsl {
namespace {

constexpr int kKiB = 1024;
constexpr int64_t kMiB = 1024 * 1024;

// KiB; source: O.
constexpr int kVolta[] = {0, 8, 16, 32, 64, 96};
constexpr int kTuring[] = {32, 64};
constexpr int kAmpere[] = {0, 8, 16, 32, 64, 100, 132, 164};
constexpr int kSmall[] = {0, 8, 16, 32, 64, 100};
constexpr int kHopper[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

// M: 15 clusters of 8 and 7 of 16 are resident; these sizes of graphics clusters explain it.
constexpr int kH200Clusters[] = {18, 18, 18, 16, 16, 16, 16, 14};

// M, clocks at 1.98 GHz. The L2 does 50.7 passes a clock whatever the type; lanes of one sector go
// together up to a limit of the type; one address takes a new update every few clocks, whole warps
// of 32-bit integers at once. S elsewhere: the L2's share goes with its width.
std::array<AtomicRate, kAtomicTypes> global_atomics(double l2_bytes_per_clock) {
  const double width = 3500 / l2_bytes_per_clock;
  const double pass = width / 50.7;
  return {{{0, pass, width / 325, 0.076},
           {0, pass, width / 192, 0.071},
           {0, pass, width / 325, 3.51},
           {0, pass, width / 139, 3.52},
           {0, width / 38.6, width / 205, 3.53},
           {0, width / 19.3, width / 113, 3.53}}};
}

// M: 32-bit integers are native; the rest loops around compare-and-swap, with a retry for every
// further lane of the same bank. Taken over for all architectures, which have the same
// instructions: S there.
constexpr std::array<AtomicRate, kAtomicTypes> kSharedAtomics = {{{1.0, 1.0, 0, 1.0},
                                                                  {2.5, 4.4, 0, 4.4},
                                                                  {1.3, 3.1, 0, 45},
                                                                  {2.5, 4.4, 0, 67},
                                                                  {5.5, 3.1, 0, 15},
                                                                  {5.5, 2.2, 0, 15}}};

// L2 bytes a clock, DRAM GB/s read and written by plain streams, bytes in flight.
void set_memory(Architecture& a, double l2_bytes_per_clock, double read_gbs, double write_gbs,
                double kib_in_flight) {
  a.l2_bytes_per_clock = l2_bytes_per_clock;
  a.dram_read_gbs = read_gbs;
  a.dram_write_gbs = write_gbs;
  a.bytes_in_flight = kib_in_flight * kKiB;
  // M on the H200: 32 KiB lose nothing, 24 KiB (a word of a 12-byte record a thread) 12 to 20 %.
  // S elsewhere.
  a.bytes_in_flight_least = kib_in_flight * kKiB * 28 / 48;
  a.global_atomics = global_atomics(l2_bytes_per_clock);
  a.shared_atomics = kSharedAtomics;
}

void set_shared(Architecture& a, int kib, int block_kib, int l1_kib,
                std::span<const int> carveouts) {
  a.shared_bytes = kib * kKiB;
  a.max_shared_block = block_kib * kKiB;
  a.l1_bytes = l1_kib * kKiB;
  a.carveouts = carveouts;
}

Architecture volta() {
  Architecture a{.name = "sm_70", .part = "V100 SXM2", .major = 7, .minor = 0, .can_emit = false};
  a.barriers = 0;                                                           // O
  a.shared_unit = 256, a.shared_reserved = 0;                               // O
  set_shared(a, 96, 96, 128, kVolta);                                       // O, D
  a.sms = 80, a.clock_ghz = 1.53, a.dram_gbs = 900, a.l2_bytes = 6 * kMiB;  // D
  set_memory(a, 1500, 830, 765, 12);                                        // B, S, C
  a.latency = {.sfu = 22, .shared = 19, .l1 = 28, .l2 = 193, .dram = 400};  // B
  a.rates = {64, 32, 64, 64, 16, 16, 32, 32};                               // G
  a.matrix_rates = {1024, 0, 0, 0, 0, 0};                                   // D
  return a;
}

Architecture turing() {
  Architecture a{.name = "sm_75", .part = "Titan RTX", .major = 7, .minor = 5};
  a.max_warps = 32, a.max_blocks = 16, a.barriers = 0;                                  // O
  a.shared_unit = 256, a.shared_reserved = 0;                                           // O
  set_shared(a, 64, 64, 96, kTuring);                                                   // O, D
  a.sms = 72, a.clock_ghz = 1.77, a.dram_gbs = 672, a.l2_bytes = 6 * kMiB;              // D
  set_memory(a, 1200, 620, 570, 12);                                                    // S, S, C
  a.l1_bytes_per_clock = 64;                                                            // D
  a.latency = {.fp64 = 40, .sfu = 22, .shared = 19, .l1 = 32, .l2 = 188, .dram = 430};  // B, S
  a.rates = {64, 2, 64, 64, 16, 16, 32, 16};                                            // G
  a.matrix_rates = {1024, 0, 0, 0, 0, 2048};                                            // D
  return a;
}

Architecture ampere() {
  Architecture a{.name = "sm_80", .part = "A100 SXM 80 GB", .major = 8, .minor = 0};
  a.barriers = 0;                                                              // O
  set_shared(a, 164, 163, 192, kAmpere);                                       // O, D
  a.sms = 108, a.clock_ghz = 1.41, a.dram_gbs = 2039, a.l2_bytes = 40 * kMiB;  // D
  set_memory(a, 2700, 1850, 1700, 16);                                         // S, S, C
  a.latency = {.shared = 29, .l1 = 38, .l2 = 262, .dram = 466};                // B
  a.rates = {64, 32, 128, 64, 16, 16, 32, 32};                                 // G
  a.matrix_rates = {2048, 2048, 1024, 0, 128, 4096};                           // D
  return a;
}

Architecture ampere_small() {
  Architecture a{.name = "sm_86", .part = "A40", .major = 8, .minor = 6};
  a.max_warps = 48, a.max_blocks = 16, a.barriers = 0;                       // O
  set_shared(a, 100, 99, 128, kSmall);                                       // O, D
  a.sms = 84, a.clock_ghz = 1.74, a.dram_gbs = 696, a.l2_bytes = 6 * kMiB;   // D
  set_memory(a, 1200, 640, 590, 16);                                         // S, S, C
  a.latency = {.fp64 = 40, .shared = 29, .l1 = 38, .l2 = 250, .dram = 500};  // S
  a.rates = {128, 2, 64, 64, 16, 16, 32, 16};                                // G, D
  a.matrix_rates = {1024, 1024, 512, 0, 0, 2048};                            // D
  return a;
}

Architecture ada() {
  Architecture a{.name = "sm_89", .part = "L40S", .major = 8, .minor = 9};
  a.max_warps = 48, a.max_blocks = 24, a.barriers = 0;                        // O
  set_shared(a, 100, 99, 128, kSmall);                                        // O, D
  a.sms = 142, a.clock_ghz = 2.52, a.dram_gbs = 864, a.l2_bytes = 96 * kMiB;  // D
  set_memory(a, 1600, 790, 730, 16);                                          // B, S, C
  a.latency = {.fp64 = 40, .shared = 30, .l1 = 43, .l2 = 273, .dram = 542};   // B
  a.rates = {128, 2, 64, 64, 16, 16, 32, 16};                                 // G, D
  a.matrix_rates = {1024, 1024, 512, 2048, 0, 2048};                          // D
  return a;
}

Architecture hopper() {
  Architecture a{.name = "sm_90a", .part = "H200 SXM", .major = 9, .minor = 0};
  set_shared(a, 228, 227, 256, kHopper);                          // O, D
  a.sms = 132, a.gpcs = kH200Clusters;                            // D, M
  a.clock_ghz = 1.98, a.dram_gbs = 4800, a.l2_bytes = 50 * kMiB;  // D
  set_memory(a, 3500, 4710, 4150, 48);                            // M, M, C
  a.latency = {
      .fp64 = 8, .sfu = 17, .shuffle = 24, .shared = 29, .l1 = 39, .l2 = 287, .dram = 708};  // M
  a.rates = {128, 64, 128, 64, 16, 64, 32, 32};                                              // G
  a.matrix_rates = {4096, 4096, 2048, 8192, 256, 8192};                                      // D
  a.fp32_sustained =
      0.77;  // M: 51.2 of 66.9 TFLOP/s at 4096^3 in the vendor's library, 46.8 in bare loops
  a.matrix_sustained = 0.76;  // M: 821 of 1,070 TFLOP/s, bf16 at 8192^3
  return a;
}

Architecture blackwell() {
  Architecture a{.name = "sm_100a", .part = "B200", .major = 10, .minor = 0};
  set_shared(a, 228, 227, 256, kHopper);                                         // O, D
  a.sms = 148, a.clock_ghz = 1.965, a.dram_gbs = 8000, a.l2_bytes = 126 * kMiB;  // D
  set_memory(a, 5000, 7500, 6900, 64);                           // S, C (92 % of nominal), C
  a.latency = {.shared = 29, .l1 = 39, .l2 = 300, .dram = 800};  // S
  a.rates = {128, 64, 128, 64, 16, 64, 32, 32};                  // G
  a.matrix_rates = {8192, 8192, 4096, 16384, 128, 16384};        // D
  a.fp32_sustained = 0.77, a.matrix_sustained = 0.76;            // S
  return a;
}

Architecture blackwell_small() {
  Architecture a{.name = "sm_120a", .part = "RTX PRO 6000", .major = 12, .minor = 0};
  a.max_warps = 48, a.max_blocks = 24, a.barriers = 24;                        // O
  set_shared(a, 100, 99, 128, kSmall);                                         // O, D
  a.sms = 188, a.clock_ghz = 2.6, a.dram_gbs = 1792, a.l2_bytes = 128 * kMiB;  // D
  set_memory(a, 2200, 1640, 1510, 16);                                         // S
  a.latency = {.fp64 = 40, .shared = 30, .l1 = 43, .l2 = 300, .dram = 600};    // S
  a.rates = {128, 2, 64, 128, 16, 16, 32, 16};                                 // G, D
  a.matrix_rates = {1024, 1024, 512, 2048, 0, 2048};                           // D
  return a;
}

}  // namespace

std::span<const Architecture> architectures() {
  static const std::vector<Architecture> table = {
      volta(), turing(), ampere(), ampere_small(), ada(), hopper(), blackwell(), blackwell_small()};
  return table;
}

const Architecture* find_architecture(std::string_view name) {
  for (const Architecture& arch : architectures()) {
    std::string_view plain = arch.name;
    if (plain.ends_with('a')) plain.remove_suffix(1);
    if (name == arch.name || name == plain) return &arch;
  }
  return nullptr;
}

}  // namespace cdsl
