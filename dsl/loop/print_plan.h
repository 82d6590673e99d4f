// Text of a program's plan, and what both printers of this folder share.
#pragma once

#include <string>

#include "dsl/expr/print.h"
#include "dsl/loop/program.h"

namespace cdsl::loop {

/// `text` in double quotes, with escapes for quotes, backslashes and control characters.
std::string quoted(const std::string& text);

/// Buffers of the program under their own names. Refers to `program`.
ExprNames names_in(const Program& program);

/// `plan { ... }`, kernels named as the program names them.
std::string to_string(const plan::Plan& plan, const Program& program);
/// Steps of the program's plan, a line each.
std::string steps_text(const Program& program, const std::vector<plan::Step>& steps);
/// One kernel of the program.
std::string to_string(const Program& program, const Kernel& kernel);

}  // namespace cdsl::loop
