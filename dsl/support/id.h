// A typed 32-bit name for a row of a table: an index that cannot be mixed up with another table's.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace cdsl {

template <class Tag>
struct Id {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<uint32_t>(index)) {}

  constexpr bool valid() const { return value != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using ExprId = Id<struct ExprTag>;
using SymbolId = Id<struct SymbolTag>;
using ReductionId = Id<struct ReductionTag>;
using RecordId = Id<struct RecordTag>;
using TensorId = Id<struct TensorTag>;
using BufferId = Id<struct BufferTag>;

}  // namespace cdsl

template <class Tag>
struct std::hash<cdsl::Id<Tag>> {
  std::size_t operator()(cdsl::Id<Tag> id) const noexcept { return id.value; }
};
