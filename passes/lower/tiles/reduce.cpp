// TileReduce: registers, then lanes by shuffles, then warps through shared memory, then the blocks of the cluster. The order
// is fixed by the digits alone, so that results repeat from run to run.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/loop/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/combine.h"
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

using loop::Digit;
using loop::Level;
using loop::Statement;

namespace {

std::vector<ExprId> refs(const std::vector<loop::Variable>& variables) {
  std::vector<ExprId> result;
  for (const loop::Variable& v : variables) result.push_back(v.ref);
  return result;
}

bool crosses_warps(const Statement& statement, const loop::Distribution& d) {
  const auto crosses = [&](SymbolId axis) {
    return d.digits(axis, Level::Warp).size() + d.digits(axis, Level::Rank).size() > 0;
  };
  if (const auto* reduce = std::get_if<loop::TileReduce>(&statement.node))
    return std::any_of(reduce->axes.begin(), reduce->axes.end(), crosses);
  if (const auto* scan = std::get_if<loop::TileScan>(&statement.node)) return crosses(scan->axis);
  return false;
}

}  // namespace

void LaneWriter::collective_barrier(const Statement& statement) {
  const loop::WarpSet warps = distribution_.warps_of(statement);
  if (warps.count() * 32 >= kernel_.block[0] * kernel_.block[1] * kernel_.block[2]) return builder_.barrier();
  // Groups of warps that run different programs meet at barriers of their own, numbered from the top.
  const int id = 15 - warps.first() / 4 % 8;
  builder_.add_statement({loop::NamedBarrier{true, i32(id), warps.count() * 32}, builder_.where()});
}

// Another barrier in the same round keeps a collective's scratch safe from the next round's writes.
bool LaneWriter::is_only_barrier_of_loop(const Statement& statement) const {
  if (loops_around_.empty()) return false;
  int barriers = 0;
  bool here = false;
  for (const Statement& s : loops_around_.back()->statements) {
    here |= &s == &statement;
    const auto* barrier = std::get_if<loop::Barrier>(&s.node);
    barriers += crosses_warps(s, distribution_) || (barrier != nullptr && barrier->scope != loop::BarrierScope::Warp);
  }
  return !here || barriers < 2;
}

// `value` combined over the digits of one level that lanes hold.
std::vector<ExprId> LaneWriter::over_lanes(const loop::Combine& how, std::span<const SymbolId> axes,
                                           std::vector<ExprId> value, const std::string& name) {
  for (std::size_t a = axes.size(); a-- > 0;) {
    const auto digits = distribution_.digits(axes[a], Level::Lane);
    for (std::size_t k = digits.size(); k-- > 0;) {
      for (int64_t offset = digits[k].stride; offset < digits[k].stride * digits[k].extent; offset *= 2) {
        std::vector<ExprId> other;
        for (ExprId part : value) other.push_back(builder_.shuffle("other", loop::ShuffleKind::Xor, part, i32(offset)));
        std::vector<ExprId> next;
        if (is_commutative(how)) {
          next = combined(arena_, how, value, other);
        } else {
          const ExprId upper = arena_.apply(Op::Ne, {arena_.apply(Op::And, {builder_.special(loop::Special::Lane), i32(offset)}), i32(0)});
          const auto below = combined(arena_, how, value, other), above = combined(arena_, how, other, value);
          for (std::size_t p = 0; p < value.size(); ++p) next.push_back(builder_.select(upper, above[p], below[p]));
        }
        for (ExprId& part : next) part = builder_.let(name, part);
        value = std::move(next);
      }
    }
  }
  return value;
}

// Partial results of `digits` (places of one level) meet in shared memory: each first holder writes, all read.
std::vector<ExprId> LaneWriter::over_warps(const loop::TileReduce& reduce, std::span<const SymbolId> kept,
                                           const std::vector<BufferId>& scratch, const RegisterPoint& point, bool writing,
                                           std::vector<ExprId> value, const std::string& name) {
  int64_t parts = 1;
  ExprId mine = i64(0);
  for (SymbolId axis : reduce.axes) {
    for (const Digit& d : distribution_.digits(axis, Level::Warp)) {
      const ExprId here = arena_.cast(digit(Level::Warp, d.stride, d.extent, distribution_.first_warp(axis)), ScalarType::I64);
      mine = index_add(arena_, index_mul(arena_, mine, i64(d.extent)), here);
      parts *= d.extent;
    }
  }
  ExprId base = i64(0);
  for (SymbolId axis : kept)
    base = index_add(arena_, index_mul(arena_, base, i64(distribution_.extent(axis))), coordinate(axis, point));
  base = index_mul(arena_, base, i64(parts));
  if (writing) {
    std::vector<SymbolId> axes(kept.begin(), kept.end());
    // Lanes of the reduced axes hold the same result by now.
    static constexpr Level kLane[] = {Level::Lane};
    const ExprId first = first_of_replicas(axes, kLane);
    const auto store = [&] {
      for (std::size_t p = 0; p < value.size(); ++p) builder_.store(scratch[p], index_add(arena_, base, mine), value[p]);
    };
    first.valid() ? builder_.if_(first, store) : store();
    return {};
  }
  std::vector<loop::Variable> sums;
  for (std::size_t p = 0; p < scratch.size(); ++p) sums.push_back(builder_.var(name, builder_.load(scratch[p], base)));
  loop::For& loop = builder_.for_("part", i64(1), i64(parts), [&](ExprId k) {
    std::vector<ExprId> other;
    for (BufferId buffer : scratch) other.push_back(builder_.let("other", builder_.load(buffer, index_add(arena_, base, k))));
    std::vector<ExprId> next = combined(arena_, reduce.how, refs(sums), other);
    if (next.size() > 1) {
      for (ExprId& part : next) part = builder_.let("next", part);
    }
    for (std::size_t p = 0; p < sums.size(); ++p) builder_.assign(sums[p], next[p]);
  });
  loop.unroll = static_cast<int>(parts - 1);
  return refs(sums);
}

void LaneWriter::write(const loop::TileReduce& reduce, const Statement& statement) {
  const auto all = distribution_.axes_of(statement);
  std::vector<SymbolId> kept, reduced;
  for (SymbolId axis : all) {
    const bool over = std::find(reduce.axes.begin(), reduce.axes.end(), axis) != reduce.axes.end();
    (over ? reduced : kept).push_back(axis);
  }
  std::vector<ScalarType> types;
  for (SymbolId result : reduce.results) types.push_back(arena_.symbol(result).type);
  const std::string name = arena_.symbol(reduce.results[0]).name;
  const std::vector<RegisterLoop> outer = loops_of(kept), inner = loops_of(reduced);
  const bool warps = has_level(reduced, Level::Warp), ranks = has_level(reduced, Level::Rank);
  const auto scratch = warps ? scratch_for(kept, reduced, Level::Warp, types, name) : std::vector<BufferId>{};
  const auto remote = ranks ? scratch_for(kept, reduced, Level::Rank, types, name + "_rank") : std::vector<BufferId>{};
  if (warps && is_only_barrier_of_loop(statement)) collective_barrier(statement);

  RegisterPoint point;
  const auto finish = [&](const std::vector<ExprId>& value) {
    for (std::size_t p = 0; p < value.size(); ++p) define(reduce.results[p], value[p], point);
  };
  nest(outer, 0, point, [&] {
    std::vector<loop::Variable> sums;
    for (ExprId part : identity_of(arena_, reduce.how, types)) sums.push_back(builder_.var(name, part));
    nest(inner, 0, point, [&] {
      std::vector<ExprId> term;
      for (std::size_t p = 0; p < types.size(); ++p) {
        ExprId value = at(reduce.values[p], point);
        if (reduce.how.monoid == Monoid::Count) value = arena_.cast(value, types[p]);
        term.push_back(types.size() > 1 ? builder_.let("term", value) : value);
      }
      std::vector<ExprId> next = combined(arena_, reduce.how, refs(sums), term);
      if (next.size() > 1) {
        for (ExprId& part : next) part = builder_.let("next", part);
      }
      for (std::size_t p = 0; p < sums.size(); ++p) builder_.assign(sums[p], next[p]);
    });
    std::vector<ExprId> value = over_lanes(reduce.how, reduced, refs(sums), name);
    if (warps) return (void)over_warps(reduce, kept, scratch, point, true, std::move(value), name);
    if (ranks) return over_ranks(reduce, kept, remote, point, true, std::move(value), name), void();
    finish(value);
  });
  if (warps) {
    collective_barrier(statement);
    nest(outer, 0, point, [&] {
      std::vector<ExprId> value = over_warps(reduce, kept, scratch, point, false, {}, name);
      if (ranks) return over_ranks(reduce, kept, remote, point, true, std::move(value), name), void();
      finish(value);
    });
  }
  if (!ranks) return;
  builder_.barrier(loop::BarrierScope::Cluster);
  nest(outer, 0, point, [&] { finish(over_ranks(reduce, kept, remote, point, false, {}, name)); });
  // No block ends, or writes again, while another may still read.
  builder_.barrier(loop::BarrierScope::Cluster);
}

bool LaneWriter::has_level(std::span<const SymbolId> axes, Level level) const {
  return std::any_of(axes.begin(), axes.end(), [&](SymbolId axis) {
    const auto digits = distribution_.digits(axis, level);
    return std::any_of(digits.begin(), digits.end(), [](const Digit& d) { return d.extent > 1; });
  });
}

std::vector<RegisterLoop> LaneWriter::loops_of(std::span<const SymbolId> axes) const {
  std::vector<RegisterLoop> loops = plan_.loops(axes);
  for (RegisterLoop& loop : loops) loop.is_vector = false;
  // Order matters to what does not commute: axis by axis, digit by digit.
  std::stable_sort(loops.begin(), loops.end(), [&](const RegisterLoop& a, const RegisterLoop& b) {
    const auto place = [&](SymbolId axis) { return std::find(axes.begin(), axes.end(), axis) - axes.begin(); };
    return std::pair(place(a.axis), a.digit) < std::pair(place(b.axis), b.digit);
  });
  return loops;
}

std::vector<BufferId> LaneWriter::scratch_for(std::span<const SymbolId> kept, std::span<const SymbolId> reduced, Level level,
                                              const std::vector<ScalarType>& types, const std::string& name) {
  int64_t count = 1;
  for (SymbolId axis : kept) count *= distribution_.extent(axis);
  if (level == Level::Warp)
    for (SymbolId axis : reduced)
      for (const Digit& d : distribution_.digits(axis, level)) count *= d.extent;
  std::vector<BufferId> buffers;
  for (ScalarType type : types) buffers.push_back(shared_named(name + "_parts", type, count));
  return buffers;
}

// The same between the blocks of a cluster: each keeps its own result, all read all.
std::vector<ExprId> LaneWriter::over_ranks(const loop::TileReduce& reduce, std::span<const SymbolId> kept,
                                           const std::vector<BufferId>& scratch, const RegisterPoint& point, bool writing,
                                           std::vector<ExprId> value, const std::string& name) {
  ExprId base = i64(0);
  for (SymbolId axis : kept)
    base = index_add(arena_, index_mul(arena_, base, i64(distribution_.extent(axis))), coordinate(axis, point));
  if (writing) {
    static constexpr Level kBlock[] = {Level::Lane, Level::Warp};
    std::vector<SymbolId> axes(kept.begin(), kept.end());
    const ExprId first = first_of_replicas(axes, kBlock);
    const auto store = [&] {
      for (std::size_t p = 0; p < value.size(); ++p) builder_.store(scratch[p], base, value[p]);
    };
    first.valid() ? builder_.if_(first, store) : store();
    return {};
  }
  // Ranks that differ in the reduced digits only.
  const int64_t ranks = places(Level::Rank);
  int64_t parts = 1, stride = 1;
  for (SymbolId axis : reduce.axes)
    for (const Digit& d : distribution_.digits(axis, Level::Rank)) parts *= d.extent, stride = d.stride;
  CDSL_CHECK(parts == ranks && stride == 1, "a reduction over a part of the cluster");
  std::vector<loop::Variable> sums;
  for (int64_t rank = 0; rank < parts; ++rank) {
    std::vector<ExprId> other;
    for (BufferId buffer : scratch) {
      loop::Access access = builder_.access(buffer, base);
      access.rank = i32(rank);
      other.push_back(builder_.load_from(name + "_part", access));
    }
    if (rank == 0) {
      for (ExprId part : other) sums.push_back(builder_.var(name, part));
      continue;
    }
    std::vector<ExprId> next = combined(arena_, reduce.how, refs(sums), other);
    if (next.size() > 1) {
      for (ExprId& part : next) part = builder_.let("next", part);
    }
    for (std::size_t p = 0; p < sums.size(); ++p) builder_.assign(sums[p], next[p]);
  }
  return refs(sums);
}

}  // namespace cdsl::lowering
