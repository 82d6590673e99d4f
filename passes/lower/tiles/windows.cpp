#include "passes/lower/tiles/windows.h"

#include <algorithm>
#include <map>

#include "passes/lower/linear.h"

namespace cdsl::lowering {
namespace {

constexpr int64_t kLongest = 64;         // elements of a window, which lie in registers

// Aligned accesses, each as wide as it may be.
std::vector<WindowPart> parts_of(int64_t low, int64_t end, int64_t widest) {
  std::vector<WindowPart> parts;
  for (int64_t at = low; at < end; at += parts.back().width) {
    int64_t width = widest;
    while (at % width != 0 || at + width > end) width /= 2;
    parts.push_back({at, width});
  }
  return parts;
}

// Taps of the same row: the same buffer, along the same axis, at indices that differ by a constant.
struct Row {
  BufferId buffer;
  SymbolId axis;
  std::map<ExprId, int64_t> terms;
  std::vector<const WindowCandidate*> taps;
};

}  // namespace

std::optional<WindowTap> window_tap(const loop::Program& program, const loop::Statement& statement) {
  const auto* let = std::get_if<loop::Let>(&statement.node);
  if (let == nullptr) return std::nullopt;
  const ExprArena& arena = program.arena;
  const ExprId id = arena.is_apply(let->value, Op::Cast) ? arena.args(let->value)[0] : let->value;
  const auto* load = arena.get_if<Load>(id);
  if (load == nullptr || arena.args(id).size() > 1) return std::nullopt;
  const loop::Buffer& buffer = program.buffer(load->buffer);
  const bool is_plain = buffer.element.leaves.size() == 1 && buffer.element.leaves[0].extents.empty();
  if (buffer.space != loop::Space::Global || !buffer.read_only || !is_plain) return std::nullopt;
  return WindowTap{&statement, let->local, let->value, id, 0};
}

std::vector<Window> find_windows(const ExprArena& arena, const Divisors& divisors, std::span<const WindowCandidate> candidates) {
  std::vector<Row> rows;
  std::vector<WindowCandidate> taps(candidates.begin(), candidates.end());
  for (WindowCandidate& candidate : taps) {
    const ExprId index = arena.args(candidate.tap.load)[0];
    const auto constant = divisors.beyond_runs(index, candidate.axis, candidate.widest);
    if (!constant) continue;
    candidate.tap.offset = *constant;
    const BufferId buffer = arena.get_if<Load>(candidate.tap.load)->buffer;
    auto terms = linear(arena, index)->terms;
    const auto same = [&](const Row& row) { return row.buffer == buffer && row.axis == candidate.axis && row.terms == terms; };
    auto found = std::find_if(rows.begin(), rows.end(), same);
    if (found == rows.end()) found = rows.insert(rows.end(), {buffer, candidate.axis, std::move(terms), {}});
    found->taps.push_back(&candidate);
  }
  std::vector<Window> windows;
  for (Row& row : rows) {
    std::stable_sort(row.taps.begin(), row.taps.end(), [](const auto* a, const auto* b) { return a->tap.offset < b->tap.offset; });
    const int64_t extent = row.taps[0]->extent, widest = row.taps[0]->widest;
    for (std::size_t k = 0; k < row.taps.size();) {
      Window window{row.axis, row.taps[k]->tap.offset, 0, {}, {}};
      // Beyond a gap nothing is read.
      for (; k < row.taps.size(); ++k) {
        const int64_t offset = row.taps[k]->tap.offset;
        if (!window.taps.empty() && (offset > window.end || offset + extent - window.low > kLongest)) break;
        window.taps.push_back(row.taps[k]->tap);
        window.end = offset + extent;
      }
      if (window.end - window.low == extent) continue;
      window.parts = parts_of(window.low, window.end, widest);
      windows.push_back(std::move(window));
    }
  }
  return windows;
}

}  // namespace cdsl::lowering
