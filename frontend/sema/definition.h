// Definitions: t[...] = e; and (t[...], u[...]) = e;
#pragma once

#include "frontend/sema/analysis.h"
#include "frontend/sema/left.h"
#include "frontend/sema/store.h"

namespace cdsl::sema {

void analyze_definition(Analysis& a, const ast::Definition& definition, SourceRange at);

// What a new name on a left side becomes.
enum class NewName : std::uint8_t { Intermediate, State };
// One or more targets and their values, as a stage of the current block; the tensors of the
// targets. Nothing after an error; new names are declared all the same, so that one error stays
// one.
std::optional<std::vector<TensorSymbol*>> define(Analysis& a,
                                                 const std::vector<ast::Target>& targets,
                                                 ast::ExprId value, SourceRange at, NewName kind);

// Declares names whose definition had an error: reads of them are silent.
void declare_poisoned(Analysis& a, const std::vector<ast::Target>& targets);

// Is the tensor in the middle of loops inside its own scope?
std::vector<Axis> loops_inside(const Analysis& a, const TensorSymbol& symbol);

}  // namespace cdsl::sema
