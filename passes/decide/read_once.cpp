#include "passes/decide/read_once.h"

#include <algorithm>

namespace cdsl::deciding {
namespace {

constexpr int64_t kMostPlaces = 1024;      // of a window that is unrolled

}  // namespace

std::optional<std::vector<ReadOnce::Place>> ReadOnce::places(const Access& access) const {
  std::vector<Place> places{access.offsets};
  for (const AxisCount& a : axes_) {
    const bool taps = a.is(Binding::Stream) && a.tile == 1 && a.extent <= kMostTaps;
    const int64_t own = taps ? a.extent : a.held();
    if (own == 1 || !access.uses(a.axis->index)) continue;
    if (static_cast<int64_t>(places.size()) * own > kMostPlaces) return std::nullopt;
    std::vector<Place> moved;
    for (const auto& place : places) {
      for (int64_t k = 0; k < own; ++k) {
        moved.push_back(place);
        for (std::size_t d = 0; d < access.subscripts.size(); ++d)
          if (const auto found = access.subscripts[d].find(a.axis->index); found != access.subscripts[d].end()) {
            const auto steps = static_cast<uint64_t>(found->second) * static_cast<uint64_t>(k);
            moved.back()[d] = static_cast<int64_t>(static_cast<uint64_t>(moved.back()[d]) + steps);   // may wrap: a place is only told apart
          }
      }
    }
    places = std::move(moved);
  }
  return places;
}

double ReadOnce::share_left(const Access& access, bool is_vector) {
  if (access.is_store() || !access.affine || !group_.split_edge || group_.flat) return 1;
  const auto read = places(access);
  if (!read) return 1;
  const auto along = std::find_if(axes_.begin(), axes_.end(), [](const AxisCount& a) { return a.vector > 1; });
  const int64_t vector = along == axes_.end() ? 1 : along->vector;
  const bool in_windows = vector > 1 && site_.is_windowed(access, along->axis->index);
  const auto row = in_windows ? std::find_if(access.subscripts.begin(), access.subscripts.end(), [&](const auto& s) { return s.contains(along->axis->index); })
                              : access.subscripts.end();
  std::set<Place> fresh;
  for (Place place : *read) {
    place.push_back(access.leaf);
    if (read_[access.tensor.index()].insert(place).second) fresh.insert(std::move(place));
  }
  const double made = static_cast<double>(read->size()) / (is_vector ? static_cast<double>(vector) : 1);
  if (row == access.subscripts.end()) return static_cast<double>(fresh.size()) / static_cast<double>(read->size());
  // Of a row's window the widest aligned accesses.
  double loads = 0;
  const auto d = static_cast<std::size_t>(row - access.subscripts.begin());
  const int64_t widest = std::min(vector, std::max<int64_t>(1, 16 / access.bytes));
  while (!fresh.empty()) {
    Place first = *fresh.begin();
    int64_t width = widest;
    const auto fits = [&] {
      Place place = first;
      for (int64_t k = 0; k < width; ++k, ++place[d])
        if (!fresh.contains(place)) return false;
      return first[d] % width == 0;
    };
    while (width > 1 && !fits()) width /= 2;
    for (int64_t k = 0; k < width; ++k, ++first[d]) fresh.erase(first);
    ++loads;
  }
  return loads / made;
}

}  // namespace cdsl::deciding
