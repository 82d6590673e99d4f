// What a condition decides: which nodes are evaluated whatever the conditions say, and which reads are inside their tensors even
// where the condition over them does not hold.
#pragma once

#include <memory>
#include <unordered_set>

#include "dsl/ranges/prover.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::deciding {

/// Nodes that evaluating `roots` evaluates at every point: nothing in an arm of a Select, behind && or ||, or in a reduction
/// that has a guard.
std::unordered_set<ExprId> surely_evaluated(const ExprArena& arena, const std::vector<ExprId>& roots);

/// Whether a read may be made at every point of `axes`, whatever conditions stand over it.
class SafeReads {
 public:
  SafeReads(const tir::Function& function, std::vector<Axis> axes);
  ~SafeReads();
  bool holds(ExprId read);

 private:
  bool inside(ExprId subscript, ExprId extent);

  const tir::Function& function_;
  std::vector<Axis> axes_;
  std::unique_ptr<Prover> prover_;        // made when the first plain look fails
};

/// A group evaluates reductions before what uses them, hence whatever the conditions around them say. Why that would be
/// wrong: one of them reads what only a condition proves inside, or reports. Empty: it is right.
std::string reduces_too_early(const tir::Function& function, const tir::Domain& domain, const std::vector<tir::Target>& stores);

}  // namespace cdsl::deciding
