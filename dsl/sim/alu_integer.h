// Integer operators of the language on the types of registers (docs/language.md, section 7): wrap,
// total division.
#pragma once

#include <cstdint>
#include <type_traits>

namespace cdsl::sim {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

struct AddOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Unsigned<T>>(x) + static_cast<Unsigned<T>>(y));
    else
      return x + y;
  }
};
struct SubOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Unsigned<T>>(x) - static_cast<Unsigned<T>>(y));
    else
      return x - y;
  }
};
struct MulOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<Unsigned<T>>(x) * static_cast<Unsigned<T>>(y));
    else
      return x * y;
  }
};

/// Both operands fit 32 bits unsigned: a division of half the width, several times faster.
template <class T>
bool is_narrow(T x, T y) {
  if constexpr (sizeof(T) == 8)
    return ((static_cast<uint64_t>(x) | static_cast<uint64_t>(y)) >> 32) == 0;
  else
    return false;
}

struct DivOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      if (y == 0) return 0;
      if (is_narrow(x, y))
        return static_cast<T>(static_cast<uint32_t>(x) / static_cast<uint32_t>(y));
      if constexpr (std::is_signed_v<T>) {
        if (y == -1) return static_cast<T>(0 - static_cast<Unsigned<T>>(x));
      }
    }
    return x / y;
  }
};
struct RemOf {
  template <class T>
  T operator()(T x, T y) const {
    if (y == 0) return x;
    if (is_narrow(x, y)) return static_cast<T>(static_cast<uint32_t>(x) % static_cast<uint32_t>(y));
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return 0;
    }
    return x % y;
  }
};
struct FloorDivOf {
  template <class T>
  T operator()(T x, T y) const {
    const T q = DivOf{}(x, y);
    const T r = RemOf{}(x, y);
    return std::is_signed_v<T> && y != 0 && r != 0 && ((r < 0) != (y < 0)) ? q - 1 : q;
  }
};
struct FloorModOf {
  template <class T>
  T operator()(T x, T y) const {
    const T r = RemOf{}(x, y);
    return std::is_signed_v<T> && y != 0 && r != 0 && ((r < 0) != (y < 0)) ? r + y : r;
  }
};

struct AndOf {
  template <class T>
  T operator()(T x, T y) const {
    return x & y;
  }
};
struct OrOf {
  template <class T>
  T operator()(T x, T y) const {
    return x | y;
  }
};
struct XorOf {
  template <class T>
  T operator()(T x, T y) const {
    return x ^ y;
  }
};

}  // namespace cdsl::sim
