#include "frontend/sema/function.h"

#include <algorithm>

#include "dsl/support/suggest.h"
#include "frontend/sema/composite.h"
#include "frontend/sema/constant.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/record.h"

namespace cdsl::sema {
namespace {

using Arguments = std::vector<Written>;

bool has_count(Analysis& a, const ast::Call& call, std::size_t count, SourceRange at) {
  if (call.arguments.size() == count) return true;
  a.report(Code::ArgumentCount, at,
           "'" + call.callee.text + "' takes " + std::to_string(count) +
               (count == 1 ? " argument, " : " arguments, ") +
               std::to_string(call.arguments.size()) + " given");
  return false;
}

bool is_positional(Analysis& a, const ast::Call& call) {
  for (const ast::Argument& argument : call.arguments) {
    if (!argument.key && !argument.generic) continue;
    a.report(Code::NamedArgumentHere, argument.key ? argument.key->range : a.range(argument.value),
             "'" + call.callee.text + "' takes its arguments by place");
    return false;
  }
  return true;
}

std::optional<Arguments> evaluated(Analysis& a, const ast::Call& call) {
  if (!is_positional(a, call)) return std::nullopt;
  Arguments arguments;
  bool good = true;
  for (const ast::Argument& argument : call.arguments) {
    arguments.push_back(written(a, argument.value));
    good = good && !arguments.back().value.is_poison();
  }
  return good ? std::optional(std::move(arguments)) : std::nullopt;
}

// --- Definitions of the program ---

Operand expand_def(Analysis& a, const ast::DefDecl& def, const ast::Call& call, SourceRange at) {
  const auto arguments = evaluated(a, call);
  if (!arguments || !has_count(a, call, def.params.size(), at)) return {};
  if (a.is_expanding(&def)) {
    a.report(Code::RecursiveDefinition, at, "'" + def.name.text + "' uses itself")
        .note(def.name.range, "it is declared here");
    return {};
  }
  const std::uint32_t let_order = a.let_order;
  a.let_order = std::numeric_limits<std::uint32_t>::max();
  a.expansions.push_back({def.name.text, at, &def});
  Operand result;
  {
    const InScope scope(a, true);
    bool good = true;
    for (std::size_t k = 0; k < def.params.size(); ++k) {
      Operand value = (*arguments)[k].value;
      if (Scalar* scalar = std::get_if<Scalar>(&value.node))
        scalar->stored = {}, scalar->is_read = false;
      good = a.declare(def.params[k], {std::move(value), {}, 0}) && good;
    }
    if (good) result = evaluate(a, def.body);
  }
  a.expansions.pop_back();
  a.let_order = let_order;
  return result;
}

Operand construct_record(Analysis& a, const StructInfo& type, const ast::Call& call,
                         SourceRange at) {
  std::vector<FieldValue> fields;
  bool good = true;
  for (const ast::Argument& argument : call.arguments) {
    Written value = written(a, argument.value);
    if (!argument.key) {
      a.report(Code::RecordFields, value.at, "fields of " + type.name + " are given by name");
      return {};
    }
    good = good && !value.value.is_poison();
    fields.push_back({*argument.key, std::move(value)});
  }
  return good ? construct(a, type, std::move(fields), at) : Operand();
}

// --- Built-in functions ---

std::string wants_float(const ast::Call& call) {
  return "'" + call.callee.text + "' takes floats";
}

// Brings all arguments to one float type, or keeps all untyped; false after an error.
bool meet_floats(Analysis& a, const ast::Call& call, Arguments& arguments, SourceRange at) {
  for (std::size_t round = 0; round < 2; ++round) {
    for (std::size_t k = 1; k < arguments.size(); ++k) {
      if (meet(a, arguments[0], arguments[k], at) == Meeting::Failed) return false;
    }
  }
  for (Written& argument : arguments) {
    if (!is_plain(a, argument)) return false;
    const Scalar* scalar = argument.value.scalar();
    if (scalar == nullptr) continue;
    const ScalarType type = a.arena().type(scalar->expr);
    if (is_float(type)) continue;
    const bool whole = is_integer(type);
    auto& error = a.report(whole ? Code::IntegerWithFloat : Code::NoSuchOperation, argument.at,
                           wants_float(call) + ", this is " + describe(a, argument.value));
    if (whole) propose_cast(error, argument.at, ScalarType::F32);
    return false;
  }
  return true;
}

Operand float_function(Analysis& a, Op op, const ast::Call& call, Arguments arguments,
                       SourceRange at) {
  if (!meet_floats(a, call, arguments, at)) return {};
  std::vector<UntypedId> untyped;
  std::vector<ExprId> typed;
  for (const Written& argument : arguments) {
    if (const UntypedId* id = argument.value.untyped()) untyped.push_back(*id);
    if (const Scalar* scalar = argument.value.scalar()) typed.push_back(scalar->expr);
  }
  if (typed.empty()) return a.untyped.function(op, untyped);
  return ordinary(a.arena().apply(op, typed));
}

// isnan, ilogb, ldexp: the first argument is a float with a type.
Operand float_first(Analysis& a, Op op, const ast::Call& call, Arguments arguments,
                    SourceRange at) {
  Arguments first{arguments[0]};
  if (!meet_floats(a, call, first, at)) return {};
  const auto value = typed(a, first[0]);
  if (!value) return {};
  ExprId x = a.arena().type(value->expr) == ScalarType::I32
                 ? a.arena().cast(value->expr, ScalarType::F32)
                 : value->expr;
  if (info(op).op_class != OpClass::FloatInt) return ordinary(a.arena().apply(op, {x}));
  const auto exponent = argument(a, arguments[1], ScalarType::I32, "the exponent");
  return exponent ? Operand(ordinary(a.arena().apply(op, {x, *exponent}))) : Operand();
}

Operand make_complex(Analysis& a, const ast::Call& call, Arguments arguments, SourceRange at) {
  if (!meet_floats(a, call, arguments, at)) return {};
  const auto x = typed(a, arguments[0]), y = typed(a, arguments[1]);
  if (!x || !y) return {};
  const bool wide = a.arena().type(x->expr) == ScalarType::F64;
  const ScalarType type = wide ? ScalarType::F64 : ScalarType::F32;
  return ordinary(a.arena().apply(Op::MakeComplex,
                                  {a.arena().cast(x->expr, type), a.arena().cast(y->expr, type)}));
}

Operand conjugate(Analysis& a, Written x) {
  if (!is_plain(a, x)) return {};
  const Scalar* scalar = x.value.scalar();
  if (scalar == nullptr || !is_complex(a.arena().type(scalar->expr))) {
    a.report(Code::NoSuchOperation, x.at,
             "'conj' takes a complex number, this is " + describe(a, x.value));
    return {};
  }
  return ordinary(a.arena().apply(Op::Conj, {scalar->expr}));
}

// rand(seed, i): both are taken by bits as u64.
Operand random(Analysis& a, const Arguments& arguments) {
  std::vector<ExprId> bits;
  for (const Written& x : arguments) {
    Written copy = x;
    if (!is_plain(a, copy)) return {};
    const UntypedId* untyped = copy.value.untyped();
    std::optional<ExprId> value;
    if (untyped != nullptr) value = a.untyped.as(*untyped, ScalarType::U64);
    if (!value) {
      const auto whole = integer(a, copy, "an argument of rand");
      if (!whole) return {};
      value = whole->expr;
      if (const Scalar* scalar = copy.value.scalar()) value = scalar->expr;
    }
    bits.push_back(a.arena().cast(*value, ScalarType::U64));
  }
  return ordinary(a.arena().apply(Op::Rand, bits));
}

Operand select_call(Analysis& a, const ast::Call& call, SourceRange at) {
  if (!is_positional(a, call) || !has_count(a, call, 3, at)) return {};
  const auto holds = evaluate_condition(a, call.arguments[0].value);
  Written values[2];
  for (const std::size_t k : {0u, 1u}) {
    AtPoints points(a);
    if (holds) points.assume(k == 0 ? *holds : negated(a.arena(), *holds));
    values[k] = written(a, call.arguments[k + 1].value);
  }
  return holds ? choose(a, *holds, values[0], values[1], at) : Operand();
}

Operand fold_extremum(Analysis& a, Op op, const ast::Call& call, const Arguments& arguments,
                      SourceRange at) {
  if (arguments.size() < 2) {
    a.report(Code::ArgumentCount, at, "'" + call.callee.text + "' takes two or more arguments");
    return {};
  }
  Written result = arguments[0];
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    result = {arithmetic(a, op, result, arguments[k], at), result.at};
  }
  return result.value;
}

Operand bits_function(Analysis& a, Op op, const ast::Call& call, const Written& x) {
  const auto value = typed(a, x);
  if (!value) return {};
  if (!is_integer(a.arena().type(value->expr))) {
    a.report(Code::NoSuchOperation, x.at,
             "'" + call.callee.text + "' takes an integer, this is " + describe(a, x.value));
    return {};
  }
  return ordinary(a.arena().apply(op, {value->expr}));
}

Operand built_in(Analysis& a, Op op, const ast::Call& call, SourceRange at) {
  auto arguments = evaluated(a, call);
  if (!arguments) return {};
  if (op == Op::Min || op == Op::Max) return fold_extremum(a, op, call, *arguments, at);
  if (!has_count(a, call, static_cast<std::size_t>(info(op).arity), at)) return {};
  switch (info(op).op_class) {
    case OpClass::FloatMath: return float_function(a, op, call, std::move(*arguments), at);
    case OpClass::FloatInt:
    case OpClass::FloatToInt:
    case OpClass::FloatTest: return float_first(a, op, call, std::move(*arguments), at);
    case OpClass::Bits: return bits_function(a, op, call, (*arguments)[0]);
    case OpClass::Random: return random(a, *arguments);
    case OpClass::Complex:
      if (op == Op::MakeComplex) return make_complex(a, call, std::move(*arguments), at);
      return conjugate(a, (*arguments)[0]);
    default: break;
  }
  if (info(op).arity == 2) return arithmetic(a, op, (*arguments)[0], (*arguments)[1], at);
  if (op == Op::Relu) return relu(a, (*arguments)[0], at);
  return unary(a, op, (*arguments)[0], at);
}

std::optional<Op> function_op(std::string_view name) {
  const auto op = function_named(name);
  constexpr Op kNoFunctions[] = {Op::Neg, Op::BitNot, Op::Cast, Op::Real, Op::Imag, Op::Select};
  if (op &&
      std::find(std::begin(kNoFunctions), std::end(kNoFunctions), *op) != std::end(kNoFunctions)) {
    return std::nullopt;
  }
  return op;
}

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names = composite_names();
  names.push_back("select");
  for (int k = 0; k <= static_cast<int>(Op::Rand); ++k) {
    const std::string_view name = info(static_cast<Op>(k)).spelling;
    if (function_op(name)) names.push_back(name);
  }
  return names;
}

void report_unknown_function(Analysis& a, const ast::Name& name) {
  std::vector<std::string_view> names = function_names();
  for (const auto& more : {a.module.callables(), a.module.types()}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  auto& error =
      a.report(Code::UnknownFunction, name.range,
               "no function is named '" + name.text + "'" + did_you_mean(name.text, names));
  if (const auto near = nearest(name.text, names)) error.fix(name.range, *near);
}

}  // namespace

bool is_callable(const Analysis& a, std::string_view name) {
  return a.module.def(name) || a.module.fn(name) || a.module.structure(name) != nullptr ||
         function_op(name) || is_composite(name) || scalar_type_named(name) || name == "select";
}

Operand evaluate_call(Analysis& a, ast::ExprId id) {
  const ast::Call& call = *a.ast_if<ast::Call>(id);
  const SourceRange at = a.range(id);
  const std::string& name = call.callee.text;
  if (const auto def = a.module.def(name)) return expand_def(a, *def.decl, call, at);
  if (const StructInfo* type = a.module.structure(name))
    return construct_record(a, *type, call, at);
  if (a.module.fn(name)) {
    a.report(Code::FnInExpression, at, "'" + name + "' is a fn: its call is a statement of its own")
        .note(call.callee.range, "write t = " + name + "(...); and read t here, or make it a def");
    return {};
  }
  if (a.types.contains(name) || scalar_type_named(name)) {
    const auto arguments = evaluated(a, call);
    if (!arguments || !has_count(a, call, 1, at)) return {};
    const auto type = a.types.contains(name) ? a.types.at(name) : *scalar_type_named(name);
    return cast(a, (*arguments)[0], type);
  }
  if (name == "select") return select_call(a, call, at);
  if (const auto op = function_op(name)) return built_in(a, *op, call, at);
  if (is_composite(name)) {
    auto arguments = evaluated(a, call);
    if (!arguments || !has_count(a, call, composite_arity(name), at)) return {};
    return composite(a, name, std::move(*arguments), at);
  }
  report_unknown_function(a, call.callee);
  return {};
}

}  // namespace cdsl::sema
