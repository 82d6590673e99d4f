// The invariants of the asynchronous and matrix nodes of lane form (docs/ir.md, section 2.9), each with a sentence of its own.
#pragma once

#include <string>
#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::loop {

/// Appends what is wrong with the tensor maps of a program.
void verify_maps(const Program& program, std::vector<std::string>& errors);

/// Appends what is wrong with these nodes of a kernel whose names and accesses were found in order.
void verify_async(const Program& program, const Kernel& kernel, std::vector<std::string>& errors);

}  // namespace cdsl::loop
