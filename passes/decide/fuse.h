// Which stages share a kernel: an intermediate that one later statement uses, element by element, is written out where it is
// used and never stored.
#pragma once

#include <string>
#include <vector>

#include "dsl/schedule/group.h"
#include "passes/pass.h"

namespace cdsl::deciding {

/// A stage that may become a group, with the stages before it that it takes in.
struct Candidate {
  std::size_t number = 0;                 // of its own statement
  const tir::Stage* stage = nullptr;
  std::vector<std::size_t> statements;    // ascending, its own last
  std::vector<tir::Target> stores;        // values with the intermediates written out
  bool asked = false;                     // an override asks for exactly this
  std::vector<RunningReduction> running = {};   // in `stores`, once `carry` has found them

  bool is_fused() const { return statements.size() > 1; }
};

/// Every stage by itself, and with what may be written out in it. Overrides: NAME.place=global stores an intermediate,
/// NAME.place=registers writes it out.
struct Candidates {
  std::vector<Candidate> alone, fused;    // by stage, in the order of the text
};
Candidates candidates(tir::Function& function, PassContext& context);

/// May the stage be shared out at all: no element is read that another point overwrites, nothing is tested for each element,
/// all ranges are known before the launch. Otherwise a sentence that says why not.
std::string why_not(const tir::Function& function, const tir::Stage& stage, const std::vector<tir::Target>& stores, bool strict);

}  // namespace cdsl::deciding
