#include "dsl/schedule/group.h"

#include <fmt/format.h>

#include "dsl/loop/program.h"

namespace cdsl {
namespace {

std::string text_of(const ExprArena& arena, const GroupAxis& axis) {
  constexpr std::string_view kBindings[] = {"grid", "resident", "stream"};
  std::string text = fmt::format("{} {}", arena.symbol(axis.index).name, kBindings[static_cast<std::size_t>(axis.binding)]);
  for (std::size_t k = 0; k < axis.factors.size(); ++k) {
    const loop::Factor& factor = axis.factors[k];
    text += fmt::format("{}{} {}", k == 0 ? " " : " * ", loop::name_of(factor.level), factor.extent);
    if (factor.stride != 1) text += fmt::format(" by {}", factor.stride);
  }
  if (axis.chunk != 1) text += fmt::format(" chunk {}", axis.chunk);
  if (axis.skew != 1) text += fmt::format(" skew {}", axis.skew);
  if (axis.start) text += fmt::format(" from a vector of {}", axis.start->vector);
  return text;
}

}  // namespace

std::string to_string(const Decided& decided) {
  std::string text;
  for (const Group& group : decided.groups) {
    text += group.name + ":";
    for (const GroupAxis& axis : group.axes) text += " " + text_of(decided.function.arena, axis) + ";";
    for (const Staging& staging : group.staged) {
      text += fmt::format(" stage {}{} pad {}", decided.function.tensor(staging.tensor).name,
                          staging.transposed ? " transposed" : "", staging.pad);
      if (staging.every > 1) text += fmt::format(" every {}", staging.every);
      if (staging.vector > 1) text += fmt::format(" vec {}", staging.vector);
      text += ";";
    }
    if (!group.selected.empty()) text += fmt::format(" select {};", group.selected.size());
    for (const RunningReduction& r : group.running)
      text += fmt::format(" running {}{};", decided.function.arena.symbol(r.along).name, r.exclusive ? " exclusive" : "");
    if (!group.online.empty()) text += fmt::format(" online {};", group.online.size());
    if (group.parts || group.rounds) text += group.parts ? " parts;" : " rounds;";
    if (group.raster > 1) text += fmt::format(" raster {};", group.raster);
    if (group.bands > 1) text += fmt::format(" bands {};", group.bands);
    if (group.persistent) text += " persistent;";
    text += fmt::format(" warps {}{}{}\n", group.warps, group.flat ? " flat" : "", group.split_edge ? " split_edge" : "");
  }
  for (const PrivateBins& bins : decided.scatters) {
    text += fmt::format("{}: private bins {};", bins.name, bins.bins);
    if (bins.copies > 1) text += fmt::format(" copies {};", bins.copies);
    if (bins.vector > 1) text += fmt::format(" vector {}; prefetch {};", bins.vector, bins.prefetch);
    text += fmt::format(" threads {} points {}\n", bins.threads, bins.points);
  }
  return text;
}

}  // namespace cdsl
