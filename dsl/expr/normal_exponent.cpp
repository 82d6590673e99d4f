#include "dsl/expr/normal_exponent.h"

#include <algorithm>

namespace cdsl {

bool is_normal_exp2(const ExprArena& arena, ExprId id) {
  if (!arena.is_apply(id, Op::Exp2) || arena.type(id) != ScalarType::F32) return false;
  const ExprId exponent = arena.args(id)[0];
  if (!arena.is_apply(exponent, Op::Max)) return false;
  const auto args = arena.args(exponent);
  return std::any_of(args.begin(), args.end(), [&](ExprId arg) {
    const Value* value = arena.constant_value(arg);
    return value != nullptr && value->re >= kLeastNormalExponent;
  });
}

}  // namespace cdsl
