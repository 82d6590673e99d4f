// Memory as Loop IR addresses it: buffers, and places in them.
#pragma once

#include <string>

#include "dsl/expr/expr.h"
#include "dsl/types/record.h"

namespace cdsl::loop {

enum class Space : uint8_t { Global, Shared, Register };

/// Memory that a kernel addresses: elements of a record (or scalar) type. Global buffers are kernel parameters; Shared and
/// Register buffers have a constant element count. An access names buffer, element index, leaf and position in an array
/// leaf: bytes = index * element.size + leaf.offset + within * size(leaf.type).
struct Buffer {
  std::string name;
  RecordType element;
  Space space = Space::Global;
  int64_t count = 0;                  // Shared, Register: elements. Global: 0, the plan knows
  bool read_only = false;             // Global: no thread of this kernel writes it
};

/// A place in memory that a statement writes.
struct Access {
  BufferId buffer;
  uint32_t leaf = 0;
  ExprId index;                       // in elements
  ExprId within;                      // within an array leaf; invalid: 0
  SourceRange where;
  ExprId rank = {};                   // Shared: of that block of the cluster; invalid: of this block
};

}  // namespace cdsl::loop
