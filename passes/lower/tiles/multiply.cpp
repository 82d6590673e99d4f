// TileMultiply: matrix instructions for every tile of the registers. Which register holds which element is not assumed but
// looked up: the coordinates of lane 0's registers against the instruction's own table.
#include <algorithm>
#include <map>

#include "dsl/loop/matrix_fragment.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/collective.h"

namespace cdsl::lowering {

namespace {

using Coordinates = std::pair<int64_t, int64_t>;   // row, column of an operand

/// An operand with the registers of lane 0 by the places that they hold.
struct Side {
  loop::Operand operand;
  SymbolId symbol;
  SymbolId row, column;                            // its axes: m, k or n by what they count
  std::map<Coordinates, int> registers = {};
};

void look_up(LaneScope& scope, Side& side) {
  std::vector<AxisDigit> digits;
  for (SymbolId axis : scope.register_order(side.symbol)) {
    for (const AxisDigit& d : scope.digits_of(axis)) {
      if (d.is_register()) digits.push_back(d);
    }
  }
  const int64_t count = scope.distribution().registers_of(side.symbol);
  for (int64_t number = 0; number < count; ++number) {
    Coordinates place{0, 0};
    int64_t rest = number;
    for (auto d = digits.rbegin(); d != digits.rend(); ++d) {
      (d->axis == side.row ? place.first : place.second) += rest % d->digit.extent * d->digit.weight;
      rest /= d->digit.extent;
    }
    side.registers[place] = static_cast<int>(number);
  }
}

SymbolId common(std::span<const SymbolId> a, std::span<const SymbolId> b) {
  const auto found = std::ranges::find_first_of(a, b);
  CDSL_CHECK(found != a.end(), "operands of a matrix instruction without an axis in common");
  return *found;
}

SymbolId other(std::span<const SymbolId> axes, SymbolId one) { return axes[0] == one ? axes[1] : axes[0]; }

loop::Fragment fragment(LaneScope& scope, const Side& side, loop::MatrixShape shape, int64_t row, int64_t column) {
  loop::Fragment result{*scope.array_of(side.symbol), scope.i32(0), {}};
  const ScalarType type = scope.arena().symbol(side.symbol).type;
  for (int e = 0; e < loop::fragment_elements(side.operand, shape); ++e) {
    const loop::MatrixPlace p = loop::fragment_place(side.operand, shape, type, 0, e);
    result.offsets.push_back(side.registers.at({row + p.row, column + p.column}));
  }
  return result;
}

}  // namespace

void write_multiply(LaneScope& scope, const loop::TileMultiply& multiply) {
  const loop::Distribution& distribution = scope.distribution();
  const auto of_d = distribution.axes_of(multiply.d), of_a = distribution.axes_of(multiply.a),
             of_b = distribution.axes_of(multiply.b);
  const SymbolId m = common(of_d, of_a), k = common(of_a, of_b);
  Side d{loop::Operand::D, multiply.d, m, other(of_d, m)}, a{loop::Operand::A, multiply.a, m, k},
      b{loop::Operand::B, multiply.b, k, other(of_b, k)};
  for (Side* side : {&d, &a, &b}) look_up(scope, *side);
  const loop::MatrixShape shape = multiply.shape;
  // Every k where a tile of a begins, and every place of d where one does.
  for (const auto& [from, unused] : a.registers) {
    if (from.first != 0 || from.second % shape.k != 0) continue;
    for (const auto& [to, register_of_d] : d.registers) {
      if (to.first % shape.m != 0 || to.second % shape.n != 0) continue;
      scope.builder().add_statement(
          {loop::MatrixMultiply{shape, fragment(scope, d, shape, to.first, to.second),
                                fragment(scope, a, shape, to.first, from.second),
                                fragment(scope, b, shape, from.second, to.second), multiply.tf32},
           scope.builder().where()});
    }
  }
}

}  // namespace cdsl::lowering
