#include <cmath>
#include <limits>

#include "dsl/sim/alu.h"
#include "dsl/sim/alu_integer.h"

namespace cdsl::sim {
namespace {

struct MinOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
      if (x == y) return std::signbit(x) ? x : y;
      return x < y ? x : y;
    }
    return y < x ? y : x;
  }
};
struct MaxOf {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
      if (x == y) return std::signbit(x) ? y : x;
      return x > y ? x : y;
    }
    return x < y ? y : x;
  }
};

template <class T, class F, bool UniformA, bool UniformB>
const Instruction* binary(Warp& warp, const Instruction& i) {
  const T* a = warp.at<T>(i.a);
  const T* b = warp.at<T>(i.b);
  T* __restrict d = warp.at<T>(i.d);
  if constexpr (UniformA && UniformB) {
    *d = F{}(*a, *b);
  } else {
    for (int l = 0; l < kLanes; ++l) d[l] = F{}(a[UniformA ? 0 : l], b[UniformB ? 0 : l]);
  }
  return &i + 1;
}

template <class T, class F>
Handler binary_of(bool a, bool b) {
  if (a) return b ? binary<T, F, true, true> : binary<T, F, true, false>;
  return b ? binary<T, F, false, true> : binary<T, F, false, false>;
}

/// Eight flags of a byte each, 0 or 1, to eight bits.
uint32_t pack(uint64_t flags) {
  return static_cast<uint32_t>(flags * 0x0102040810204080ull >> 56);
}

struct LtOf {
  template <class T>
  bool operator()(T x, T y) const {
    return x < y;
  }
};
struct LeOf {
  template <class T>
  bool operator()(T x, T y) const {
    return x <= y;
  }
};
struct EqOf {
  template <class T>
  bool operator()(T x, T y) const {
    return x == y;
  }
};
struct NeOf {
  template <class T>
  bool operator()(T x, T y) const {
    return x != y;
  }
};
template <class F>
struct Swapped {
  template <class T>
  bool operator()(T x, T y) const {
    return F{}(y, x);
  }
};

template <class T, class F, bool UniformA, bool UniformB>
const Instruction* compare(Warp& warp, const Instruction& i) {
  const T* a = warp.at<T>(i.a);
  const T* b = warp.at<T>(i.b);
  uint32_t mask = 0;
  if constexpr (UniformA && UniformB) {
    mask = F{}(*a, *b) ? kAllLanes : 0;
  } else {
    alignas(8) uint8_t flags[kLanes];
    for (int l = 0; l < kLanes; ++l) flags[l] = F{}(a[UniformA ? 0 : l], b[UniformB ? 0 : l]);
    for (int k = 0; k < kLanes; k += 8) {
      uint64_t eight;
      std::memcpy(&eight, flags + k, 8);
      mask |= pack(eight) << k;
    }
  }
  *warp.at<uint32_t>(i.d) = mask;
  return &i + 1;
}

template <class T, class F>
Handler compare_of(bool a, bool b) {
  if (a) return b ? compare<T, F, true, true> : compare<T, F, true, false>;
  return b ? compare<T, F, false, true> : compare<T, F, false, false>;
}

template <class F>
const Instruction* logic(Warp& warp, const Instruction& i) {
  *warp.at<uint32_t>(i.d) = F{}(*warp.at<uint32_t>(i.a), *warp.at<uint32_t>(i.b));
  return &i + 1;
}
struct SameOf {
  uint32_t operator()(uint32_t x, uint32_t y) const { return ~(x ^ y); }
};

Handler logic_handler(Op op) {
  switch (op) {
    case Op::And:
    case Op::LogicalAnd:
    case Op::Min: return logic<AndOf>;
    case Op::Or:
    case Op::LogicalOr:
    case Op::Max: return logic<OrOf>;
    case Op::Xor:
    case Op::Ne: return logic<XorOf>;
    case Op::Eq: return logic<SameOf>;
    default: return nullptr;
  }
}

template <class T>
Handler shared_handler(Op op, bool a, bool b) {
  switch (op) {
    case Op::Add: return binary_of<T, AddOf>(a, b);
    case Op::Sub: return binary_of<T, SubOf>(a, b);
    case Op::Mul: return binary_of<T, MulOf>(a, b);
    case Op::Div: return binary_of<T, DivOf>(a, b);
    case Op::Min: return binary_of<T, MinOf>(a, b);
    case Op::Max: return binary_of<T, MaxOf>(a, b);
    case Op::Lt: return compare_of<T, LtOf>(a, b);
    case Op::Le: return compare_of<T, LeOf>(a, b);
    case Op::Gt: return compare_of<T, Swapped<LtOf>>(a, b);
    case Op::Ge: return compare_of<T, Swapped<LeOf>>(a, b);
    case Op::Eq: return compare_of<T, EqOf>(a, b);
    case Op::Ne: return compare_of<T, NeOf>(a, b);
    default: return nullptr;
  }
}

template <class T>
Handler integer_handler(Op op, bool a, bool b) {
  switch (op) {
    case Op::Rem: return binary_of<T, RemOf>(a, b);
    case Op::FloorDiv: return binary_of<T, FloorDivOf>(a, b);
    case Op::FloorMod: return binary_of<T, FloorModOf>(a, b);
    case Op::And: return binary_of<T, AndOf>(a, b);
    case Op::Or: return binary_of<T, OrOf>(a, b);
    case Op::Xor: return binary_of<T, XorOf>(a, b);
    default: return shared_handler<T>(op, a, b);
  }
}

}  // namespace

Handler binary_handler(Op op, ScalarType operand, bool a_uniform, bool b_uniform) {
  switch (operand) {
    case ScalarType::Bool: return logic_handler(op);
    case ScalarType::I32: return integer_handler<int32_t>(op, a_uniform, b_uniform);
    case ScalarType::U32: return integer_handler<uint32_t>(op, a_uniform, b_uniform);
    case ScalarType::I64: return integer_handler<int64_t>(op, a_uniform, b_uniform);
    case ScalarType::U64: return integer_handler<uint64_t>(op, a_uniform, b_uniform);
    case ScalarType::F32: return shared_handler<float>(op, a_uniform, b_uniform);
    case ScalarType::F64: return shared_handler<double>(op, a_uniform, b_uniform);
    default: return nullptr;
  }
}

}  // namespace cdsl::sim
