#include "frontend/sema/reduction.h"

#include <array>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/suggest.h"
#include "frontend/sema/constant.h"
#include "frontend/sema/domain.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/extremes.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/reducer.h"

namespace cdsl::sema {
namespace {

constexpr std::array<std::string_view, 10> kOperators = {
    "sum", "prod", "min", "max", "mean", "any", "all", "count", "argmin", "argmax"};

std::optional<Monoid> monoid_named(std::string_view name) {
  for (int k = 0; k < static_cast<int>(Monoid::User); ++k) {
    if (name_of(static_cast<Monoid>(k)) == name) return static_cast<Monoid>(k);
  }
  return std::nullopt;
}

struct Parts {
  const ast::Reduction& node;
  BoundIndices bound;
  Written value;
  std::optional<ScalarType> accumulator;
  SourceRange at;
};

Reduction base_of(const Parts& p, Monoid monoid) {
  Reduction reduction;
  reduction.monoid = monoid;
  reduction.axes = p.bound.axes;
  reduction.guard = p.bound.guard;
  reduction.where = p.at;
  return reduction;
}

ReductionId add(Analysis& a, const Parts& p, Monoid monoid, ScalarType type, ExprId term) {
  Reduction reduction = base_of(p, monoid);
  reduction.types = {type};
  reduction.lifted = {term};
  return a.arena().add_reduction(std::move(reduction));
}

// The number of points: a product of extents, or counted where guards and earlier indices decide.
ExprId point_count(Analysis& a, const Parts& p) {
  ExprArena& arena = a.arena();
  bool is_box = !p.bound.guard.valid();
  for (const Axis& axis : p.bound.axes) {
    for (const ExprId bound : {axis.lo, axis.hi}) {
      for (SymbolId symbol : free_symbols(arena, bound)) {
        for (const Axis& other : p.bound.axes) is_box = is_box && other.index != symbol;
      }
    }
  }
  if (is_box) {
    ExprId count = arena.integer(1);
    for (const Axis& axis : p.bound.axes) {
      ExprId extent = index_sub(arena, axis.hi, axis.lo);
      const ExprId in_order = arena.apply(Op::Le, {axis.lo, axis.hi});
      const auto known = constant_integer(arena, extent);
      const bool positive = known ? *known >= 0 : a.prover().holds({}, in_order) == Verdict::Proved;
      if (!positive) extent = index_max(arena, extent, arena.integer(0));
      count = index_mul(arena, count, extent);
    }
    return count;
  }
  Reduction reduction = base_of(p, Monoid::Count);
  reduction.types = {ScalarType::I64};
  reduction.lifted = {arena.boolean(true)};
  std::unordered_map<SymbolId, ExprId> fresh;
  for (Axis& axis : reduction.axes) {
    axis.lo = substitute(arena, axis.lo, fresh);
    axis.hi = substitute(arena, axis.hi, fresh);
    const SymbolId old = axis.index;
    axis.index = arena.add_symbol(arena.symbol(old).name, SymbolKind::Index);
    fresh.emplace(old, arena.symbol_ref(axis.index));
  }
  if (reduction.guard.valid()) reduction.guard = substitute(arena, reduction.guard, fresh);
  return arena.reduce(arena.add_reduction(std::move(reduction)));
}

void not_for_type(Analysis& a, const Parts& p, const std::string& advice) {
  a.report(Code::NoSuchOperation, p.value.at,
           "'" + p.node.op.text + "' is not defined for " + describe(a, p.value.value))
      .note(p.value.at, advice);
}

// The type in which terms are combined; nullopt after an error.
std::optional<ScalarType> combine_type(Analysis& a, const Parts& p, Monoid monoid,
                                       ScalarType type) {
  if (type == ScalarType::Bool) {
    not_for_type(a, p, "count[...](...) counts where a condition holds");
    return std::nullopt;
  }
  const bool orders = monoid == Monoid::Min || monoid == Monoid::Max || monoid == Monoid::ArgMin ||
                      monoid == Monoid::ArgMax;
  if (orders && is_complex(type)) {
    not_for_type(a, p, "complex numbers have no order; compare abs(z)");
    return std::nullopt;
  }
  if (orders || !is_integer(type) || size_of(type) >= 4) return type;
  return is_signed_integer(type) ? ScalarType::I32 : ScalarType::U32;
}

// The named accumulator must be of the same family and no narrower.
bool takes_accumulator(Analysis& a, const Parts& p, ScalarType type) {
  const ScalarType to = *p.accumulator;
  const bool family =
      (is_integer(type) && is_integer(to) && is_signed_integer(type) == is_signed_integer(to)) ||
      (is_float(type) && is_float(to)) || (is_complex(type) && is_complex(to));
  if (family && size_of(to) >= size_of(type) && !is_storage_only(to)) return true;
  a.report(Code::TypeMismatch, p.node.accumulator->range,
           "terms of " + std::string(name_of(type)) + " cannot be accumulated in " +
               std::string(name_of(to)));
  return false;
}

Operand untyped_total(Analysis& a, const Parts& p, Monoid monoid, UntypedId term) {
  return a.untyped.reduction(base_of(p, monoid), term);
}

Operand total(Analysis& a, Parts p, Monoid monoid) {
  if (!is_plain(a, p.value)) return {};
  if (p.accumulator && p.value.value.untyped() != nullptr) {
    p.value.value = cast(a, p.value, *p.accumulator);
    if (p.value.value.is_poison()) return {};
  }
  if (const UntypedId* untyped = p.value.value.untyped())
    return untyped_total(a, p, monoid, *untyped);
  const Scalar scalar = *p.value.value.scalar();
  const ScalarType own = a.arena().type(scalar.expr);
  const auto type = combine_type(a, p, monoid, own);
  if (!type || (p.accumulator && !takes_accumulator(a, p, own))) return {};
  const ScalarType wide = p.accumulator.value_or(*type);
  const ReductionId id = add(a, p, monoid, wide, a.arena().cast(scalar.expr, wide));
  const Nature nature = scalar.nature == Nature::Ordinary ? Nature::Ordinary : Nature::Index;
  return with_nature(a.arena().reduce(id), nature);
}

Operand mean(Analysis& a, const Parts& p) {
  Written value = p.value;
  if (!is_plain(a, value)) return {};
  const UntypedId* untyped = value.value.untyped();
  const bool whole = untyped != nullptr ? !a.untyped.is_float(*untyped) && !p.accumulator
                                        : is_integer(a.arena().type(value.value.scalar()->expr));
  if (whole) {
    auto& error = a.report(Code::NoSuchOperation, value.at, "'mean' is not defined for integers");
    propose_cast(error, value.at, ScalarType::F32);
    return {};
  }
  const Operand sum = total(a, p, Monoid::Sum);
  if (sum.is_poison()) return {};
  const Operand count = with_nature(point_count(a, p), Nature::Index);
  return arithmetic(a, Op::Div, {sum, p.at}, {count, p.at}, p.at);
}

bool is_surely_empty(const Analysis& a, const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) {
    const auto lo = constant_integer(a.fn.arena, axis.lo),
               hi = constant_integer(a.fn.arena, axis.hi);
    if (lo && hi && *hi <= *lo) return true;
  }
  return false;
}

// A flat position counts in the box of several indices, which data may not decide.
bool has_flat_box(Analysis& a, const Parts& p) {
  if (p.bound.axes.size() < 2) return true;
  for (const Axis& axis : p.bound.axes) {
    if (extreme(a, axis.lo, false) && extreme(a, axis.hi, true)) continue;
    a.report(Code::UnboundedIntermediate, p.at,
             "the position over several indices counts in their box, which may not depend on data");
    return false;
  }
  return true;
}

Operand arg_extremum(Analysis& a, const Parts& p, Monoid monoid) {
  if (is_surely_empty(a, p.bound.axes)) {
    a.report(Code::EmptyArgReduction, p.at,
             "'" + p.node.op.text + "' over nothing has no index to give");
    return {};
  }
  const auto scalar = typed(a, p.value);
  if (!scalar || !has_flat_box(a, p)) return {};
  const ScalarType own = a.arena().type(scalar->expr);
  if (!combine_type(a, p, monoid, own)) return {};
  const ReductionId id = add(a, p, monoid, own, scalar->expr);
  TupleValue pair;
  pair.is_arg = true;
  pair.parts.push_back(ordinary(a.arena().reduce(id, 0)));
  pair.parts.push_back(Scalar{a.arena().reduce(id, 1), Nature::Count, {}, false, {id}});
  return pair;
}

Operand truth(Analysis& a, const Parts& p, Monoid monoid) {
  const auto holds = condition(a, p.value);
  if (!holds) return {};
  const bool counts = monoid == Monoid::Count;
  const ReductionId id = add(a, p, monoid, counts ? ScalarType::I64 : ScalarType::Bool, *holds);
  if (!counts) return ordinary(a.arena().reduce(id));
  return Scalar{a.arena().reduce(id), Nature::Count, {}, false, {id}};
}

Operand built_in(Analysis& a, Parts p) {
  const std::string& name = p.node.op.text;
  if (name == "mean") return mean(a, p);
  const Monoid monoid = *monoid_named(name);
  switch (monoid) {
    case Monoid::Any:
    case Monoid::All:
    case Monoid::Count: return truth(a, p, monoid);
    case Monoid::ArgMin:
    case Monoid::ArgMax: return arg_extremum(a, p, monoid);
    default: return total(a, std::move(p), monoid);
  }
}

bool is_operator(Analysis& a, const ast::Reduction& node) {
  const std::string& name = node.op.text;
  if (find_tensor(a, name) != nullptr) {
    a.report(Code::UnknownReduction, node.op.range,
             "'" + name + "' is a tensor here, so that " + name + "[...](...) is no reduction");
    return false;
  }
  if (a.module.reducer(name) || name == "mean" || monoid_named(name)) return true;
  const std::span<const std::string_view> known(kOperators);
  auto& error = a.report(Code::UnknownReduction, node.op.range,
                         "no reduction is named '" + name + "'" + did_you_mean(name, known));
  if (const auto near = nearest(name, known)) error.fix(node.op.range, *near);
  return false;
}

std::optional<ScalarType> accumulator_of(Analysis& a, const ast::Reduction& node) {
  const auto type = resolve_type(a, *node.accumulator);
  if (!type) return std::nullopt;
  const std::string& op = node.op.text;
  const bool takes = op == "sum" || op == "prod" || op == "mean";
  if (type->record == nullptr && takes && !a.module.reducer(op)) return type->scalar;
  a.report(Code::NoSuchOperation, node.accumulator->range,
           "'" + op + "' takes no accumulator of this type");
  return std::nullopt;
}

}  // namespace

Operand evaluate_reduction(Analysis& a, ast::ExprId id) {
  const ast::Reduction& node = *a.ast_if<ast::Reduction>(id);
  if (!is_operator(a, node)) return {};
  Parts parts{node, {}, {}, std::nullopt, a.range(id)};
  if (node.accumulator) {
    parts.accumulator = accumulator_of(a, node);
    if (!parts.accumulator) return {};
  }
  const InScope scope(a);
  AtPoints points(a);
  auto bound = bind_indices(a, points, node.binders, {node.value});
  if (!bound) return {};
  parts.bound = std::move(*bound);
  parts.value = written(a, node.value);
  if (parts.value.value.is_poison()) return {};
  if (const auto reducer = a.module.reducer(node.op.text)) {
    return reduce_with(a, *reducer.decl, parts.bound, parts.value, parts.at);
  }
  return built_in(a, std::move(parts));
}

}  // namespace cdsl::sema
