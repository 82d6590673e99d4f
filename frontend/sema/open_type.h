// The type of an intermediate whose first definitions are untyped: that of the first typed one, if
// it stands before every read (docs/language.md 3.3). Until then the tensor has the default type of
// its values, and its stores change with it.
#pragma once

#include <vector>

#include "frontend/sema/analysis.h"
#include "frontend/sema/convert.h"

namespace cdsl::sema {

// Before `value` is stored into a tensor of open type: an untyped one may widen the default type, a
// typed one decides. False after an error.
bool meet_open_type(Analysis& a, TensorSymbol& symbol, const Written& value);
// The type is what it is from here on.
void settle_type(TensorSymbol& symbol, SourceRange reader);

}  // namespace cdsl::sema
