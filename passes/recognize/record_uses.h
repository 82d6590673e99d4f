// Which records the warps of a statement touch together, and with which fields: what a choice of layout is priced by.
//
// Reads of one statement at one place (`p[i].x`, `p[i].y`; `p[i - 1].x` too) are one use, so that fields which lie together share
// sectors. Along the lanes runs the index along which most accesses of the statement are contiguous. Sizes that are open count with
// their likely values. Guarantees: needs no layout to be decided; hangs on no layout.
#pragma once

#include <vector>

#include "dsl/tensor/tensor_ir.h"
#include "passes/recognize/sizes.h"

namespace cdsl::deciding {

/// One request of a warp. `element` counts within an array field.
struct FieldAccess {
  uint32_t leaf = 0;
  int64_t element = 0;
};

struct RecordUse {
  TensorId tensor;
  bool is_store = false;
  std::vector<FieldAccess> fields;         // a request each
  bool irregular = false;                  // lanes go where data says
  int64_t step = 1;                        // records from lane to lane; 0: all lanes are at one
  int64_t walk = 0;                        // step 0: records from that one to the next, as a loop goes; 0: nobody knows
  double warps = 1;                        // how often warps do this in one run of the statement
  double different = 1;                    // the same, but once a block where other points go to the same records
  bool comes_back = false;                 // other blocks touch the same records
};

struct StatementUses {
  std::vector<RecordUse> uses;
  double points = 1;                       // of the statement's domain
  double runs = 1;                         // steps of the loops around it
};

/// Of all statements that use tensors of records with more than one leaf.
std::vector<StatementUses> record_uses(const tir::Function& function, const SizeValues& sizes);

}  // namespace cdsl::deciding
