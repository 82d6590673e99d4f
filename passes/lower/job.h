// Jobs: what one kernel (or one phase of a block) does. A statement of Tensor IR becomes one job
// where its points are independent in memory, and several where it reads what it overwrites or
// accumulates in a wider type:
//   direct      [stage]                         every read of a written tensor is of the element
//   that is written temporary   [stage into T', T = T']         other elements of T are read: new
//   values wait in T' snapshot    [T' = T, stage reading T']      the domain itself reads T widened
//   [T' = T, scatter into T', T = T']
#pragma once

#include <string>
#include <vector>

#include "passes/lower/expression.h"

namespace cdsl::lowering {

struct Job {
  tir::Domain domain;
  std::vector<tir::Target> targets;
  std::optional<tir::ScatterOp> update;  // a scatter; else the targets are stored
  bool serial = false;                   // one thread, in lexicographic order
  bool silent = false;                   // the first job of the statement has reported
  Redirects reads, writes;
  std::string name;  // of the kernel: the target's name, and what is done to it
  std::string note;  // for the comment above it; empty: what it computes
  SourceRange where;
};

struct Jobs {
  std::vector<Job> jobs;
  std::string site;    // of the remark: the name of the statement's own job
  std::string choice;  // "direct", "temporary", ...
  std::string reason;
};

Jobs jobs_of(Memory& memory, const tir::Stage& stage);
Jobs jobs_of(Memory& memory, const tir::Scatter& scatter);

/// Tensors that the stage writes and reads at another element than the one written.
std::vector<TensorId> overwritten_reads(ExprArena& arena, const tir::Stage& stage);

/// Can hardware (or a helper around compare-and-swap) update this type in place?
bool has_atomic(tir::ScatterOp op, ScalarType type);

/// Axes of the domain whose bounds use neither another axis nor memory: they can be spread over
/// threads.
std::vector<bool> independent_axes(const ExprArena& arena, const tir::Domain& domain);

}  // namespace cdsl::lowering
