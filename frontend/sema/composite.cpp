#include "frontend/sema/composite.h"

#include <algorithm>
#include <array>

#include "frontend/sema/operators.h"

namespace cdsl::sema {
namespace {

struct Entry {
  std::string_view name;
  std::size_t arity;
};
constexpr std::array kComposites = {
    Entry{"fabs", 1},  Entry{"nearbyint", 1}, Entry{"scalbn", 2}, Entry{"scalbln", 2},
    Entry{"lrint", 1}, Entry{"llrint", 1},    Entry{"lround", 1}, Entry{"llround", 1},
    Entry{"clamp", 3}, Entry{"arg", 1},
};

const Entry* find(std::string_view name) {
  const auto found = std::find_if(kComposites.begin(), kComposites.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == kComposites.end() ? nullptr : &*found;
}

// The argument as a float with a type; nullopt after an error.
std::optional<ExprId> float_of(Analysis& a, std::string_view name, const Written& x) {
  const auto value = typed(a, x);
  if (!value) return std::nullopt;
  if (x.value.untyped() != nullptr && is_integer(a.arena().type(value->expr))) {
    return a.untyped.as(*x.value.untyped(), ScalarType::F32);
  }
  if (is_float(a.arena().type(value->expr))) return value->expr;
  auto& error =
      a.report(Code::IntegerWithFloat, x.at,
               "'" + std::string(name) + "' takes floats, this is " + describe(a, x.value));
  if (is_integer(a.arena().type(value->expr))) propose_cast(error, x.at, ScalarType::F32);
  return std::nullopt;
}

Operand argument_of(Analysis& a, Written z) {
  if (!is_plain(a, z)) return {};
  const Scalar* scalar = z.value.scalar();
  ExprArena& arena = a.arena();
  if (scalar == nullptr || !is_complex(arena.type(scalar->expr))) {
    a.report(Code::NoSuchOperation, z.at,
             "'arg' takes a complex number, this is " + describe(a, z.value));
    return {};
  }
  const ExprId value = scalar->expr;
  return ordinary(
      arena.apply(Op::Atan2, {arena.apply(Op::Imag, {value}), arena.apply(Op::Real, {value})}));
}

// scalbln(x, y) is ldexp(x, i32(min(max(y, -10000), 10000))).
Operand scaled(Analysis& a, std::string_view name, const std::vector<Written>& arguments) {
  const auto x = float_of(a, name, arguments[0]);
  ExprArena& arena = a.arena();
  const bool is_long = name == "scalbln";
  const auto y =
      argument(a, arguments[1], is_long ? ScalarType::I64 : ScalarType::I32, "the exponent");
  if (!x || !y) return {};
  ExprId exponent = *y;
  if (is_long) {
    exponent = arena.apply(Op::Max, {exponent, arena.integer(-10000)});
    exponent = arena.cast(arena.apply(Op::Min, {exponent, arena.integer(10000)}), ScalarType::I32);
  }
  return ordinary(arena.apply(Op::Ldexp, {*x, exponent}));
}

}  // namespace

bool is_composite(std::string_view name) {
  return find(name) != nullptr;
}
std::size_t composite_arity(std::string_view name) {
  return find(name)->arity;
}

std::vector<std::string_view> composite_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kComposites) names.push_back(entry.name);
  return names;
}

Operand composite(Analysis& a, std::string_view name, std::vector<Written> arguments,
                  SourceRange at) {
  if (name == "clamp") {
    const Operand low = arithmetic(a, Op::Max, arguments[0], arguments[1], at);
    return arithmetic(a, Op::Min, {low, arguments[0].at}, arguments[2], at);
  }
  if (name == "arg") return argument_of(a, arguments[0]);
  if (name == "scalbn" || name == "scalbln") return scaled(a, name, arguments);
  const auto x = float_of(a, name, arguments[0]);
  if (!x) return {};
  ExprArena& arena = a.arena();
  if (name == "fabs") return ordinary(arena.apply(Op::Abs, {*x}));
  if (name == "nearbyint") return ordinary(arena.apply(Op::Rint, {*x}));
  const bool to_even = name == "lrint" || name == "llrint";
  return ordinary(arena.cast(arena.apply(to_even ? Op::Rint : Op::Round, {*x}), ScalarType::I64));
}

Operand relu(Analysis& a, Written x, SourceRange at) {
  if (!is_plain(a, x)) return {};
  if (x.value.untyped() != nullptr) {
    return arithmetic(a, Op::Max, x, {a.untyped.integer(0, 0), at}, at);
  }
  const Scalar scalar = *x.value.scalar();
  const ScalarType type = a.arena().type(scalar.expr);
  if (type == ScalarType::Bool || is_complex(type)) {
    a.report(Code::NoSuchOperation, x.at, "'relu' takes a number, this is " + describe(a, x.value));
    return {};
  }
  return ordinary(a.arena().apply(Op::Relu, {scalar.expr}));
}

}  // namespace cdsl::sema
