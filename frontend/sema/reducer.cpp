#include "frontend/sema/reducer.h"

#include "frontend/sema/constant.h"
#include "frontend/sema/expression.h"

namespace cdsl::sema {
namespace {

std::optional<std::vector<ScalarType>> part_types(Analysis& a, const ast::ReducerDecl& decl) {
  std::vector<ScalarType> types;
  for (const ast::TypeExpr& part : decl.parts) {
    const auto type = resolve_type(a, part.name);
    if (!type) return std::nullopt;
    if (type->record != nullptr || part.has_shape) {
      a.report(Code::BadReducer, part.range, "the parts of a reducer are scalars");
      return std::nullopt;
    }
    types.push_back(evaluation_type(type->scalar));
  }
  return types;
}

// A value of as many parts as the reducer has, each in its type.
std::optional<std::vector<ExprId>> parts_of(Analysis& a, const ast::ReducerDecl& decl,
                                            const std::vector<ScalarType>& types, const Written& x,
                                            const std::string& place) {
  if (x.value.is_poison()) return std::nullopt;
  std::vector<Operand> parts{x.value};
  const auto* tuple = x.value.get<TupleValue>();
  if (tuple != nullptr && !tuple->is_arg) parts = tuple->parts;
  if (parts.size() != types.size()) {
    a.report(Code::BadReducer, x.at,
             place + " of '" + decl.name.text + "' has " + std::to_string(types.size()) +
                 " parts, this is " + describe(a, x.value))
        .note(decl.name.range, "declared here");
    return std::nullopt;
  }
  std::vector<ExprId> exprs;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto expr =
        argument(a, {parts[k], x.at}, types[k], "part " + std::to_string(k) + " of " + place);
    if (!expr) return std::nullopt;
    exprs.push_back(*expr);
  }
  return exprs;
}

Operand accumulators(Analysis& a, const std::string& name, const std::vector<ScalarType>& types,
                     bool is_tuple, std::vector<SymbolId>& symbols) {
  TupleValue tuple;
  for (std::size_t k = 0; k < types.size(); ++k) {
    symbols.push_back(a.arena().add_symbol(is_tuple ? name + "_" + std::to_string(k) : name,
                                           SymbolKind::Local, types[k]));
    tuple.parts.push_back(ordinary(a.arena().symbol_ref(symbols.back())));
  }
  return is_tuple ? Operand(std::move(tuple)) : tuple.parts[0];
}

bool fill_combination(Analysis& a, const ast::ReducerDecl& decl, Reduction& reduction) {
  const InScope scope(a, true);
  const std::uint32_t let_order = a.let_order;
  a.let_order = std::numeric_limits<std::uint32_t>::max();
  a.expansions.push_back({decl.name.text, reduction.where, &decl});
  const auto identity =
      parts_of(a, decl, reduction.types, written(a, decl.identity), "the identity");
  const Operand left =
      accumulators(a, decl.left.text, reduction.types, decl.is_tuple, reduction.left);
  const Operand right =
      accumulators(a, decl.right.text, reduction.types, decl.is_tuple, reduction.right);
  bool good = a.declare(decl.left, {left, {}, 0}) && a.declare(decl.right, {right, {}, 0});
  if (good) {
    const auto combine =
        parts_of(a, decl, reduction.types, written(a, decl.combine), "the combination");
    good = identity && combine;
    if (good) {
      reduction.identity = *identity;
      reduction.combine = *combine;
    }
  }
  a.expansions.pop_back();
  a.let_order = let_order;
  return good;
}

bool begin(Analysis& a, const ast::ReducerDecl& decl, SourceRange at, Reduction& reduction) {
  if (a.is_expanding(&decl)) {
    a.report(Code::RecursiveDefinition, at, "'" + decl.name.text + "' uses itself");
    return false;
  }
  const auto types = part_types(a, decl);
  if (!types) return false;
  reduction.monoid = Monoid::User;
  reduction.types = *types;
  reduction.commutative = decl.is_commutative;
  reduction.name = decl.name.text;
  reduction.where = at;
  return fill_combination(a, decl, reduction);
}

}  // namespace

Operand reduce_with(Analysis& a, const ast::ReducerDecl& decl, const BoundIndices& bound,
                    Written term, SourceRange at) {
  Reduction reduction;
  if (!begin(a, decl, at, reduction)) return {};
  const auto lifted = parts_of(a, decl, reduction.types, term, "the term");
  if (!lifted) return {};
  reduction.axes = bound.axes;
  reduction.guard = bound.guard;
  reduction.lifted = *lifted;
  const ReductionId id = a.arena().add_reduction(std::move(reduction));
  TupleValue tuple;
  for (std::uint32_t k = 0; k < lifted->size(); ++k)
    tuple.parts.push_back(ordinary(a.arena().reduce(id, k)));
  return decl.is_tuple ? Operand(std::move(tuple)) : tuple.parts[0];
}

void check_reducer(Analysis& a, const ast::ReducerDecl& decl) {
  Reduction reduction;
  begin(a, decl, decl.name.range, reduction);
}

}  // namespace cdsl::sema
