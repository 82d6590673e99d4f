// Compiles a kernel for the simulator. Requires: `program` is verified.
#pragma once

#include "dsl/loop/program.h"
#include "dsl/sim/code.h"

namespace cdsl::sim {

Code compile(const loop::Program& program, const loop::Kernel& kernel);

}  // namespace cdsl::sim
