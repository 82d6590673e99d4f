// TileScan: digit by digit from the innermost. After each digit the results are right within the block of points that the
// digits so far number, and `total` is that block's own.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/combine.h"
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

using loop::Digit;
using loop::Level;

void LaneWriter::write(const loop::TileScan& scan, const loop::Statement& statement) {
  const std::vector<SymbolId> axes(distribution_.axes_of(statement).begin(), distribution_.axes_of(statement).end());
  std::vector<ScalarType> types;
  for (SymbolId result : scan.results) types.push_back(arena_.symbol(result).type);
  const std::string name = arena_.symbol(scan.results[0]).name;
  const int64_t registers = distribution_.registers_of(axes);
  std::vector<BufferId> sums, totals;
  for (ScalarType type : types) {
    sums.push_back(registers_named(name + "_sums", type, registers));
    totals.push_back(registers_named(name + "_totals", type, registers));
  }
  const auto load = [&](const std::vector<BufferId>& from, ExprId index) {
    std::vector<ExprId> result;
    for (BufferId buffer : from) result.push_back(builder_.load(buffer, index));
    return result;
  };
  const auto store = [&](const std::vector<BufferId>& to, ExprId index, const std::vector<ExprId>& values) {
    for (std::size_t p = 0; p < values.size(); ++p) builder_.store(to[p], index, values[p]);
  };
  const auto named = [&](std::vector<ExprId> values, const char* what) {
    for (ExprId& value : values) value = builder_.let(what, value);
    return values;
  };

  const std::vector<RegisterLoop> loops = loops_of(axes);
  RegisterPoint point;
  nest(loops, 0, point, [&] {
    std::vector<ExprId> value;
    for (std::size_t p = 0; p < types.size(); ++p) {
      const ExprId term = at(scan.values[p], point);
      value.push_back(scan.how.monoid == Monoid::Count ? arena_.cast(term, types[p]) : term);
    }
    value = named(value, "term");
    const ExprId index = register_index(axes, point);
    store(totals, index, value);
    store(sums, index, scan.exclusive ? identity_of(arena_, scan.how, types) : value);
  });

  // Registers inside the digit at hand: their sums take the prefix, and one total stands for all (at digit values 0).
  std::vector<RegisterLoop> outer = loops, inner;
  std::vector<std::size_t> done;
  const auto digits = distribution_.digits(scan.axis);
  std::size_t register_digit = distribution_.register_digits(scan.axis).size();
  const auto zero_done = [&] {
    std::vector<ExprId>& here = point[scan.axis];
    here.resize(distribution_.register_digits(scan.axis).size());
    for (std::size_t k : done) here[k] = i64(0);
  };
  const auto add_prefix = [&](const std::vector<ExprId>& prefix) {
    nest(inner, 0, point, [&] {
      const ExprId index = register_index(axes, point);
      store(sums, index, named(combined(arena_, scan.how, prefix, load(sums, index)), "sum"));
    });
    zero_done();
  };
  for (std::size_t k = digits.size(); k-- > 0;) {
    const Digit& d = digits[k];
    if (d.level == Level::Register || d.level == Level::Vector) {
      --register_digit;
      if (d.extent == 1) continue;
      const auto self = std::find_if(outer.begin(), outer.end(), [&](const RegisterLoop& loop) {
        return loop.axis == scan.axis && loop.digit == register_digit;
      });
      outer.erase(self);
      zero_done();
      nest(outer, 0, point, [&] {
        zero_done();
        point[scan.axis][register_digit] = i64(0);
        const ExprId first = register_index(axes, point);
        for (int64_t step = 1; step < d.extent; ++step) {
          point[scan.axis][register_digit] = i64(step);
          const auto prefix = load(totals, first);
          const ExprId here = register_index(axes, point);
          add_prefix(prefix);
          point[scan.axis][register_digit] = i64(step);
          store(totals, first, named(combined(arena_, scan.how, prefix, load(totals, here)), "total"));
        }
      });
      inner.insert(inner.begin(), RegisterLoop{scan.axis, register_digit, d.extent, false});
      done.push_back(register_digit);
      continue;
    }
    if (d.extent == 1) continue;
    CDSL_CHECK(d.level != Level::Rank, "a scan across the blocks of a cluster");
    if (d.level == Level::Lane) {
      nest(outer, 0, point, [&] {
        zero_done();
        const ExprId index = register_index(axes, point);
        std::vector<ExprId> running = load(totals, index);
        const ExprId mine = builder_.let("place", digit(Level::Lane, d.stride, d.extent, 0));
        for (int64_t step = 1; step < d.extent; step *= 2) {
          std::vector<ExprId> other;
          for (ExprId part : running) other.push_back(builder_.shuffle("other", loop::ShuffleKind::Up, part, i32(step * d.stride)));
          const auto with = combined(arena_, scan.how, other, running);
          const ExprId has = arena_.apply(Op::Ge, {mine, i32(step)});
          std::vector<ExprId> next;
          for (std::size_t p = 0; p < with.size(); ++p) next.push_back(builder_.let("running", builder_.select(has, with[p], running[p])));
          running = std::move(next);
        }
        const auto identity = identity_of(arena_, scan.how, types);
        std::vector<ExprId> before, all;
        const ExprId is_first = arena_.apply(Op::Eq, {mine, i32(0)});
        const ExprId last = builder_.add(builder_.special(loop::Special::Lane),
                                         builder_.mul(builder_.sub(i32(d.extent - 1), mine), i32(d.stride)));
        for (std::size_t p = 0; p < running.size(); ++p) {
          const ExprId up = builder_.shuffle("other", loop::ShuffleKind::Up, running[p], i32(d.stride));
          before.push_back(builder_.let("before", builder_.select(is_first, identity[p], up)));
          all.push_back(builder_.shuffle("all", loop::ShuffleKind::Index, running[p], last));
        }
        add_prefix(before);
        store(totals, index, all);
      });
      continue;
    }
    // Warps: each block of points leaves its total in shared memory.
    std::vector<SymbolId> kept;
    for (SymbolId axis : axes) {
      if (axis != scan.axis) kept.push_back(axis);
    }
    int64_t blocks = 1;                  // of this axis, outside the digit
    for (std::size_t o = 0; o < k; ++o) blocks *= digits[o].extent;
    int64_t points = blocks;
    for (SymbolId axis : kept) points *= distribution_.extent(axis);
    std::vector<BufferId> scratch;
    for (ScalarType type : types) scratch.push_back(shared_named(name + "_parts", type, points * d.extent));
    if (is_only_barrier_of_loop(statement)) collective_barrier(statement);
    const auto slot = [&] {
      ExprId base = i64(0);
      for (SymbolId axis : kept)
        base = index_add(arena_, index_mul(arena_, base, i64(distribution_.extent(axis))), coordinate(axis, point));
      const ExprId block = arena_.apply(Op::Div, {coordinate(scan.axis, point), i64(d.weight * d.extent)});
      base = blocks == 1 ? base : index_add(arena_, index_mul(arena_, base, i64(blocks)), block);
      return index_mul(arena_, base, i64(d.extent));
    };
    const ExprId mine = arena_.cast(digit(Level::Warp, d.stride, d.extent, distribution_.first_warp(scan.axis)), ScalarType::I64);
    nest(outer, 0, point, [&] {
      zero_done();
      static constexpr Level kLane[] = {Level::Lane};
      const ExprId first = first_of_replicas(kept, kLane);
      const ExprId index = register_index(axes, point);
      const auto put = [&] { store(scratch, index_add(arena_, slot(), mine), load(totals, index)); };
      first.valid() ? builder_.if_(first, put) : put();
    });
    collective_barrier(statement);
    nest(outer, 0, point, [&] {
      zero_done();
      const ExprId index = register_index(axes, point), base = slot();
      std::vector<loop::Variable> before, all;
      for (ExprId part : identity_of(arena_, scan.how, types)) {
        before.push_back(builder_.var("before", part));
        all.push_back(builder_.var("all", part));
      }
      const auto refs = [](const std::vector<loop::Variable>& variables) {
        std::vector<ExprId> result;
        for (const loop::Variable& v : variables) result.push_back(v.ref);
        return result;
      };
      loop::For& loop = builder_.for_("part", i64(0), i64(d.extent), [&](ExprId part) {
        builder_.if_(arena_.apply(Op::Eq, {part, mine}), [&] {
          for (std::size_t p = 0; p < before.size(); ++p) builder_.assign(before[p], all[p].ref);
        });
        const auto next = named(combined(arena_, scan.how, refs(all), load(scratch, index_add(arena_, base, part))), "next");
        for (std::size_t p = 0; p < all.size(); ++p) builder_.assign(all[p], next[p]);
      });
      loop.unroll = static_cast<int>(d.extent);
      add_prefix(refs(before));
      store(totals, index, refs(all));
    });
  }

  point.clear();
  nest(loops, 0, point, [&] {
    const ExprId index = register_index(axes, point);
    for (std::size_t p = 0; p < types.size(); ++p) define(scan.results[p], builder_.load(sums[p], index), point);
  });
  if (scan.totals.empty()) return;
  point.clear();
  nest(outer, 0, point, [&] {
    zero_done();
    const ExprId index = register_index(axes, point);
    for (std::size_t p = 0; p < types.size(); ++p) define(scan.totals[p], builder_.load(totals[p], index), point);
  });
}

}  // namespace cdsl::lowering
