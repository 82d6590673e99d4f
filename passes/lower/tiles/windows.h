// Windows: what neighbours along a vector digit read of one row is loaded once, in accesses as wide as may be. The taps
// x[i, j - 1], x[i, j], x[i, j + 1] of four points are six elements: one vector, and one element at each end.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "passes/lower/tiles/divisors.h"

namespace cdsl::lowering {

struct RegisterLoop;

/// A Let whose value is the Load of an element of the window, or a cast of it.
struct WindowTap {
  const loop::Statement* statement = nullptr;
  SymbolId local;
  ExprId value, load;
  int64_t offset = 0;                  // of its element at the vector's first point
};

/// One access that fills part of a window.
struct WindowPart {
  int64_t first = 0, width = 1;        // elements; `width` divides `first`
};

/// Elements [low, end) of a row, counted so that multiples of a vector's width may be vectors. The taps lie in one block, in order.
struct Window {
  SymbolId axis;
  int64_t low = 0, end = 0;
  std::vector<WindowTap> taps;
  std::vector<WindowPart> parts;
};

/// A statement that may be a tap, with the loop over its vector digit.
struct WindowCandidate {
  WindowTap tap;
  SymbolId axis;
  int64_t extent = 1, widest = 1;      // points of the vector digit; elements of an access that its memory is aligned for
};

/// The windows with at least two different taps.
std::vector<Window> find_windows(const ExprArena& arena, const Divisors& divisors, std::span<const WindowCandidate> candidates);

/// The load of a tap, of global memory that the kernel only reads.
std::optional<WindowTap> window_tap(const loop::Program& program, const loop::Statement& statement);

}  // namespace cdsl::lowering
