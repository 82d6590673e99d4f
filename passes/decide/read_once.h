// Loads that a thread makes once: what its points, or the taps of a filter, read in common where nothing is tested. Of a row that a
// vector goes along, as few accesses as may be (passes/lower/tiles/windows).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "passes/decide/axis_count.h"

namespace cdsl::deciding {

class ReadOnce {
 public:
  ReadOnce(const Site& site, const Group& group, const std::vector<AxisCount>& axes) : site_(site), group_(group), axes_(axes) {}

  /// Of the loads of an access, the share that is still to be made after those of the calls before. `is_vector`: they are vectors.
  double share_left(const Access& access, bool is_vector);

 private:
  using Place = std::vector<int64_t>;     // an element: a number each subscript
  /// Elements that a thread reads; nothing where they are many.
  std::optional<std::vector<Place>> places(const Access& access) const;

  const Site& site_;
  const Group& group_;
  const std::vector<AxisCount>& axes_;
  std::map<std::size_t, std::set<Place>> read_;   // by tensor
};

}  // namespace cdsl::deciding
