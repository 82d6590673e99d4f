// The whole compiler on one text, under options that a few bits choose.
#pragma once

#include <cstdint>
#include <string>

#include "api/pipeline.h"

namespace cdsl::fuzz {

/// Each bit or field turns one of the compiler's options; 0 is the default of the command line, with a time limit.
CompileOptions options_of(unsigned bits);

/// Compiles and emits every function that needs no generic type, and renders what was wrong. `name` says by its extension which
/// level the text is of (api/ir_input.h).
void compile_text(const std::string& name, std::string text, const CompileOptions& options);

}  // namespace cdsl::fuzz
