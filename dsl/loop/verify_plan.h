// The plan's half of loop::verify: launches match the kernels that they name.
#pragma once

#include <string>
#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::loop {

void verify_plan(const Program& program, std::vector<std::string>& errors);

}  // namespace cdsl::loop
