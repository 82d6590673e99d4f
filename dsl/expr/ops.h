// The operators of scalar expressions. One table, ops.def, says all there is to say of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "dsl/types/scalar_type.h"

namespace cdsl {

/// Which operands an operator takes and what it yields.
enum class OpClass : uint8_t {
  Numeric,      // T, ... -> T          integers, f32, f64, complex where said
  Integer,      // T, ... -> T          integers (bitwise ones: bool too)
  Shift,        // T, any integer -> T  integers
  Compare,      // T, T -> bool
  Logic,        // bool, ... -> bool    lazy from left to right
  Select,       // bool, T, T -> T      lazy in the arms
  Cast,         // T -> the node's type
  FloatMath,    // F, ... -> F          f32, f64
  FloatInt,     // F, i32 -> F
  FloatToInt,   // F -> i32
  FloatTest,    // F -> bool
  Complex,      // mixed: see the operator
  Bits,         // integer -> i32
  Random        // u64, u64 -> f32
};

enum class Op : uint8_t {
#define CDSL_OP(Name, spelling, arity, op_class, ulp32, ulp64, cuda32, cuda64, cost) Name,
#include "dsl/expr/ops.def"
#undef CDSL_OP
};

struct OpInfo {
  std::string_view spelling;    // in the language and in IR text
  int arity;
  OpClass op_class;
  double ulp_f32;               // greatest error in ulp; 0.5 is correctly rounded, 0 exact. Source: CUDA C++ Programming
  double ulp_f64;               // Guide, "Mathematical Functions Appendix", default (not fast) functions
  std::string_view cuda_f32;    // CUDA function for f32, "" where the operator is spelled otherwise
  std::string_view cuda_f64;
  int cost;                     // issue slots of one f32 or i32 operation, a first estimate for the machine model
};

const OpInfo& info(Op op);
std::optional<Op> function_named(std::string_view name);   // "exp", "min", "fma", ...: operators called like functions
bool is_commutative(Op op);

/// Result type of `op` on operands whose (first non-bool) type is `operand`. Not for Cast.
ScalarType result_type(Op op, ScalarType operand);

}  // namespace cdsl
