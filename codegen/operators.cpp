// The spelling of each operator: where C++'s own means what the language says, that; else a helper.
#include <fmt/format.h>
#include <algorithm>

#include "codegen/expression.h"
#include "codegen/literal.h"
#include "codegen/text.h"
#include "codegen/types.h"
#include "dsl/expr/normal_exponent.h"
#include "dsl/support/check.h"

namespace cdsl::cuda {
namespace {

bool is_narrow(ScalarType type) {
  return is_integer(type) && size_of(type) < 4;
}

const char* sign_of(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Sub:
    case Op::Neg: return "-";
    case Op::Mul: return "*";
    case Op::Div:
    case Op::FloorDiv: return "/";
    case Op::Rem:
    case Op::FloorMod: return "%";
    case Op::And: return "&";
    case Op::Or: return "|";
    case Op::Xor: return "^";
    case Op::Shl: return "<<";
    case Op::Shr: return ">>";
    case Op::Lt: return "<";
    case Op::Le: return "<=";
    case Op::Gt: return ">";
    case Op::Ge: return ">=";
    case Op::Eq: return "==";
    case Op::Ne: return "!=";
    default: CDSL_UNREACHABLE("no infix operator");
  }
}

const char* wrapping(Op op) {
  switch (op) {
    case Op::Add: return "add_wrap";
    case Op::Sub: return "sub_wrap";
    case Op::Mul: return "mul_wrap";
    default: return "neg_wrap";
  }
}

const char* complex_helper(Op op) {
  switch (op) {
    case Op::Add: return "c_add";
    case Op::Sub: return "c_sub";
    case Op::Mul: return "c_mul";
    case Op::Div: return "c_div";
    case Op::Eq: return "c_eq";
    case Op::Ne: return "c_ne";
    default: return "c_neg";
  }
}

Precedence level_of(Op op) {
  switch (op) {
    case Op::Add:
    case Op::Sub: return kSum;
    case Op::Mul:
    case Op::Div:
    case Op::Rem:
    case Op::FloorDiv:
    case Op::FloorMod: return kProduct;
    case Op::And: return kBitAnd;
    case Op::Or: return kBitOr;
    case Op::Xor: return kBitXor;
    case Op::Shl:
    case Op::Shr: return kShift;
    case Op::Eq:
    case Op::Ne: return kEquality;
    default: return kRelation;
  }
}

}  // namespace

void ExpressionPrinter::expand_arithmetic(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  const ScalarType of = type(operand.id);
  if (is_complex(of)) helper(complex_helper(op), of);
  if (c_.strict && !c_.on_host && op == Op::Mul && is_float(of)) {
    return call(of == ScalarType::F32 ? "__fmul_rn" : "__dmul_rn", args);
  }
  if (is_narrow(of)) {
    const Value* left = c_.arena.constant_value(args[0]);
    const bool negates = op == Op::Neg || (op == Op::Sub && left != nullptr && left->i == 0);
    if (negates && of == ScalarType::I16) return call(helper("neg_i16", of), args.last(1));
    if (op == Op::Neg)
      return narrowed(of, operand.use.least, {"-", Operand{args[0], {kPostfix}}}, kUnary);
    // In int, which holds every result but a product of two u16.
    const bool overflows = of == ScalarType::U16 && op == Op::Mul;
    return narrowed(
        of, operand.use.least,
        {overflows ? "(unsigned int)" : "", Operand{args[0], {overflows ? kUnary : level_of(op)}},
         fmt::format(" {} ", sign_of(op)),
         Operand{args[1], {static_cast<Precedence>(level_of(op) + 1)}}},
        level_of(op));
  }
  if (is_integer(of) && !c_.facts.is_plain(operand.id, operand.use.address || c_.on_host)) {
    return call(helper(wrapping(op), of), args);
  }
  if (op == Op::Neg) return prefix("-", args[0], operand, operand.use.address);
  infix(sign_of(op), level_of(op), operand, operand.use.address);
}

void ExpressionPrinter::expand_division(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  const ScalarType of = type(operand.id);
  if (is_complex(of)) helper("c_div", of);
  if (!is_integer(of)) return infix("/", kProduct, operand);
  const bool floor = op == Op::FloorDiv || op == Op::FloorMod;
  const bool towards_zero = !floor || !is_signed_integer(of) ||
                            (c_.facts.nonnegative(args[0]) && c_.facts.nonnegative(args[1]));
  const Value* divisor = c_.arena.constant_value(args[1]);
  const bool nonzero = c_.facts.positive(args[1]) ||
                       (divisor != nullptr && !floor && divisor->i != 0 && divisor->i != -1);
  if (is_narrow(of)) {
    // In int, where the least value divided by -1 fits.
    const char* name = !floor || !is_signed_integer(of)
                           ? (op == Op::Div || op == Op::FloorDiv ? "int_div" : "int_rem")
                       : op == Op::FloorDiv ? "floordiv"
                                            : "floormod";
    return narrowed(of, operand.use.least,
                    {helper(name, ScalarType::I32) + "(", Operand{args[0], {}},
                     std::string(",") + kBreak, Operand{args[1], {}}, ")"},
                    kPostfix);
  }
  if (nonzero && towards_zero) return infix(sign_of(op), kProduct, operand);
  const bool quotient = op == Op::Div || op == Op::FloorDiv;
  const char* name = towards_zero ? (quotient ? "int_div" : "int_rem")
                     : c_.facts.positive(args[1])
                         ? (quotient ? "floordiv_positive" : "floormod_positive")
                         : (quotient ? "floordiv" : "floormod");
  call(helper(name, of), args);
}

void ExpressionPrinter::expand_shift(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  const ScalarType of = type(operand.id);
  const Value* count = c_.arena.constant_value(args[1]);
  const bool inside = count != nullptr && count->i >= 0 && count->i < 8 * size_of(of);
  if (inside && (op == Op::Shr || !is_signed_integer(of))) {
    const bool cut = is_narrow(of) && op == Op::Shl;
    const bool parentheses = operand.use.least > kShift && !cut;
    std::vector<Piece> pieces{
        parentheses ? "(" : "", Operand{args[0], {kUnary, !is_narrow(of)}},
        fmt::format(" {} {}{}", sign_of(op), count->i, parentheses ? ")" : "")};
    return cut ? narrowed(of, operand.use.least, std::move(pieces), kShift)
               : put(std::move(pieces));
  }
  // 1 << k, with k small enough.
  const ValueFacts by = c_.facts.of(args[1]), value = c_.facts.of(args[0]);
  const bool small = by.nonnegative && by.bits < 5 && value.nonnegative && value.bits + (1 << by.bits) < 31;
  if (op == Op::Shl && of == ScalarType::I32 && small) return infix("<<", kShift, operand);
  // Narrow values are shifted as ints: bits beyond the width are cut off, or are the sign's.
  const bool narrow = is_narrow(of);
  const std::string name =
      helper(op == Op::Shl ? "shift_left" : "shift_right", narrow ? ScalarType::I32 : of);
  std::vector<Piece> pieces{name + "(", Operand{args[0], {kLoosest, !narrow}},
                            std::string(",") + kBreak, Operand{args[1], {}}, ")"};
  if (!narrow) return put(std::move(pieces));
  narrowed(of, operand.use.least, std::move(pieces), kPostfix);
}

void ExpressionPrinter::expand_comparison(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  const ScalarType of = type(args[0]);
  if (is_complex(of)) helper(complex_helper(op), of);
  // threadIdx.x == 0: a literal that is not negative needs no cast of CUDA's unsigned variables.
  const Value* right = c_.arena.constant_value(args[1]);
  if (is_special(args[0]) && right != nullptr && right->i >= 0) {
    const std::string& name =
        c_.spellings.symbols[c_.arena.get_if<Symbol>(args[0])->symbol.index()];
    const bool parentheses = operand.use.least > level_of(op);
    return put({fmt::format("{}{} {} {}{}", parentheses ? "(" : "", name, sign_of(op), right->i,
                            parentheses ? ")" : "")});
  }
  infix(sign_of(op), level_of(op), operand);
}

void ExpressionPrinter::expand_choice(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  const ScalarType of = type(operand.id);
  if (op == Op::Select) {
    const bool parentheses = operand.use.least > kTernary;
    // Arms of two C++ types would meet in a third.
    const bool unlike =
        (is_elidable_cast(args[1]) || is_elidable_cast(args[2])) && !is_natural(operand.id);
    return put({parentheses ? "(" : "", Operand{args[0], {kOr}}, std::string(1, kOuterBreak) + "? ",
                Operand{args[1], {kOr, operand.use.exact || unlike}},
                std::string(1, kOuterBreak) + ": ", Operand{args[2], {kTernary, operand.use.exact}},
                parentheses ? ")" : ""});
  }
  const bool maximum = op != Op::Min;
  std::string name = is_float(of) ? helper(maximum ? "max_nan" : "min_nan", of)
                     : maximum    ? "max"
                                  : "min";
  if (of == ScalarType::Bool) return infix(maximum ? "||" : "&&", maximum ? kOr : kAnd, operand);
  if (op != Op::Relu) return call(name, args, operand.use.address);
  const Value zero = is_float(of) ? Value::of_float(0) : Value::of_int(0);
  const std::string text = literal(zero, of, true, c_.prelude, c_.on_host);
  put({name + "(", Operand{args[0], {.exact = true}}, std::string(",") + kBreak + text + ")"});
}

void ExpressionPrinter::expand_bits(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  const ScalarType of = type(args[0]);
  if (of == ScalarType::Bool) {
    if (op == Op::BitNot) return prefix("!", args[0], operand);
    if (op == Op::Xor) return infix("!=", kEquality, operand);
    return infix(op == Op::And ? "&&" : "||", op == Op::And ? kAnd : kOr, operand);
  }
  switch (op) {
    case Op::BitNot:
      if (!is_narrow(of)) return prefix("~", args[0], operand);
      return narrowed(of, operand.use.least, {"~", Operand{args[0], {kUnary}}}, kUnary);
    case Op::PopCount:
    case Op::LeadingZeros: {
      const bool wide = size_of(of) == 8;
      const int unused = op == Op::LeadingZeros && !wide ? 32 - 8 * size_of(of) : 0;
      const std::string name =
          op == Op::PopCount ? (wide ? "__popcll" : "__popc") : (wide ? "__clzll" : "__clz");
      // Narrow values are looked at without their sign.
      const std::string cast = is_narrow(of) ? fmt::format("({})", cuda_type(unsigned_of(of))) : "";
      const bool parentheses = unused != 0 && operand.use.least > kSum;
      return put({(parentheses ? "(" : "") + name + "(" + cast,
                  Operand{args[0], {cast.empty() ? kLoosest : kUnary, cast.empty()}},
                  unused == 0 ? ")" : fmt::format(") - {}{}", unused, parentheses ? ")" : "")});
    }
    default: return infix(sign_of(op), level_of(op), operand);
  }
}

void ExpressionPrinter::expand_math(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  const ScalarType of = type(args[0]);
  switch (op) {
    case Op::Abs:
      if (is_float(of)) break;
      if (!is_signed_integer(of)) return put({Operand{args[0], operand.use}});
      if (!is_narrow(of))
        return call(c_.facts.is_plain(operand.id, false) ? "abs" : helper("abs_wrap", of), args);
      return narrowed(of, operand.use.least,
                      {helper("abs_wrap", ScalarType::I32) + "(", Operand{args[0], {}}, ")"},
                      kPostfix);
    case Op::Sign:
      if (is_float(of) || of == ScalarType::I32 || of == ScalarType::I64)
        return call(helper("sign_of", of), args);
      if (is_signed_integer(of)) {
        return put({helper("sign_of", ScalarType::I32) + "(", Operand{args[0], {}}, ")"});
      }
      return narrowed(of, operand.use.least, {Operand{args[0], {kRelation}}, " != 0"}, kEquality);
    case Op::Exp2:
      if (is_normal_exp2(c_.arena, operand.id)) return call(helper("exp2_normal", of), args);
      break;
    case Op::FMin: return call(helper("min_number", of), args);
    case Op::FMax: return call(helper("max_number", of), args);
    case Op::Rand: return call(helper("rand_uniform", of), args);
    case Op::IsNan:
    case Op::IsInf:
    case Op::IsFinite:
    case Op::SignBit: return call(std::string(info(op).spelling), args);
    case Op::Sigmoid:
    case Op::Silu:
    case Op::Softplus:
    case Op::Gelu:
    case Op::GeluTanh:
    case Op::Mish: return call(helper(info(op).spelling, of), args);
    default: break;
  }
  const std::string_view name = of == ScalarType::F64 ? info(op).cuda_f64 : info(op).cuda_f32;
  CDSL_CHECK(!name.empty(), "no CUDA spelling of " + std::string(info(op).spelling));
  call(std::string(name), args);
}

void ExpressionPrinter::expand_complex(Op op, const Operand& operand) {
  const auto args = c_.arena.args(operand.id);
  switch (op) {
    case Op::MakeComplex:
      c_.prelude.use_type(type(operand.id));
      return put({std::string(cuda_type(type(operand.id))) + "{", Operand{args[0], {}},
                  std::string(",") + kBreak, Operand{args[1], {}}, "}"});
    case Op::Real:
    case Op::Imag: return put({Operand{args[0], {kPostfix}}, op == Op::Real ? ".re" : ".im"});
    case Op::Conj: return call(helper("conj", type(args[0])), args);
    case Op::Abs: return call(helper("c_abs", type(args[0])), args);
    default: CDSL_UNREACHABLE("operator on complex numbers: " + std::string(info(op).spelling));
  }
}

std::string ExpressionPrinter::combined(Op op, ScalarType of, std::string_view left,
                                        std::string_view right) {
  const auto called = [&](const std::string& name) {
    return fmt::format("{}({},{}{})", name, left, kBreak, right);
  };
  if (is_complex(of)) helper(complex_helper(op), of);
  if (op == Op::Min || op == Op::Max) {
    if (is_float(of)) return called(helper(op == Op::Min ? "min_nan" : "max_nan", of));
    if (of == ScalarType::Bool)
      return fmt::format("{} {} {}", left, op == Op::Min ? "&&" : "||", right);
    return (is_narrow(of) ? fmt::format("({})", cuda_type(of)) : "") +
           called(op == Op::Min ? "min" : "max");
  }
  if (is_signed_integer(of) && !is_narrow(of) && (op == Op::Add || op == Op::Mul))
    return called(helper(wrapping(op), of));
  if (is_narrow(of) || of == ScalarType::Bool) {
    const char* cast = of == ScalarType::U16 && op == Op::Mul
                           ? "(unsigned int)"
                           : "";  // the product of two may not fit an int
    return fmt::format("({})({}{} {}{}{})", cuda_type(of), cast, left, sign_of(op), kBreak, right);
  }
  return fmt::format("{} {}{}{}", left, sign_of(op), kBreak, right);
}

}  // namespace cdsl::cuda
