// Text of the IRs, as their printers write it and people edit it, back to values. docs/ir.md has
// both grammars.
//
// Malformed text ends in one located diagnostic (IrSyntax), text that breaks an invariant of its
// level in one for each (IrInvalid); never in a crash. Reading what a printer wrote and printing it
// again gives the same text.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/support/diagnostic.h"
#include "dsl/tensor/tensor_ir.h"
#include "frontend/source.h"

namespace cdsl {

/// The functions of a `.tir` file, verified; nothing where the file has errors.
std::optional<std::vector<tir::Function>> read_tensor_ir(const SourceManager& sources,
                                                         std::uint32_t file, DiagnosticSink& sink);

/// A lowered function: the Tensor IR that its Plan refers to (its parameters, sizes and checks),
/// and its program.
struct LoweredText {
  std::optional<tir::Function> function;  // absent where the text has a program alone
  loop::Program program;
};

/// The programs of a `.lir` file, each after the function that it was lowered from, verified.
std::optional<std::vector<LoweredText>> read_loop_ir(const SourceManager& sources,
                                                     std::uint32_t file, DiagnosticSink& sink);

}  // namespace cdsl
