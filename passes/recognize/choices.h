// The choices of a candidate, `if c { a } else { b }`: what each arm computes that nothing else needs, and whether both arms may
// be evaluated whatever the condition says.
#pragma once

#include <string>
#include <vector>

#include "passes/recognize/conditions.h"

namespace cdsl::deciding {

struct Choice {
  ExprId select;
  std::vector<ExprId> arms[2];           // operators and reads that only this arm needs; choices in it, and their arms, apart
  int around = -1;                       // the choice in one of whose arms it stands
  int side = 0;                          // in which
  bool is_safe = true;                   // no read of an arm is inside by the condition alone
  std::vector<SymbolId> hangs_on;        // indices on which the condition hangs, directly or by what it reads
  bool by_place = false;                 // the condition compares sums of indices: neighbours agree
};

/// In the order of their nesting: a choice after the one around it. Reductions are evaluated before the choices that use them, so
/// that what they reduce belongs to no arm.
std::vector<Choice> choices(const tir::Function& function, const tir::Domain& domain, const std::vector<tir::Target>& stores,
                            const std::vector<Axis>& axes);

}  // namespace cdsl::deciding
