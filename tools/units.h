// The functions that a command works on, compiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/session.h"

namespace cdsl::tools {

/// Names of the functions to compile: --fn, or all that can be. Tells what is left out, and why.
/// Diagnostics are printed; nothing where there are errors.
std::optional<std::vector<std::string>> chosen_functions(Session& session, Source& source);

/// One function; diagnostics and remarks are printed. Nothing where it has errors.
std::optional<Compiled> compile_unit(Session& session, Source& source, const std::string& name,
                                     const CompileOptions& options);

/// All chosen functions.
std::optional<std::vector<Compiled>> compile_units(Session& session, Source& source);

/// The function that `run` runs: --fn, or the only one that no other calls.
std::optional<std::string> function_to_run(Session& session, Source& source);

}  // namespace cdsl::tools
