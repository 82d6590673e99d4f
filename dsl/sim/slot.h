// Where the 32 lanes of a value lie in a warp's register file. Bool is a bit mask; integers of up
// to 32 bits are 32-bit words (extended by their sign), i64 and u64 64-bit words; every float up to
// f32 is a float; complex is 32 real parts, then 32 imaginary ones. A uniform value (the same in
// all lanes) is kept once; a Bool is a full mask either way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dsl/types/scalar_type.h"
#include "dsl/types/value.h"

namespace cdsl::sim {

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAllLanes = 0xffffffffu;

enum class Shape : uint8_t { Mask, Word, LongWord, Float, Double, FloatPair, DoublePair };

constexpr Shape shape_of(ScalarType type) {
  switch (type) {
    case ScalarType::Bool: return Shape::Mask;
    case ScalarType::I64:
    case ScalarType::U64: return Shape::LongWord;
    case ScalarType::F64: return Shape::Double;
    case ScalarType::C64: return Shape::FloatPair;
    case ScalarType::C128: return Shape::DoublePair;
    case ScalarType::F16:
    case ScalarType::BF16:
    case ScalarType::F32:
    case ScalarType::F8E4M3:
    case ScalarType::F8E5M2: return Shape::Float;
    default: return Shape::Word;
  }
}

/// Bytes of one component of one lane.
constexpr int component_bytes(Shape shape) {
  return shape == Shape::LongWord || shape == Shape::Double || shape == Shape::DoublePair ? 8 : 4;
}

struct Slot {
  uint32_t offset = 0;  // bytes into the register file
  ScalarType type = ScalarType::Bool;
  bool uniform = false;

  Shape shape() const { return shape_of(type); }
  bool is_pair() const { return shape() == Shape::FloatPair || shape() == Shape::DoublePair; }
  uint32_t bytes() const {
    if (shape() == Shape::Mask) return 4;
    const uint32_t lanes = uniform ? 1 : kLanes;
    return lanes * static_cast<uint32_t>(component_bytes(shape())) * (is_pair() ? 2 : 1);
  }
  /// Bytes from the real to the imaginary parts.
  uint32_t imaginary() const { return bytes() / 2; }
};

template <class T>
T* at(std::byte* registers, uint32_t offset) {
  return reinterpret_cast<T*>(registers + offset);
}

inline int64_t extend(uint32_t word, ScalarType type) {
  return type == ScalarType::U32 ? static_cast<int64_t>(word) : static_cast<int32_t>(word);
}

/// The value that `lane` sees in `slot`.
inline Value get_lane(std::byte* registers, const Slot& slot, int lane) {
  const int k = slot.uniform ? 0 : lane;
  switch (slot.shape()) {
    case Shape::Mask:
      return Value::of_bool((*at<uint32_t>(registers, slot.offset) >> lane & 1) != 0);
    case Shape::Word:
      return Value::of_int(extend(at<uint32_t>(registers, slot.offset)[k], slot.type));
    case Shape::LongWord: return Value::of_int(at<int64_t>(registers, slot.offset)[k]);
    case Shape::Float: return Value::of_float(at<float>(registers, slot.offset)[k]);
    case Shape::Double: return Value::of_float(at<double>(registers, slot.offset)[k]);
    case Shape::FloatPair:
      return Value::of_complex(at<float>(registers, slot.offset)[k],
                               at<float>(registers, slot.offset + slot.imaginary())[k]);
    case Shape::DoublePair: break;
  }
  return Value::of_complex(at<double>(registers, slot.offset)[k],
                           at<double>(registers, slot.offset + slot.imaginary())[k]);
}

inline void set_bit(uint32_t& mask, int lane, bool value) {
  mask = (mask & ~(1u << lane)) | static_cast<uint32_t>(value) << lane;
}

/// Sets `lane` of `slot`; all of a uniform one. Requires: `value` is rounded to the slot's type.
inline void set_lane(std::byte* registers, const Slot& slot, int lane, Value value) {
  const int k = slot.uniform ? 0 : lane;
  switch (slot.shape()) {
    case Shape::Mask:
      if (slot.uniform)
        *at<uint32_t>(registers, slot.offset) = value.i != 0 ? kAllLanes : 0;
      else
        set_bit(*at<uint32_t>(registers, slot.offset), lane, value.i != 0);
      return;
    case Shape::Word:
      at<uint32_t>(registers, slot.offset)[k] = static_cast<uint32_t>(value.i);
      return;
    case Shape::LongWord: at<int64_t>(registers, slot.offset)[k] = value.i; return;
    case Shape::Float: at<float>(registers, slot.offset)[k] = static_cast<float>(value.re); return;
    case Shape::Double: at<double>(registers, slot.offset)[k] = value.re; return;
    case Shape::FloatPair:
      at<float>(registers, slot.offset)[k] = static_cast<float>(value.re);
      at<float>(registers, slot.offset + slot.imaginary())[k] = static_cast<float>(value.im);
      return;
    case Shape::DoublePair: break;
  }
  at<double>(registers, slot.offset)[k] = value.re;
  at<double>(registers, slot.offset + slot.imaginary())[k] = value.im;
}

}  // namespace cdsl::sim
