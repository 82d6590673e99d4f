#include "dsl/machine/atomics.h"

#include <algorithm>
#include <cmath>

#include "dsl/machine/memory.h"

namespace cdsl {
namespace {

// Mean over random requests of the fullest of `banks` banks when 32 lanes choose one each: 3.53 for
// 32 banks, from 100,000 draws; about 32 / banks and two deviations for fewer.
double fullest(double banks) {
  if (banks <= 1) return kWarpLanes;
  const double mean = kWarpLanes / banks;
  return std::min<double>(kWarpLanes, mean + 2.53 * std::sqrt(mean * (1 - 1 / banks)));
}

}  // namespace

double distinct_targets(double targets) {
  return targets * (1 - std::pow(1 - 1 / targets, kWarpLanes));
}

AtomicWork spread_atomics(AtomicPlace place, AtomicType type, double lanes, double targets,
                          int width, double blocks) {
  AtomicWork work{
      .place = place, .type = type, .lanes = lanes, .requests = std::ceil(lanes / kWarpLanes)};
  if (place == AtomicPlace::Shared) {
    const double banks = kBanks * kBankBytes / static_cast<double>(width);
    work.passes = work.requests * fullest(std::min(banks, targets));
    work.hottest = lanes / targets / std::max(blocks, 1.0);
  } else {
    // Lanes of one sector that hit different words go together.
    const double sectors = std::max(1.0, targets * width / kSectorBytes);
    const double passes = std::max(distinct_targets(sectors), kWarpLanes / targets);
    work.passes = work.requests * passes;
    work.hottest = lanes / targets;
  }
  return work;
}

double atomics_us(const Architecture& arch, const AtomicWork& work, double sms) {
  const auto type = static_cast<std::size_t>(work.type);
  if (work.place == AtomicPlace::Global) {
    const AtomicRate& rate = arch.global_atomics[type];
    return arch.us(
        std::max({work.passes * rate.pass, work.lanes * rate.lane, work.hottest * rate.same}));
  }
  const AtomicRate& rate = arch.shared_atomics[type];
  const double busy = (work.requests * rate.request + work.passes * rate.pass) / std::max(sms, 1.0);
  return arch.us(std::max(busy, work.hottest * rate.same));
}

}  // namespace cdsl
