// Axes: their factors, and the threads that they name.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "dsl/loop/tile_rules.h"
#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

constexpr int64_t kWarpSize = 32, kMaxExtent = 1 << 20, kMaxVector = 16;

bool is_power_of_two(int64_t n) { return n > 0 && std::has_single_bit(static_cast<uint64_t>(n)); }

int64_t product(const int (&extents)[3]) { return int64_t{extents[0]} * extents[1] * extents[2]; }

/// Sorted by stride, each digit begins where the one below it is full, or above: then all together are one number.
bool overlap(std::vector<Factor> digits) {
  std::erase_if(digits, [](const Factor& f) { return f.extent == 1; });
  std::sort(digits.begin(), digits.end(), [](const Factor& a, const Factor& b) { return a.stride < b.stride; });
  for (std::size_t k = 1; k < digits.size(); ++k) {
    if (digits[k].stride % (digits[k - 1].stride * digits[k - 1].extent) != 0) return true;
  }
  return false;
}

struct AxisRules {
  const Program& program;
  const Kernel& kernel;
  const Fail& fail;

  void check(const TileAxis& axis) const {
    const std::string& name = program.arena.symbol(axis.index).name;
    int64_t extent = 1;
    bool sane = !axis.factors.empty();
    for (const Factor& f : axis.factors) {
      sane &= f.extent >= 1 && f.extent <= kMaxExtent && f.stride >= 1 && f.stride <= kMaxExtent;
      extent = sane ? extent * f.extent : 1;
      sane &= extent <= kMaxExtent;
    }
    if (!sane) return fail(fmt::format("axis {} has no factors, or an extent that is not between 1 and {}", name, kMaxExtent));
    for (std::size_t k = 0; k < axis.factors.size(); ++k) check(name, axis, k);
    for (Level level : {Level::Lane, Level::Warp, Level::Rank}) {
      std::vector<Factor> digits;
      std::copy_if(axis.factors.begin(), axis.factors.end(), std::back_inserter(digits),
                   [&](const Factor& f) { return f.level == level; });
      if (overlap(std::move(digits))) fail(fmt::format("two {} digits of axis {} overlap", name_of(level), name));
    }
    const bool has_warps = std::any_of(axis.factors.begin(), axis.factors.end(),
                                       [](const Factor& f) { return f.level == Level::Warp; });
    if (axis.first_warp < 0 || (axis.first_warp > 0 && !has_warps))
      fail(fmt::format("axis {} counts from a warp, but has no warp digits", name));
  }

  void check(const std::string& name, const TileAxis& axis, std::size_t k) const {
    const Factor& f = axis.factors[k];
    const int64_t end = f.extent * f.stride;
    switch (f.level) {
      case Level::Register:
        if (f.stride != 1) fail(fmt::format("a reg digit of axis {} has a stride", name));
        break;
      case Level::Vector:
        if (k + 1 != axis.factors.size()) fail(fmt::format("vec is not the innermost factor of axis {}", name));
        if (f.stride != 1 || !is_power_of_two(f.extent) || f.extent > kMaxVector)
          fail(fmt::format("a vec digit of axis {} is no power of two of at most {}, or has a stride", name, kMaxVector));
        break;
      case Level::Lane:
        if (!is_power_of_two(f.extent) || !is_power_of_two(f.stride) || end > kWarpSize)
          fail(fmt::format("a lane digit of axis {} is no power of two within {} lanes", name, kWarpSize));
        break;
      case Level::Warp:
        if (axis.first_warp + end > product(kernel.block) / kWarpSize)
          fail(fmt::format("axis {} needs {} warps, the block has {}", name, axis.first_warp + end,
                           product(kernel.block) / kWarpSize));
        break;
      case Level::Rank:
        if (end > product(kernel.cluster))
          fail(fmt::format("axis {} needs {} blocks of a cluster, which has {}", name, end, product(kernel.cluster)));
        break;
    }
  }
};

}  // namespace

void check_axes(const Program& program, const Kernel& kernel, const Fail& fail) {
  if (product(kernel.block) % kWarpSize != 0)
    return fail(fmt::format("tile form in a block of {} threads, no multiple of {}", product(kernel.block), kWarpSize));
  for_each_statement(kernel.body, [&](const Statement& statement) {
    if (const auto* axis = std::get_if<TileAxis>(&statement.node)) AxisRules{program, kernel, fail}.check(*axis);
  });
}

bool digits_overlap(const Distribution& d, std::span<const SymbolId> axes, Level level) {
  std::vector<Factor> all;
  for (SymbolId axis : axes) {
    for (const Digit& digit : d.digits(axis, level)) all.push_back({level, digit.extent, digit.stride});
  }
  return overlap(std::move(all));
}

int64_t place_span(const Distribution& d, std::span<const SymbolId> axes, Level level) {
  int64_t span = 1;
  for (SymbolId axis : axes) {
    for (const Digit& digit : d.digits(axis, level)) {
      if (digit.extent > 1) span = std::max(span, digit.stride * digit.extent);
    }
  }
  return span;
}

}  // namespace cdsl::loop
