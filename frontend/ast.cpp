#include "frontend/ast.h"

namespace cdsl::ast {

const char* spelling(ScatterOp op) {
  constexpr const char* text[] = {"=", "+=", "*=", "min=", "max=", "&=", "|=", "^="};
  return text[static_cast<int>(op)];
}

const char* spelling(GenericKind kind) {
  constexpr const char* text[] = {"size", "float", "int", "number"};
  return text[static_cast<int>(kind)];
}

}  // namespace cdsl::ast
