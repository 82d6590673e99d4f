#include "dsl/sim/elements.h"

#include <bit>
#include <cstring>

#include "dsl/types/arithmetic.h"

namespace cdsl::sim {
namespace {

template <class T>
T load_raw(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

/// Elements of `Memory` type that widen to the register's `Word` by a plain conversion.
template <class Memory, class Word>
void read_as(Word* out, const std::byte* bytes, const Located& where) {
  if (where.pattern == Located::Pattern::Consecutive) {
    const std::byte* first = bytes + where.offset[0];
    for (int l = 0; l < kLanes; ++l)
      out[l] = static_cast<Word>(load_raw<Memory>(first + l * static_cast<int>(sizeof(Memory))));
    return;
  }
  for (int l = 0; l < kLanes; ++l)
    out[l] = static_cast<Word>(load_raw<Memory>(bytes + where.offset[l]));
}

void read_bool(uint32_t* out, const std::byte* bytes, const Located& where) {
  uint32_t mask = 0;
  for (int l = 0; l < kLanes; ++l)
    mask |= static_cast<uint32_t>(bytes[where.offset[l]] != std::byte{0}) << l;
  *out = mask;
}

void read_bfloat(float* out, const std::byte* bytes, const Located& where) {
  for (int l = 0; l < kLanes; ++l) {
    out[l] = std::bit_cast<float>(uint32_t{load_raw<uint16_t>(bytes + where.offset[l])} << 16);
  }
}

template <class Memory>
void write_as(const auto* lanes, int step, std::byte* bytes, const Located& where) {
  for (uint32_t left = where.lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    const auto value = static_cast<Memory>(lanes[l * step]);
    std::memcpy(bytes + where.offset[l], &value, sizeof value);
  }
}

// Registers hold what memory holds: 4- and 8-byte types.
template <class Word>
void write_whole(const Word* lanes, int step, std::byte* bytes, const Located& where) {
  if (where.pattern == Located::Pattern::Consecutive && where.lanes == kAllLanes && step == 1) {
    std::memcpy(bytes + where.offset[0], lanes, kLanes * sizeof(Word));
  } else {
    write_as<Word>(lanes, step, bytes, where);
  }
}

void write_any(Warp& warp, const Slot& slot, std::byte* bytes, const Located& where) {
  for (uint32_t left = where.lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    store_element(bytes + where.offset[l], slot.type, get_lane(warp.registers, slot, l));
  }
}

}  // namespace

void read_elements(Warp& warp, const Slot& slot, const std::byte* bytes, const Located& where) {
  switch (slot.type) {
    case ScalarType::F32: return read_as<float>(warp.at<float>(slot.offset), bytes, where);
    case ScalarType::F64: return read_as<double>(warp.at<double>(slot.offset), bytes, where);
    case ScalarType::I32:
    case ScalarType::U32: return read_as<uint32_t>(warp.at<uint32_t>(slot.offset), bytes, where);
    case ScalarType::I64:
    case ScalarType::U64: return read_as<int64_t>(warp.at<int64_t>(slot.offset), bytes, where);
    case ScalarType::I8: return read_as<int8_t>(warp.at<int32_t>(slot.offset), bytes, where);
    case ScalarType::U8: return read_as<uint8_t>(warp.at<int32_t>(slot.offset), bytes, where);
    case ScalarType::I16: return read_as<int16_t>(warp.at<int32_t>(slot.offset), bytes, where);
    case ScalarType::U16: return read_as<uint16_t>(warp.at<int32_t>(slot.offset), bytes, where);
    case ScalarType::Bool: return read_bool(warp.at<uint32_t>(slot.offset), bytes, where);
    case ScalarType::BF16: return read_bfloat(warp.at<float>(slot.offset), bytes, where);
    default: break;
  }
  if (where.pattern == Located::Pattern::Same) {
    const Value value = load_element(bytes + where.offset[0], slot.type);
    for (int l = 0; l < kLanes; ++l) set_lane(warp.registers, slot, l, value);
    return;
  }
  for (uint32_t left = where.lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    set_lane(warp.registers, slot, l, load_element(bytes + where.offset[l], slot.type));
  }
}

void write_elements(Warp& warp, const Slot& slot, std::byte* bytes, const Located& where) {
  const int step = slot.uniform ? 0 : 1;
  switch (slot.type) {
    case ScalarType::F32: return write_whole(warp.at<float>(slot.offset), step, bytes, where);
    case ScalarType::F64: return write_whole(warp.at<double>(slot.offset), step, bytes, where);
    case ScalarType::I32:
    case ScalarType::U32: return write_whole(warp.at<uint32_t>(slot.offset), step, bytes, where);
    case ScalarType::I64:
    case ScalarType::U64: return write_whole(warp.at<int64_t>(slot.offset), step, bytes, where);
    case ScalarType::I8:
    case ScalarType::U8:
      return write_as<uint8_t>(warp.at<uint32_t>(slot.offset), step, bytes, where);
    case ScalarType::I16:
    case ScalarType::U16:
      return write_as<uint16_t>(warp.at<uint32_t>(slot.offset), step, bytes, where);
    default: return write_any(warp, slot, bytes, where);
  }
}

bool equal_elements(Warp& warp, const Slot& slot, const std::byte* bytes, const Located& where) {
  for (uint32_t left = where.lanes; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    std::byte image[16] = {};
    store_element(image, slot.type, get_lane(warp.registers, slot, l));
    if (std::memcmp(image, bytes + where.offset[l], static_cast<std::size_t>(size_of(slot.type))) !=
        0)
      return false;
  }
  return true;
}

}  // namespace cdsl::sim
