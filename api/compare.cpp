#include "api/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace cdsl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool same_float(double a, double b, bool strict) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && (!strict || a != 0 || std::signbit(a) == std::signbit(b));
}

bool same(const Value& a, const Value& b, ScalarType type, bool strict) {
  if (is_complex(type)) return same_float(a.re, b.re, strict) && same_float(a.im, b.im, strict);
  if (is_float(type)) return same_float(a.re, b.re, strict);
  return type == ScalarType::Bool ? (a.i != 0) == (b.i != 0) : a.i == b.i;
}

std::string in_words(const Value& value, ScalarType type) {
  if (is_complex(type)) return fmt::format("{} + {}i", value.re, value.im);
  if (is_float(type)) return fmt::format("{}", value.re);
  if (type == ScalarType::Bool) return value.i != 0 ? "true" : "false";
  if (type == ScalarType::U64) return fmt::format("{}", static_cast<uint64_t>(value.i));
  return fmt::format("{}", value.i);
}

std::string place(const std::string& name, const Array& array, int64_t flat, const Leaf& leaf,
                  int64_t within) {
  std::vector<int64_t> subscripts(array.shape.size());
  for (std::size_t axis = array.shape.size(); axis-- > 0;) {
    subscripts[axis] = flat % array.shape[axis];
    flat /= array.shape[axis];
  }
  std::string text = name;
  if (!subscripts.empty()) text += fmt::format("[{}]", fmt::join(subscripts, ", "));
  if (!leaf.path.empty()) text += "." + leaf.path;
  if (!leaf.extents.empty()) text += fmt::format("[{}]", within);
  return text;
}

/// Error over bound; 0 where a component is exactly right, NaN and infinities included.
double ratio(double got, double wanted, double tolerance) {
  if (same_float(got, wanted, false)) return 0;
  const double error = std::abs(got - wanted);
  return std::isfinite(error) ? error / tolerance : kInfinity;
}

}  // namespace

Comparison& Comparison::operator+=(const Comparison& other) {
  exact += other.exact;
  bounded += other.bounded;
  unjudged += other.unjudged;
  if (wrong == 0 && other.wrong > 0) first = other.first;
  wrong += other.wrong;
  worst = std::max(worst, other.worst);
  return *this;
}

Comparison compare_element(const std::string& name, const Array& actual, const LeafElement& at, const eval::Expected& expected,
                           bool strict) {
  Comparison result;
  const Leaf& leaf = actual.element.leaves[at.leaf];
  const double tolerance = expected.tolerance;
  if (tolerance == kInfinity) {
    result.unjudged = 1;
    return result;
  }
  (tolerance == 0 ? result.exact : result.bounded) = 1;
  const Value got = actual.get(at.flat, at.leaf, at.within);
  // Rounded to its type the reference itself may be off by part of the bound; that says nothing of `got`.
  if (same(got, expected.stored, leaf.type, strict)) return result;
  double error = kInfinity;
  if (tolerance > 0 && is_float(leaf.type)) {
    error = ratio(got.re, expected.value, tolerance);
  } else if (tolerance > 0 && is_complex(leaf.type)) {
    error = std::max(ratio(got.re, expected.value, tolerance), ratio(got.im, expected.imaginary, tolerance));
  } else if (tolerance > 0) {
    error = std::abs(static_cast<double>(got.i) - expected.value) / tolerance;
  }
  result.worst = error;
  if (error <= 1) return result;
  result.wrong = 1;
  result.first = fmt::format("{} is {}, expected {}", place(name, actual, at.flat, leaf, at.within), in_words(got, leaf.type),
                             in_words(expected.stored, leaf.type));
  if (tolerance > 0) result.first += fmt::format(" within {:.3g}", tolerance);
  return result;
}

Comparison compare(const std::string& name, const eval::Output& expected, const Array& actual,
                   bool strict) {
  Comparison result;
  if (actual.shape != expected.array.shape) {
    result.wrong = 1;
    result.worst = kInfinity;
    result.first =
        fmt::format("{} has shape [{}], expected [{}]", name, fmt::join(actual.shape, ", "),
                    fmt::join(expected.array.shape, ", "));
    return result;
  }
  std::size_t cell = 0;
  const int64_t count = actual.count();
  for (int64_t flat = 0; flat < count; ++flat) {
    for (uint32_t k = 0; k < actual.element.leaves.size(); ++k) {
      const Leaf& leaf = actual.element.leaves[k];
      for (int64_t within = 0; within < leaf.count(); ++within, ++cell) {
        const bool has_bound = cell < expected.tolerance.size();
        const eval::Expected wanted{expected.array.get(flat, k, within), has_bound ? expected.value[cell] : 0,
                                    has_bound ? expected.imaginary[cell] : 0, has_bound ? expected.tolerance[cell] : 0};
        result += compare_element(name, actual, {flat, k, within}, wanted, strict);
      }
    }
  }
  return result;
}

}  // namespace cdsl
