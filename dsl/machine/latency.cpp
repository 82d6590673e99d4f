#include "dsl/machine/latency.h"

#include <algorithm>
#include <cmath>

namespace cdsl {

int warps_needed(double latency, double issue_interval) {
  return std::max(1, static_cast<int>(std::ceil(latency / issue_interval)));
}

double issue_interval(const Architecture& arch, Unit unit) {
  return kWarpLanes / (arch.rate(unit) / arch.sub_partitions);
}

double latency_of(const Architecture& arch, Unit unit) {
  switch (unit) {
    case Unit::Fp64: return arch.latency.fp64;
    case Unit::Sfu:
    case Unit::Convert: return arch.latency.sfu;
    case Unit::Shuffle: return arch.latency.shuffle;
    case Unit::LoadStore: return arch.latency.l1;
    case Unit::Fp32:
    case Unit::Half2:
    case Unit::Int: return arch.latency.alu;
  }
  return arch.latency.alu;
}

Hiding hide_arithmetic(const Architecture& arch, Unit unit, int resident_warps) {
  const double interval = issue_interval(arch, unit), latency = latency_of(arch, unit);
  Hiding result;
  result.needed = warps_needed(latency, interval);
  result.resident = std::max(1, resident_warps / arch.sub_partitions);
  result.ilp = (result.needed + result.resident - 1) / result.resident;
  result.busy = std::min(1.0, result.resident * interval / latency);
  return result;
}

int loads_in_flight(const Architecture& arch, int64_t resident_threads, int width) {
  const double each = static_cast<double>(std::max<int64_t>(resident_threads, 1) * width);
  return std::max(1, static_cast<int>(std::ceil(arch.bytes_in_flight / each)));
}

double bandwidth_share(const Architecture& arch, double bytes, double sms) {
  return std::min(1.0, bytes * sms / (arch.bytes_in_flight_least * arch.sms));
}

}  // namespace cdsl
