#include "passes/lower/nest.h"

#include "dsl/expr/integer.h"

namespace cdsl::lowering {
namespace {

class Nest {
 public:
  // No `shared`: one block of `threads`.
  Nest(Lowerer& lowerer, const std::vector<Axis>* shared, int threads)
      : lowerer_(lowerer),
        builder_(lowerer.builder()),
        arena_(lowerer.arena()),
        shared_(shared),
        threads_(threads) {}

  void loop(const tir::Loop& loop) {
    builder_.at(loop.where);
    Lowerer::Scope outer(lowerer_);
    const ExprId ends[] = {loop.lo, loop.hi};
    lowerer_.begin(ends);
    ExprId lo = lowerer_.value(loop.lo), hi = lowerer_.value(loop.hi);
    if (touches_memory(arena_, loop.lo) || touches_memory(arena_, loop.hi)) {
      lo = lowerer_.pinned(lo, "first");
      hi = lowerer_.pinned(hi, "end");
      barrier();
    }
    const std::string name = lowerer_.kernel().fresh(arena_.symbol(loop.index).name);
    if (loop.until.valid()) return stoppable(loop, name, lo, hi);
    const ExprId one = arena_.integer(1);
    const auto step = [&](ExprId index) {
      Lowerer::Scope scope(lowerer_);
      lowerer_.bind(loop.index, index, lo, hi);
      block(*loop.body);
    };
    if (loop.descending) {
      builder_.for_(name, index_sub(arena_, hi, one), index_sub(arena_, lo, one),
                    arena_.integer(-1), step);
    } else {
      builder_.for_(name, lo, hi, one, step);
    }
  }

 private:
  // `until` is tested after each step, on the memory then; every thread of the block finds the same
  // answer.
  void stoppable(const tir::Loop& loop, const std::string& name, ExprId lo, ExprId hi) {
    const ExprId one = arena_.integer(1);
    const auto index = builder_.var(name, loop.descending ? index_sub(arena_, hi, one) : lo);
    const auto more = [&] {
      return loop.descending ? arena_.apply(Op::Ge, {index.ref, lo})
                             : arena_.apply(Op::Lt, {index.ref, hi});
    };
    const auto running = builder_.var(lowerer_.kernel().fresh("running"), more());
    builder_.while_(running.ref, [&] {
      Lowerer::Scope scope(lowerer_);
      lowerer_.bind(loop.index, index.ref, lo, hi);
      block(*loop.body);
      lowerer_.begin(std::span(&loop.until, 1));
      const ExprId stop = lowerer_.pinned(lowerer_.value(loop.until), "stop");
      if (touches_memory(arena_, loop.until)) barrier();
      builder_.assign(index, arena_.apply(loop.descending ? Op::Sub : Op::Add, {index.ref, one}));
      builder_.assign(running,
                      arena_.apply(Op::LogicalAnd, {arena_.apply(Op::LogicalNot, {stop}), more()}));
    });
  }

  void block(const tir::Block& statements) {
    for (const tir::Statement& statement : statements.statements) {
      if (const auto* inner = std::get_if<tir::Loop>(&statement)) {
        loop(*inner);
      } else if (shared_ != nullptr) {
        own_point(std::get<tir::Stage>(statement));
      } else {
        const auto* stage = std::get_if<tir::Stage>(&statement);
        Memory& memory = lowerer_.kernel().memory();
        const Jobs jobs = stage != nullptr ? jobs_of(memory, *stage)
                                           : jobs_of(memory, std::get<tir::Scatter>(statement));
        for (const Job& job : jobs.jobs) phase(job);
      }
    }
  }

  void own_point(const tir::Stage& stage) {
    Lowerer::Scope scope(lowerer_);
    for (std::size_t k = 0; k < shared_->size(); ++k) {
      lowerer_.bind(stage.domain.axes[k].index, lowerer_.index_in_scope((*shared_)[k].index));
    }
    Job job;
    job.domain.guard = stage.domain.guard;
    job.targets = stage.targets;
    job.where = stage.where;
    emit_point(lowerer_, job);
  }

  void phase(const Job& job) {
    Lowerer::Scope scope(lowerer_);
    if (threads_ == 1) return emit_job(lowerer_, job, Spread::Serial);
    if (job.serial) {
      const ExprId thread = builder_.special(loop::Special::ThreadX);
      builder_.if_(arena_.apply(Op::Eq, {thread, arena_.integer(0, ScalarType::I32)}), [&] {
        Lowerer::Scope inner(lowerer_);
        emit_job(lowerer_, job, Spread::Serial);
      });
    } else {
      emit_job(lowerer_, job, Spread::Block);
    }
    barrier();
  }

  void barrier() {
    if (shared_ == nullptr && threads_ > 1) builder_.barrier();
  }

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  const std::vector<Axis>* shared_;
  int threads_;
};

}  // namespace

void emit_thread_nest(Lowerer& lowerer, const tir::Loop& loop, const std::vector<Axis>& shared) {
  lowerer.begin({});
  for_points(lowerer, tir::Domain{shared, {}}, Spread::Grid,
             [&] { Nest(lowerer, &shared, 1).loop(loop); });
}

void emit_block_nest(Lowerer& lowerer, const tir::Loop& loop, int threads) {
  Nest(lowerer, nullptr, threads).loop(loop);
}

}  // namespace cdsl::lowering
