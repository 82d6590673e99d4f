#include "api/test_values.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "dsl/types/arithmetic.h"

namespace cdsl {
namespace {

/// Small integers reach this far from 0, the extremes at the ends of axes a few further. Every type
/// holds them exactly.
int64_t small_range(ScalarType type) {
  switch (type) {
    case ScalarType::F8E5M2: return 3;
    case ScalarType::F8E4M3: return 7;
    case ScalarType::I8:
    case ScalarType::U8: return 9;
    default: return 15;
  }
}

bool has_sign(ScalarType type) {
  return is_signed_integer(type) || is_float(type) || is_complex(type);
}

/// How many axes (of more than one element) the element stands at the first, at the last place of.
struct Ends {
  int first = 0, last = 0;
};

class EndsOfElements {
 public:
  /// From element `flat` on.
  EndsOfElements(const std::vector<int64_t>& shape, int64_t flat)
      : shape_(shape), at_(shape.size(), 0) {
    for (std::size_t axis = shape.size(); axis-- > 0 && flat > 0;) {
      at_[axis] = flat % shape[axis];
      flat /= shape[axis];
    }
  }
  Ends next() {
    Ends ends;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      if (shape_[axis] < 2) continue;
      ends.first += at_[axis] == 0;
      ends.last += at_[axis] == shape_[axis] - 1;
    }
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      if (++at_[axis] < shape_[axis]) break;
      at_[axis] = 0;
    }
    return ends;
  }

 private:
  const std::vector<int64_t>& shape_;
  std::vector<int64_t> at_;
};

// Never 0, so that a dropped term shows; the greatest at the ends of axes, so that a dropped end
// shows in min and max.
int64_t exact_integer(ScalarType type, Ends ends, bool last_is_least, uint64_t bits) {
  const int64_t range = small_range(type);
  const int high = last_is_least ? ends.first : ends.last,
            low = last_is_least ? ends.last : ends.first;
  if (high > 0 && high >= low) return range + high;
  if (low > 0) return has_sign(type) ? -range - low : 0;
  const auto magnitude = static_cast<int64_t>(bits % static_cast<uint64_t>(range)) + 1;
  return has_sign(type) && (bits >> 32) % 2 == 1 ? -magnitude : magnitude;
}

Value exact_value(ScalarType type, Ends ends, bool last_is_least, uint64_t bits) {
  if (type == ScalarType::Bool) {
    const bool rare = (ends.last > 0) != (bits % 64 == 0);
    return Value::of_bool(rare != last_is_least);
  }
  const int64_t number = exact_integer(type, ends, last_is_least, bits);
  if (is_integer(type)) return Value::of_int(number);
  if (is_complex(type))
    return Value::of_complex(static_cast<double>(number),
                             static_cast<double>((bits >> 40) % 7) - 3);
  return Value::of_float(static_cast<double>(number));
}

double unit(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

Value random_value(ScalarType type, uint64_t bits) {
  if (type == ScalarType::Bool) return Value::of_bool(bits % 2 == 1);
  if (is_integer(type)) {
    // Mostly moderate, sometimes of any magnitude, so that wrapping is met.
    const bool any = size_of(type) < 4 || bits % 4 == 0;
    const auto wide = static_cast<int64_t>(mix(bits, 7));
    const int64_t moderate = static_cast<int64_t>((bits >> 8) % 2001) - (has_sign(type) ? 1000 : 0);
    return round_to(Value::of_int(any ? wide : moderate), type);
  }
  const double re = 4 * unit(bits) - 2;
  if (is_complex(type)) return round_to(Value::of_complex(re, 4 * unit(mix(bits, 3)) - 2), type);
  return Value::of_float(re);  // rounded when it is stored
}

/// The values at which arithmetic turns.
double edge_float(ScalarType type, bool finite, uint64_t bits) {
  const bool wide = type == ScalarType::F64 || type == ScalarType::C128;
  // Of f32; what a narrower type cannot hold rounds to its zeros and infinities, which are edges as well.
  const double table[] = {0.0,
                          -0.0,
                          1.0,
                          -1.0,
                          wide ? 0x1p-1074 : 0x1p-149,
                          wide ? -0x1p-1023 : -0x1p-127,
                          wide ? 0x1p-1022 : 0x1p-126,
                          0x1p-24,
                          -0x1p-15,
                          1.0 + 0x1p-23,
                          16777217.0,
                          -2147483649.0,
                          65504.0,
                          wide ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max(),
                          wide ? -std::numeric_limits<double>::max() : -std::numeric_limits<float>::max(),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
  constexpr uint64_t kFinite = 13;  // before the greatest ones, whose sums are infinite
  return table[bits % (finite ? kFinite : std::size(table))];
}

int64_t edge_integer(ScalarType type, uint64_t bits) {
  const int width = size_of(type) * 8;
  const int64_t top = static_cast<int64_t>(uint64_t{1} << (width - 1));
  const int64_t table[] = {0, 1, -1, 2, top, top - 1, top + 1, -2, int64_t{1} << (width / 2)};
  return round_to(Value::of_int(table[bits % std::size(table)]), type).i;
}

/// `stream` says how many of an array's elements are edges.
Value edge_value(ScalarType type, uint64_t stream, uint64_t bits) {
  const uint64_t habit = mix(stream, 77) % 4;
  const uint64_t sparse = habit == 0 ? 64 : habit == 1 ? 16 : 2;
  if (type == ScalarType::Bool || mix(bits, 11) % sparse != 0) return random_value(type, bits);
  const uint64_t chosen = mix(bits, 13);
  if (is_integer(type)) return Value::of_int(edge_integer(type, chosen));
  const double re = edge_float(type, habit == 3, chosen);
  if (is_complex(type)) return round_to(Value::of_complex(re, edge_float(type, habit == 3, mix(bits, 17))), type);
  return Value::of_float(re);
}

Value negative_value(ScalarType type, uint64_t bits) {
  if (type == ScalarType::Bool) return Value::of_bool(false);
  if (is_integer(type)) {
    const auto magnitude = static_cast<int64_t>(bits >> 8) % (size_of(type) == 1 ? 100 : 1000) + 1;
    return Value::of_int(has_sign(type) ? -std::abs(magnitude) : std::abs(magnitude));
  }
  const double re = -0.25 - 2 * unit(bits);
  if (is_complex(type)) return round_to(Value::of_complex(re, -0.25 - 2 * unit(mix(bits, 3))), type);
  return Value::of_float(re);
}

/// body(first, last) over parts of 0..count, on all processors where that is worth a thread.
void in_parts(int64_t count, const std::function<void(int64_t, int64_t)>& body) {
  constexpr int64_t kLeast = 1 << 20;
  const int64_t parts = std::clamp<int64_t>(count / kLeast, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (int64_t part = 1; part < parts; ++part)
    threads.emplace_back(body, count / parts * part, part + 1 == parts ? count : count / parts * (part + 1));
  body(0, parts == 1 ? count : count / parts);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

// Source: SplitMix64, Steele, Lea and Flood 2014.
uint64_t mix(uint64_t seed, uint64_t number) {
  uint64_t z =
      seed * 0x9E3779B97F4A7C15ull + number * 0xD1B54A32D192ED03ull + 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

Value scalar_value(ScalarType type, const DataOptions& options, uint64_t bits) {
  if (type == ScalarType::Bool) return Value::of_bool(bits % 2 == 1);
  const auto small = static_cast<int64_t>(bits % 2) + 2;
  if (is_integer(type)) return Value::of_int(small);
  if (options.kind == DataOptions::Kind::Exact) {
    return is_complex(type) ? Value::of_complex(static_cast<double>(small), -1)
                            : Value::of_float(static_cast<double>(small));
  }
  const double re = 0.25 + unit(bits);
  return round_to(
      is_complex(type) ? Value::of_complex(re, unit(mix(bits, 3))) : Value::of_float(re), type);
}

namespace {

Value made_value(ScalarType type, const DataOptions& options, Ends ends, uint64_t stream, uint64_t bits) {
  switch (options.kind) {
    case DataOptions::Kind::Exact: return exact_value(type, ends, options.last_is_least, bits);
    case DataOptions::Kind::Edges: return edge_value(type, stream, bits);
    case DataOptions::Kind::Negative: return negative_value(type, bits);
    case DataOptions::Kind::Random: break;
  }
  return random_value(type, bits);
}

}  // namespace

void fill_values(Array& array, uint32_t leaf, const DataOptions& options, uint64_t stream) {
  const ScalarType type = array.element.leaves[leaf].type;
  const int64_t positions = array.element.leaves[leaf].count();
  in_parts(array.count(), [&](int64_t first, int64_t last) {
    EndsOfElements ends(array.shape, first);
    for (int64_t flat = first; flat < last; ++flat) {
      const Ends here = ends.next();
      for (int64_t within = 0; within < positions; ++within) {
        const uint64_t bits = mix(stream, static_cast<uint64_t>(flat * positions + within));
        array.set(flat, made_value(type, options, here, stream, bits), leaf, within);
      }
    }
  });
}

void fill_indices(Array& array, uint32_t leaf, int64_t limit, bool is_bound, uint64_t stream) {
  const int64_t count = array.count(), positions = array.element.leaves[leaf].count();
  const int64_t row = array.shape.empty() ? 1 : std::max<int64_t>(array.shape.back(), 1);
  limit = std::max<int64_t>(limit, 0);
  // What the type cannot hold would wrap to somewhere else.
  const ScalarType type = array.element.leaves[leaf].type;
  while (limit > 0 && round_to(Value::of_int(limit), type).i != limit) limit /= 2;
  for (int64_t flat = 0; flat < count; ++flat) {
    for (int64_t within = 0; within < positions; ++within) {
      const uint64_t bits = mix(stream, static_cast<uint64_t>(flat * positions + within));
      int64_t value = limit > 0 ? static_cast<int64_t>(bits % static_cast<uint64_t>(limit)) : 0;
      if (is_bound) {
        const int64_t place = flat % row;
        const double step = row > 1 ? static_cast<double>(limit) / static_cast<double>(row - 1) : 0;
        const double jitter = place == 0 || place == row - 1 ? 0 : unit(bits) - 0.5;
        value = std::clamp<int64_t>(
            static_cast<int64_t>((static_cast<double>(place) + jitter) * step + 0.5), 0, limit);
        if (row == 1) value = limit;
      }
      array.set(flat, Value::of_int(value), leaf, within);
    }
  }
}

}  // namespace cdsl
