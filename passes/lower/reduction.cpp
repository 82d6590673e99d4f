#include "passes/lower/reduction.h"

#include <algorithm>
#include <limits>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/check.h"

namespace cdsl::lowering {
namespace {

ExprId least(ExprArena& arena, ScalarType type) {
  if (is_float(type)) return arena.real(-std::numeric_limits<double>::infinity(), type);
  if (!is_signed_integer(type)) return zero(arena, type);
  return arena.integer(std::numeric_limits<int64_t>::min() >> (64 - 8 * size_of(type)), type);
}

ExprId greatest(ExprArena& arena, ScalarType type) {
  if (type == ScalarType::Bool) return arena.boolean(true);
  if (is_float(type)) return arena.real(std::numeric_limits<double>::infinity(), type);
  const int bits = 8 * size_of(type);
  if (is_signed_integer(type))
    return arena.integer(std::numeric_limits<int64_t>::max() >> (64 - bits), type);
  return arena.integer(static_cast<int64_t>(~uint64_t{0} >> (64 - bits)), type);
}

ExprId one(ExprArena& arena, ScalarType type) {
  if (is_float(type)) return arena.real(1, type);
  return arena.constant(type, is_complex(type) ? Value::of_complex(1, 0) : Value::of_int(1));
}

bool is_arg(Monoid monoid) {
  return monoid == Monoid::ArgMin || monoid == Monoid::ArgMax;
}

}  // namespace

// None that C++ or CUDA has a function of.
std::string_view name_of_accumulator(Monoid monoid) {
  switch (monoid) {
    case Monoid::Sum: return "sum";
    case Monoid::Prod: return "product";
    case Monoid::Min: return "least";
    case Monoid::Max: return "greatest";
    case Monoid::Any: return "some";
    case Monoid::All: return "every";
    case Monoid::Count: return "count";
    case Monoid::ArgMin:
    case Monoid::ArgMax: return "best";
    case Monoid::User: break;
  }
  return "reduced";
}

ReductionLowering::ReductionLowering(Lowerer& lowerer, ReductionId id)
    : lowerer_(lowerer),
      builder_(lowerer.builder()),
      arena_(lowerer.arena()),
      id_(id),
      reduction_(lowerer.arena().reduction(id)) {}

ExprId identity_of(ExprArena& arena, Monoid monoid, ScalarType type) {
  switch (monoid) {
    case Monoid::Sum:
    case Monoid::Count:
    case Monoid::Any: return zero(arena, type);
    case Monoid::Prod:
    case Monoid::All: return one(arena, type);
    case Monoid::Min:
    case Monoid::ArgMin: return greatest(arena, type);
    case Monoid::Max:
    case Monoid::ArgMax: return least(arena, type);
    case Monoid::User: break;
  }
  CDSL_UNREACHABLE("a user-defined reducer has its own identity");
}

std::vector<ExprId> ReductionLowering::run() {
  CDSL_CHECK(lowerer_.arm_depth_ == 0, "a reduction inside an expression arm");
  hoist();
  const std::string hint =
      reduction_.monoid == Monoid::User ? reduction_.name
                                        : std::string(name_of_accumulator(reduction_.monoid));
  if (reduction_.monoid == Monoid::User) {
    lowerer_.prepare(reduction_.identity);
    for (ExprId start : reduction_.identity) {
      const ExprId value = widened(arena_, lowerer_.lookup(start));
      accumulators_.push_back(builder_.var(lowerer_.kernel().fresh(hint), value));
    }
  } else {
    const ScalarType type =
        reduction_.monoid == Monoid::Count ? ScalarType::I64 : evaluation_type(reduction_.types[0]);
    accumulators_.push_back(builder_.var(lowerer_.kernel().fresh(hint), identity_of(arena_, reduction_.monoid, type)));
  }
  if (is_arg(reduction_.monoid)) {
    accumulators_.push_back(builder_.var(lowerer_.kernel().fresh("where"), arena_.integer(-1)));
    seen_ = builder_.var(lowerer_.kernel().fresh("found"), arena_.boolean(false));
  }
  const SourceRange outer = builder_.where();
  if (reduction_.where.valid()) builder_.at(reduction_.where);
  if (reduction_.guard.valid()) split_guard();
  guarded(0);
  builder_.at(outer);
  if (is_arg(reduction_.monoid)) return finish_arg();
  std::vector<ExprId> parts;
  for (const loop::Variable& accumulator : accumulators_) parts.push_back(accumulator.ref);
  return parts;
}

void ReductionLowering::hoist() {
  const auto bound = [&](SymbolId symbol) {
    const auto found = lowerer_.symbols_.find(symbol.value);
    return found == lowerer_.symbols_.end() ? ExprId{} : found->second;
  };
  const auto extent = [&](ExprId shape) { return lowerer_.value(shape); };
  const auto invariant = invariant_reductions(arena_, lowerer_.ranges_,
                                              lowerer_.kernel().function(), bound, extent, id_);
  lowerer_.prepare(invariant);
}

void ReductionLowering::loops(std::size_t axis) {
  if (axis == reduction_.axes.size()) return step();
  const Axis& range = reduction_.axes[axis];
  const ExprId bounds[] = {range.lo, range.hi};
  lowerer_.prepare(bounds);
  const ExprId lo = lowerer_.lookup(range.lo), hi = lowerer_.lookup(range.hi);
  const std::string name = arena_.symbol(range.index).name;
  Lowerer::Scope names(lowerer_);
  builder_.for_(lowerer_.kernel().fresh(name), lo, hi, [&](ExprId index) {
    Lowerer::Scope scope(lowerer_);
    lowerer_.bind(range.index, index, lo, hi);
    indices_.push_back(index);
    lows_.push_back(lo);
    highs_.push_back(hi);
    guarded(axis + 1);
    indices_.pop_back();
    lows_.pop_back();
    highs_.pop_back();
  });
}

// Each condition of the guard stands outside the loops whose indices it does not use. One that reads
// memory stays innermost: its reads may be outside where a loop has no round.
void ReductionLowering::split_guard() {
  const std::size_t count = reduction_.axes.size();
  guards_.resize(count + 1);
  std::vector<ExprId> pending{reduction_.guard};
  bool pure = true;
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (arena_.is_apply(id, Op::LogicalAnd)) {
      const auto args = arena_.args(id);
      pending.insert(pending.end(), {args[1], args[0]});
      continue;
    }
    pure = pure && !touches_memory(arena_, id);
    std::size_t depth = pure ? 0 : count;
    for (SymbolId symbol : free_symbols(arena_, id)) {
      for (std::size_t axis = 0; axis < count; ++axis) {
        if (reduction_.axes[axis].index == symbol) depth = std::max(depth, axis + 1);
      }
    }
    guards_[depth] = logical_and(arena_, guards_[depth], id);
  }
}

void ReductionLowering::guarded(std::size_t axis) {
  if (guards_.empty() || !guards_[axis].valid()) return loops(axis);
  const ExprId holds = lowerer_.value(guards_[axis]);
  builder_.if_(holds, [&] {
    Lowerer::Scope scope(lowerer_);
    loops(axis);
  });
}

void ReductionLowering::step() {
  if (is_arg(reduction_.monoid)) return step_arg();
  if (reduction_.monoid == Monoid::User) return step_user();
  const loop::Variable& sum = accumulators_[0];
  const bool lazy = reduction_.monoid == Monoid::Any || reduction_.monoid == Monoid::All;
  if (lazy && fits_in_arm(arena_, reduction_.lifted[0], lowerer_.known())) {
    const ExprId term = lowerer_.arm(reduction_.lifted[0]);
    const Op op = reduction_.monoid == Monoid::Any ? Op::LogicalOr : Op::LogicalAnd;
    return builder_.assign(sum, arena_.apply(op, {sum.ref, term}));
  }
  const ExprId term = widened(arena_, lowerer_.value(reduction_.lifted[0]));
  const auto combine = [&](Op op) { builder_.assign(sum, arena_.apply(op, {sum.ref, term})); };
  switch (reduction_.monoid) {
    case Monoid::Sum: return combine(Op::Add);
    case Monoid::Prod: return combine(Op::Mul);
    case Monoid::Min: return combine(Op::Min);
    case Monoid::Max: return combine(Op::Max);
    case Monoid::Any: return combine(Op::LogicalOr);
    case Monoid::All: return combine(Op::LogicalAnd);
    case Monoid::Count:
      return builder_.assign(sum,
                             arena_.apply(Op::Add, {sum.ref, arena_.cast(term, ScalarType::I64)}));
    case Monoid::ArgMin:
    case Monoid::ArgMax:
    case Monoid::User: break;
  }
  CDSL_UNREACHABLE("handled above");
}

// One axis: the index itself. Several: row-major in their box, from 0.
ExprId ReductionLowering::position() {
  if (indices_.size() == 1) return indices_[0];
  ExprId flat = arena_.integer(0);
  for (std::size_t axis = 0; axis < indices_.size(); ++axis) {
    const ExprId length = index_sub(arena_, highs_[axis], lows_[axis]);
    flat = index_add(arena_, index_mul(arena_, flat, length),
                     index_sub(arena_, indices_[axis], lows_[axis]));
  }
  return flat;
}

void ReductionLowering::step_arg() {
  const ExprId term = lowerer_.fixed(reduction_.lifted[0], "candidate");
  const loop::Variable &best = accumulators_[0], &where = accumulators_[1];
  const Op wins = reduction_.monoid == Monoid::ArgMin ? Op::Lt : Op::Gt;
  const auto apply = [&](Op op, std::initializer_list<ExprId> args) {
    return arena_.apply(op, args);
  };
  ExprId better =
      apply(Op::LogicalOr, {apply(Op::LogicalNot, {seen_.ref}), apply(wins, {term, best.ref})});
  if (is_float(arena_.type(term))) {
    const ExprId first_nan =
        apply(Op::LogicalAnd,
              {apply(Op::IsNan, {term}), apply(Op::LogicalNot, {apply(Op::IsNan, {best.ref})})});
    better = apply(Op::LogicalOr, {better, first_nan});
  }
  builder_.if_(better, [&] {
    builder_.assign(best, term);
    builder_.assign(where, position());
    builder_.assign(seen_, arena_.boolean(true));
  });
}

std::vector<ExprId> ReductionLowering::finish_arg() {
  const std::string text = std::string(name_of(reduction_.monoid)) + " over nothing";
  const uint32_t site =
      lowerer_.kernel().add_site(loop::ReportSite::Kind::EmptyArg, text, reduction_.where);
  builder_.if_(arena_.apply(Op::LogicalNot, {seen_.ref}),
               [&] { builder_.report(site, arena_.integer(-1)); });
  return {accumulators_[0].ref, accumulators_[1].ref};
}

void ReductionLowering::step_user() {
  lowerer_.prepare(reduction_.lifted);
  std::vector<ExprId> terms;
  for (ExprId lifted : reduction_.lifted) terms.push_back(lowerer_.fixed(lifted, "term"));
  for (std::size_t k = 0; k < accumulators_.size(); ++k) {
    lowerer_.bind(reduction_.left[k], accumulators_[k].ref);
    lowerer_.bind(reduction_.right[k], terms[k]);
  }
  lowerer_.prepare(reduction_.combine);
  std::vector<ExprId> next;
  const bool several = accumulators_.size() > 1;
  for (ExprId combined : reduction_.combine) {
    const ExprId value = widened(arena_, lowerer_.lookup(combined));
    // Even a bare accumulator: it may be assigned before this value is.
    const bool moves = several && arena_.constant_value(value) == nullptr;
    next.push_back(moves ? builder_.let(lowerer_.kernel().fresh("next"), value) : value);
  }
  for (std::size_t k = 0; k < accumulators_.size(); ++k) builder_.assign(accumulators_[k], next[k]);
}

}  // namespace cdsl::lowering
