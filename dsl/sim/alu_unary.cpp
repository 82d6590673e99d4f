#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "dsl/sim/alu.h"
#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::sim {
namespace {

template <class From, class To, class F, bool Uniform>
const Instruction* map(Warp& warp, const Instruction& i) {
  const From* a = warp.at<From>(i.a);
  To* __restrict d = warp.at<To>(i.d);
  for (int l = 0; l < (Uniform ? 1 : kLanes); ++l) d[l] = F{}(a[l]);
  return &i + 1;
}

template <class From, class To, class F>
Handler map_of(bool uniform) {
  return uniform ? map<From, To, F, true> : map<From, To, F, false>;
}

struct NegOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return -x;
    else
      return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
  }
};
struct AbsOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else
      return x < 0 ? NegOf{}(x) : x;
  }
};
struct SqrtOf {
  template <class T>
  T operator()(T x) const {
    return std::sqrt(x);
  }
};

template <class T>
Handler unary_of(Op op, bool uniform) {
  if (op == Op::Neg) return map_of<T, T, NegOf>(uniform);
  if (op == Op::Abs) return map_of<T, T, AbsOf>(uniform);
  if constexpr (std::is_floating_point_v<T>) {
    if (op == Op::Sqrt) return map_of<T, T, SqrtOf>(uniform);
  }
  return nullptr;
}

const Instruction* invert(Warp& warp, const Instruction& i) {
  *warp.at<uint32_t>(i.d) = ~*warp.at<uint32_t>(i.a);
  return &i + 1;
}

// d = mask a ? b : c, for one component of 4 or 8 bytes and for pairs.
template <class Word, int Components>
const Instruction* select(Warp& warp, const Instruction& i) {
  const uint32_t mask = *warp.at<uint32_t>(i.a);
  const Word* b = warp.at<Word>(i.b);
  const Word* c = warp.at<Word>(i.c);
  Word* __restrict d = warp.at<Word>(i.d);
  for (int part = 0; part < Components; ++part) {
    for (int l = 0; l < kLanes; ++l) {
      const int k = part * kLanes + l;
      const Word choice = Word{0} - static_cast<Word>(mask >> l & 1);
      d[k] = (b[k] & choice) | (c[k] & ~choice);
    }
  }
  return &i + 1;
}

const Instruction* select_mask(Warp& warp, const Instruction& i) {
  const uint32_t mask = *warp.at<uint32_t>(i.a);
  *warp.at<uint32_t>(i.d) = (*warp.at<uint32_t>(i.b) & mask) | (*warp.at<uint32_t>(i.c) & ~mask);
  return &i + 1;
}

template <class Word, int Components, bool Watched>
const Instruction* move(Warp& warp, const Instruction& i) {
  const Word* a = warp.at<Word>(i.a);
  Word* d = warp.at<Word>(i.d);
  if (!Watched && warp.mask == kAllLanes) {
    std::memcpy(d, a, sizeof(Word) * kLanes * Components);
    return &i + 1;
  }
  bool changed = false;
  for (uint32_t left = warp.mask; left != 0; left &= left - 1) {
    for (int k = std::countr_zero(left); k < kLanes * Components; k += kLanes) {
      changed |= d[k] != a[k];
      d[k] = a[k];
    }
  }
  if (Watched && changed) ++warp.changes;
  return &i + 1;
}

template <bool Watched>
const Instruction* move_mask(Warp& warp, const Instruction& i) {
  uint32_t& d = *warp.at<uint32_t>(i.d);
  const uint32_t value = (*warp.at<uint32_t>(i.a) & warp.mask) | (d & ~warp.mask);
  if (Watched && value != d) ++warp.changes;
  d = value;
  return &i + 1;
}

template <class Word, int Components>
const Instruction* broadcast(Warp& warp, const Instruction& i) {
  const Word* a = warp.at<Word>(i.a);
  Word* d = warp.at<Word>(i.d);
  for (int part = 0; part < Components; ++part)
    std::fill(d + part * kLanes, d + (part + 1) * kLanes, a[part]);
  return &i + 1;
}

// By shape: how many words of 4 or 8 bytes a lane has.
template <template <class, int> class Make>
Handler by_shape(Shape shape) {
  switch (shape) {
    case Shape::Word:
    case Shape::Float: return Make<uint32_t, 1>::handler;
    case Shape::LongWord:
    case Shape::Double: return Make<uint64_t, 1>::handler;
    case Shape::FloatPair: return Make<uint32_t, 2>::handler;
    case Shape::DoublePair: return Make<uint64_t, 2>::handler;
    case Shape::Mask: break;
  }
  CDSL_UNREACHABLE("a mask has handlers of its own");
}
template <class Word, int N>
struct MakeSelect {
  static constexpr Handler handler = select<Word, N>;
};
template <class Word, int N>
struct MakeMove {
  static constexpr Handler handler = move<Word, N, false>;
};
template <class Word, int N>
struct MakeWatchedMove {
  static constexpr Handler handler = move<Word, N, true>;
};
template <class Word, int N>
struct MakeBroadcast {
  static constexpr Handler handler = broadcast<Word, N>;
};

}  // namespace

Handler unary_handler(Op op, ScalarType operand, bool uniform) {
  switch (operand) {
    case ScalarType::Bool: return op == Op::LogicalNot || op == Op::BitNot ? invert : nullptr;
    case ScalarType::I32: return unary_of<int32_t>(op, uniform);
    case ScalarType::I64: return unary_of<int64_t>(op, uniform);
    case ScalarType::F32: return unary_of<float>(op, uniform);
    case ScalarType::F64: return unary_of<double>(op, uniform);
    default: return nullptr;
  }
}

Handler select_handler(ScalarType type) {
  return type == ScalarType::Bool ? select_mask : by_shape<MakeSelect>(shape_of(type));
}

Handler broadcast_handler(ScalarType type) {
  return by_shape<MakeBroadcast>(shape_of(type));
}

Handler move_handler(ScalarType type, bool watched) {
  if (type == ScalarType::Bool) return watched ? move_mask<true> : move_mask<false>;
  return watched ? by_shape<MakeWatchedMove>(shape_of(type)) : by_shape<MakeMove>(shape_of(type));
}

const Instruction* apply_generic(Warp& warp, const Instruction& i) {
  const GenericApply& use = warp.code->applies[i.info];
  Value args[3];
  const auto compute = [&](int lane) {
    for (std::size_t k = 0; k < use.args.size(); ++k)
      args[k] = get_lane(warp.registers, use.args[k], lane);
    const Value value = use.op == Op::Cast
                            ? convert(args[0], use.operand, use.result.type)
                            : apply(use.op, use.operand, std::span(args, use.args.size()));
    set_lane(warp.registers, use.result, lane, value);
  };
  if (use.result.uniform) {
    compute(0);
  } else {
    for (uint32_t left = warp.mask; left != 0; left &= left - 1) compute(std::countr_zero(left));
  }
  return &i + 1;
}

}  // namespace cdsl::sim
