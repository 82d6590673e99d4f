// Layouts of tensors of records, orders and strides, from types in the source.
#pragma once

#include <optional>

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

std::optional<Layout> resolve_layout(Analysis& a, const ast::Layout& layout,
                                     const StructInfo& type);

}  // namespace cdsl::sema
