#include "passes/decide/steadiness.h"

#include <algorithm>
#include <cmath>

namespace cdsl::deciding {
namespace {

constexpr double kTurnover = 0.05;         // E: of the time, for each doubling of what a thread takes of a stream
constexpr double kStencilTurnover = 0.03;  // E: the same, where points share what they read
constexpr double kWalksUnderWay = 128 << 10, kDrained = 0.02;   // E: bytes of a multiprocessor; of the time, for each halving of them

// Walks: what a block waits for memory after its first round is hidden by the other blocks of a multiprocessor, and the better the
// more of them has loads under way.
double waits_us(const Steadiness& s, const Prediction& prediction) {
  const double later = std::max(0.0, s.work.serial_clocks - s.site.arch.latency.dram);
  if (later == 0) return 0;
  const double on_each = std::min<double>(prediction.occupancy.blocks, std::ceil(static_cast<double>(s.work.grid) / s.site.arch.sms));
  const double under_way = s.work.bytes_in_flight * s.work.block * on_each;
  const double drained = kDrained * std::max(0.0, std::log2(kWalksUnderWay / under_way));
  return s.site.arch.us(static_cast<double>(prediction.waves.rounds) * later) / std::max(1.0, on_each) + drained * prediction.us;
}

// A share of the time. Streams run steadier the less a block takes, where all its loads are under way at once anyway; large blocks of
// single loads end, and others begin, with little under way.
double turnover(const Steadiness& s) {
  if (!s.group.staged.empty() || !s.group.running.empty()) return 0;
  double points = 1;
  bool is_stencil = false;
  for (const AxisCount& a : s.axes) {
    if (!a.is(Binding::Grid) && (a.tile > 1 || a.extent > kMostTaps)) return 0;
    points *= static_cast<double>(a.registers);
    is_stencil |= a.halo > 0;
  }
  // Accesses of one record meet in the L1 when they are close in time.
  if (s.in_parts) return kTurnover * std::abs(std::log2(s.work.block / 512.0));
  const bool is_single = s.loads_in_flight <= 16 && s.work.block > 256;
  return (is_stencil ? kStencilTurnover : kTurnover) * (std::log2(points) + (is_single ? std::log2(s.work.block / 256.0) : 0));
}

}  // namespace

double unsteady_us(const Steadiness& s, const Prediction& prediction) {
  return turnover(s) * prediction.us + waits_us(s, prediction);
}

}  // namespace cdsl::deciding
