#include "frontend/sema/extremes.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"

namespace cdsl::sema {
namespace {

// Subscripts nest little; deeper ones are left to other means.
constexpr int kMaxDepth = 100;

void add_atom(LinearForm& form, ExprId atom, std::int64_t factor) {
  for (auto& [known, count] : form.atoms) {
    if (known == atom) {
      count += factor;
      return;
    }
  }
  form.atoms.emplace_back(atom, factor);
}

void add_scaled(ExprArena& arena, LinearForm& to, const LinearForm& from, std::int64_t factor) {
  for (const auto& [index, coefficient] : from.terms) {
    const ExprId scaled = index_mul(arena, coefficient, arena.integer(factor));
    auto found = std::find_if(to.terms.begin(), to.terms.end(),
                              [&](const auto& term) { return term.first == index; });
    if (found == to.terms.end()) {
      to.terms.emplace_back(index, scaled);
    } else {
      found->second = tidy(arena, index_add(arena, found->second, scaled));
    }
  }
  for (const auto& [atom, count] : from.atoms) add_atom(to, atom, count * factor);
  to.constant += from.constant * factor;
}

bool is_constant(const LinearForm& form) {
  return form.terms.empty() && std::all_of(form.atoms.begin(), form.atoms.end(),
                                           [](const auto& a) { return a.second == 0; });
}

std::optional<LinearForm> collect(ExprArena& arena, ExprId id, int depth);

std::optional<LinearForm> product(ExprArena& arena, ExprId id, const LinearForm& x,
                                  const LinearForm& y) {
  LinearForm result;
  if (is_constant(x) || is_constant(y)) {
    add_scaled(arena, result, is_constant(x) ? y : x, is_constant(x) ? x.constant : y.constant);
    return result;
  }
  if (!x.terms.empty() && !y.terms.empty()) return std::nullopt;
  if (x.terms.empty() && y.terms.empty()) {
    add_atom(result, id, 1);
    return result;
  }
  const LinearForm& with_terms = x.terms.empty() ? y : x;
  const ExprId factor = (x.terms.empty() ? x : y).rest(arena);
  for (const auto& [index, coefficient] : with_terms.terms) {
    result.terms.emplace_back(index, index_mul(arena, coefficient, factor));
  }
  const ExprId rest = index_mul(arena, with_terms.rest(arena), factor);
  if (const auto constant = constant_integer(arena, rest)) {
    result.constant = *constant;
  } else {
    add_atom(result, rest, 1);
  }
  return result;
}

std::optional<LinearForm> collect(ExprArena& arena, ExprId id, int depth) {
  LinearForm form;
  if (depth > kMaxDepth) return std::nullopt;
  if (const auto constant = constant_integer(arena, id)) {
    form.constant = *constant;
    return form;
  }
  if (const auto* symbol = arena.get_if<Symbol>(id)) {
    if (arena.symbol(symbol->symbol).kind == SymbolKind::Index) {
      form.terms.emplace_back(symbol->symbol, arena.integer(1));
    } else {
      add_atom(form, id, 1);
    }
    return form;
  }
  const auto* apply = arena.get_if<Apply>(id);
  const bool wide = arena.type(id) == ScalarType::I64;
  if (apply != nullptr && wide) {
    const std::vector<ExprId> args(arena.args(id).begin(), arena.args(id).end());
    const Op op = apply->op;
    if (op == Op::Add || op == Op::Sub || op == Op::Mul) {
      const auto x = collect(arena, args[0], depth + 1), y = collect(arena, args[1], depth + 1);
      if (!x || !y) return std::nullopt;
      if (op == Op::Mul) return product(arena, id, *x, *y);
      add_scaled(arena, form, *x, 1);
      add_scaled(arena, form, *y, op == Op::Add ? 1 : -1);
      return form;
    }
    if (op == Op::Neg) {
      const auto x = collect(arena, args[0], depth + 1);
      if (!x) return std::nullopt;
      add_scaled(arena, form, *x, -1);
      return form;
    }
  }
  if (!is_launch_known(arena, id)) return std::nullopt;
  add_atom(form, id, 1);
  return form;
}

bool is_known(const ExprArena& arena, ExprId root, bool with_scalars) {
  for (ExprId id : postorder(arena, std::span(&root, 1))) {
    if (arena.get_if<Read>(id) != nullptr || arena.get_if<Reduce>(id) != nullptr) return false;
    const auto* symbol = arena.get_if<Symbol>(id);
    if (symbol == nullptr) continue;
    const SymbolKind kind = arena.symbol(symbol->symbol).kind;
    if (kind != SymbolKind::Size && !(with_scalars && kind == SymbolKind::Scalar)) return false;
  }
  return true;
}

// Every index in the form is an axis whose bounds are known at launch.
bool is_box(const Analysis& a) {
  return std::all_of(a.points.axes.begin(), a.points.axes.end(), [&](const Axis& axis) {
    return is_launch_known(a.fn.arena, axis.lo) && is_launch_known(a.fn.arena, axis.hi);
  });
}

}  // namespace

bool is_launch_known(const ExprArena& arena, ExprId root) {
  return is_known(arena, root, true);
}
bool is_size_expression(const ExprArena& arena, ExprId root) {
  return is_known(arena, root, false);
}

ExprId LinearForm::rest(ExprArena& arena) const {
  ExprId sum;
  for (const bool positive : {true, false}) {
    for (const auto& [atom, count] : atoms) {
      if (count == 0 || (count > 0) != positive) continue;
      const ExprId term = index_mul(arena, arena.integer(count > 0 ? count : -count), atom);
      if (!sum.valid()) {
        sum = positive ? term : arena.apply(Op::Neg, {term});
      } else {
        sum = positive ? index_add(arena, sum, term) : index_sub(arena, sum, term);
      }
    }
  }
  if (!sum.valid()) return arena.integer(constant);
  return constant < 0 ? index_sub(arena, sum, arena.integer(-constant))
                      : index_add(arena, sum, arena.integer(constant));
}

std::optional<LinearForm> linear_form(ExprArena& arena, ExprId id) {
  return collect(arena, id, 0);
}

ExprId tidy(ExprArena& arena, ExprId id) {
  const auto form = linear_form(arena, id);
  return form && form->terms.empty() ? form->rest(arena) : id;
}

std::optional<ExprId> extreme(Analysis& a, ExprId id, bool upper) {
  ExprArena& arena = a.arena();
  for (const Op op : {Op::Min, Op::Max}) {
    if (!arena.is_apply(id, op)) continue;
    const std::vector<ExprId> args(arena.args(id).begin(), arena.args(id).end());
    const auto x = extreme(a, args[0], upper), y = extreme(a, args[1], upper);
    if (!x || !y) return std::nullopt;
    return op == Op::Min ? index_min(arena, *x, *y) : index_max(arena, *x, *y);
  }
  auto form = linear_form(arena, id);
  // The index bound last goes first: its range may use the others.
  while (form && !form->terms.empty()) {
    const auto last = std::max_element(form->terms.begin(), form->terms.end());
    const auto coefficient = constant_integer(arena, last->second);
    const auto info = a.indices.find(last->first);
    if (!coefficient || info == a.indices.end()) return std::nullopt;
    const bool greatest = upper == (*coefficient > 0);
    const ExprId bound =
        greatest ? index_sub(arena, info->second.hi, arena.integer(1)) : info->second.lo;
    auto replacement = linear_form(arena, bound);
    if (!replacement) {
      const auto simple = extreme(a, bound, greatest);
      if (!simple) return std::nullopt;
      replacement = linear_form(arena, *simple);
    }
    if (!replacement) return std::nullopt;
    form->terms.erase(last);
    add_scaled(arena, *form, *replacement, *coefficient);
  }
  if (!form) return std::nullopt;
  return form->rest(arena);
}

std::optional<Corners> corners(Analysis& a, ExprId subscript, ExprId extent) {
  ExprArena& arena = a.arena();
  const auto form = linear_form(arena, subscript);
  if (!form || !is_box(a) || !is_launch_known(arena, extent)) return std::nullopt;
  ExprId least = form->rest(arena), greatest = least;
  for (const auto& [index, coefficient] : form->terms) {
    const auto info = a.indices.find(index);
    if (info == a.indices.end()) return std::nullopt;
    const ExprId first = info->second.lo;
    const ExprId last = tidy(arena, index_sub(arena, info->second.hi, arena.integer(1)));
    const ExprId at_first = index_mul(arena, coefficient, first);
    const ExprId at_last = index_mul(arena, coefficient, last);
    const auto sign = constant_integer(arena, coefficient);
    if (sign) {
      least = index_add(arena, least, *sign >= 0 ? at_first : at_last);
      greatest = index_add(arena, greatest, *sign >= 0 ? at_last : at_first);
    } else {
      least = index_add(arena, least, index_min(arena, at_first, at_last));
      greatest = index_add(arena, greatest, index_max(arena, at_first, at_last));
    }
  }
  least = tidy(arena, least);
  greatest = tidy(arena, greatest);
  // Of the two tests, those that hold for all sizes are left out.
  ExprId condition;
  for (const ExprId test :
       {arena.apply(Op::Ge, {least, arena.integer(0)}), arena.apply(Op::Lt, {greatest, extent})}) {
    if (a.prover().holds({}, test) != Verdict::Proved)
      condition = logical_and(arena, condition, test);
  }
  if (!condition.valid()) condition = arena.boolean(true);
  for (const Axis& axis : a.points.axes) {
    const auto lo = constant_integer(arena, axis.lo), hi = constant_integer(arena, axis.hi);
    if (lo && hi && *lo < *hi) continue;
    condition = arena.apply(Op::LogicalOr, {arena.apply(Op::Le, {axis.hi, axis.lo}), condition});
  }
  return Corners{condition, least, greatest};
}

}  // namespace cdsl::sema
