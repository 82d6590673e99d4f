#include "dsl/machine/atomics.h"

#include <algorithm>
#include <cmath>

#include "dsl/machine/memory.h"

namespace cdsl {
namespace {

// Mean over random requests of the fullest of `banks` banks when `lanes` lanes choose one each: 3.53 for
// 32 lanes and banks, from 100,000 draws; about lanes / banks and two deviations for fewer.
double fullest(double lanes, double banks) {
  if (banks <= 1) return lanes;
  const double mean = lanes / banks;
  return std::min(lanes, mean + 2.53 * std::sqrt(mean * (1 - 1 / banks)));
}

}  // namespace

double distinct_targets(double targets) {
  return targets * (1 - std::pow(1 - 1 / targets, kWarpLanes));
}

AtomicWork spread_atomics(AtomicPlace place, AtomicType type, double lanes, double targets,
                          int width, double blocks, int copies) {
  AtomicWork work{
      .place = place, .type = type, .lanes = lanes, .requests = std::ceil(lanes / kWarpLanes)};
  if (place == AtomicPlace::Shared) {
    // A copy lies in every so many banks; where there are more copies than banks, lanes a round apart share one.
    const double banks = kBanks * kBankBytes / static_cast<double>(width);
    const double classes = std::min<double>(copies, banks);
    work.passes = work.requests * fullest(kWarpLanes / classes, std::min(banks / classes, targets));
    work.hottest = lanes / (targets * copies) / std::max(blocks, 1.0);
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
