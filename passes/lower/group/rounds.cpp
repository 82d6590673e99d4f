// A long row in one pass. All blocks run at once, and take the tiles of a row in rounds: block b of a grid of g the tiles b, g + b,
// 2 g + b, ... A block scans its tile and tells its total; the scanned points wait in registers, while the block starts on its next
// tile. A round later it takes the totals of all blocks, which have been told by then, and stores. What stands before a round is kept
// by every block alike, so that results repeat from run to run, and each point is read once and written once.
#include "dsl/expr/integer.h"
#include "dsl/support/check.h"
#include "passes/lower/group/group_lowering.h"
#include "passes/lower/reduction.h"
#include "passes/lower/tiles/combine.h"

namespace cdsl::lowering {
namespace {

constexpr int64_t kTakes = 2;    // tiles whose totals a thread takes at once: more blocks than threads of one are resident

}  // namespace

// In place of a tile a block.
void GroupLowering::in_rounds() {
  find_bounds();
  declare_axes();
  Bound& bound = bound_of(group_.running[0].along);
  Rounds r;
  r.block = builder_.special64(loop::Special::BlockX);
  r.grid = builder_.special64(loop::Special::GridDimX);
  const ExprId size = tile_of(*bound.axis);
  const ExprId all = index_floordiv(arena_, index_add(arena_, bound.hi, index_sub(arena_, size, arena_.integer(1))), size);
  r.tiles = lowerer_.pinned(all, "tiles");
  r.place = builder_.axis(lowerer_.kernel().fresh("place"), {{loop::Level::Warp, group_.warps, 1}, {loop::Level::Lane, 32, 1}});
  for (const RunningReduction& running : group_.running) {
    const Carried c = carried(running);
    const std::vector<ExprId> along{bound.tile_index};
    const auto fresh = [&](const char* name) { return lowerer_.kernel().fresh(name); };
    rounds_[running.id] = {c, builder_.var_over(fresh("term"), along, c.identity), builder_.var_over(fresh("waiting"), along, c.identity),
                           builder_.var(fresh("before_round"), c.identity), builder_.var(fresh("before"), c.identity)};
  }
  load_terms(r, bound, r.block);
  const ExprId end = index_add(arena_, r.tiles, r.grid), none = arena_.integer(0);
  builder_.for_(lowerer_.kernel().fresh("round"), none, end, r.grid, [&](ExprId first) {
    Lowerer::Scope scope(lowerer_);
    const ExprId tile = lowerer_.pinned(index_add(arena_, first, r.block), "tile");
    std::vector<std::vector<ExprId>> sums;
    std::vector<ExprId> totals;
    for (const RunningReduction& running : group_.running) {
      const Round& round = rounds_.at(running.id);
      const auto scanned = builder_.scan(lowerer_.kernel().fresh(name_of_accumulator(round.c.how.monoid)), round.c.how, bound.tile_index,
                                         {round.term.ref}, running.exclusive, true);
      sums.push_back(scanned.results);
      totals.push_back(scanned.totals[0]);
    }
    tell(r, tile, totals);
    load_terms(r, bound, index_add(arena_, tile, r.grid));
    builder_.if_(arena_.apply(Op::Gt, {first, none}), [&] {
      Lowerer::Scope old(lowerer_);
      const ExprId last = lowerer_.pinned(index_sub(arena_, first, r.grid), "last");
      gather(r, last);
      const ExprId own = lowerer_.pinned(index_add(arena_, last, r.block), "done");
      at_tile(r, bound, own, [&] {
        for (std::size_t k = 0; k < group_.stores.size(); ++k) store(k);
      });
    });
    for (std::size_t k = 0; k < sums.size(); ++k) builder_.assign(rounds_.at(group_.running[k].id).waiting, sums[k][0]);
  }).note = "rounds, and one more for the last tiles";
}

// `body` with the points of the tile bound, where there is such a tile; one that lies inside tests nothing.
void GroupLowering::at_tile(const Rounds& r, Bound& bound, ExprId tile, const std::function<void()>& body) {
  builder_.if_(arena_.apply(Op::Lt, {tile, r.tiles}), [&] {
    Lowerer::Scope scope(lowerer_);
    const ExprId at = builder_.let_within(lowerer_.kernel().fresh("at"), tile, arena_.integer(0), r.tiles);
    const ExprId first = lowerer_.pinned_within(index_mul(arena_, at, tile_of(*bound.axis)), arena_.symbol(bound.axis->index).name + "_first",
                                                arena_.integer(0), bound.hi);
    const auto bound_body = [&](bool tested) {
      Lowerer::Scope inner(lowerer_);
      bind(bound, index_add(arena_, first, bound.tile_index), tested);
      body();
      bound.inside = {};
    };
    if (!needs_test(bound)) return bound_body(false);
    const ExprId end = index_add(arena_, first, tile_of(*bound.axis));
    builder_.if_(arena_.apply(Op::Le, {end, bound.hi}), [&] { bound_body(false); }, [&] { bound_body(true); });
  });
}

void GroupLowering::load_terms(const Rounds& r, Bound& bound, ExprId tile) {
  at_tile(r, bound, tile, [&] {
    for (const RunningReduction& running : group_.running) {
      const Round& round = rounds_.at(running.id);
      builder_.assign(round.term, running_term(running, round.c));
    }
  });
}

// One thread stores the totals of the block's tile; who sees that they are told sees them.
void GroupLowering::tell(const Rounds& r, ExprId tile, const std::vector<ExprId>& totals) {
  const ExprId first = arena_.apply(Op::Eq, {builder_.special(loop::Special::ThreadX), arena_.integer(0, ScalarType::I32)});
  builder_.if_(arena_.apply(Op::LogicalAnd, {first, arena_.apply(Op::Lt, {tile, r.tiles})}), [&] {
    for (std::size_t k = 0; k < totals.size(); ++k) builder_.store(part_buffer(k, true), tile, totals[k]);
    const BufferId told = lowerer_.kernel().buffer(counter_, scalar_record(ScalarType::I32), true);
    builder_.add_statement({loop::Atomic{loop::AtomicOp::Exchange, builder_.access(told, tile), arena_.integer(1, ScalarType::I32), {}, {},
                                         loop::Order::Release, loop::Scope::Device},
                            builder_.where()});
  });
}

// Every thread waits for tiles of the round and takes their totals: of the tiles before the block's own, and of all.
void GroupLowering::gather(const Rounds& r, ExprId last) {
  for (const RunningReduction& running : group_.running) {
    const Round& round = rounds_.at(running.id);
    builder_.assign(round.before, round.before_round.ref);
  }
  const int64_t threads = int64_t{group_.warps} * 32;
  builder_.for_(lowerer_.kernel().fresh("from"), arena_.integer(0), r.grid, arena_.integer(kTakes * threads), [&](ExprId from) {
    Lowerer::Scope scope(lowerer_);
    std::vector<Taken> taken;
    for (int64_t k = 0; k < kTakes; ++k) taken.push_back({index_add(arena_, from, arena_.integer(k * threads)), {}});
    for (Taken& each : taken) take(r, last, each);
    for (std::size_t k = 0; k < group_.running.size(); ++k) {
      const Round& round = rounds_.at(group_.running[k].id);
      const auto over = [&](ExprId limit, const loop::Variable& into) {
        ExprId sum;
        for (const Taken& each : taken) {
          const ExprId counts = arena_.apply(Op::Lt, {index_add(arena_, each.from, r.place), limit});
          const ExprId part = arena_.apply(Op::Select, {counts, each.parts[k].ref, round.c.identity});
          sum = sum.valid() ? combined(arena_, round.c.how, {sum}, {part})[0] : part;
        }
        const auto all = builder_.reduce(lowerer_.kernel().fresh(name_of_accumulator(round.c.how.monoid)), round.c.how, {r.place}, {sum});
        builder_.assign(into, combined(arena_, round.c.how, {into.ref}, all)[0]);
      };
      over(r.block, round.before);
      over(r.grid, round.before_round);
    }
  });
}

// This thread's tile among those from `taken.from` on, once its totals are told; identities where there is none.
void GroupLowering::take(const Rounds& r, ExprId last, Taken& taken) {
  const ExprId thread = index_add(arena_, taken.from, builder_.special64(loop::Special::ThreadX));
  const ExprId theirs = lowerer_.pinned(index_add(arena_, last, thread), "theirs");
  for (const RunningReduction& running : group_.running)
    taken.parts.push_back(builder_.var(lowerer_.kernel().fresh("part"), rounds_.at(running.id).c.identity));
  const ExprId there = arena_.apply(Op::LogicalAnd, {arena_.apply(Op::Lt, {thread, r.grid}), arena_.apply(Op::Lt, {theirs, r.tiles})});
  builder_.if_(there, [&] {
    const BufferId told = lowerer_.kernel().buffer(counter_, scalar_record(ScalarType::I32), true);
    const ExprId no = arena_.integer(0, ScalarType::I32);
    const loop::Variable seen = builder_.var(lowerer_.kernel().fresh("seen"), no);
    builder_.while_(arena_.apply(Op::Eq, {seen.ref, no}), [&] {
      const ExprId now = builder_.atomic_old(lowerer_.kernel().fresh("now"), loop::AtomicOp::Or, builder_.access(told, theirs), no, {},
                                             loop::Order::Acquire);
      builder_.assign(seen, now);
    });
    for (std::size_t k = 0; k < taken.parts.size(); ++k) builder_.assign(taken.parts[k], builder_.load(part_buffer(k, true), theirs));
  });
}

}  // namespace cdsl::lowering
