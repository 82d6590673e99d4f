// `schedule f` and `expect f`: legal lines, whether or not a decision can follow them here.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/random/generator.h"

namespace cdsl::random {

void Generator::remember(const std::string& tensor, const std::vector<Index>& indices, const Node& value) {
  std::vector<std::string> names;
  for (const Index& index : indices) names.push_back(index.name);
  const std::string text = value.text();
  for (const char* bound : {"k", "r", "s"}) {
    const bool binds = text.find(fmt::format("[{} in", bound)) != std::string::npos;
    if (binds && std::find(names.begin(), names.end(), bound) == names.end()) names.push_back(bound);
  }
  defined_.emplace_back(tensor, std::move(names));
}

/// What stands behind the colon.
std::string Generator::directive(const std::string& tensor, const std::vector<std::string>& indices) {
  const auto keyed = [&](const std::string& word, const std::vector<int>& values) {
    std::vector<std::string> list;
    for (const std::string& index : indices)
      if (list.empty() || rng_.chance(60)) list.push_back(fmt::format("{}: {}", index, rng_.pick(values)));
    return fmt::format("{}({})", word, fmt::join(list, ", "));
  };
  const auto one = [&](const std::string& word, const std::vector<const char*>& values) { return fmt::format("{}({})", word, rng_.pick(values)); };
  if (!indices.empty() && rng_.chance(50)) {
    switch (rng_.below(7)) {
      case 0: return keyed("tile", {8, 16, 32, 64, 128});
      case 1: return keyed("thread_tile", {1, 2, 4, 8});
      case 2: return keyed("warp_tile", {16, 32, 64});
      case 3: return keyed("unroll", {1, 2, 4, 8});
      case 4: {
        const std::string& index = rng_.pick(indices);
        return fmt::format("bind({}: {})", index, rng_.of({"thread.x", "grid.y", "lane", "vector", "serial", "warp"}));
      }
      case 5: return fmt::format("order({})", fmt::join(indices.rbegin(), indices.rend(), ", "));
      default: {
        const std::string& first = rng_.pick(indices);
        const std::string& second = rng_.pick(indices);
        const char* way = rng_.of({"lanes", "warp", "block", "stream", "tile", "parts", "rounds"});
        if (std::string(way) == "tile") return fmt::format("map(tile.{}.{})", first, second);
        return fmt::format("map({}.{}{})", way, first, first != second && rng_.chance(40) ? "*warps." + second : "");
      }
    }
  }
  switch (rng_.below(23)) {
    case 0: return one("vector", {"1", "2", "4", "8", "16"});
    case 1: return one("threads", {"32", "64", "96", "128", "256", "512", "1024"});
    case 2: return one("map", {"general", "flat", "product"});
    case 3: return one("stages", {"1", "2", "3", "4"});
    case 4: return one("shares", {"1", "2", "8", "132"});
    case 5: return one("raster", {"1", "2", "8"});
    case 6: return rng_.chance(50) ? "persistent(on)" : "persistent";
    case 7: return one("pad", {"0", "1", "4", "8"});
    case 8: return one("swizzle", {"0", "1", "3"});
    case 9: return one("guard", {"select", "split", "ends"});
    case 10: return one("branch", {"select", "branch"});
    case 11: return one("scan", {"whole", "blocks", "carried"});
    case 12: return rng_.chance(40) ? one("atomics", {"direct", "block", "lane"})
                    : rng_.chance(50) ? one("copies", {"1", "2", "4", "16", "32"}) : one("prefetch", {"0", "1", "2", "4"});
    case 13: return one("place", {"registers", "shared", "global"});
    case 14: return one("reduce", {"thread", "thread, warp", "thread, warp, block"});
    case 15: return one("registers", {"32", "64", "128", "255"});
    case 16: return one("policy", {"evict_last", "plain"});
    case 17: return one("unroll", {"1", "2", "4", "8"});
    case 18: return one("skew", {"on", "off"});
    case 19: return one("bands", {"1", "2", "12"});
    case 20: return one("online", {"on", "off"});
    case 21: return one("start", {"row", "vector"});
    default: return mentions(tensor, "h0") ? "place(registers)" : one("min_blocks", {"1", "2", "4"});
  }
}

void Generator::schedule() {
  if (defined_.empty()) return;
  used("schedule");
  for (int lines = rng_.of({1, 1, 2, 3}); lines > 0; --lines) {
    const auto [tensor, indices] = rng_.pick(defined_);
    std::string text = fmt::format("{}: {}", tensor, directive(tensor, indices));
    if (rng_.chance(40)) text += ", " + directive(tensor, indices);
    program_.schedule.push_back({std::move(text), {tensor}});
  }
  if (rng_.chance(25)) {
    const std::string& first = rng_.pick(defined_).first;
    const std::string& second = rng_.pick(defined_).first;
    if (first != second) program_.schedule.push_back({fmt::format("{}({}, {})", rng_.of({"fuse", "separate"}), first, second), {first, second}});
  }
  if (!loops_.empty() && rng_.chance(60)) {
    const std::string& index = rng_.pick(loops_);
    program_.schedule.push_back({fmt::format("loop({}: {})", index, rng_.of({"launches", "thread", "block"})), {}});
  }
  for (const Tensor& tensor : program_.inputs) {
    if (tensor.suffix == " layout(auto)" && rng_.chance(60))
      program_.schedule.push_back({fmt::format("{}: layout({})", tensor.name, rng_.of({"aos", "soa", "aosoa(8)"})), {tensor.name}});
  }
  for (const Tensor& tensor : program_.inputs) {
    // A size that a tensor certainly determines.
    if (tensor.is_scalar || tensor.shape.empty() || !(tensor.shape[0] == Extent{tensor.shape[0].size, 1, 0, 1}) || tensor.shape[0].size < 0) continue;
    if (rng_.chance(80)) continue;
    program_.schedule.push_back({fmt::format("sizes {} in {{{}}}", program_.extent_text(tensor.shape[0]), rng_.of({"1", "64, 4096", "1000"})), {tensor.name}});
  }
}

void Generator::expectations() {
  used("expect");
  program_.expect.push_back({rng_.of({"kernels >= 0", "spills >= 0", "registers <= 255", "occupancy >= 0", "active_lanes <= 32", "bytes >= 0"}), {}});
  if (program_.inputs.empty()) return;
  const Tensor& tensor = rng_.pick(program_.inputs);
  if (!tensor.is_scalar) program_.expect.push_back({fmt::format("{}({}) >= 0", rng_.of({"sectors", "excess_bytes", "width"}), tensor.name), {tensor.name}});
}

}  // namespace cdsl::random
