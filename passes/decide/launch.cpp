#include "passes/decide/launch.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dsl/machine/memory.h"

namespace cdsl::deciding {
namespace {

constexpr int64_t kRasters[] = {8, 16, 4};
constexpr int64_t kMostRaster = 1024;
// Another order has to save this share of the traffic.
constexpr double kWorthwhile = 0.98;

double ceil_div(double a, double b) { return std::ceil(a / b); }

class Launch {
 public:
  Launch(const Site& site, const Cost& taken, Group& group)
      : site_(site), group_(group), work_(taken.work), prediction_(predict(site.arch, taken.work)) {
    for (const GroupAxis& a : group.axes) {
      if (a.binding != Binding::Grid || group.flat) continue;
      const double tiles = ceil_div(static_cast<double>(site.extent(a.index)), static_cast<double>(a.tile()));
      grids_.push_back({&a, tiles});
    }
  }

  void order() {
    std::string why;
    if (grids_.size() < 2) why = "the tiles are in one row";
    if (group_.shares > 1) why = "blocks share a result";
    const std::string asked = this->asked("raster");
    const std::optional<int64_t> given = rows_asked("raster", why);
    if (!given || !why.empty()) return;
    int64_t rows = *given;
    const double plain = traffic(1);
    Remark made = remark("raster");
    if (asked.empty()) {
      rows = 1;
      for (const int64_t each : kRasters)
        if (traffic(each) < std::min(plain, traffic(rows)) * kWorthwhile) rows = each;
    }
    if (rows == 1 && asked.empty() && traffic(kRasters[0]) >= plain * kWorthwhile && plain <= unique()) return;   // nothing to gain, nor to say
    group_.raster = rows;
    made.choice = std::to_string(rows);
    made.fired = rows > 1;
    made.reason = rows > 1 ? "tiles are taken in bands of rows, so that blocks that run together share operands in the L2"
                           : "tiles are taken row by row: bands would save too little";
    made.numbers = {{"memory", rounded(traffic(rows)), "MB"}};
    for (const int64_t each : {int64_t{1}, kRasters[0], kRasters[1]})
      if (each != rows) made.alternatives.push_back({std::to_string(each), traffic(each) > traffic(rows) ? "more traffic" : "no less traffic", {{"memory", rounded(traffic(each)), "MB"}}});
    site_.context.remarks.push_back(std::move(made));
  }

  // Measured on transposes of an H200: 1 % at most, so that nobody but an override chooses.
  void bands() {
    std::string why;
    if (grids_.size() < 2) why = "the tiles are in one row";
    if (group_.shares > 1 || group_.rounds) why = "blocks share a result";
    if (group_.raster > 1) why = "they have an order already (raster)";
    const auto asked = this->asked("bands");
    const std::optional<int64_t> given = rows_asked("bands", why);
    if (!given || asked.empty()) return;
    group_.bands = *given;
    Remark made = remark("bands");
    made.choice = asked;
    made.fired = group_.bands > 1;
    made.reason = group_.bands > 1 ? "so many tiles of the last axis, then those beside them: blocks that run together write long runs, and read as long ones"
                                   : "tiles of the last axis one after another, all of them";
    site_.context.remarks.push_back(std::move(made));
  }

  // Blocks of equal work end together either way; what is left is what a block does before its first tile.
  void persistence() {
    const auto asked = this->asked("persistent");
    // Guards that bound the elements bound the tiles too, which a grid would otherwise.
    const bool can = site_.assume.vectors && group_.shares == 1 && !group_.rounds && std::any_of(group_.axes.begin(), group_.axes.end(), [](const GroupAxis& a) { return a.binding == Binding::Grid; });
    if (!asked.empty()) {
      if ((asked != "on" && asked != "off") || (asked == "on" && !can))
        return refuse("persistent", asked, can ? "no such choice; possible: on, off" : "blocks share a result, or there is one; possible: off");
      site_.context.settled.insert(key("persistent"));
    }
    group_.persistent = asked == "on";
    const bool speaks = !asked.empty() || (prediction_.waves.waves > 1 && prediction_.waves.tail_efficiency < 0.9);
    if (!speaks) return;
    Remark made = remark("persistent");
    made.choice = group_.persistent ? "on" : "off";
    made.fired = group_.persistent;
    made.reason = group_.persistent ? "as many blocks as run at once, each for several tiles"
                                    : "a block a tile: resident blocks would take as many rounds, and the last one is as empty";
    made.numbers = {{"waves", std::round(prediction_.waves.waves * 100) / 100, ""},
                    {"tail efficiency", std::round(prediction_.waves.tail_efficiency * 100) / 100, ""}};
    if (can) made.alternatives.push_back({group_.persistent ? "off" : "on", "as many rounds", {}});
    site_.context.remarks.push_back(std::move(made));
  }

 private:
  struct Grid {
    const GroupAxis* axis;
    double tiles;
  };

  // What an override asks for, 1 where none does; nothing where it asks for what cannot be.
  std::optional<int64_t> rows_asked(const char* axis, const std::string& why) {
    const auto asked = this->asked(axis);
    int64_t rows = 1;
    if (asked.empty()) return rows;
    const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), rows);
    const bool is_number = error == std::errc() && end == asked.data() + asked.size() && rows >= 1 && rows <= kMostRaster;
    if (!is_number || (!why.empty() && rows > 1)) {
      refuse(axis, asked, why.empty() ? "no such choice; possible: 1 to 1024" : why + "; possible: 1");
      return std::nullopt;
    }
    site_.context.settled.insert(key(axis));
    return rows;
  }
  static double rounded(double bytes) { return std::round(bytes * 1e-4) / 100; }
  std::string key(const char* axis) const { return site_.name + "." + axis; }
  std::string asked(const char* axis) const {
    const auto& overrides = site_.context.schedule.overrides;
    const auto found = overrides.find(key(axis));
    return found == overrides.end() ? "" : found->second;
  }
  void refuse(const char* axis, const std::string& choice, const std::string& why) { site_.context.impossible[key(axis)] = {choice, why}; }
  Remark remark(const char* axis) const {
    Remark made;
    made.pass = "launch";
    made.site = site_.name;
    made.key = key(axis);
    made.where = site_.candidate.stage->where;
    return made;
  }

  // Different tiles along the last two grid axes that the blocks of a wave cover.
  std::pair<double, double> covered(int64_t rows) const {
    const double wave = std::max(1.0, static_cast<double>(prediction_.occupancy.blocks) * site_.arch.sms);
    const double down = grids_[grids_.size() - 2].tiles, across = grids_.back().tiles;
    const double band = std::min(static_cast<double>(rows), down);
    const double columns = ceil_div(wave, band);
    if (columns <= across) return {band, columns};
    return {std::min(down, band * ceil_div(wave, band * across)), across};
  }

  double unique() const {
    double sum = 0;
    each_read([&](const Access& a, double) { sum += bytes(a); });
    return sum;
  }
  double bytes(const Access& a) const { return static_cast<double>(site_.elements_of(a.tensor)) * static_cast<double>(a.pitch); }

  template <class Visit>
  void each_read(const Visit& visit) const {
    std::vector<TensorId> seen;
    for (const Access& a : site_.accesses) {
      if (a.is_store() || std::find(seen.begin(), seen.end(), a.tensor) != seen.end()) continue;
      seen.push_back(a.tensor);
      double tile = static_cast<double>(a.pitch);         // bytes that one tile needs: a box
      for (const auto& subscript : a.subscripts) {
        double side = 1;
        for (const GroupAxis& g : group_.axes) {
          const auto found = subscript.find(g.index);
          if (found == subscript.end()) continue;
          const int64_t points = g.binding == Binding::Grid ? g.tile() : site_.extent(g.index);
          side += std::abs(static_cast<double>(found->second)) * static_cast<double>(points - 1);
        }
        tile *= side;
      }
      visit(a, tile);
    }
  }

  // Bytes from memory, where what a wave reads is read once for the wave, unless the L2 holds all of it.
  double traffic(int64_t rows) const {
    const auto [down, across] = covered(rows);
    const double waves = std::max(1.0, static_cast<double>(work_.grid) / (down * across));
    double wave = 0, once = 0;
    each_read([&](const Access& a, double tile) {
      double tiles = 1;
      if (a.uses(grids_[grids_.size() - 2].axis->index)) tiles *= down;
      if (a.uses(grids_.back().axis->index)) tiles *= across;
      wave += std::min(bytes(a), tile * tiles);
      once += bytes(a);
    });
    return dram_bytes(site_.arch, once, std::max(once, waves * wave), once);
  }

  const Site& site_;
  Group& group_;
  const KernelWork& work_;
  const Prediction prediction_;
  std::vector<Grid> grids_;
};

}  // namespace

void decide_launch(const Site& site, const Cost& taken, Group& group) {
  Launch launch(site, taken, group);
  launch.order();
  launch.bands();
  launch.persistence();
}

}  // namespace cdsl::deciding
