// TileMultiply: matrix instructions for every tile of the registers. Which register holds which element is not assumed but
// looked up: the coordinates of lane 0's registers against the instruction's own table.
#include <map>

#include "dsl/loop/matrix_fragment.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

namespace {

using Coordinates = std::pair<int64_t, int64_t>;   // row, column of an operand

// The register of lane 0 that holds each of its elements.
std::map<Coordinates, int> registers_by_place(const loop::Distribution& d, SymbolId row, SymbolId column) {
  std::map<Coordinates, int> result;
  const SymbolId axes[] = {row, column};
  const bool in_order = d.axes().size() > 0;
  CDSL_CHECK(in_order, "axes");
  std::vector<std::pair<int, loop::Digit>> digits;
  // Registers count by axes in the order of their declarations.
  for (SymbolId axis : d.axes()) {
    for (int side = 0; side < 2; ++side) {
      if (axes[side] != axis) continue;
      for (const loop::Digit& digit : d.register_digits(axis)) digits.push_back({side, digit});
    }
  }
  int64_t count = 1;
  for (const auto& [side, digit] : digits) count *= digit.extent;
  for (int64_t r = 0; r < count; ++r) {
    Coordinates place{0, 0};
    int64_t rest = r;
    for (std::size_t k = digits.size(); k-- > 0;) {
      const int64_t value = rest % digits[k].second.extent;
      rest /= digits[k].second.extent;
      (digits[k].first == 0 ? place.first : place.second) += value * digits[k].second.weight;
    }
    result[place] = static_cast<int>(r);
  }
  return result;
}

}  // namespace

void LaneWriter::write(const loop::TileMultiply& multiply) {
  const auto axes = [&](SymbolId symbol, SymbolId shared_with, bool shared_is_row) {
    const auto all = distribution_.axes_of(symbol);
    CDSL_CHECK(all.size() == 2, "an operand of a matrix instruction has two axes");
    // Roles follow from the lanes: the verifier has checked that one order fits.
    (void)shared_with, (void)shared_is_row;
    return std::pair(all[0], all[1]);
  };
  struct Side {
    loop::Operand operand;
    SymbolId symbol;
    int rows, columns;
  };
  const loop::MatrixShape shape = multiply.shape;
  const Side sides[] = {{loop::Operand::D, multiply.d, shape.m, shape.n},
                        {loop::Operand::A, multiply.a, shape.m, shape.k},
                        {loop::Operand::B, multiply.b, shape.k, shape.n}};
  std::map<Coordinates, int> registers[3];
  for (int s = 0; s < 3; ++s) {
    auto [first, second] = axes(sides[s].symbol, {}, true);
    const ScalarType type = arena_.symbol(sides[s].symbol).type;
    const auto holds = [&](const std::map<Coordinates, int>& map) {
      for (int e = 0; e < loop::fragment_elements(sides[s].operand, shape); ++e) {
        const loop::MatrixPlace p = loop::fragment_place(sides[s].operand, shape, type, 0, e);
        if (!map.contains({p.row, p.column})) return false;
      }
      return true;
    };
    registers[s] = registers_by_place(distribution_, first, second);
    if (!holds(registers[s])) registers[s] = registers_by_place(distribution_, second, first);
    CDSL_CHECK(holds(registers[s]), "registers that do not fit the matrix instruction");
  }
  const auto fragment = [&](int s, int64_t row, int64_t column) {
    loop::Fragment result{buffers_.at(sides[s].symbol), i64(0), {}};
    const ScalarType type = arena_.symbol(sides[s].symbol).type;
    for (int e = 0; e < loop::fragment_elements(sides[s].operand, shape); ++e) {
      const loop::MatrixPlace p = loop::fragment_place(sides[s].operand, shape, type, 0, e);
      result.offsets.push_back(registers[s].at({row + p.row, column + p.column}));
    }
    return result;
  };
  // Every place of d where a tile begins, and every k where one of a does.
  for (const auto& [a_place, a_register] : registers[1]) {
    if (a_place.first != 0 || a_place.second % shape.k != 0) continue;
    for (const auto& [place, d_register] : registers[0]) {
      if (place.first % shape.m != 0 || place.second % shape.n != 0) continue;
      builder_.add_statement({loop::MatrixMultiply{shape, fragment(0, place.first, place.second),
                                                   fragment(1, place.first, a_place.second),
                                                   fragment(2, a_place.second, place.second), multiply.tf32},
                              builder_.where()});
    }
  }
}

}  // namespace cdsl::lowering
