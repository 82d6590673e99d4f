// Text of scalar expressions for IR dumps, remarks and messages: infix, minimal parentheses, Go precedence.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>

#include "dsl/expr/expr.h"

namespace cdsl {

/// How names are spelled. Unset functions give "t3", "b2" and the symbol's own name.
struct ExprNames {
  std::function<std::string(TensorId)> tensor;
  std::function<std::string(TensorId, uint32_t leaf)> leaf;       // "" for a scalar element
  std::function<std::string(BufferId)> buffer;
  std::function<std::string(BufferId, uint32_t leaf)> buffer_leaf;
  std::function<std::string(SymbolId)> symbol;
  /// Nodes that have a name of their own (defined before): printed as that name.
  std::unordered_map<ExprId, std::string> defined;
  /// Nesting after which "..." is printed.
  int depth_limit = 200;
  /// Print `@launch` and `@check`; off for messages to the user.
  bool bounds = true;
};

/// Constants are bare when they are i64, f32 or bool and carry their type otherwise (`i32(3)`); reads print their modes
/// (`u[i - 1 @clamp]`) and how they are known to be inside (`@launch`, `@check`; nothing when proved).
std::string to_string(const ExprArena& arena, ExprId id, const ExprNames& names);

/// The shortest text that reads back to the same value: "3", "0.1", "inf", "nan", "cplx(1.0, 2.0)".
std::string to_string(const Value& value, ScalarType type);

std::string_view name_of(Boundary boundary);

/// The nodes under `roots` that text should define apart, in an order that defines before use: shared ones that are not
/// leaves, and every so often one of a deep chain, so that text stays linear and reading it needs little stack.
std::vector<ExprId> nodes_to_define(const ExprArena& arena, std::span<const ExprId> roots, int depth_limit = 48);

}  // namespace cdsl
