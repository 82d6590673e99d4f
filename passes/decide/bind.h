// How the axes of a candidate are bound: which index runs along the lanes, what a block holds, what goes through shared memory.
#pragma once

#include "passes/decide/site.h"

namespace cdsl::deciding {

struct Bound {
  std::optional<Group> group;             // nothing: the general path
  double us = 0;                          // predicted
};

/// The cheapest way to carry out a legal candidate, with a remark for each choice.
Bound bind(const Site& site);

}  // namespace cdsl::deciding
