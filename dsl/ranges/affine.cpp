#include "dsl/ranges/affine.h"

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/ranges/interval.h"

namespace cdsl {
namespace {

// Values past this take part in no proof: isl's numbers are exact, i64 wraps.
constexpr int64_t kGreatest = int64_t{1} << 62;

isl::set with_parameters(isl::ctx context, std::size_t count) {
  isl_space* space = isl_space_set_alloc(context.get(), static_cast<unsigned>(count), 0);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string name = "p" + std::to_string(k);
    space = isl_space_set_dim_id(space, isl_dim_param, static_cast<unsigned>(k),
                                 isl_id_alloc(context.get(), name.c_str(), nullptr));
  }
  return isl::manage(isl_set_universe(space));
}

// Types whose values all fit isl's numbers as they are used here.
bool has_integers(ScalarType type) { return interval_of(type).has_value(); }

bool is_constant(const ExprArena& arena, ExprId id) {
  const auto value = constant_integer(arena, id);
  return value && *value < kGreatest && *value > -kGreatest;
}

/// Can the sets where a condition holds and where it fails be told exactly, given its integers?
bool is_decidable(const ExprArena& arena, ExprId condition) {
  std::vector<ExprId> open = {condition};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (arena.constant_value(id) != nullptr) continue;
    const auto* apply = arena.get_if<Apply>(id);
    if (apply == nullptr) return false;
    const auto args = arena.args(id);
    switch (apply->op) {
      case Op::LogicalNot: case Op::LogicalAnd: case Op::LogicalOr: case Op::And: case Op::Or:
        open.insert(open.end(), args.begin(), args.end());
        break;
      default:
        if (info(apply->op).op_class != OpClass::Compare || !has_integers(arena.type(args[0]))) return false;
    }
  }
  return true;
}

}  // namespace

bool is_affine_operation(const ExprArena& arena, ExprId id) {
  const ScalarType type = arena.type(id);
  if (!has_integers(type)) return false;
  if (arena.get_if<Symbol>(id) != nullptr) return true;
  if (arena.get_if<Constant>(id) != nullptr) return is_constant(arena, id);
  const auto* apply = arena.get_if<Apply>(id);
  if (apply == nullptr) return false;
  const auto args = arena.args(id);
  if (apply->op == Op::Cast && !has_integers(arena.type(args[0]))) return false;
  // An i64 that wraps is taken for its exact value (sizes and subscripts stay far from there); a narrower one is not.
  const bool is_narrow = type != ScalarType::I64;
  if ((is_narrow || apply->op == Op::Cast) && (apply->op == Op::Abs || !never_wraps(arena, id))) return false;
  switch (apply->op) {
    case Op::Cast: case Op::Neg: case Op::Add: case Op::Sub: case Op::Min: case Op::Max: case Op::Abs: case Op::Relu: case Op::Select:
      return true;
    case Op::Mul:
      return is_constant(arena, args[0]) || is_constant(arena, args[1]);
    case Op::Div: case Op::Rem: case Op::FloorDiv: case Op::FloorMod:
      return is_constant(arena, args[1]) && constant_integer(arena, args[1]) > 0;
    default:
      return false;
  }
}

AffineSpace::AffineSpace(isl::ctx context, const ExprArena& arena, const std::vector<ExprId>& roots,
                         const std::vector<SymbolId>& symbols)
    : arena_(arena), universe_(with_parameters(context, 0)) {
  std::size_t count = 0;
  for (SymbolId symbol : symbols) add_symbol(symbol, count);
  for (ExprId id : postorder(arena, roots)) {
    if (arena.type(id) == ScalarType::Bool) continue;
    if (const auto* symbol = arena.get_if<Symbol>(id); symbol != nullptr && has_integers(arena.type(id))) {
      add_symbol(symbol->symbol, count);
    } else if (!is_affine_operation(arena, id)) {
      unknown_position_[id] = count++;
    } else if (arena.is_apply(id, Op::Select) && !is_decidable(arena, arena.args(id)[0])) {
      coin_position_[id] = count++;
    }
  }
  universe_ = with_parameters(context, count);
}

void AffineSpace::add_symbol(SymbolId id, std::size_t& count) {
  if (!symbol_position_.try_emplace(id, count).second) return;
  symbols_.push_back(id);
  ++count;
}

isl::set AffineSpace::universe() const { return universe_; }

isl::pw_aff AffineSpace::parameter(std::size_t position) const {
  isl_local_space* space = isl_local_space_from_space(isl_set_get_space(universe_.get()));
  isl_aff* aff = isl_aff_var_on_domain(space, isl_dim_param, static_cast<unsigned>(position));
  return isl::manage(isl_pw_aff_from_aff(aff));
}

isl::pw_aff AffineSpace::symbol(SymbolId id) const { return parameter(symbol_position_.at(id)); }

isl::pw_aff AffineSpace::number(int64_t value) const {
  return isl::manage(isl_pw_aff_val_on_domain(universe_.copy(), isl_val_int_from_si(universe_.ctx().get(), value)));
}

isl::pw_aff AffineSpace::unknown(ExprId id) {
  exact_ = false;
  return parameter(unknown_position_.at(id));
}

isl::pw_aff AffineSpace::value(ExprId root) {
  for (ExprId id : postorder(arena_, std::span(&root, 1))) {
    if (values_.contains(id) || arena_.type(id) == ScalarType::Bool) continue;
    if (!is_affine_operation(arena_, id)) {
      if (unknown_position_.contains(id)) values_.emplace(id, unknown(id));
    } else if (const auto* node = arena_.get_if<Symbol>(id)) {
      values_.emplace(id, symbol(node->symbol));
    } else if (const auto constant = constant_integer(arena_, id)) {
      values_.emplace(id, number(*constant));
    } else {
      values_.emplace(id, apply(arena_.get_if<Apply>(id)->op, id));
    }
  }
  return values_.at(root);
}

isl::pw_aff AffineSpace::apply(Op op, ExprId id) {
  const auto args = arena_.args(id);
  if (op == Op::Select) {
    isl::set yes = holds(args[0]), no = fails(args[0]);
    if (const auto coin = coin_position_.find(id); coin != coin_position_.end()) {
      exact_ = false;
      const isl::pw_aff thrown = parameter(coin->second);
      yes = yes.intersect(thrown.eq_set(number(1)));
      no = no.intersect(thrown.ne_set(number(1)));
    }
    return values_.at(args[1]).intersect_domain(yes).union_add(values_.at(args[2]).intersect_domain(no));
  }
  const isl::pw_aff a = values_.at(args[0]);
  if (op == Op::Cast) return a;
  if (op == Op::Neg) return a.neg();
  if (op == Op::Abs) return a.max(a.neg());
  if (op == Op::Relu) return a.max(number(0));
  const isl::pw_aff b = values_.at(args[1]);
  const auto divisor = [&] { return isl::val(universe_.ctx(), static_cast<long>(*constant_integer(arena_, args[1]))); };
  switch (op) {
    case Op::Add: return a.add(b);
    case Op::Sub: return a.sub(b);
    case Op::Mul: return a.mul(b);
    case Op::Min: return a.min(b);
    case Op::Max: return a.max(b);
    case Op::Div: return a.tdiv_q(b);
    case Op::Rem: return a.tdiv_r(b);
    case Op::FloorDiv: return a.div(b).floor();
    default: return a.mod(divisor());
  }
}

std::optional<isl::set> AffineSpace::compare(ExprId id, bool negate) {
  const auto args = arena_.args(id);
  if (!has_integers(arena_.type(args[0]))) return std::nullopt;
  const isl::pw_aff a = value(args[0]), b = value(args[1]);
  switch (arena_.get_if<Apply>(id)->op) {
    case Op::Lt: return negate ? a.ge_set(b) : a.lt_set(b);
    case Op::Le: return negate ? a.gt_set(b) : a.le_set(b);
    case Op::Gt: return negate ? a.le_set(b) : a.gt_set(b);
    case Op::Ge: return negate ? a.lt_set(b) : a.ge_set(b);
    case Op::Eq: return negate ? a.ne_set(b) : a.eq_set(b);
    case Op::Ne: return negate ? a.eq_set(b) : a.ne_set(b);
    default: return std::nullopt;
  }
}

isl::set AffineSpace::truth(ExprId id, bool negate) {
  if (const Value* constant = arena_.constant_value(id)) {
    return (constant->i != 0) != negate ? universe_ : universe_.subtract(universe_);
  }
  if (const auto* node = arena_.get_if<Apply>(id)) {
    const auto args = arena_.args(id);
    const bool is_and = node->op == Op::LogicalAnd || node->op == Op::And;
    const bool is_or = node->op == Op::LogicalOr || node->op == Op::Or;
    if (node->op == Op::LogicalNot) return truth(args[0], !negate);
    if (is_and || is_or) {
      const isl::set a = truth(args[0], negate), b = truth(args[1], negate);
      return is_and != negate ? a.intersect(b) : a.unite(b);
    }
    if (info(node->op).op_class == OpClass::Compare) {
      if (const auto set = compare(id, negate)) return *set;
    }
  }
  drop();
  return universe_;
}

isl::set AffineSpace::type_ranges() const {
  isl::set set = universe_;
  const auto restrict = [&](std::size_t position, ScalarType type) {
    if (type == ScalarType::I64 || !has_integers(type)) return;
    const Interval range = *interval_of(type);
    const isl::pw_aff value = parameter(position);
    set = set.intersect(value.ge_set(number(range.lo))).intersect(value.le_set(number(range.hi)));
  };
  for (const auto& [symbol, position] : symbol_position_) restrict(position, arena_.symbol(symbol).type);
  for (const auto& [id, position] : unknown_position_) restrict(position, arena_.type(id));
  return set;
}

isl::set AffineSpace::holds(ExprId id) { return truth(id, false); }
isl::set AffineSpace::fails(ExprId id) { return truth(id, true); }

isl::set AffineSpace::project(isl::set set, const std::vector<SymbolId>& symbols) const {
  isl_set* raw = set.release();
  for (SymbolId symbol : symbols) {
    // Named parameters keep the space aligned: quantify, then add the (now free) parameter back.
    const auto position = static_cast<unsigned>(symbol_position_.at(symbol));
    isl_id* name = isl_set_get_dim_id(universe_.get(), isl_dim_param, position);
    raw = isl_set_project_out_param_id(raw, name);
  }
  return isl::manage(raw).intersect(universe_);
}

}  // namespace cdsl
