#include "frontend/sema/convert.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "frontend/sema/box.h"
#include "frontend/sema/extremes.h"

namespace cdsl::sema {
namespace {

std::string quoted(ScalarType type) {
  return std::string(name_of(type));
}

bool is_real_float(ScalarType type) {
  return type == ScalarType::F32 || type == ScalarType::F64;
}

ScalarType type_of(Analysis& a, const Scalar& x) {
  return a.arena().type(x.expr);
}

// The type of a message: a bare read shows its storage type.
ScalarType shown_type(Analysis& a, const Scalar& x) {
  return a.arena().type(x.stored.valid() ? x.stored : x.expr);
}

ScalarType wider(ScalarType x, ScalarType y) {
  return size_of(x) >= size_of(y) ? x : y;
}

ScalarType complex_of(ScalarType component) {
  return component == ScalarType::F64 ? ScalarType::C128 : ScalarType::C64;
}

Scalar converted(Analysis& a, const Scalar& x, ScalarType type) {
  if (type_of(a, x) == type) return x;
  return {a.arena().cast(x.expr, type), Nature::Ordinary, {}, false, {}};
}

void literal_does_not_fit(Analysis& a, const Written& x, ScalarType type) {
  const UntypedId id = *x.value.untyped();
  const bool needs_integer = is_integer(type) && a.untyped.is_float(id);
  a.report(Code::LiteralDoesNotFit, x.at,
           a.untyped.text(id) + (needs_integer ? " is no integer, as " : " does not fit ") +
               quoted(type) + (needs_integer ? " needs" : ""));
}

Meeting untyped_meets(Analysis& a, Written& literal, Written& other) {
  Scalar scalar = *other.value.scalar();
  const UntypedId id = *literal.value.untyped();
  if (scalar.nature != Nature::Ordinary && a.untyped.is_float(id)) {
    other.value = a.untyped.flexible(scalar.expr);
    return Meeting::Untyped;
  }
  ScalarType type = type_of(a, scalar);
  if (type == ScalarType::Bool) {
    auto& error = a.report(Code::TypeMismatch, literal.at, "a number meets bool");
    error.note(other.at, "this is bool");
    propose_cast(error, other.at, ScalarType::I32);
    return Meeting::Failed;
  }
  const auto value = a.untyped.as(id, type);
  if (!value) {
    literal_does_not_fit(a, literal, type);
    return Meeting::Failed;
  }
  const Nature nature = scalar.nature == Nature::Ordinary ? Nature::Ordinary : Nature::Size;
  literal.value = with_nature(*value, nature);
  return Meeting::Typed;
}

// The common type of two different ones; reports where there is none.
std::optional<ScalarType> common_type(Analysis& a, const Written& x, const Written& y,
                                      SourceRange where) {
  const Scalar &p = *x.value.scalar(), &q = *y.value.scalar();
  const ScalarType s = type_of(a, p), t = type_of(a, q);
  const std::string types = quoted(s) + " and " + quoted(t);
  if (s == ScalarType::Bool || t == ScalarType::Bool) {
    auto& error = a.report(Code::TypeMismatch, where, "bool meets a number: " + types);
    propose_cast(error, s == ScalarType::Bool ? x.at : y.at, s == ScalarType::Bool ? t : s);
    return std::nullopt;
  }
  if (is_integer(s) && is_integer(t)) {
    if (is_signed_integer(s) == is_signed_integer(t)) return wider(s, t);
    auto& error = a.report(Code::MixedSignedness, where, "signed meets unsigned: " + types);
    // An index takes the other's type; else what is unsigned becomes signed.
    const bool has_index = p.nature != Nature::Ordinary || q.nature != Nature::Ordinary;
    const bool cast_x = has_index ? p.nature != Nature::Ordinary : !is_signed_integer(s);
    propose_cast(error, cast_x ? x.at : y.at, cast_x ? t : s);
    return std::nullopt;
  }
  if (is_integer(s) || is_integer(t)) {
    const Scalar& whole = is_integer(s) ? p : q;
    const ScalarType other = is_integer(s) ? t : s;
    const ScalarType real = is_complex(other) ? component_type(other) : other;
    if (whole.nature != Nature::Ordinary) return real;
    auto& error = a.report(Code::IntegerWithFloat, where, "integer meets float: " + types);
    propose_cast(error, is_integer(s) ? x.at : y.at, real);
    return std::nullopt;
  }
  if (is_real_float(s) && is_real_float(t)) return wider(s, t);
  const ScalarType left = is_complex(s) ? component_type(s) : s;
  const ScalarType right = is_complex(t) ? component_type(t) : t;
  return complex_of(wider(left, right));
}

void check_count(Analysis& a, const Scalar& x, SourceRange at) {
  ExprArena& arena = a.arena();
  for (ReductionId id : x.counted) {
    const Reduction reduction = arena.reduction(id);
    ExprId points = arena.integer(1);
    const bool is_position = reduction.monoid != Monoid::Count && reduction.axes.size() == 1;
    for (const Axis& axis : reduction.axes) {
      const auto hi = extreme(a, axis.hi, true);
      const auto lo = is_position ? std::optional(arena.integer(0)) : extreme(a, axis.lo, false);
      if (!hi || !lo) {
        propose_cast(
            a.report(Code::NarrowingStore, at,
                     "the greatest value is not known at launch, so that i32 needs a cast"),
            at, ScalarType::I32);
        return;
      }
      points = index_mul(arena, points, extent_of(a, *lo, *hi));
    }
    const auto known = constant_integer(arena, points);
    if (known && *known <= INT32_MAX) continue;
    a.add_check(arena.apply(Op::Le, {points, arena.integer(INT32_MAX)}),
                "a count or position up to {0} does not fit i32", {points}, at);
  }
}

// Does a value of type `from` go into `to` without a cast?
bool widens(ScalarType from, ScalarType to) {
  if (from == to) return true;
  if (is_integer(from) && is_integer(to)) {
    return is_signed_integer(from) == is_signed_integer(to) && size_of(from) <= size_of(to);
  }
  return (from == ScalarType::F32 && to == ScalarType::F64) ||
         (from == ScalarType::C64 && to == ScalarType::C128);
}

Code mismatch_code(ScalarType from, ScalarType to) {
  if (is_float(from) && is_float(to)) return Code::NarrowingStore;
  if (is_complex(from) && is_complex(to)) return Code::NarrowingStore;
  if (is_integer(from) && is_integer(to)) {
    return is_signed_integer(from) == is_signed_integer(to) ? Code::NarrowingStore
                                                            : Code::MixedSignedness;
  }
  if (is_integer(from) && is_float(to)) return Code::IntegerWithFloat;
  return Code::TypeMismatch;
}

void report_mismatch(Analysis& a, const Written& x, ScalarType from, ScalarType to,
                     const std::string& place) {
  auto& error = a.report(mismatch_code(from, to), x.at,
                         place + " is " + quoted(to) + ", the value is " + quoted(from));
  if (is_complex(from) && !is_complex(to)) {
    error.note(x.at, "take a part: .re, .im, or abs()");
  } else if (from == ScalarType::Bool || to != ScalarType::Bool) {
    propose_cast(error, x.at, to);
  } else {
    error.note(x.at, "compare it: != 0");
  }
}

}  // namespace

std::string describe(const Analysis& a, const Operand& value) {
  if (const Scalar* scalar = value.scalar()) {
    return quoted(a.fn.arena.type(scalar->stored.valid() ? scalar->stored : scalar->expr));
  }
  if (const UntypedId* untyped = value.untyped()) {
    return a.untyped.is_float(*untyped) ? "an untyped real" : "an untyped integer";
  }
  if (const auto* tuple = value.get<TupleValue>()) {
    return "a tuple of " + std::to_string(tuple->parts.size());
  }
  if (const auto* record = value.get<RecordValue>())
    return "a record of type " + record->type->name;
  if (const auto* place = value.get<Place>()) {
    return place->type.record != nullptr ? "a record of type " + place->type.record->name
                                         : std::string("an array");
  }
  if (value.get<ArrayValue>() != nullptr) return "an array";
  if (std::holds_alternative<WholeTensor>(value.node)) return "a whole tensor";
  return "an error";
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

void propose_cast(Diagnostic& diagnostic, SourceRange at, ScalarType type) {
  diagnostic.fix(at.start(), quoted(type) + "(").fix(at.finish(), ")");
}

bool is_plain(Analysis& a, Written& x) {
  if (x.value.is_poison()) return false;
  if (const auto* tuple = x.value.get<TupleValue>(); tuple != nullptr && tuple->is_arg) {
    x.value = Operand(tuple->parts[1]);
    return true;
  }
  if (x.value.scalar() != nullptr || x.value.untyped() != nullptr) return true;
  if (const auto* whole = std::get_if<WholeTensor>(&x.value.node)) {
    a.report(Code::NotAValue, x.at,
             "'" + whole->tensor->name + "' is a tensor: its elements are values, written " +
                 whole->tensor->name + "[...]");
    return false;
  }
  const bool is_tuple = x.value.get<TupleValue>() != nullptr;
  a.report(is_tuple ? Code::TupleHere : Code::TypeMismatch, x.at,
           "a number is needed here, this is " + describe(a, x.value));
  return false;
}

Nature joint_nature(const Operand& x, const Operand& y) {
  const auto nature = [](const Operand& operand) {
    return operand.scalar() != nullptr ? operand.scalar()->nature : Nature::Size;
  };
  const Nature p = nature(x), q = nature(y);
  if (p == Nature::Ordinary || q == Nature::Ordinary) return Nature::Ordinary;
  return p == Nature::Size && q == Nature::Size ? Nature::Size : Nature::Index;
}

Meeting meet(Analysis& a, Written& x, Written& y, SourceRange where) {
  if (!is_plain(a, x) || !is_plain(a, y)) return Meeting::Failed;
  if (x.value.untyped() != nullptr && y.value.untyped() != nullptr) return Meeting::Untyped;
  if (x.value.untyped() != nullptr) return untyped_meets(a, x, y);
  if (y.value.untyped() != nullptr) return untyped_meets(a, y, x);
  const Scalar p = *x.value.scalar(), q = *y.value.scalar();
  if (p.is_read && q.is_read && p.stored.valid() && q.stored.valid() &&
      shown_type(a, p) != shown_type(a, q)) {
    auto& error = a.report(
        Code::MixedFloats, where,
        "different floats meet: " + quoted(shown_type(a, p)) + " and " + quoted(shown_type(a, q)));
    propose_cast(error, x.at, ScalarType::F32);
    propose_cast(error, y.at, ScalarType::F32);
    return Meeting::Failed;
  }
  if (type_of(a, p) == type_of(a, q)) return Meeting::Typed;
  const auto common = common_type(a, x, y, where);
  if (!common) return Meeting::Failed;
  // An index value next to a complex number becomes a real of its component; the operators take it
  // on.
  const auto bring = [&](Written& operand, const Scalar& scalar) {
    const ScalarType own = type_of(a, scalar);
    if (is_complex(own) && !is_complex(*common)) return;
    operand.value = converted(a, scalar, *common);
  };
  if (is_complex(*common) || !(is_complex(type_of(a, p)) || is_complex(type_of(a, q)))) {
    bring(x, p);
    bring(y, q);
    return Meeting::Typed;
  }
  const bool left_complex = is_complex(type_of(a, p));
  (left_complex ? y : x).value = converted(a, left_complex ? q : p, *common);
  return meet(a, x, y, where);
}

std::optional<Scalar> typed(Analysis& a, Written x) {
  if (!is_plain(a, x)) return std::nullopt;
  if (const Scalar* scalar = x.value.scalar()) return *scalar;
  const UntypedId id = *x.value.untyped();
  const auto type = a.untyped.default_type(id);
  const auto value = type ? a.untyped.as(id, *type) : std::nullopt;
  if (!value) {
    literal_does_not_fit(a, x, type.value_or(ScalarType::I64));
    return std::nullopt;
  }
  return Scalar{*value, Nature::Ordinary, {}, false, {}};
}

std::optional<ExprId> argument(Analysis& a, Written x, ScalarType type, const std::string& place) {
  if (!is_plain(a, x)) return std::nullopt;
  if (const UntypedId* untyped = x.value.untyped()) {
    const auto value = a.untyped.as(*untyped, type);
    if (!value) literal_does_not_fit(a, x, type);
    return value;
  }
  const Scalar scalar = *x.value.scalar();
  const ScalarType from = type_of(a, scalar);
  if (scalar.nature != Nature::Ordinary && is_float(type)) return a.arena().cast(scalar.expr, type);
  if (widens(from, type)) return a.arena().cast(scalar.expr, type);
  report_mismatch(a, x, shown_type(a, scalar), type, place);
  return std::nullopt;
}

std::optional<ExprId> stored(Analysis& a, Written x, ScalarType type, const std::string& place) {
  if (!is_plain(a, x)) return std::nullopt;
  if (const Scalar* scalar = x.value.scalar()) {
    if (scalar->stored.valid() && a.arena().type(scalar->stored) == type) return scalar->stored;
    if (scalar->nature == Nature::Count && type == ScalarType::I32 && !scalar->counted.empty()) {
      check_count(a, *scalar, x.at);
      return a.arena().cast(scalar->expr, type);
    }
    if (is_storage_only(type) && scalar->nature != Nature::Ordinary) {
      const ExprId wide = a.arena().cast(scalar->expr, ScalarType::F32);
      return a.arena().cast(wide, type);
    }
  }
  return argument(a, std::move(x), type, place);
}

Operand cast(Analysis& a, Written x, ScalarType type) {
  if (!is_plain(a, x)) return {};
  ExprArena& arena = a.arena();
  if (const UntypedId* untyped = x.value.untyped();
      untyped != nullptr && type != ScalarType::Bool) {
    const auto value = a.untyped.as(*untyped, type);
    if (!value) {
      literal_does_not_fit(a, x, type);
      return {};
    }
    if (!is_storage_only(type)) return ordinary(*value);
    return Scalar{arena.cast(*value, ScalarType::F32), Nature::Ordinary, *value, false, {}};
  }
  const auto scalar = typed(a, x);
  if (!scalar) return {};
  const ScalarType from = type_of(a, *scalar);
  if (is_complex(from) && !is_complex(type) && type != ScalarType::Bool) {
    a.report(Code::NoSuchOperation, x.at, "a complex number has no cast to " + quoted(type))
        .note(x.at, "take a part: .re, .im, or abs()");
    return {};
  }
  if (!is_storage_only(type)) return ordinary(arena.cast(scalar->expr, type));
  if (scalar->stored.valid() && arena.type(scalar->stored) == type) return *scalar;
  const ExprId narrow = arena.cast(arena.cast(scalar->expr, ScalarType::F32), type);
  return Scalar{arena.cast(narrow, ScalarType::F32), Nature::Ordinary, narrow, false, {}};
}

std::optional<Scalar> integer(Analysis& a, Written x, const std::string& place) {
  if (!is_plain(a, x)) return std::nullopt;
  if (const UntypedId* untyped = x.value.untyped()) {
    const auto value = a.untyped.as(*untyped, ScalarType::I64);
    if (!value) {
      a.report(Code::NotAnInteger, x.at,
               place + " must be an integer, this is " + a.untyped.text(*untyped));
      return std::nullopt;
    }
    return Scalar{*value, Nature::Size, {}, false, {}};
  }
  Scalar scalar = *x.value.scalar();
  const ScalarType type = type_of(a, scalar);
  if (!is_integer(type)) {
    auto& error = a.report(Code::NotAnInteger, x.at,
                           place + " must be an integer, this is " + describe(a, x.value));
    if (is_float(type)) propose_cast(error, x.at, ScalarType::I64);
    return std::nullopt;
  }
  if (type != ScalarType::I64) return converted(a, scalar, ScalarType::I64);
  return scalar;
}

std::optional<ExprId> condition(Analysis& a, Written x) {
  if (!is_plain(a, x)) return std::nullopt;
  if (const Scalar* scalar = x.value.scalar()) {
    if (type_of(a, *scalar) == ScalarType::Bool) return scalar->expr;
  }
  a.report(Code::ConditionNotBool, x.at, "a condition is bool, this is " + describe(a, x.value))
      .fix(x.at.finish(), " != 0");
  return std::nullopt;
}

}  // namespace cdsl::sema
