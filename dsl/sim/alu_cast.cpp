#include <utility>

#include "dsl/sim/alu.h"

namespace cdsl::sim {
namespace {

// What a register lane of a type is, and the type whose range it has.
template <ScalarType>
struct Lane;
#define CDSL_LANE(name, word, number) \
  template <>                         \
  struct Lane<ScalarType::name> {     \
    using Word = word;                \
    using Number = number;            \
  };
CDSL_LANE(I8, int32_t, int8_t)
CDSL_LANE(I16, int32_t, int16_t)
CDSL_LANE(I32, int32_t, int32_t)
CDSL_LANE(I64, int64_t, int64_t)
CDSL_LANE(U8, int32_t, uint8_t)
CDSL_LANE(U16, int32_t, uint16_t)
CDSL_LANE(U32, uint32_t, uint32_t)
CDSL_LANE(U64, uint64_t, uint64_t)
CDSL_LANE(F32, float, float)
CDSL_LANE(F64, double, double)
#undef CDSL_LANE

template <ScalarType From, ScalarType To, bool Uniform>
const Instruction* cast(Warp& warp, const Instruction& i) {
  using Target = Lane<To>;
  const auto* a = warp.at<typename Lane<From>::Word>(i.a);
  auto* __restrict d = warp.at<typename Target::Word>(i.d);
  for (int l = 0; l < (Uniform ? 1 : kLanes); ++l) {
    d[l] = static_cast<typename Target::Word>(static_cast<typename Target::Number>(a[l]));
  }
  return &i + 1;
}

template <ScalarType From, ScalarType To>
Handler cast_of(bool uniform) {
  return uniform ? cast<From, To, true> : cast<From, To, false>;
}

template <ScalarType From>
Handler from_integer(ScalarType to, bool uniform) {
  switch (to) {
    case ScalarType::I8: return cast_of<From, ScalarType::I8>(uniform);
    case ScalarType::I16: return cast_of<From, ScalarType::I16>(uniform);
    case ScalarType::I32: return cast_of<From, ScalarType::I32>(uniform);
    case ScalarType::I64: return cast_of<From, ScalarType::I64>(uniform);
    case ScalarType::U8: return cast_of<From, ScalarType::U8>(uniform);
    case ScalarType::U16: return cast_of<From, ScalarType::U16>(uniform);
    case ScalarType::U32: return cast_of<From, ScalarType::U32>(uniform);
    case ScalarType::U64: return cast_of<From, ScalarType::U64>(uniform);
    case ScalarType::F32: return cast_of<From, ScalarType::F32>(uniform);
    case ScalarType::F64: return cast_of<From, ScalarType::F64>(uniform);
    default: return nullptr;
  }
}

// A mask to a number in each lane.
template <class Word>
const Instruction* expand(Warp& warp, const Instruction& i) {
  const uint32_t mask = *warp.at<uint32_t>(i.a);
  Word* d = warp.at<Word>(i.d);
  for (int l = 0; l < kLanes; ++l) d[l] = static_cast<Word>(mask >> l & 1);
  return &i + 1;
}

Handler from_bool(ScalarType to, bool uniform) {
  if (uniform) return nullptr;
  switch (shape_of(to)) {
    case Shape::Word: return expand<int32_t>;
    case Shape::LongWord: return expand<int64_t>;
    case Shape::Float: return expand<float>;
    case Shape::Double: return expand<double>;
    default: return nullptr;
  }
}

}  // namespace

bool is_same_register(ScalarType from, ScalarType to) {
  return from == to || (shape_of(from) == Shape::Float && to == ScalarType::F32);
}

Handler cast_handler(ScalarType from, ScalarType to, bool uniform) {
  switch (from) {
    case ScalarType::Bool: return from_bool(to, uniform);
    case ScalarType::I8: return from_integer<ScalarType::I8>(to, uniform);
    case ScalarType::I16: return from_integer<ScalarType::I16>(to, uniform);
    case ScalarType::I32: return from_integer<ScalarType::I32>(to, uniform);
    case ScalarType::I64: return from_integer<ScalarType::I64>(to, uniform);
    case ScalarType::U8: return from_integer<ScalarType::U8>(to, uniform);
    case ScalarType::U16: return from_integer<ScalarType::U16>(to, uniform);
    case ScalarType::U32: return from_integer<ScalarType::U32>(to, uniform);
    case ScalarType::U64: return from_integer<ScalarType::U64>(to, uniform);
    case ScalarType::F32:
    case ScalarType::F16:
    case ScalarType::BF16:
      return to == ScalarType::F64 ? cast_of<ScalarType::F32, ScalarType::F64>(uniform) : nullptr;
    case ScalarType::F64:
      return to == ScalarType::F32 ? cast_of<ScalarType::F64, ScalarType::F32>(uniform) : nullptr;
    default: return nullptr;
  }
}

}  // namespace cdsl::sim
