// Sizes, parameters, outputs and facts of the function that is compiled.
#pragma once

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

// Generic types from the options; an error where one is not given or of another kind.
bool declare_generic_types(Analysis& a, const ast::FnDecl& fn);
// Sizes that inputs determine or that are parameters; then the parameters and outputs themselves.
// Declares what it can even where something is wrong.
bool declare_signature(Analysis& a, const ast::FnDecl& fn);
// `where` facts and precision.
void declare_facts(Analysis& a, const ast::FnDecl& fn);

// Is the type of the generic's kind?
bool is_of_kind(ScalarType type, ast::GenericKind kind);
// The extents of a type as size expressions; nullopt after an error.
std::optional<std::vector<ExprId>> shape_of(Analysis& a, const ast::TypeExpr& type);
// Layout and order of a tensor from its type, checked.
void apply_layout(Analysis& a, const ast::TypeExpr& type, TensorSymbol& symbol, bool is_input);
// Sizes are what they are: extents are never negative.
void assume_extents(Analysis& a, const std::vector<ExprId>& shape);

}  // namespace cdsl::sema
