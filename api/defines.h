// What -D says: sizes, types of generic parameters, values of scalar parameters.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/result.h"
#include "dsl/support/diagnostic.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/tensor_ir.h"
#include "dsl/types/scalar_type.h"
#include "frontend/ast.h"
#include "frontend/source.h"

namespace cdsl {

struct Defines {
  std::map<std::string, std::int64_t> sizes;  // integers: of sizes, or of integer scalars
  std::map<std::string, ScalarType> types;
  std::map<std::string, std::string> values;  // everything else, as written: of scalars
};

/// An integer, or one in units of 1024, 1024^2 or 1024^3: 4k, 1M, 2G. False where the text is anything else or does not fit.
bool read_size(std::string_view text, std::int64_t& value);

/// Sorts NAME=VALUE into a Defines. Integers may be in units of 1024, 1024^2 or 1024^3: 4k, 1M, 2G. The failure says what is
/// wrong with the text itself.
std::optional<Failure> add_define(Defines& defines, std::string_view text);

/// Reports definitions that no function of the program can use (C0620), and types that are none of
/// their generic's kind.
void check_defines(const Defines& defines, const ast::Program& program, DiagnosticSink& sink);

/// The value of a by-value scalar from text: "2.5", "-3", "true", "1e-3", "0x10", "inf", "nan",
/// "1+2j".
Result<Value> parse_scalar(std::string_view text, ScalarType type);

}  // namespace cdsl
