// Operations of all points of a site, by unit of the machine: what every group of it computes, and what of that stands in the
// arms of its choices.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "dsl/expr/expr.h"
#include "dsl/machine/architectures.h"

namespace cdsl::deciding {

class Site;

using UnitCounts = std::array<double, kUnits>;

struct Operations {
  struct OfChoice {
    double points = 1;                    // at which it is evaluated
    UnitCounts arms[2] = {};              // at all of them, of what only this arm needs
    double slots[2] = {};                 // issue slots of one point, choices in the arm included
  };
  UnitCounts all{};                       // all arms of all choices
  std::vector<OfChoice> choices;          // as Site::choices
  std::unordered_map<ExprId, int> choice_of;   // of reads in an arm: the choice
};

Operations operations(const Site& site);

}  // namespace cdsl::deciding
