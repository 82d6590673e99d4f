// The ends of rows inside a stencil: what lies beyond them is an element of the row beside, which is read and not used.
#include <algorithm>

#include "dsl/expr/walk.h"
#include "passes/lower/group/group_lowering.h"

namespace cdsl::lowering {

// Blocks inside may read beyond the ends of rows.
bool GroupLowering::is_readable(ExprId read) {
  if (tested_) return false;
  return std::any_of(group_.axes.begin(), group_.axes.end(), [&](const GroupAxis& axis) {
    return axis.ends > 0 && lowerer_.lies_in_rows_beside(read, axis.index, axis.ends);
  });
}

// Arms that read, and nothing that could not be read or computed for nothing.
bool GroupLowering::may_take_both(ExprId select) {
  if (tested_ || std::none_of(group_.axes.begin(), group_.axes.end(), [](const GroupAxis& axis) { return axis.ends > 0; })) return false;
  bool reads = false;
  const ExprId arms[] = {arena_.args(select)[1], arena_.args(select)[2]};
  for (ExprId id : postorder(arena_, arms)) {
    if (arena_.get_if<Reduce>(id) != nullptr) return false;
    if (arena_.get_if<Read>(id) != nullptr) {
      if (!is_readable(id)) return false;
      reads = true;
    }
    const bool divides = arena_.is_apply(id, Op::Div) || arena_.is_apply(id, Op::Rem);
    if (divides && is_integer(arena_.type(id))) return false;
  }
  return reads;
}

}  // namespace cdsl::lowering
