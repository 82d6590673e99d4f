// What a kernel asks of the architecture that it runs on.
#pragma once

#include <string>
#include <string_view>

#include "dsl/loop/program.h"

namespace cdsl::loop {

/// Says what the kernel needs and `architecture` ("sm_80", "sm_90a") lacks; empty where it lacks nothing. wgmma and setmaxnreg
/// need an architecture whose name ends in "a". Source: PTX ISA, "Target ISA Notes" of each instruction.
std::string missing_feature(const Program& program, const Kernel& kernel, std::string_view architecture);

}  // namespace cdsl::loop
