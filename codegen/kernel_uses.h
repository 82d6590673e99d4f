// What a kernel's body uses, found in one sweep before it is printed.
#pragma once

#include <vector>

#include "dsl/loop/program.h"

namespace cdsl::cuda {

struct KernelUses {
  std::vector<ExprId> constants; // that have names, each name and value once
  std::vector<bool> read;        // by symbol: some expression reads it
  std::vector<bool> in_address;  // by symbol: an address or a loop bound is made of it by + - *
  std::vector<bool> loaded;      // by buffer: some thread reads an element
  bool reports = false;          // a Report statement
  bool budgets = false;          // warpgroups change their number of registers
  bool synchronizes = false;     // threads wait for each other, so memory may change under a thread
};

KernelUses uses_of(const loop::Program& program, const loop::Kernel& kernel);

}  // namespace cdsl::cuda
