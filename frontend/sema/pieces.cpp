#include "frontend/sema/pieces.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "dsl/expr/integer.h"

namespace cdsl::sema {
namespace {

using Span = std::pair<std::int64_t, std::int64_t>;
using Box = std::vector<Span>;

// The part as a box, where it is one: each subscript a constant, or an index of its own.
std::optional<Box> as_box(const Analysis& a, const DefinedPart& part) {
  if (!part.loops.empty() || !part.conditions.empty() || part.is_vouched) return std::nullopt;
  Box box;
  std::size_t indices = 0;
  for (std::size_t axis = 0; axis < part.subscripts.size(); ++axis) {
    const ExprId subscript = part.subscripts[axis];
    const auto first = part.subscripts.begin();
    const bool is_index = a.fn.arena.get_if<Symbol>(subscript) != nullptr;
    if (is_index && std::count(first, part.subscripts.end(), subscript) != 1) return std::nullopt;
    const auto span = constant_span(a, part, axis);
    if (!span) return std::nullopt;
    indices += is_index ? 1 : 0;
    box.push_back(*span);
  }
  if (indices != part.axes.size()) return std::nullopt;
  return box;
}

// Joins what differs on one axis alone and leaves no gap there.
std::vector<Box> joined_along(std::vector<Box> boxes, std::size_t axis) {
  std::map<Box, std::vector<Span>> rows;
  for (Box& box : boxes) {
    const Span span = std::exchange(box[axis], {});
    rows[std::move(box)].push_back(span);
  }
  std::vector<Box> result;
  for (auto& [rest, spans] : rows) {
    std::sort(spans.begin(), spans.end());
    Span open = spans.front();
    const auto close = [&, &others = rest] {
      result.push_back(others);
      result.back()[axis] = open;
    };
    for (const Span& span : spans) {
      if (span.first <= open.second) {
        open.second = std::max(open.second, span.second);
        continue;
      }
      close();
      open = span;
    }
    close();
  }
  return result;
}

DefinedPart as_part(Analysis& a, const Box& box, SourceRange where) {
  DefinedPart part;
  part.where = where;
  for (const auto& [lo, hi] : box) {
    const SymbolId index = a.arena().add_symbol("i", SymbolKind::Index);
    part.axes.push_back({index, a.arena().integer(lo), a.arena().integer(hi)});
    part.subscripts.push_back(a.arena().symbol_ref(index));
  }
  return part;
}

}  // namespace

std::optional<Span> constant_span(const Analysis& a, const DefinedPart& part, std::size_t axis) {
  const ExprArena& arena = a.fn.arena;
  const ExprId subscript = part.subscripts[axis];
  if (const auto value = constant_integer(arena, subscript)) {
    if (*value == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    return Span{*value, *value + 1};
  }
  const auto* symbol = arena.get_if<Symbol>(subscript);
  if (symbol == nullptr) return std::nullopt;
  const auto own = std::find_if(part.axes.begin(), part.axes.end(),
                                [&](const Axis& a) { return a.index == symbol->symbol; });
  if (own == part.axes.end()) return std::nullopt;
  const auto lo = constant_integer(arena, own->lo), hi = constant_integer(arena, own->hi);
  return lo && hi ? std::optional(Span{*lo, std::max(*lo, *hi)}) : std::nullopt;
}

std::vector<DefinedPart> joined(Analysis& a, const std::vector<DefinedPart>& parts) {
  std::vector<DefinedPart> result;
  std::vector<Box> boxes;
  for (const DefinedPart& part : parts) {
    const auto box = as_box(a, part);
    const auto is_empty = [](const Span& span) { return span.first == span.second; };
    if (!box || box->empty()) {
      result.push_back(part);
    } else if (std::none_of(box->begin(), box->end(), is_empty)) {
      boxes.push_back(*box);
    }
  }
  if (boxes.empty()) return result;
  for (std::size_t before = 0; before != boxes.size();) {
    before = boxes.size();
    for (std::size_t axis = 0; axis < boxes[0].size(); ++axis)
      boxes = joined_along(std::move(boxes), axis);
  }
  for (const Box& box : boxes) result.push_back(as_part(a, box, parts.back().where));
  return result;
}

}  // namespace cdsl::sema
