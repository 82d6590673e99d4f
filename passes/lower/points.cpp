#include "passes/lower/points.h"

#include <algorithm>
#include <utility>

#include "dsl/expr/integer.h"
#include "passes/lower/job.h"

namespace cdsl::lowering {
namespace {

bool starts_at_zero(const ExprArena& arena, const Axis& axis) {
  const Value* lo = arena.constant_value(axis.lo);
  return lo != nullptr && lo->i == 0;
}

// Is the axis that of a tensor, from end to end? A launch with a negative extent is refused.
bool is_whole_axis(const tir::Function& function, const ExprArena& arena, const Axis& axis) {
  return starts_at_zero(arena, axis) &&
         std::any_of(function.tensors.begin(), function.tensors.end(), [&](const tir::Tensor& t) {
           return std::find(t.shape.begin(), t.shape.end(), axis.hi) != t.shape.end();
         });
}

// hi - lo, or 0 where that may be negative.
ExprId length(ExprArena& arena, const Ranges& ranges, bool whole, ExprId lo, ExprId hi) {
  const ExprId span = index_sub(arena, hi, lo);
  return whole || ranges.nonnegative(span) ? span : index_max(arena, span, arena.integer(0));
}

class Points {
 public:
  Points(Lowerer& lowerer, const tir::Domain& domain, Spread spread,
         const std::function<void()>& body)
      : lowerer_(lowerer),
        builder_(lowerer.builder()),
        arena_(lowerer.arena()),
        domain_(domain),
        spread_(spread),
        body_(body) {
    share_out();
  }

  Points(Lowerer& lowerer, const tir::Domain& domain, int batch,
         const std::function<std::function<void()>()>& gather)
      : lowerer_(lowerer),
        builder_(lowerer.builder()),
        arena_(lowerer.arena()),
        domain_(domain),
        batch_(batch),
        gather_(gather) {
    share_out();
  }

  void run() {
    if (spread_ == Spread::Serial) return serial(0);
    if (shared_.empty()) return one_thread();
    if (shared_.size() == 1) return one_axis();
    flattened();
  }

  void bind(ExprId point) {
    if (shared_.size() == 1) {
      const ExprId lo = lowerer_.value(shared_[0].lo), hi = lowerer_.value(shared_[0].hi);
      return lowerer_.bind(shared_[0].index, index_add(arena_, point, lo), lo, hi);
    }
    ExprId items;
    split(point, sides_of_box(items));
  }

 private:
  void share_out() {
    const std::vector<bool> independent = independent_axes(arena_, domain_);
    for (std::size_t k = 0; k < domain_.axes.size(); ++k) {
      (independent[k] && spread_ != Spread::Serial ? shared_ : serial_).push_back(domain_.axes[k]);
    }
  }

  ExprId first() {
    const ExprId thread = builder_.special64(loop::Special::ThreadX);
    if (spread_ == Spread::Block) return thread;
    return builder_.add(builder_.mul(builder_.special64(loop::Special::BlockX),
                                     builder_.special64(loop::Special::BlockDimX)),
                        thread);
  }

  ExprId step() {
    const ExprId block = builder_.special64(loop::Special::BlockDimX);
    if (spread_ == Spread::Block) return block;
    return builder_.mul(builder_.special64(loop::Special::GridDimX), block);
  }

  // As a number of blocks of known size, so that it is seen to be positive.
  ExprId threads_of_grid(int times) {
    return builder_.mul(builder_.special64(loop::Special::GridDimX),
                        arena_.integer(int64_t{builder_.kernel().block[0]} * times));
  }

  std::string note() const { return spread_ == Spread::Grid ? "grid-stride" : "block-stride"; }

  void one_thread() {
    builder_.if_(arena_.apply(Op::Eq, {first(), arena_.integer(0)}), [&] {
      Lowerer::Scope scope(lowerer_);
      serial(0);
    });
  }

  void one_axis() {
    const Axis axis = shared_[0];
    const ExprId lo = lowerer_.value(axis.lo), hi = lowerer_.value(axis.hi);
    Lowerer::Scope names(lowerer_);
    take_turns(arena_.symbol(axis.index).name, index_add(arena_, first(), lo), hi,
               [&](ExprId index) { lowerer_.bind(axis.index, index, lo, hi); });
  }

  // A thread starts at `from`; `bind` makes the axes stand for what a number below `to` means.
  void take_turns(std::string name, ExprId from, ExprId to,
                  const std::function<void(ExprId)>& bind) {
    if (batch_ > 1) return take_batches(name, from, to, bind);
    loop::For& loop =
        builder_.for_(lowerer_.kernel().fresh(name), from, to, step(), [&](ExprId number) {
          Lowerer::Scope scope(lowerer_);
          bind(number);
          serial(0);
        });
    loop.note = note();
  }

  void take_batches(std::string name, ExprId from, ExprId to,
                    const std::function<void(ExprId)>& bind) {
    const ExprId end = lowerer_.pinned(index_sub(arena_, to, arena_.integer(1)), "last");
    loop::For& loop = builder_.for_(
        lowerer_.kernel().fresh(name), from, to, threads_of_grid(batch_),
        [&](ExprId number) {
          std::vector<ExprId> numbers{number};
          std::vector<std::function<void()>> rests;
          for (int k = 0; k < batch_; ++k) {
            Lowerer::Scope scope(lowerer_);
            ExprId at = number;
            if (k > 0) {
              numbers.push_back(builder_.let("next", builder_.add(numbers.back(), threads_of_grid(1))));
              at = builder_.let(lowerer_.kernel().fresh(name), index_min(arena_, numbers.back(), end));
            }
            bind(at);
            rests.push_back(gather_());
          }
          rests[0]();
          for (std::size_t k = 1; k < rests.size(); ++k)
            builder_.if_(arena_.apply(Op::Lt, {numbers[k], to}), rests[k]);
        });
    loop.note = note() + ", " + std::to_string(batch_) + " at a time";
  }

  struct Side {
    ExprId lo, hi, span;  // span is a register where it takes arithmetic
    std::string name;
  };

  void flattened() {
    ExprId items;
    Lowerer::Scope names(lowerer_);
    const std::vector<Side> sides = sides_of_box(items);
    if (batch_ > 1) items = lowerer_.pinned(items, "points");
    take_turns("point", first(), items, [&](ExprId point) { split(point, sides); });
  }

  std::vector<Side> sides_of_box(ExprId& items) {
    std::vector<Side> sides;
    items = arena_.integer(1);
    for (const Axis& axis : shared_) {
      Side side{lowerer_.value(axis.lo), lowerer_.value(axis.hi), {}, {}};
      side.name = arena_.symbol(axis.index).name;
      const ExprId span = length(arena_, lowerer_.ranges(), false, side.lo, side.hi);
      side.span = lowerer_.pinned(span, side.name + "_count");
      items = index_mul(arena_, items, side.span);
      sides.push_back(std::move(side));
    }
    return sides;
  }

  // The last axis varies fastest. Inside the loop every span is positive.
  void split(ExprId point, const std::vector<Side>& sides) {
    std::vector<ExprId> offsets(sides.size()), counts(sides.size());
    ExprId rest = point;
    for (std::size_t k = sides.size(); k-- > 1;) {
      counts[k] = rest;
      offsets[k] = arena_.apply(Op::Rem, {rest, sides[k].span});
      rest = arena_.apply(Op::Div, {rest, sides[k].span});
      if (k > 1) rest = builder_.let(lowerer_.kernel().fresh("rest"), rest);
    }
    offsets[0] = rest;
    std::vector<ExprId> indices, extents;
    bool from_zero = true;
    for (std::size_t k = 0; k < sides.size(); ++k) {
      const std::string name = lowerer_.kernel().fresh(sides[k].name);
      const ExprId index = builder_.let(name, index_add(arena_, offsets[k], sides[k].lo));
      lowerer_.bind(shared_[k].index, index, sides[k].lo, sides[k].hi);
      from_zero = from_zero && starts_at_zero(arena_, shared_[k]);
      indices.push_back(index);
      extents.push_back(sides[k].hi);
      if (k > 0 && from_zero) lowerer_.bind_flat(indices, extents, counts[k]);
    }
  }

  void serial(std::size_t k) {
    if (k == serial_.size()) return guarded();
    const Axis axis = serial_[k];
    const ExprId ends[] = {axis.lo, axis.hi};
    lowerer_.prepare(ends);
    const ExprId lo = lowerer_.value(axis.lo), hi = lowerer_.value(axis.hi);
    Lowerer::Scope names(lowerer_);
    builder_.for_(lowerer_.kernel().fresh(arena_.symbol(axis.index).name), lo, hi,
                  [&](ExprId index) {
                    Lowerer::Scope scope(lowerer_);
                    lowerer_.bind(axis.index, index, lo, hi);
                    serial(k + 1);
                  });
  }

  void guarded() {
    if (!domain_.guard.valid()) return body_();
    builder_.if_(lowerer_.value(domain_.guard), [&] {
      Lowerer::Scope scope(lowerer_);
      body_();
    });
  }

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  const tir::Domain& domain_;
  Spread spread_ = Spread::Grid;
  std::function<void()> body_;
  int batch_ = 1;
  std::function<std::function<void()>()> gather_;
  std::vector<Axis> shared_, serial_;
};

}  // namespace

void for_points(Lowerer& lowerer, const tir::Domain& domain, Spread spread,
                const std::function<void()>& body) {
  Points(lowerer, domain, spread, body).run();
}

void for_batches(Lowerer& lowerer, const tir::Domain& domain, int batch,
                 const std::function<std::function<void()>()>& gather) {
  Points(lowerer, domain, batch, gather).run();
}

void bind_point(Lowerer& lowerer, const tir::Domain& box, ExprId point) {
  const std::function<void()> none;
  Points(lowerer, box, Spread::Grid, none).bind(point);
}

bool can_batch(const ExprArena& arena, const tir::Domain& domain) {
  const std::vector<bool> independent = independent_axes(arena, domain);
  return !domain.guard.valid() && !domain.axes.empty() &&
         std::find(independent.begin(), independent.end(), false) == independent.end();
}

ExprId shared_points(const tir::Function& function, ExprArena& arena, const tir::Domain& domain) {
  const std::vector<bool> independent = independent_axes(arena, domain);
  const Ranges ranges(arena);
  ExprId items = arena.integer(1);
  for (std::size_t k = 0; k < domain.axes.size(); ++k) {
    const Axis& axis = domain.axes[k];
    if (!independent[k]) continue;
    const bool whole = is_whole_axis(function, arena, axis);
    items = index_mul(arena, items, length(arena, ranges, whole, axis.lo, axis.hi));
  }
  return items;
}

}  // namespace cdsl::lowering
