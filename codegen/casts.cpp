// Conversions (docs/language.md, 7.3): the storage types go through f32, floats to integers
// saturate, and a widening that C++ does by itself is left to it.
#include <fmt/format.h>

#include "codegen/expression.h"
#include "codegen/types.h"

namespace cdsl::cuda {

void ExpressionPrinter::expand_cast(const Operand& operand) {
  const ExprId arg = c_.arena.args(operand.id)[0];
  const ScalarType from = type(arg), to = type(operand.id);
  const bool parentheses = operand.use.least > kUnary;
  if (!operand.use.exact && is_elidable_cast(operand.id)) {
    if (is_special(arg))
      return put({c_.spellings.symbols[c_.arena.get_if<Symbol>(arg)->symbol.index()]});
    return put({Operand{arg, {operand.use.least, false, operand.use.address}}});
  }

  // The operand as a number that is computed with; as an argument of a helper it needs no
  // parentheses.
  const bool called = is_storage_only(to) || (is_integer(to) && is_float(from));
  std::vector<Piece> value{
      Operand{arg,
              {called && (from == ScalarType::F32 || is_integer(to)) ? kLoosest : kUnary, called,
               operand.use.address}}};
  ScalarType real = from;
  if (is_storage_only(from)) {
    value = {helper("to_f32", from) + "(", Operand{arg, {}}, ")"};
    real = ScalarType::F32;
  } else if (is_special(arg)) {
    value = {c_.spellings.symbols[c_.arena.get_if<Symbol>(arg)->symbol.index()]};
  }
  const auto wrapped = [&](const std::string& before, const std::string& after) {
    value.insert(value.begin(), before);
    value.push_back(after);
    put(std::move(value));
  };

  if (to == real) return put(std::move(value));
  if (is_storage_only(to)) {
    const std::string name = helper(fmt::format("to_{}", name_of(to)), to);
    return wrapped(name + (real == ScalarType::F32 ? "(" : "((float)"), ")");
  }
  if (to == ScalarType::Bool) {
    if (is_complex(real)) return wrapped(helper("is_nonzero", real) + "(", ")");
    const bool outer = operand.use.least > kEquality;
    const char* zero = real == ScalarType::F32 ? "0.0f" : real == ScalarType::F64 ? "0.0" : "0";
    return wrapped(outer ? "(" : "", fmt::format(" != {}{}", zero, outer ? ")" : ""));
  }
  if (is_complex(to)) {
    c_.prelude.use_type(to);
    if (is_complex(real))
      return wrapped(helper(fmt::format("to_{}", name_of(to)), real) + "(", ")");
    const ScalarType part = component_type(to);
    const std::string cast = real == part ? "" : fmt::format("({})", cuda_type(part));
    return wrapped(fmt::format("{}{{{}", cuda_type(to), cast),
                   part == ScalarType::F32 ? ", 0.0f}" : ", 0.0}");
  }
  if (is_integer(to) && is_float(real))
    return wrapped(helper(fmt::format("to_{}", name_of(to)), real) + "(", ")");
  wrapped(fmt::format("{}({})", parentheses ? "(" : "", cuda_type(to)), parentheses ? ")" : "");
}

}  // namespace cdsl::cuda
