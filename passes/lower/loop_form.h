// How each sequential loop of the source runs, and why. The choice is recorded in Schedule's terms
// and can be overridden there by the loop index's name (`loop.t`).
//
// Thread is legal when
//   - the nest holds Stages and Loops only, no `until`, and no loop bound reads a tensor that the
//   nest writes;
//   - all stages have the same axes, at least one, with the same bounds, which use neither memory
//   nor indices of the nest;
//   - every tensor written in the nest has for each of those axes one position at which each access
//   to it in the nest,
//     write or read, has that stage's index bare, inside the axis or under no folding mode.
// Then a thread owns its slices of all written tensors, and nothing that another thread does
// matters to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/schedule/schedule.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::lowering {

struct LoopChoice {
  LoopForm form = LoopForm::Launches;
  int threads = 1;           // Block: of the one block
  std::vector<Axis> shared;  // Thread: the axes spread over threads
  std::string reason;
  std::string refused;  // an override that cannot be, and why
};

LoopChoice choose_loop_form(const tir::Function& function, const ExprArena& arena,
                            const tir::Loop& loop, const Schedule& schedule);

/// The axes to spread over threads where the Thread form is legal.
std::optional<std::vector<Axis>> thread_axes(const tir::Function& function, const ExprArena& arena,
                                             const tir::Loop& loop);

}  // namespace cdsl::lowering
