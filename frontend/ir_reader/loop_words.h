// The enumerations of Loop IR by their spelling, which `loop::name_of` gives.
#pragma once

#include <string_view>

#include "dsl/loop/program.h"
#include "frontend/ir_reader/cursor.h"

namespace cdsl::ir_reader {

/// One of the first `count` values of an enumeration that starts at 0; `what` names it in the
/// error.
template <class Enum>
Enum word(Cursor& cursor, int count, std::string_view what) {
  for (int k = 0; k < count; ++k) {
    if (cursor.accept(name_of(static_cast<Enum>(k)))) return static_cast<Enum>(k);
  }
  cursor.fail_expected(what);
}

}  // namespace cdsl::ir_reader
