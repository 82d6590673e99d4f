// The inside of UntypedTable, for the two files that implement it: trees of exact constants.
#pragma once

#include <llvm/ADT/APFloat.h>
#include <llvm/ADT/APInt.h>

#include <variant>
#include <vector>

#include "frontend/sema/untyped.h"

namespace cdsl::sema {

inline constexpr unsigned kUntypedBits = 512;

namespace untyped {

struct Whole {
  std::uint32_t place;  // in the table of integers
};
struct Real {
  std::uint32_t place;  // in the table of floats
};
struct Flexible {
  ExprId value;
};
struct Choice {
  ExprId condition;
  UntypedId then_value, else_value;
};
struct Deferred {
  Op op;
  std::vector<UntypedId> args;
};
struct Total {
  Reduction reduction;
  UntypedId term;
};

struct Node {
  std::variant<Whole, Real, Flexible, Choice, Deferred, Total> what;
  bool is_float = false;
  std::uint32_t leaves = 1;
};

inline llvm::APFloat to_quad(const llvm::APInt& value) {
  llvm::APFloat result(llvm::APFloat::IEEEquad());
  result.convertFromAPInt(value, true, llvm::APFloat::rmNearestTiesToEven);
  return result;
}

}  // namespace untyped

struct UntypedTable::Impl {
  ExprArena& arena;
  std::vector<untyped::Node> nodes;
  std::vector<llvm::APInt> wholes;
  std::vector<llvm::APFloat> reals;

  const untyped::Node& operator[](UntypedId id) const { return nodes[id.value]; }
  UntypedId add(untyped::Node node) {
    nodes.push_back(std::move(node));
    return {static_cast<std::uint32_t>(nodes.size() - 1)};
  }
  UntypedId add(llvm::APInt value) {
    wholes.push_back(std::move(value));
    const auto place = static_cast<std::uint32_t>(wholes.size() - 1);
    return add(untyped::Node{untyped::Whole{place}, false, 1});
  }
  UntypedId add(llvm::APFloat value) {
    reals.push_back(std::move(value));
    const auto place = static_cast<std::uint32_t>(reals.size() - 1);
    return add(untyped::Node{untyped::Real{place}, true, 1});
  }
  // Pointers stay good until the next add.
  const llvm::APInt* integer(UntypedId id) const {
    const auto* whole = std::get_if<untyped::Whole>(&nodes[id.value].what);
    return whole != nullptr ? &wholes[whole->place] : nullptr;
  }
  const llvm::APFloat* real(UntypedId id) const {
    const auto* real = std::get_if<untyped::Real>(&nodes[id.value].what);
    return real != nullptr ? &reals[real->place] : nullptr;
  }
  bool constant(UntypedId id) const { return integer(id) != nullptr || real(id) != nullptr; }
  llvm::APFloat quad(UntypedId id) const {
    return real(id) != nullptr ? *real(id) : untyped::to_quad(*integer(id));
  }

  std::optional<UntypedId> integers(Op op, const llvm::APInt& a, const llvm::APInt& b);
  std::optional<UntypedId> floats(Op op, const llvm::APFloat& a, const llvm::APFloat& b);
  std::optional<ExprId> leaf(UntypedId id, ScalarType type);
  ExprId apply(Op op, ScalarType type, const std::vector<ExprId>& args);
};

}  // namespace cdsl::sema
