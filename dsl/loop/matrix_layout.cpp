#include "dsl/loop/matrix_layout.h"

#include <algorithm>

namespace cdsl::loop {
namespace {

constexpr int64_t kLanesOfRow = 4;    // lane / 4 is the row of a, the column of b; lane % 4 runs along the other

bool is_register(Level level) { return level == Level::Register || level == Level::Vector; }

bool is_f8(ScalarType type) { return type == ScalarType::F8E4M3 || type == ScalarType::F8E5M2; }
bool is_i8(ScalarType type) { return type == ScalarType::I8 || type == ScalarType::U8; }

/// The values of k that instructions with 16 rows have for these types, in ascending order.
std::vector<int> depths(ScalarType d, ScalarType a, ScalarType b, bool tf32) {
  if (tf32) return a == ScalarType::F32 && a == b && a == d ? std::vector<int>{4, 8} : std::vector<int>{};
  const bool is_16_bit = a == b && (a == ScalarType::F16 || a == ScalarType::BF16);
  if (is_16_bit && d == ScalarType::F32) return {8, 16};
  if (is_f8(a) && is_f8(b) && d == ScalarType::F32) return {32};
  if (is_i8(a) && is_i8(b) && d == ScalarType::I32) return {16, 32};
  return {};
}

void add_register(std::vector<Factor>& factors, int64_t extent) {
  if (extent > 1) factors.push_back({Level::Register, extent, 1});
}

}  // namespace

std::optional<MatrixLayout> matrix_layout(MatrixShape shape, ScalarType d, ScalarType a, ScalarType b, bool tf32) {
  const bool is_f64 = a == ScalarType::F64 && a == b && a == d && !tf32;
  const std::vector<int> legal = depths(d, a, b, tf32);
  const bool good = is_f64 ? shape == MatrixShape{8, 8, 4}
                           : shape.m == 16 && shape.n == 8 &&
                                 std::find(legal.begin(), legal.end(), shape.k) != legal.end();
  if (!good) return std::nullopt;
  const Factor row{Level::Lane, 8, kLanesOfRow}, along{Level::Lane, kLanesOfRow, 1};
  // Elements of one 32-bit register are neighbours along k.
  const int64_t packed = std::max<int64_t>(4 / static_cast<int64_t>(size_of(a)), 1);
  MatrixLayout layout;
  add_register(layout.m, shape.m / 8);
  layout.m.push_back(row);
  layout.n = {along, {Level::Register, 2, 1}};
  add_register(layout.k, shape.k / (kLanesOfRow * packed));
  layout.k.push_back(along);
  add_register(layout.k, packed);
  layout.column = {row};
  return layout;
}

std::optional<std::vector<Digit>> outer_digits(std::span<const Digit> digits, const std::vector<Factor>& inner) {
  std::vector<Digit> rest;
  for (const Digit& digit : digits) {
    if (digit.extent == 1) continue;
    if (!rest.empty() && is_register(rest.back().level) && is_register(digit.level)) {
      rest.back().extent *= digit.extent;
      rest.back().weight = digit.weight;
    } else {
      rest.push_back(digit);
      if (is_register(digit.level)) rest.back().level = Level::Register;
    }
  }
  for (auto factor = inner.rbegin(); factor != inner.rend(); ++factor) {
    if (rest.empty()) return std::nullopt;
    Digit& last = rest.back();
    const bool by_registers = is_register(factor->level);
    const bool fits = by_registers ? is_register(last.level) && last.extent % factor->extent == 0
                                   : last.level == factor->level && last.extent == factor->extent &&
                                         last.stride == factor->stride;
    if (!fits) return std::nullopt;
    last.extent /= factor->extent;
    last.weight *= factor->extent;
    if (last.extent == 1) rest.pop_back();
  }
  return rest;
}

}  // namespace cdsl::loop
