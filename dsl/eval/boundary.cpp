#include "dsl/eval/boundary.h"

#include <algorithm>

namespace cdsl::eval {
namespace {

int64_t floor_mod(int64_t x, int64_t n) {
  const int64_t r = x % n;
  return r < 0 ? r + n : r;
}

}  // namespace

std::optional<int64_t> fold(Boundary boundary, int64_t e, int64_t extent) {
  if (extent <= 0) return std::nullopt;
  switch (boundary) {
    case Boundary::Clamp:
      return std::clamp<int64_t>(e, 0, extent - 1);
    case Boundary::Wrap:
      return floor_mod(e, extent);
    case Boundary::Symmetric: {
      const int64_t p = floor_mod(e, 2 * extent);
      return p < extent ? p : 2 * extent - 1 - p;
    }
    case Boundary::Reflect: {
      if (extent == 1) return 0;
      const int64_t p = floor_mod(e, 2 * extent - 2);
      return p < extent ? p : 2 * extent - 2 - p;
    }
    case Boundary::None: case Boundary::Zero: case Boundary::Fill: case Boundary::Unchecked:
      break;
  }
  if (e < 0 || e >= extent) return std::nullopt;
  return e;
}

}  // namespace cdsl::eval
