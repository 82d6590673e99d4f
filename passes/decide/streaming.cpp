#include "passes/decide/streaming.h"

#include <algorithm>
#include <cmath>

namespace cdsl::deciding {
namespace {

constexpr const char* kEvictLast = "evict_last";
constexpr const char* kPlain = "plain";
constexpr double kManyTimes = 9;           // E: as much as the L2 holds; from 4 to 8 times it costs 1 to 2 %, from 10 on it gains 1 to 4 %
constexpr double kWritten = 0.02;          // share of the bytes; kernels that only read do not mind

// A block holds what it read along this axis, for all passes over it.
bool is_held(const Group& group, SymbolId index) {
  return std::any_of(group.axes.begin(), group.axes.end(), [&](const GroupAxis& a) { return a.index == index && a.binding == Binding::Resident; });
}

// Reads whose every element one thread takes, once: all axes move them, and nothing else of the tensor is read. Boxes of a tile are
// such reads where they do not overlap and are filled by vectors.
std::vector<TensorId> streams(const Site& site, const Group& group) {
  std::vector<TensorId> found;
  for (const Access& a : site.accesses) {
    if (a.is_store() || !a.affine || !a.is_packed()) continue;
    const auto of_tensor = std::count_if(site.accesses.begin(), site.accesses.end(), [&](const Access& b) { return b.tensor == a.tensor; });
    const bool moved = std::all_of(site.axes.axes.begin(), site.axes.axes.end(), [&](const Axis& axis) {
      return a.uses(axis.index) && (!site.is_reduced(axis.index) || site.passes_over(axis.index) == 1 || is_held(group, axis.index));
    });
    const auto box = std::find_if(group.staged.begin(), group.staged.end(), [&](const Staging& s) { return s.tensor == a.tensor; });
    const bool is_loaded_so = box == group.staged.end() || (box->vector > 1 && site.is_bare(a));
    if (of_tensor == 1 && moved && is_loaded_so) found.push_back(a.tensor);
  }
  return found;
}

}  // namespace

void decide_streaming(const Site& site, const Cost& taken, Group& group) {
  const std::string key = site.name + ".policy";
  const auto& overrides = site.context.schedule.overrides;
  const auto found = overrides.find(key);
  const std::string asked = found == overrides.end() ? "" : found->second;
  const std::vector<TensorId> tensors = streams(site, group);
  if (!asked.empty()) {
    const bool possible = asked == kPlain || (asked == kEvictLast && !tensors.empty());
    if (!possible) {
      site.context.impossible[key] = {asked, tensors.empty() ? "no tensor is read once, element by element; possible: plain" : "no such choice; possible: evict_last, plain"};
      return;
    }
    site.context.settled.insert(key);
  }
  if (tensors.empty()) return;

  const double read = taken.work.dram_read_bytes, written = taken.work.dram_write_bytes;
  const bool passes_l2 = read + written > kManyTimes * site.arch.l2_bytes;
  const bool worthwhile = written > kWritten * (read + written) && passes_l2;
  const bool chosen = asked.empty() ? worthwhile : asked == kEvictLast;
  if (!chosen && asked.empty()) return;
  if (chosen) group.streamed = tensors;
  Remark made;
  made.pass = "launch";
  made.site = site.name;
  made.key = key;
  made.where = site.candidate.stage->where;
  made.choice = chosen ? kEvictLast : kPlain;
  made.fired = chosen;
  made.reason = chosen ? "loads of what is read once ask the L2 to keep their lines longest, so that written lines leave it early" : "loads have no policy";
  made.numbers = {{"memory", std::round((read + written) * 1e-4) / 100, "MB"}};
  made.alternatives.push_back({chosen ? kPlain : kEvictLast, worthwhile ? "written lines would stay longer" : "nothing is written, or not many times what the L2 holds", {}});
  site.context.remarks.push_back(std::move(made));
}

}  // namespace cdsl::deciding
