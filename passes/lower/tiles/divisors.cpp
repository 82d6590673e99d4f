#include "passes/lower/tiles/divisors.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"
#include "passes/lower/linear.h"

namespace cdsl::lowering {
namespace {

constexpr int kMostSteps = 64;             // of looking through registers

}  // namespace

Divisors::Divisors(const ExprArena& arena, const loop::Kernel& kernel,
                   const loop::Distribution& distribution)
    : arena_(arena), distribution_(distribution) {
  for (const loop::Multiple& fact : kernel.multiples) {
    int64_t& known = known_.try_emplace(fact.symbol, 1).first->second;
    known = std::lcm(known, fact.of);
  }
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    if (const auto* let = std::get_if<loop::Let>(&statement.node)) definitions_[let->local] = let->value;
    if (const auto* var = std::get_if<loop::Var>(&statement.node)) variables_.insert(var->local);
    if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
      walks_[loop->index] = {loop->lo, of(loop->step)};
      known_[loop->index] = std::gcd(of(loop->lo), of(loop->step));
    }
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

// Another expression with the same residue modulo `width`: what a register holds, where a walk begins, what a remainder is of.
std::optional<ExprId> Divisors::alike(ExprId term, int64_t width) const {
  if (const auto* symbol = arena_.get_if<Symbol>(term)) {
    if (const auto found = definitions_.find(symbol->symbol); found != definitions_.end()) return found->second;
    if (const auto found = walks_.find(symbol->symbol); found != walks_.end() && found->second.step % width == 0) return found->second.lo;
  }
  if (!arena_.is_apply(term, Op::Rem)) return std::nullopt;
  const auto modulus = constant_integer(arena_, arena_.args(term)[1]);
  return modulus && *modulus % width == 0 ? std::optional(arena_.args(term)[0]) : std::nullopt;
}

// Has it one value wherever it stands?
bool Divisors::stays(ExprId term) const {
  const auto nodes = postorder(arena_, std::span(&term, 1));
  return std::none_of(nodes.begin(), nodes.end(), [&](ExprId id) {
    const auto* symbol = arena_.get_if<Symbol>(id);
    return arena_.get_if<Load>(id) != nullptr || (symbol != nullptr && variables_.contains(symbol->symbol));
  });
}

// plus - minus. Nothing where it hangs on the axis in another way than by a multiple of it.
std::optional<Divisors::Residue> Divisors::residue(ExprId plus, ExprId minus, SymbolId axis, int64_t width) const {
  Residue result;
  std::map<ExprId, int64_t> terms;         // those that `width` does not divide
  std::vector<std::pair<ExprId, int64_t>> left{{plus, 1}};
  if (minus.valid()) left.emplace_back(minus, -1);
  for (int steps = 0; !left.empty(); ++steps) {
    const auto [part, factor] = left.back();
    left.pop_back();
    const auto form = linear(arena_, part);
    if (!form || steps == kMostSteps) return std::nullopt;
    result.rest = (result.rest + form->constant % width * factor) % width;
    for (const auto& [term, coefficient] : form->terms) {
      const auto* symbol = arena_.get_if<Symbol>(term);
      const int64_t times = coefficient % width * factor % width;
      if (symbol != nullptr && symbol->symbol == axis) {
        if ((factor != 1 && factor != -1) || __builtin_add_overflow(result.along, coefficient * factor, &result.along)) return std::nullopt;
      } else if (depends(term, axis)) {
        return std::nullopt;
      } else if (times != 0 && of(term) % width * times % width != 0) {
        const auto other = alike(term, width);
        result.is_known &= other || stays(term);
        result.is_shifted |= arena_.is_apply(term, Op::Rem);
        if (other) left.emplace_back(*other, times);
        else terms[term] += times;
      }
    }
  }
  for (const auto& [term, times] : terms) result.is_known &= times % width == 0;
  return result;
}

Divisors::Runs Divisors::contiguous(ExprId index, SymbolId axis, int64_t width) const {
  const auto found = residue(index, {}, axis, width);
  if (!found || found->along != 1 || !found->is_known || found->rest != 0) return Runs::None;
  return found->is_shifted ? Runs::Shifted : Runs::Aligned;
}

// less + slack < more. Steps of `width` along the axis leave the difference's residue unchanged.
bool Divisors::uniform_compare(ExprId less, ExprId more, int64_t slack, SymbolId axis, int64_t width) const {
  const auto found = residue(more, less, axis, width);
  if (!found) return false;
  // axis < E flips only where E does, and E is a multiple of the run.
  return found->along == 0 || (found->along == -1 && found->is_known && (found->rest - slack) % width == 0);
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

std::optional<std::vector<Divisors::End>> Divisors::ends(ExprId condition, SymbolId axis) const {
  if (!depends(condition, axis)) return std::vector<End>{{condition, false}};
  const auto* apply = arena_.get_if<Apply>(condition);
  if (apply == nullptr) return std::nullopt;
  const auto args = arena_.args(condition);
  if (apply->op == Op::LogicalAnd) {
    auto first = ends(args[0], axis), second = ends(args[1], axis);
    if (!first || !second) return std::nullopt;
    first->insert(first->end(), second->begin(), second->end());
    return first;
  }
  const bool is_less = apply->op == Op::Lt || apply->op == Op::Le;
  if (!is_less && apply->op != Op::Gt && apply->op != Op::Ge) return std::nullopt;
  const auto form = difference(arena_, args[is_less ? 1 : 0], args[is_less ? 0 : 1]);   // grows towards where it holds
  if (!form) return std::nullopt;
  int64_t along = 0;
  for (const auto& [term, coefficient] : form->terms) {
    const auto* symbol = arena_.get_if<Symbol>(term);
    if (symbol != nullptr && symbol->symbol == axis) along = coefficient;
    else if (depends(term, axis)) return std::nullopt;
  }
  return std::vector<End>{{condition, along < 0}};
}

}  // namespace cdsl::lowering
