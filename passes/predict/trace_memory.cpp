// Requests of a warp: where its lanes go, and what that costs.
#include <algorithm>
#include <bit>
#include <cmath>

#include "dsl/loop/matrix_fragment.h"
#include "dsl/support/check.h"
#include "passes/predict/tracer.h"

namespace cdsl::predicting {
namespace {

constexpr std::size_t kMostInBlock = std::size_t{1} << 16;     // sectors remembered of one block and buffer
constexpr std::size_t kMostHot = std::size_t{1} << 16;         // addresses remembered of one atomic
constexpr int kDraws = 8;                                      // of the multiples in addresses that are known but for them

/// Places that `lanes` random ones among `count` fall on.
double distinct(double count, int lanes) {
  return count <= 1 ? 1 : count * (1 - std::pow(1 - 1 / count, lanes));
}

template <class Visit>
void for_lanes(uint32_t mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

}  // namespace

AccessKind Tracer::kind_of(BufferId buffer, bool is_store, bool is_atomic) const {
  const bool shared = program_.buffer(buffer).space == loop::Space::Shared;
  const int base = is_atomic ? 2 : is_store ? 1 : 0;
  return static_cast<AccessKind>(base + (shared ? 3 : 0));
}

Tracer::Place Tracer::place_of(const loop::Access& access, int elements) const {
  return {access.buffer, access.leaf, access.index, access.within, access.rank,
          access.where.valid() ? access.where : where_, elements};
}

AccessCount& Tracer::site(const Place& place, AccessKind kind) {
  const Leaf& leaf = program_.buffer(place.buffer).element.leaves[place.leaf];
  const int width = size_of(leaf.type) * place.elements;
  const SiteKey key = {place.buffer.value, place.leaf,      static_cast<uint32_t>(kind), place.where.file,
                       place.where.begin,  place.where.end, static_cast<uint32_t>(width)};
  const auto [found, is_new] = sites_.try_emplace(key, result_.accesses.size());
  if (is_new) {
    AccessCount count;
    count.buffer = place.buffer;
    count.leaf = place.leaf;
    count.kind = kind;
    count.where = place.where;
    count.width_bytes = width;
    result_.accesses.push_back(count);
  }
  return result_.accesses[found->second];
}

/// Places in registers are fixed when the kernel is compiled; rounds that are unrolled differ by constants, which accesses hold.
Lanes Tracer::index_value(const Place& place) {
  const double share = index_share_;
  index_share_ = program_.buffer(place.buffer).space == loop::Space::Register ? 0 : 1 / unrolled_;
  const Lanes index = value(place.index);
  index_share_ = share;
  return index;
}

Lanes Tracer::load(const Place& place, AccessKind kind) {
  const Lanes index = index_value(place);
  if (place.within.valid()) value(place.within);
  const bool same = index.is_same() && (!place.within.valid() || value(place.within).is_same());
  if (place.rank.valid()) value(place.rank);
  if (program_.buffer(place.buffer).space == loop::Space::Register) return Lanes::unknown();
  request(place, kind);
  Lanes result = same && !place.rank.valid() ? Lanes::unknown_but_same() : Lanes::unknown();
  result.ticket = tickets_.contains(place.buffer.value);
  return result;
}

void Tracer::store(const Place& place, AccessKind kind, const Lanes* stored) {
  index_value(place);
  if (place.within.valid()) value(place.within);
  if (place.rank.valid()) value(place.rank);
  if (program_.buffer(place.buffer).space == loop::Space::Register) return;
  request(place, kind);
  if (stored != nullptr && stored->ticket && is_shared(kind)) tickets_.insert(place.buffer.value);
}

/// The compiler loads once what straight code loads twice from memory that the kernel only reads. A value that is not at hand is
/// from here on.
bool Tracer::is_held(const Place& place, const LaneAddresses& address, int width) {
  uint64_t hash = place.buffer.value * 0x9E3779B97F4A7C15ull + static_cast<uint64_t>(width);
  const auto mix = [&hash](uint64_t value) { hash = (hash ^ value) * 0xD6E8FEB86659FD93ull, hash ^= hash >> 32; };
  mix(possible_);
  for_lanes(possible_, [&](int lane) { mix(static_cast<uint64_t>(address[static_cast<std::size_t>(lane)])); });
  if (!is_held_.insert(hash).second) return true;
  held_.push_back(hash);
  return false;
}

/// A request for each block of the cluster that lanes name.
void Tracer::request(const Place& place, AccessKind kind) {
  const loop::Buffer& buffer = program_.buffer(place.buffer);
  const Leaf& leaf = buffer.element.leaves[place.leaf];
  const Lanes& index = operand(place.index);
  const Lanes* within = place.within.valid() ? &operand(place.within) : nullptr;
  AccessCount& count = site(place, kind);
  const bool is_known = index.is_known(possible_) && (within == nullptr || within->is_known(possible_));
  const bool is_shifted = index.kind == Lanes::Kind::Shifted && (within == nullptr || within->is_known(possible_));
  result_.lane_ops[static_cast<std::size_t>(Unit::LoadStore)] += weight_ * kWarpLanes;
  if (!is_known || certain_ != possible_) count.data_dependent = true;
  if (!is_known || certain_ != possible_ || sampled_) count.exact = false;
  const auto global = globals_.find(place.buffer.value);
  if (!is_known && global != globals_.end()) global->second.anywhere = true;
  const bool is_residue = index.kind == Lanes::Kind::Residue && within == nullptr && is_shared(kind) && !place.rank.valid();
  if (is_residue) return count_drawn(count, place, index, possible_);
  if (!is_known && !is_shifted) return count_unknown(count, place, possible_);

  LaneAddresses address{};
  const auto shared = shared_offsets_.find(place.buffer.value);
  const int64_t base = shared == shared_offsets_.end() ? 0 : shared->second;
  for_lanes(possible_, [&](int lane) {
    address[static_cast<std::size_t>(lane)] = base + index.at(lane).i * buffer.element.size + leaf.offset +
                                              (within == nullptr ? 0 : within->at(lane).i * size_of(leaf.type));
  });
  if (!options_.as_written && kind == AccessKind::Load && buffer.read_only && is_known && is_held(place, address, count.width_bytes)) {
    result_.lane_ops[static_cast<std::size_t>(Unit::LoadStore)] -= weight_ * kWarpLanes;
    return;
  }
  const Lanes* rank = place.rank.valid() ? &operand(place.rank) : nullptr;
  if (is_known) note_footprint(place, address, possible_, count.width_bytes, kind != AccessKind::Load);
  const Certainty certainty = is_shifted ? Certainty::Shifted : Certainty::Exact;
  if (rank == nullptr || !rank->is_known(possible_)) return count_known(count, place, address, possible_, certainty);
  uint32_t left = possible_;
  while (left != 0) {
    uint32_t same = 0;
    const int64_t first = rank->at(std::countr_zero(left)).i;
    for_lanes(left, [&](int lane) { same |= rank->at(lane).i == first ? uint32_t{1} << lane : 0; });
    left &= ~same;
    count_known(count, place, address, same, certainty);
  }
}

/// Shared memory, the lanes' multiples drawn a few times: what they have in common says how banks are shared.
void Tracer::count_drawn(AccessCount& count, const Place& place, const Lanes& index, uint32_t mask) {
  const loop::Buffer& buffer = program_.buffer(place.buffer);
  const Leaf& leaf = buffer.element.leaves[place.leaf];
  const uint64_t multiples = static_cast<uint64_t>(std::max<int64_t>(1, buffer.count / index.modulus));
  const double weight = weight_;
  weight_ /= kDraws;
  uint64_t state = 0x9E3779B97F4A7C15ull;
  for (int draw = 0; draw < kDraws; ++draw) {
    LaneAddresses address{};
    for_lanes(mask, [&](int lane) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const auto multiple = static_cast<int64_t>((state >> 33) % multiples);
      const int64_t element = index.at(lane).i + multiple * index.modulus;
      address[static_cast<std::size_t>(lane)] = shared_offsets_.at(place.buffer.value) + element * buffer.element.size + leaf.offset;
    });
    count_known(count, place, address, mask, Certainty::Drawn);
  }
  weight_ = weight;
}

void Tracer::count_known(AccessCount& count, const Place& place, const LaneAddresses& address, uint32_t mask, Certainty certainty) {
  count.requests += weight_;
  count.lanes += weight_ * std::popcount(mask);
  RequestSample sample{.mask = mask, .shifted = certainty != Certainty::Exact};
  if (is_shared(count.kind)) {
    const SharedRequest request = shared_request(address, mask, count.width_bytes);
    sample.wavefronts = request.wavefronts;
    sample.degree = request.degree;
    count.wavefronts += weight_ * request.wavefronts;
    count.ideal_wavefronts += weight_ * request.ideal_wavefronts;
    count.bank_degree = std::max(count.bank_degree, request.degree);
  } else {
    const GlobalRequest request = global_request(address, mask, count.width_bytes);
    sample.sectors = request.sectors;
    sample.ideal_sectors = request.ideal_sectors;
    count.sectors += weight_ * request.sectors;
    count.ideal_sectors += weight_ * request.ideal_sectors;
    count.lines += weight_ * request.wavefronts;
    BufferCount& buffer = result_.buffers[globals_.at(place.buffer.value).row];
    if (count.kind != AccessKind::Store) buffer.read_sectors += weight_ * request.sectors;
    if (count.kind != AccessKind::Load) buffer.written_sectors += weight_ * request.sectors;
  }
  if (shows_more(sample, count.sample)) {
    sample.address = address;
    count.sample = sample;
  }
  count_atomic(count, &address, mask, certainty);
}

/// Addresses spread over the buffer.
void Tracer::count_unknown(AccessCount& count, const Place& place, uint32_t mask) {
  const int lanes = std::popcount(mask);
  count.requests += weight_;
  count.lanes += weight_ * lanes;
  if (is_shared(count.kind)) {
    // The fullest of 32 banks when each lane draws one: 3.5 of 32 lanes.
    const double wavefronts = 1 + 2.5 * (lanes - 1) / (kWarpLanes - 1);
    count.wavefronts += weight_ * wavefronts;
    count.ideal_wavefronts += weight_;
    count.bank_degree = std::max(count.bank_degree, static_cast<int>(std::lround(wavefronts)));
  } else {
    const auto bytes = static_cast<double>(result_.buffers[globals_.at(place.buffer.value).row].bytes);
    const double sectors = distinct(std::ceil(std::max(bytes, 1.0) / kSectorBytes), lanes);
    count.sectors += weight_ * sectors;
    count.ideal_sectors += weight_ * std::ceil(static_cast<double>(lanes) * count.width_bytes / kSectorBytes);
    count.lines += weight_ * distinct(std::ceil(std::max(bytes, 1.0) / kLineBytes), lanes);
    BufferCount& buffer = result_.buffers[globals_.at(place.buffer.value).row];
    if (count.kind != AccessKind::Store) buffer.read_sectors += weight_ * sectors;
    if (count.kind != AccessKind::Load) buffer.written_sectors += weight_ * sectors;
  }
  count_atomic(count, nullptr, mask, Certainty::Drawn);
}

void Tracer::count_atomic(AccessCount& count, const LaneAddresses* address, uint32_t mask, Certainty certainty) {
  if (count.kind != AccessKind::Atomic && count.kind != AccessKind::SharedAtomic) return;
  result_.atomic_lanes += weight_ * std::popcount(mask);
  const auto site = static_cast<std::size_t>(&count - result_.accesses.data());
  Hot& hot = atomics_[site];
  if (result_.atomics.size() < atomics_.size())
    result_.atomics.insert(result_.atomics.begin() + std::distance(atomics_.begin(), atomics_.find(site)), AtomicWork{});
  if (address == nullptr || hot.updates.size() > kMostHot) {
    hot.spread = true;
    return;
  }
  const int width = count.width_bytes < 8 ? 4 : 8;
  count.passes += weight_ * (is_shared(count.kind) ? shared_atomic_passes(*address, mask, width)
                                                   : global_atomic_passes(*address, mask, width));
  if (certainty == Certainty::Drawn) {
    hot.drawn = true;
    return;
  }
  for_lanes(mask, [&](int lane) { hot.updates[(*address)[static_cast<std::size_t>(lane)]] += weight_; });
}

void Tracer::note_footprint(const Place& place, const LaneAddresses& address, uint32_t mask, int width, bool is_store) {
  const auto found = globals_.find(place.buffer.value);
  if (found == globals_.end()) return;
  GlobalUse& use = found->second;
  std::vector<bool>& touched = is_store ? use.written : use.read;
  const int64_t bytes = result_.buffers[use.row].bytes;
  touched.resize(static_cast<std::size_t>((bytes + kSectorBytes - 1) / kSectorBytes));
  for_lanes(mask, [&](int lane) {
    const int64_t from = address[static_cast<std::size_t>(lane)], last = (from + width - 1) / kSectorBytes;
    use.low = std::min(use.low, from);
    use.high = std::max(use.high, from + width);
    for (int64_t sector = from / kSectorBytes; sector <= last; ++sector) {
      if (sector < 0 || sector >= static_cast<int64_t>(touched.size())) continue;
      touched[static_cast<std::size_t>(sector)] = true;
      const bool repeats = !use.in_block.empty() && use.in_block.back() == sector;
      if (!is_store && !repeats && use.in_block.size() < kMostInBlock) use.in_block.push_back(sector);
    }
  });
}

void Tracer::run(const loop::CopyAsync& n, SourceRange where) {
  where_ = where;
  const auto elements = [&](const loop::Access& access) {
    return std::max(1, n.bytes / size_of(program_.buffer(access.buffer).element.leaves[access.leaf].type));
  };
  store(place_of(n.to, elements(n.to)), kind_of(n.to.buffer, true, false));
  const Place from = place_of(n.from, elements(n.from));
  value(from.index);
  if (from.within.valid()) value(from.within);
  const uint32_t certain = certain_, possible = possible_;
  if (n.condition.valid()) {
    const Decision wanted = decide(value(n.condition), certain_, possible_);
    certain_ = wanted.certain;
    possible_ = wanted.possible;
  }
  if (possible_ != 0) load(from, kind_of(n.from.buffer, false, false));
  certain_ = certain;
  possible_ = possible;
}

/// One lane after another, each a run of bytes.
void Tracer::run(const loop::CopyBulk& n, SourceRange where) {
  where_ = where;
  const Lanes bytes = value(n.bytes);
  for (const loop::Access* access : {&n.to, &n.from}) {
    const AccessKind kind = kind_of(access->buffer, access == &n.to, false);
    AccessCount& count = site(place_of(*access, 1), kind);
    value(access->index);
    for_lanes(possible_, [&](int lane) {
      const bool known = bytes.is_known(uint32_t{1} << lane);
      const double size = known ? static_cast<double>(bytes.at(lane).i) : 0;
      const bool shared = is_shared(kind);
      const double units = std::ceil(size / (shared ? kBanks * kBankBytes : kSectorBytes));
      count.requests += weight_;
      count.lanes += weight_;
      (shared ? count.wavefronts : count.sectors) += weight_ * units;
      (shared ? count.ideal_wavefronts : count.ideal_sectors) += weight_ * units;
      count.bank_degree = shared ? std::max(count.bank_degree, 1) : 0;
      if (!known || certain_ != possible_ || sampled_) count.exact = false;
      if (!known || certain_ != possible_) count.data_dependent = true;
      if (shared) return;
      GlobalUse& use = globals_.at(access->buffer.value);
      use.anywhere = true;
      BufferCount& buffer = result_.buffers[use.row];
      (access == &n.to ? buffer.written_sectors : buffer.read_sectors) += weight_ * units;
    });
  }
}

/// A box in shared memory: its rows are counted where they lie in global memory, as the simulator does.
void Tracer::run(const loop::CopyTensor& n, SourceRange where) {
  where_ = where;
  const loop::TensorMap& map = program_.maps[n.map];
  const auto argument = static_cast<std::size_t>(std::find(kernel_.maps.begin(), kernel_.maps.end(), n.map) - kernel_.maps.begin());
  const LaunchInput::Map& view = input_.maps[argument];
  AccessCount& count = site(place_of(n.shared, 1), kind_of(n.shared.buffer, !n.store, false));
  value(n.shared.index);
  std::vector<Lanes> at;
  for (const ExprId id : n.at) at.push_back(value(id));
  const int64_t size = size_of(map.type);
  double elements = 1;
  for (const int extent : map.box) elements *= extent;
  const double lines = std::ceil(elements * static_cast<double>(size) / (kBanks * kBankBytes));
  for_lanes(possible_, [&](int lane) {
    const uint32_t bit = uint32_t{1} << lane;
    const bool known = std::all_of(at.begin(), at.end(), [&](const Lanes& x) { return x.is_known(bit); });
    count.requests += weight_;
    count.lanes += weight_;
    count.wavefronts += weight_ * lines;
    count.ideal_wavefronts += weight_ * lines;
    count.bank_degree = std::max(count.bank_degree, 1);
    if (!known || certain_ != possible_ || sampled_) count.exact = false;
    if (!known) {
      count.data_dependent = true;
      count.sectors += weight_ * elements * static_cast<double>(size) / kSectorBytes;
      return;
    }
    std::vector<int64_t> first, place(map.box.size(), 0);
    for (const Lanes& x : at) first.push_back(x.at(lane).i);
    const auto rows = static_cast<int64_t>(elements / map.box[0]);
    for (int64_t row = 0; row < rows; ++row) {
      int64_t offset = first[0] * size;
      bool inside = true;
      for (std::size_t k = 1; k < map.box.size(); ++k) {
        const int64_t x = first[k] + place[k];
        inside = inside && x >= 0 && x < view.extents[k];
        offset += x * view.strides[k - 1];
      }
      const int64_t skipped = std::max<int64_t>(0, -first[0]);
      const int64_t end = std::min<int64_t>(map.box[0], view.extents[0] - first[0]);
      const int64_t bytes = inside ? std::max<int64_t>(0, end - skipped) * size : 0;
      if (bytes > 0) {
        const int64_t from = offset + skipped * size;
        const auto sectors = static_cast<double>((from + bytes - 1) / kSectorBytes - from / kSectorBytes + 1);
        count.sectors += weight_ * sectors;
        count.ideal_sectors += weight_ * std::ceil(static_cast<double>(bytes) / kSectorBytes);
      }
      for (std::size_t k = 1; k < map.box.size() && ++place[k] == map.box[k]; ++k) place[k] = 0;
    }
  });
}

}  // namespace cdsl::predicting
