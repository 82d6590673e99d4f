// `const`: arrays of constants become constant tensors of the function, rank-0 ones scalars.
#pragma once

#include "frontend/sema/convert.h"

namespace cdsl::sema {

// A type's name, the generic types of the function included; reports an unknown one.
std::optional<ElementType> resolve_type(Analysis& a, const ast::Name& name);

// The value of the name alone: a scalar, or the whole tensor.
Operand constant_value(Analysis& a, const ast::ConstDecl& decl, SourceRange at);
// The tensor of an array, null for a rank-0 one or after an error.
TensorSymbol* constant_tensor(Analysis& a, const ast::ConstDecl& decl);

}  // namespace cdsl::sema
