#include "passes/decide/axis_count.h"

namespace cdsl::deciding {

AxisCount::AxisCount(const Site& site, const Group& group, const GroupAxis& a) : axis(&a), tile(a.tile()) {
  extent = 1;
  if (group.flat) {
    for (const Axis& each : site.axes.axes) extent = product(extent, &a == &group.axes.back() ? site.extent(each.index) : 1);
  } else {
    extent = site.extent(a.index);
    reduced = site.is_reduced(a.index);
    if (a.binding == Binding::Grid) {
      const Site::Reach reach = site.reach(a.index);
      halo = reach.low + reach.high;
    }
  }
  tiles = ceil_div(extent + a.skew - 1, tile);
  for (const loop::Factor& f : a.factors) {
    (f.level == loop::Level::Lane ? lanes : f.level == loop::Level::Warp ? warps : f.level == loop::Level::Vector ? vector : registers) *= f.extent;
  }
}

}  // namespace cdsl::deciding
