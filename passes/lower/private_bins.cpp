#include "passes/lower/private_bins.h"

#include "dsl/expr/integer.h"
#include "dsl/support/check.h"
#include "passes/lower/emit.h"
#include "passes/lower/reduction.h"
#include "passes/lower/vector_updates.h"

namespace cdsl::lowering {
namespace {

// What an update leaves unchanged.
ExprId neutral(ExprArena& arena, tir::ScatterOp op, ScalarType type) {
  switch (op) {
    case tir::ScatterOp::Mul: return identity_of(arena, Monoid::Prod, type);
    case tir::ScatterOp::Min: return identity_of(arena, Monoid::Min, type);
    case tir::ScatterOp::Max: return identity_of(arena, Monoid::Max, type);
    case tir::ScatterOp::And:   // all bits: -1, or the greatest
      return is_signed_integer(type) ? arena.integer(-1, type) : identity_of(arena, Monoid::Min, type);
    case tir::ScatterOp::Add:
    case tir::ScatterOp::Or:
    case tir::ScatterOp::Xor: return zero(arena, type);
  }
  CDSL_UNREACHABLE("scatter operator");
}

class PrivateBinsKernel {
 public:
  PrivateBinsKernel(Lowerer& lowerer, const Job& job, const PrivateBins& how)
      : lowerer_(lowerer), builder_(lowerer.builder()), arena_(lowerer.arena()), job_(job), how_(how) {}

  void run() {
    const tir::Target& target = job_.targets.front();
    KernelScope& kernel = lowerer_.kernel();
    const ScalarType type = kernel.function().leaf(target.tensor, target.leaf).type;
    const ExprId identity = neutral(arena_, *job_.update, type);
    builder_.kernel().resident = how_.resident;
    builder_.at(job_.where);
    const std::string name = kernel.fresh(kernel.function().tensor(target.tensor).name + "_bins");
    Bins bins{builder_.shared(name, scalar_record(type), how_.bins * how_.copies), how_.bins, how_.copies, {}};
    in_turns(how_.bins * how_.copies, [&](ExprId place) { builder_.store(bins.buffer, place, identity); });
    builder_.barrier();
    if (how_.copies > 1)
      bins.copy = builder_.let_within(kernel.fresh("copy"), modulo_copies(builder_.special64(loop::Special::ThreadX)), arena_.integer(0),
                                      arena_.integer(how_.copies));
    if (how_.vector > 1)
      emit_vector_updates(lowerer_, job_, how_, bins);
    else
      emit_updates(lowerer_, job_, bins);
    builder_.at(job_.where);
    builder_.barrier();
    const BufferId whole = kernel.buffer(kernel.memory().of(target.tensor), 0, true);
    in_turns(how_.bins, [&](ExprId bin) {
      const ExprId value = how_.copies == 1 ? builder_.let(kernel.fresh("value"), builder_.load(bins.buffer, bin)) : total_of(bins, bin, identity);
      builder_.if_(arena_.apply(Op::Ne, {value, identity}),
                   [&] { builder_.atomic(atomic_of(*job_.update), builder_.access(whole, bin), value); });
    });
  }

 private:
  ExprId modulo_copies(ExprId value) { return arena_.apply(Op::Rem, {value, arena_.integer(how_.copies)}); }

  // Neighbouring threads begin with different copies, so that they too meet in no bank.
  ExprId total_of(const Bins& bins, ExprId bin, ExprId identity) {
    const loop::Variable total = builder_.var(lowerer_.kernel().fresh("total"), identity);
    loop::For& loop = builder_.for_(lowerer_.kernel().fresh("turn"), arena_.integer(0), arena_.integer(how_.copies), [&](ExprId turn) {
      const ExprId first = index_mul(arena_, bin, arena_.integer(how_.copies));
      const ExprId value = builder_.load(bins.buffer, index_add(arena_, first, modulo_copies(index_add(arena_, turn, bin))));
      builder_.assign(total, arena_.apply(operator_of(*job_.update), {total.ref, value}));
    });
    loop.unroll = how_.copies;
    return total.ref;
  }

  template <class Body>
  void in_turns(int64_t count, Body&& body) {
    const std::size_t names = lowerer_.kernel().names_taken();
    loop::For& loop = builder_.for_(lowerer_.kernel().fresh("bin"), builder_.special64(loop::Special::ThreadX), arena_.integer(count),
                                    builder_.special64(loop::Special::BlockDimX), body);
    loop.note = "block-stride";
    lowerer_.kernel().release_names(names);
  }

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  const Job& job_;
  const PrivateBins& how_;
};

}  // namespace

void launch_private_bins(PlanBuilder& plan, Memory& memory, const Job& job, const PrivateBins& bins) {
  ExprArena& arena = memory.arena();
  const PlanBuilder::KernelInfo info{job.name, text_of(memory.function(), arena, job), bins.threads, job.where};
  const ExprId points = shared_points(memory.function(), arena, job.domain);
  const ExprId tiles = index_floordiv(arena, index_add(arena, points, arena.integer(bins.points - 1)), arena.integer(bins.points));
  plan.launch(info, plan::Grid{{}, {}, tiles}, [&](Lowerer& lowerer) { PrivateBinsKernel(lowerer, job, bins).run(); });
}

}  // namespace cdsl::lowering
