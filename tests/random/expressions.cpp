// Scalar expressions of each family of types.
#include <array>

#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

std::string cast(Type to) { return std::string(name_of(to.scalar)); }

bool is_int(Type type) { return is_integer(type.scalar) && !type.is_index; }

}  // namespace

/// Untyped; it must stand where something else gives it a type.
Node Generator::literal(Type type) {
  if (type.scalar == ScalarType::Bool) return leaf(rng_.chance(50) ? "true" : "false", type);
  if (is_float(type.scalar)) {
    static const std::vector<const char*> values = {"0.5", "1", "2", "0.25", "1.5", "3", "0", "0.1", "1e-3", "100", "7.25"};
    Node node = leaf(rng_.pick(values), type);
    if (rng_.chance(15)) return leaf("-" + node.pieces[0], type, kUnary);
    return node;
  }
  if (is_complex(type.scalar)) return leaf(rng_.of({"2", "0.5", "1"}), type);
  if (is_int(type) && rng_.chance(8)) {
    const int bits = size_of(type.scalar) * 8 - (is_signed_integer(type.scalar) ? 1 : 0);
    return leaf(fmt::format("{}", bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1), type);
  }
  const int value = rng_.of({0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 16, 100});
  if (value > 0 && (type.is_index || is_signed_integer(type.scalar)) && rng_.chance(15)) return leaf(fmt::format("-{}", value), type, kUnary);
  return leaf(fmt::format("{}", value), type);
}

Node Generator::literal_or(Scope& scope, Type type, int depth) {
  return rng_.chance(30) ? literal(type) : expression(scope, type, depth);
}

Node Generator::read_or_leaf(Scope& scope, Type type) {
  std::vector<Node> values;
  for (const Node& value : scope.values)
    if (value.type == type) values.push_back(value);
  if (!values.empty() && (!scope.reads || rng_.chance(35))) return rng_.pick(values);
  if (type.is_index) {
    if (!scope.indices.empty() && rng_.chance(85)) return leaf(rng_.pick(scope.indices).name, type);
    if (scope.reads) return leaf(rng_.pick(program_.sizes).name, type);
  }
  if (scope.reads) {
    if (rng_.chance(12)) {
      if (auto node = guarded_read(scope, type)) return *node;
    }
    if (auto node = read(scope, type)) return *node;
  }
  // A cast of an index, or of a literal.
  if (type.is_index) return call(type, "abs", {composed(type, kMultiply, {"", " * 1", ""}, {leaf(scope.reads ? program_.sizes[0].name : "1", type)})});
  if (type.scalar != ScalarType::Bool && !scope.indices.empty() && rng_.chance(50))
    return call(type, cast(type), {leaf(rng_.pick(scope.indices).name, kIndex)});
  return call(type, cast(type), {literal(type)});
}

Node Generator::expression(Scope& scope, Type type, int depth) {
  if (depth <= 0) return read_or_leaf(scope, type);
  const int what = rng_.below(100);
  if (what < 15) return read_or_leaf(scope, type);
  if (what < 25) {
    if (auto node = reduction(scope, type, depth - 1)) return *node;
  }
  if (what < 32) return choice(scope, type, depth - 1);
  if (what < 40) return conversion(scope, type, depth - 1);
  if (what < 45) {
    if (auto node = let(scope, type, depth - 1)) return *node;
  }
  if (what < 49) {
    if (auto node = def_call(scope, type, depth - 1)) return *node;
  }
  if (type.is_index) return index_operation(scope, depth - 1);
  if (type == kBool) return bool_operation(scope, depth - 1);
  if (is_complex(type.scalar)) return complex_operation(scope, type, depth - 1);
  if (is_float(type.scalar)) return float_operation(scope, type, depth - 1);
  return integer_operation(scope, type, depth - 1);
}

Node Generator::float_operation(Scope& scope, Type type, int depth) {
  static const std::vector<const char*> functions = {"abs",  "sqrt",  "exp",  "tanh",  "sin",   "cos",      "floor", "ceil",   "round",
                                                     "rint", "trunc", "sign", "relu",  "gelu",  "sigmoid",  "silu",  "softplus", "log1p",
                                                     "erf",  "rsqrt", "cbrt", "exp2",  "log2",  "log",      "atan",  "expm1",  "normcdf",
                                                     "mish", "sinpi", "logb", "asinh", "tgamma", "gelu_tanh"};
  static const std::vector<const char*> pairs = {"min", "max", "fmin", "fmax", "copysign", "fmod", "hypot", "atan2", "pow", "fdim", "remainder", "nextafter"};
  const std::size_t what = rng_.weighted({14, 10, 18, 6, 16, 6, 8, 5, 3, 2, 3});
  if (what == 10) {
    used("complex");
    const Type complex{type.scalar == ScalarType::F32 ? ScalarType::C64 : ScalarType::C128};
    if (rng_.chance(40)) return call(type, "abs", {expression(scope, complex, depth - 1)});
    Node value = expression(scope, complex, depth - 1);
    return composed(type, kPostfix, {"", rng_.chance(50) ? ".re" : ".im"}, {std::move(value)}, {kPostfix});
  }
  Node left = expression(scope, type, depth);
  switch (what) {
    case 0: return binary(type, kAdd, "+", std::move(left), literal_or(scope, type, depth));
    case 1: return binary(type, kAdd, "-", std::move(left), literal_or(scope, type, depth));
    case 2: return binary(type, kMultiply, "*", std::move(left), literal_or(scope, type, depth));
    case 3: return binary(type, kMultiply, "/", std::move(left), literal_or(scope, type, depth));
    case 4: used("float function"); return call(type, rng_.pick(functions), {std::move(left)});
    case 5: return composed(type, kUnary, {"-", ""}, {std::move(left)}, {kUnary});
    case 6: {
      const char* function = rng_.pick(pairs);
      return call(type, function, {std::move(left), literal_or(scope, type, depth)});
    }
    case 7: return call(type, "fma", {std::move(left), expression(scope, type, depth - 1), literal_or(scope, type, depth - 1)});
    case 8: return call(type, "clamp", {std::move(left), leaf("-1", type, kUnary), literal_or(scope, type, depth - 1)});
    default: return call(type, "ldexp", {std::move(left), expression(scope, kI32, depth - 1)});
  }
}

Node Generator::integer_operation(Scope& scope, Type type, int depth) {
  used("integer arithmetic");
  const std::size_t what = rng_.weighted({16, 10, 14, 5, 5, 10, 6, 8, 6, 4, 4, 3});
  if (what == 11 && type == kI32) {
    const Type bits{rng_.of({ScalarType::U8, ScalarType::U32, ScalarType::I64})};
    Node value = expression(scope, bits, depth - 1);
    return call(type, rng_.chance(50) ? "clz" : "popcount", {std::move(value)});
  }
  Node left = expression(scope, type, depth);
  switch (what) {
    case 0: return binary(type, kAdd, "+", std::move(left), literal_or(scope, type, depth));
    case 1: return binary(type, kAdd, "-", std::move(left), literal_or(scope, type, depth));
    case 2: return binary(type, kMultiply, "*", std::move(left), literal_or(scope, type, depth));
    case 3: return binary(type, kMultiply, "/", std::move(left), literal_or(scope, type, depth));
    case 4: return binary(type, kMultiply, "%", std::move(left), literal_or(scope, type, depth));
    case 5: {
      const char op = rng_.of({'&', '|', '^'});
      return binary(type, op == '&' ? kMultiply : kAdd, std::string(1, op), std::move(left), literal_or(scope, type, depth));
    }
    case 6: {
      used("shift");
      Node count = rng_.chance(70) ? leaf(fmt::format("{}", rng_.below(size_of(type.scalar) * 8)), kI32) : expression(scope, type, depth - 1);
      return binary(type, kMultiply, rng_.chance(50) ? "<<" : ">>", std::move(left), std::move(count));
    }
    case 7: {
      const char* function = rng_.of({"min", "max"});
      return call(type, function, {std::move(left), literal_or(scope, type, depth)});
    }
    case 8: return composed(type, kUnary, {rng_.chance(60) ? "-" : "~", ""}, {std::move(left)}, {kUnary});
    case 9: return call(type, rng_.chance(50) ? "abs" : "sign", {std::move(left)});
    case 10: {
      const char* function = rng_.of({"floordiv", "floormod"});
      return call(type, function, {std::move(left), literal_or(scope, type, depth)});
    }
    default: return call(type, "relu", {std::move(left)});
  }
}

Node Generator::bool_operation(Scope& scope, int depth) {
  const int what = rng_.below(100);
  if (what < 60) {
    static const std::vector<std::string> all = {"<", "<=", ">", ">=", "==", "!="};
    Type type = rng_.chance(30) ? kIndex : Type{evaluation_type(element_type())};
    if (type == kBool) type = kF32;
    const std::string& op = is_complex(type.scalar) ? all[static_cast<std::size_t>(4 + rng_.below(2))] : rng_.pick(all);
    Node left = expression(scope, type, depth);
    return binary(kBool, kCompare, op, std::move(left), literal_or(scope, type, depth));
  }
  if (what < 65) {
    const char* function = rng_.of({"isnan", "isinf", "isfinite", "signbit"});
    return call(kBool, function, {expression(scope, kF32, depth)});
  }
  Node left = expression(scope, kBool, depth);
  if (what < 72) return binary(kBool, kAnd, "&&", std::move(left), expression(scope, kBool, depth));
  if (what < 82) return binary(kBool, kOr, "||", std::move(left), expression(scope, kBool, depth));
  if (what < 90) return composed(kBool, kUnary, {"!", ""}, {std::move(left)}, {kUnary});
  const char* op = rng_.of({"^", "|"});
  return binary(kBool, kAdd, op, std::move(left), expression(scope, kBool, depth));
}

Node Generator::complex_operation(Scope& scope, Type type, int depth) {
  used("complex");
  const Type part{component_type(type.scalar)};
  const std::size_t what = rng_.weighted({5, 4, 6, 2, 3, 3, 4});
  // Made before anything that it would throw away: what is read counts for the ranges of indices.
  if (what == 5) return call(type, "cplx", {expression(scope, part, depth), literal_or(scope, part, depth)});
  Node left = expression(scope, type, depth);
  switch (what) {
    case 0: return binary(type, kAdd, "+", std::move(left), literal_or(scope, type, depth));
    case 1: return binary(type, kAdd, "-", std::move(left), expression(scope, type, depth));
    case 2: return binary(type, kMultiply, "*", std::move(left), literal_or(scope, type, depth));
    case 3: return binary(type, kMultiply, "/", std::move(left), expression(scope, type, depth));
    case 4: return call(type, "conj", {std::move(left)});
    default: return binary(type, kMultiply, "*", expression(scope, part, depth), std::move(left));
  }
}

Node Generator::index_operation(Scope& scope, int depth) {
  Node left = expression(scope, kIndex, depth);
  const Node number = leaf(fmt::format("{}", 1 + rng_.below(5)), kIndex);
  switch (rng_.weighted({5, 4, 4, 3, 3, 3, 2})) {
    case 0: return binary(kIndex, kAdd, "+", std::move(left), rng_.chance(50) ? number : expression(scope, kIndex, depth));
    case 1: return binary(kIndex, kAdd, "-", std::move(left), rng_.chance(50) ? number : expression(scope, kIndex, depth));
    case 2: return binary(kIndex, kMultiply, "*", std::move(left), number);
    case 3: return binary(kIndex, kMultiply, "/", std::move(left), number);
    case 4: return binary(kIndex, kMultiply, "%", std::move(left), number);
    case 5: {
      const char* function = rng_.of({"min", "max"});
      return call(kIndex, function, {std::move(left), expression(scope, kIndex, depth)});
    }
    default: return call(kIndex, "abs", {std::move(left)});
  }
}

Node Generator::conversion(Scope& scope, Type type, int depth) {
  used("cast");
  if (type.is_index) return index_operation(scope, depth);
  Type from = rng_.chance(20) ? kIndex : Type{evaluation_type(element_type())};
  if (is_complex(from.scalar) && !is_complex(type.scalar) && type != kBool) from = kF32;
  Node value = expression(scope, from, depth);
  if (type.scalar == ScalarType::F32 && is_float(from.scalar) && rng_.chance(30))
    return call(type, rng_.of({"f16", "bf16", "f8e4m3"}), {std::move(value)});
  return call(type, cast(type), {std::move(value)});
}

Node Generator::choice(Scope& scope, Type type, int depth) {
  Node when = condition(scope, depth), left = expression(scope, type, depth), right = literal_or(scope, type, depth);
  if (rng_.chance(20)) {
    used("select");
    return call(type, "select", {std::move(when), std::move(left), std::move(right)});
  }
  used("if");
  return composed(type, kConditional, {"if ", " { ", " } else { ", " }"}, {std::move(when), std::move(left), std::move(right)}, {kOr});
}

}  // namespace cdsl::random
