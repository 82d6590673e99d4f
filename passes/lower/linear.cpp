#include "passes/lower/linear.h"

namespace cdsl::lowering {
namespace {

// Deeper than this, an index expression counts as one term.
constexpr int kDepth = 24;

class Builder {
 public:
  explicit Builder(const ExprArena& arena) : arena_(arena) {}

  // Adds factor * id; false on overflow.
  bool add(ExprId id, int64_t factor, int depth = 0) {
    if (const Value* value = arena_.constant_value(id)) {
      int64_t product;
      return !__builtin_mul_overflow(factor, value->i, &product) &&
             !__builtin_add_overflow(form_.constant, product, &form_.constant);
    }
    const auto* apply = arena_.get_if<Apply>(id);
    if (apply != nullptr && depth < kDepth) {
      const auto args = arena_.args(id);
      switch (apply->op) {
        case Op::Add: return add(args[0], factor, depth + 1) && add(args[1], factor, depth + 1);
        case Op::Sub: return add(args[0], factor, depth + 1) && add(args[1], -factor, depth + 1);
        case Op::Neg: return add(args[0], -factor, depth + 1);
        case Op::Mul:
          for (int k = 0; k < 2; ++k) {
            const Value* scale = arena_.constant_value(args[static_cast<std::size_t>(k)]);
            int64_t product;
            if (scale == nullptr) continue;
            if (__builtin_mul_overflow(factor, scale->i, &product)) return false;
            return add(args[static_cast<std::size_t>(1 - k)], product, depth + 1);
          }
          break;
        default: break;
      }
    }
    return add_term(id, factor);
  }

  bool add_term(ExprId id, int64_t factor) {
    int64_t& coefficient = form_.terms[id];
    if (__builtin_add_overflow(coefficient, factor, &coefficient)) return false;
    if (coefficient == 0) form_.terms.erase(id);
    return true;
  }

  Linear form_;

 private:
  const ExprArena& arena_;
};

// Takes a multiple of `part` out of a form: all of each term of it. Gives the factor; 0, and nothing is taken, where the terms do not
// agree on one.
int64_t taken_out(Linear& form, const Linear& part) {
  int64_t factor = 0;
  for (const auto& [term, coefficient] : part.terms) {
    const auto found = form.terms.find(term);
    if (found == form.terms.end() || found->second % coefficient != 0) return 0;
    const int64_t times = found->second / coefficient;
    if (factor != 0 && times != factor) return 0;
    factor = times;
  }
  int64_t moved, constant;
  if (__builtin_mul_overflow(factor, part.constant, &moved) || __builtin_sub_overflow(form.constant, moved, &constant)) return 0;
  form.constant = constant;
  if (factor != 0)
    for (const auto& [term, coefficient] : part.terms) form.terms.erase(term);
  return factor;
}

}  // namespace

std::optional<Linear> linear(const ExprArena& arena, ExprId id) {
  if (arena.type(id) != ScalarType::I64) return std::nullopt;
  Builder builder(arena);
  if (!builder.add(id, 1)) return std::nullopt;
  return std::move(builder.form_);
}

std::optional<Linear> difference(const ExprArena& arena, ExprId a, ExprId b) {
  if (arena.type(a) != ScalarType::I64 || arena.type(b) != ScalarType::I64) return std::nullopt;
  Builder builder(arena);
  if (!builder.add(a, 1) || !builder.add(b, -1)) return std::nullopt;
  return std::move(builder.form_);
}

bool Ranges::less(ExprId a, ExprId b) const {
  auto form = difference(arena_, b, a);
  if (!form || __builtin_sub_overflow(form->constant, 1, &form->constant)) return false;
  return prove(std::move(form));
}

// Replaces each index by the end of its range that makes the form least, innermost first, then
// looks at the sizes left.
bool Ranges::prove(std::optional<Linear> form) const {
  if (!form) return false;
  Builder builder(arena_);
  builder.form_ = std::move(*form);
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    const int64_t factor = axis->sum ? taken_out(builder.form_, *axis->sum) : taken_out(builder.form_, {0, {{axis->index, 1}}});
    if (factor == 0) continue;
    if (!builder.add(factor > 0 ? axis->lo : axis->hi, factor)) return false;
    if (factor < 0 &&
        __builtin_sub_overflow(builder.form_.constant, factor, &builder.form_.constant))
      return false;
  }
  for (const auto& [term, factor] : builder.form_.terms) {
    const auto* symbol = arena_.get_if<Symbol>(term);
    const bool is_size =
        symbol != nullptr && arena_.symbol(symbol->symbol).kind == SymbolKind::Size;
    if (!is_size || factor < 0) return false;
  }
  return builder.form_.constant >= 0;
}

std::optional<bool> Ranges::decided(Op order, ExprId a, ExprId b) const {
  switch (order) {
    case Op::Lt: return less(a, b) ? std::optional(true) : at_most(b, a) ? std::optional(false) : std::nullopt;
    case Op::Le: return at_most(a, b) ? std::optional(true) : less(b, a) ? std::optional(false) : std::nullopt;
    case Op::Gt: return decided(Op::Lt, b, a);
    case Op::Ge: return decided(Op::Le, b, a);
    case Op::Eq: return less(a, b) || less(b, a) ? std::optional(false) : std::nullopt;
    case Op::Ne: return less(a, b) || less(b, a) ? std::optional(true) : std::nullopt;
    default: return std::nullopt;
  }
}

bool Ranges::positive(ExprId id) const {
  const auto one_less = [&](std::optional<Linear> form) {
    return form && !__builtin_sub_overflow(form->constant, 1, &form->constant) &&
           prove(std::move(form));
  };
  if (one_less(linear(arena_, id))) return true;
  // A range in scope has a point, so hi >= lo + 1; then id >= 1 follows from id - hi + lo >= 0.
  for (const Range& axis : axes_) {
    if (!axis.occupied) continue;
    Builder builder(arena_);
    if (builder.add(id, 1) && builder.add(axis.hi, -1) && builder.add(axis.lo, 1) &&
        prove(builder.form_))
      return true;
  }
  return false;
}

}  // namespace cdsl::lowering
