#include "passes/lower/tiles/divisors.h"

#include <algorithm>
#include <numeric>

#include "dsl/loop/walk.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {

Divisors::Divisors(const ExprArena& arena, const loop::Kernel& kernel,
                   const loop::Distribution& distribution)
    : arena_(arena), distribution_(distribution) {
  for (const loop::Multiple& fact : kernel.multiples) {
    int64_t& known = known_.try_emplace(fact.symbol, 1).first->second;
    known = std::lcm(known, fact.of);
  }
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    if (const auto* let = std::get_if<loop::Let>(&statement.node)) definitions_[let->local] = let->value;
    if (const auto* loop = std::get_if<loop::For>(&statement.node))
      known_[loop->index] = std::gcd(of(loop->lo), of(loop->step));
  });
}

int64_t Divisors::of(ExprId root) const {
  // Operands have smaller ids, and index arithmetic is shallow: one level of memory is enough.
  if (const auto found = memo_.find(root); found != memo_.end()) return found->second;
  memo_[root] = 1;
  int64_t result = 1;
  if (const Value* value = arena_.constant_value(root)) {
    if (is_integer(arena_.type(root))) result = value->i == INT64_MIN ? 1 : std::abs(value->i);
  } else if (const auto* symbol = arena_.get_if<Symbol>(root)) {
    if (const auto fact = known_.find(symbol->symbol); fact != known_.end()) result = fact->second;
    if (const auto def = definitions_.find(symbol->symbol); def != definitions_.end()) result = of(def->second);
  } else if (const auto* apply = arena_.get_if<Apply>(root)) {
    const auto args = arena_.args(root);
    switch (apply->op) {
      case Op::Cast: result = is_integer(arena_.type(args[0])) ? of(args[0]) : 1; break;
      case Op::Add:
      case Op::Sub: result = std::gcd(of(args[0]), of(args[1])); break;
      case Op::Mul:
        if (__builtin_mul_overflow(of(args[0]), of(args[1]), &result)) result = of(args[0]);
        break;
      case Op::Min:
      case Op::Max: result = std::gcd(of(args[0]), of(args[1])); break;
      default: break;
    }
  }
  return memo_[root] = result;
}

bool Divisors::depends(ExprId id, SymbolId axis) const {
  const auto axes = distribution_.axes_of(id);
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool Divisors::contiguous(ExprId index, SymbolId axis, int64_t width) const {
  const auto constant = beyond_runs(index, axis, width);
  return constant && *constant % width == 0;
}

std::optional<int64_t> Divisors::beyond_runs(ExprId index, SymbolId axis, int64_t width) const {
  const auto form = linear(arena_, index);
  if (!form) return std::nullopt;
  int64_t along = 0;
  for (const auto& [term, coefficient] : form->terms) {
    const auto* symbol = arena_.get_if<Symbol>(term);
    if (symbol != nullptr && symbol->symbol == axis) {
      along = coefficient;
      continue;
    }
    if (depends(term, axis)) return std::nullopt;
    const int64_t divisor = of(term);
    if (coefficient % width != 0 && (divisor % width) * (coefficient % width) % width != 0) return std::nullopt;
  }
  return along == 1 ? std::optional(form->constant) : std::nullopt;
}

// less + slack < more. Steps of `width` along the axis leave the difference's residue unchanged.
bool Divisors::uniform_compare(ExprId less, ExprId more, int64_t slack, SymbolId axis,
                               int64_t width) const {
  const auto form = difference(arena_, more, less);
  if (!form) return false;
  int64_t along = 0;
  bool even = (form->constant - slack) % width == 0;
  for (const auto& [term, coefficient] : form->terms) {
    const auto* symbol = arena_.get_if<Symbol>(term);
    if (symbol != nullptr && symbol->symbol == axis) {
      along = coefficient;
      continue;
    }
    if (depends(term, axis)) return false;
    even = even && (coefficient % width == 0 || of(term) % width == 0);
  }
  // axis < E flips only where E does, and E is a multiple of the run.
  return along == 0 || (along == -1 && even);
}

bool Divisors::uniform(ExprId condition, SymbolId axis, int64_t width) const {
  if (!depends(condition, axis)) return true;
  const auto* apply = arena_.get_if<Apply>(condition);
  if (apply == nullptr) return false;
  const auto args = arena_.args(condition);
  switch (apply->op) {
    case Op::LogicalAnd:
    case Op::LogicalOr: return uniform(args[0], axis, width) && uniform(args[1], axis, width);
    case Op::LogicalNot: return uniform(args[0], axis, width);
    case Op::Lt:
    case Op::Ge: return uniform_compare(args[0], args[1], 0, axis, width) ||
                        uniform_compare(args[1], args[0], -1, axis, width);
    case Op::Le:
    case Op::Gt: return uniform_compare(args[0], args[1], -1, axis, width) ||
                        uniform_compare(args[1], args[0], 0, axis, width);
    default: return false;
  }
}

}  // namespace cdsl::lowering
