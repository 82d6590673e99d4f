#include "passes/lower/private_bins.h"

#include "dsl/expr/integer.h"
#include "dsl/support/check.h"
#include "passes/lower/emit.h"
#include "passes/lower/reduction.h"

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
  PrivateBinsKernel(Lowerer& lowerer, const Job& job, const PrivateBins& bins)
      : lowerer_(lowerer), builder_(lowerer.builder()), arena_(lowerer.arena()), job_(job), count_(bins.bins) {}

  void run() {
    const tir::Target& target = job_.targets.front();
    KernelScope& kernel = lowerer_.kernel();
    const ScalarType type = kernel.function().leaf(target.tensor, target.leaf).type;
    const ExprId identity = neutral(arena_, *job_.update, type);
    builder_.at(job_.where);
    const std::string name = kernel.fresh(kernel.function().tensor(target.tensor).name + "_bins");
    const BufferId bins = builder_.shared(name, scalar_record(type), count_);
    for_bins([&](ExprId bin) { builder_.store(bins, bin, identity); });
    builder_.barrier();
    emit_updates(lowerer_, job_, bins);
    builder_.at(job_.where);
    builder_.barrier();
    const BufferId whole = kernel.buffer(kernel.memory().of(target.tensor), 0, true);
    for_bins([&](ExprId bin) {
      const ExprId value = builder_.let(kernel.fresh("value"), builder_.load(bins, bin));
      builder_.if_(arena_.apply(Op::Ne, {value, identity}),
                   [&] { builder_.atomic(atomic_of(*job_.update), builder_.access(whole, bin), value); });
    });
  }

 private:
  template <class Body>
  void for_bins(Body&& body) {
    const std::size_t names = lowerer_.kernel().names_taken();
    loop::For& loop = builder_.for_(lowerer_.kernel().fresh("bin"), builder_.special64(loop::Special::ThreadX), arena_.integer(count_),
                                    builder_.special64(loop::Special::BlockDimX), body);
    loop.note = "block-stride";
    lowerer_.kernel().release_names(names);
  }

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  const Job& job_;
  int64_t count_;
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
