// What the accesses of a function to one tensor of records would cost in a layout: the sectors that its warps touch, counted
// address by address with the memory formulas of dsl/machine, and the time that the model predicts for them. The rest of the
// function is not in it, since that is the same in each layout.
#pragma once

#include <span>

#include "dsl/machine/architectures.h"
#include "passes/recognize/record_uses.h"

namespace cdsl::deciding {

struct LayoutPrice {
  double us = 0;                           // of all statements that use the tensor, one after the other
  double score = 0;                        // what layouts are compared by: `score_of` of cost.h
  double sectors_per_request = 0;          // as hardware counts them
  double sectors_per_warp = 0;             // different ones of all fields that a warp uses of its records, a mean over the uses
};

/// Requires: a layout that is not Auto; `elements` is how many records the tensor is likely to have.
LayoutPrice price(const Architecture& arch, const RecordType& record, const Layout& layout, double elements, TensorId tensor,
                  std::span<const StatementUses> statements);

/// Of reading every record in one layout and writing it in another.
double conversion_us(const Architecture& arch, const RecordType& record, double elements);

}  // namespace cdsl::deciding
