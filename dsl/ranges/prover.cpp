#include "dsl/ranges/prover.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "dsl/ranges/affine.h"

namespace cdsl {
namespace {

// isl stops a query that takes more steps, and the answer is Unknown.
constexpr unsigned long kMaxOperations = 400'000;
// Of facts and conditions a query takes those that share symbols with what it asks, directly or through others, up to so many:
// a step of isl takes as long as there are symbols, and a proof needs few of them.
constexpr std::size_t kMaxConditions = 32;
// What a query costs grows with the square of that. Once a prover has spent so much, it is a large program's, and each query takes
// few from then on.
constexpr std::size_t kMostSpent = 25'000, kFewConditions = 4;
// So does a query that was stopped; with each two of them queries are stopped at half the steps.
constexpr std::size_t kSpentInVain = kMostSpent / 2;
constexpr unsigned long kFewOperations = 500;

}  // namespace

struct Prover::Impl {
  const ExprArena& arena;
  std::vector<ExprId> facts;
  isl_ctx* raw;
  isl::ctx context;

  mutable std::size_t spent = 0;                                             // by all queries
  mutable std::unordered_map<ExprId, std::vector<SymbolId>> symbols_of;      // of facts and conditions

  Impl(const ExprArena& a, std::vector<ExprId> f) : arena(a), facts(std::move(f)), raw(isl_ctx_alloc()), context(raw) {
    isl_options_set_on_error(raw, ISL_ON_ERROR_CONTINUE);
  }
  ~Impl() { isl_ctx_free(raw); }

  // The legal sizes and the points of `where`, as a set of `space`.
  isl::set points(AffineSpace& space, const Context& where) const {
    isl::set set = space.type_ranges();
    for (SymbolId symbol : space.symbols()) {
      const bool is_size = arena.symbol(symbol).kind == SymbolKind::Size;
      if (is_size) set = set.intersect(space.symbol(symbol).ge_set(space.number(0)));
    }
    for (const Axis& axis : where.axes) {
      const isl::pw_aff index = space.symbol(axis.index);
      set = set.intersect(index.ge_set(space.value(axis.lo))).intersect(index.lt_set(space.value(axis.hi)));
    }
    for (ExprId condition : where.conditions) set = set.intersect(space.holds(condition));
    return set;
  }

  const std::vector<SymbolId>& symbols(ExprId condition) const {
    const auto [found, is_new] = symbols_of.try_emplace(condition);
    if (is_new) found->second = free_symbols(arena, condition);
    return found->second;
  }

  // `where` with the facts, less what has nothing to do with `roots` and the axes, or is beyond the limit.
  struct Relevant {
    Context where;
    bool is_cut = false;    // something that has to do with them was left out
  };

  Relevant relevant(const Context& where, const std::vector<ExprId>& roots) const {
    Relevant found{{where.axes, {}}};
    Context& result = found.where;
    std::vector<ExprId> rest = facts;
    rest.insert(rest.end(), where.conditions.begin(), where.conditions.end());
    const std::size_t most = spent > kMostSpent ? kFewConditions : kMaxConditions;
    if (rest.size() <= kFewConditions) {
      result.conditions = std::move(rest);
      return found;
    }
    std::unordered_set<SymbolId> known;
    const auto learn = [&known](const std::vector<SymbolId>& some) { known.insert(some.begin(), some.end()); };
    for (ExprId root : roots) learn(free_symbols(arena, root));
    for (const Axis& axis : where.axes) {
      known.insert(axis.index);
      learn(free_symbols(arena, axis.lo));
      learn(free_symbols(arena, axis.hi));
    }
    while (result.conditions.size() < most) {
      std::vector<ExprId> near, far;
      for (ExprId id : rest) {
        const auto& mine = symbols(id);
        const bool meets = std::any_of(mine.begin(), mine.end(), [&](SymbolId symbol) { return known.contains(symbol); });
        (meets ? near : far).push_back(id);
      }
      if (near.empty()) break;
      // The innermost, which stand last, say most about what they guard.
      const std::size_t count = std::min(near.size(), most - result.conditions.size());
      found.is_cut |= count < near.size();
      near.erase(near.begin(), near.end() - static_cast<std::ptrdiff_t>(count));
      for (ExprId id : near) learn(symbols(id));
      result.conditions.insert(result.conditions.end(), near.begin(), near.end());
      rest = std::move(far);
    }
    found.is_cut |= result.conditions.size() >= most && !rest.empty();
    spent += result.conditions.size() * result.conditions.size();
    return found;
  }

  AffineSpace space_for(const Relevant& known, std::vector<ExprId> roots) const {
    AffineSpace space = space_for(known.where, std::move(roots));
    if (known.is_cut) space.drop();
    return space;
  }

  AffineSpace space_for(const Context& where, std::vector<ExprId> roots) const {
    roots.insert(roots.end(), where.conditions.begin(), where.conditions.end());
    std::vector<SymbolId> symbols;
    for (const Axis& axis : where.axes) {
      roots.push_back(axis.lo);
      roots.push_back(axis.hi);
      symbols.push_back(axis.index);
    }
    return AffineSpace(context, arena, roots, symbols);
  }

  // Is `bad` never (Proved), or for all sizes with a point in `all` somewhere (Refuted)?
  Verdict judge(AffineSpace& space, const Context& where, const isl::set& all, const isl::set& bad) const {
    if (bad.is_empty()) return Verdict::Proved;
    if (!space.exact() || all.is_empty()) return Verdict::Unknown;
    std::vector<SymbolId> indices;
    for (const Axis& axis : where.axes) indices.push_back(axis.index);
    const isl::set with_points = space.project(all, indices);
    return with_points.is_subset(space.project(bad, indices)) ? Verdict::Refuted : Verdict::Unknown;
  }

  template <class Query>
  Verdict guarded(Query query) const {
    isl_ctx_reset_operations(raw);
    isl_ctx_set_max_operations(raw, std::max(kMaxOperations >> std::min<std::size_t>(spent / kMostSpent, 16), kFewOperations));
    try {
      return query();
    } catch (const isl::exception&) {
      isl_ctx_reset_error(raw);
      spent += kSpentInVain;
      return Verdict::Unknown;
    }
  }
};

Prover::Prover(const ExprArena& arena, std::vector<ExprId> facts) : impl_(std::make_unique<Impl>(arena, std::move(facts))) {}
Prover::~Prover() = default;

void Prover::add_fact(ExprId fact) { impl_->facts.push_back(fact); }

Verdict Prover::inside(const Context& everything, ExprId subscript, ExprId extent) {
  return impl_->guarded([&] {
    const auto known = impl_->relevant(everything, {subscript, extent});
    const Context& context = known.where;
    AffineSpace space = impl_->space_for(known, {subscript, extent});
    const isl::set all = impl_->points(space, context);
    const isl::pw_aff x = space.value(subscript);
    const isl::set outside = x.lt_set(space.number(0)).unite(x.ge_set(space.value(extent)));
    return impl_->judge(space, context, all, all.intersect(outside));
  });
}

Verdict Prover::holds(const Context& everything, ExprId condition) {
  return impl_->guarded([&] {
    const auto known = impl_->relevant(everything, {condition});
    const Context& context = known.where;
    AffineSpace space = impl_->space_for(known, {condition});
    const isl::set all = impl_->points(space, context);
    const bool was_exact = space.exact();
    const isl::set no = all.intersect(space.fails(condition));
    if (no.is_empty()) return Verdict::Proved;
    const isl::set yes = all.intersect(space.holds(condition));
    return was_exact && space.exact() && !all.is_empty() && yes.is_empty() ? Verdict::Refuted : Verdict::Unknown;
  });
}

Verdict Prover::equal(ExprId a, ExprId b) {
  if (a == b) return Verdict::Proved;
  return impl_->guarded([&] {
    const auto known = impl_->relevant({}, {a, b});
    AffineSpace space = impl_->space_for(known, {a, b});
    const isl::set all = impl_->points(space, known.where);
    const isl::pw_aff x = space.value(a), y = space.value(b);
    if (all.intersect(x.ne_set(y)).is_empty()) return Verdict::Proved;
    return all.intersect(x.eq_set(y)).is_empty() && !all.is_empty() ? Verdict::Refuted : Verdict::Unknown;
  });
}

namespace {

std::vector<SymbolId> indices_of(const Context& context) {
  std::vector<SymbolId> indices;
  for (const Axis& axis : context.axes) indices.push_back(axis.index);
  return indices;
}

std::vector<ExprId> with(std::vector<ExprId> first, const std::vector<ExprId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// `image` with its own indices renamed, those in `common` kept.
Image renamed(ExprArena& arena, const Image& image, const std::vector<SymbolId>& common) {
  std::unordered_map<SymbolId, ExprId> fresh;
  Image result = image;
  const auto rename = [&](ExprId& id) { id = substitute(arena, id, fresh); };
  for (Axis& axis : result.where.axes) {
    rename(axis.lo);
    rename(axis.hi);
    if (std::find(common.begin(), common.end(), axis.index) != common.end()) continue;
    const SymbolId other = arena.add_symbol(arena.symbol(axis.index).name + "'", SymbolKind::Index);
    fresh[axis.index] = arena.symbol_ref(other);
    axis.index = other;
  }
  for (ExprId& condition : result.where.conditions) rename(condition);
  for (ExprId& subscript : result.subscripts) rename(subscript);
  return result;
}

}  // namespace

Verdict Prover::disjoint(const Image& a, const Image& b, const std::vector<SymbolId>& common) {
  ExprArena extended = impl_->arena;                     // renamed indices never leave the query
  const Image other = renamed(extended, b, common);
  Prover inner(extended, impl_->facts);
  const Impl& impl = *inner.impl_;
  return impl.guarded([&] {
    Context both = a.where;
    for (const Axis& axis : other.where.axes) {
      if (std::find(common.begin(), common.end(), axis.index) == common.end()) both.axes.push_back(axis);
    }
    both.conditions.insert(both.conditions.end(), other.where.conditions.begin(), other.where.conditions.end());
    std::vector<ExprId> roots = a.subscripts;
    roots.insert(roots.end(), other.subscripts.begin(), other.subscripts.end());
    const auto known = impl.relevant(both, roots);
    AffineSpace space = impl.space_for(known, roots);
    const isl::set all = impl.points(space, known.where);
    isl::set meet = all;
    for (std::size_t k = 0; k < a.subscripts.size(); ++k) {
      meet = meet.intersect(space.value(a.subscripts[k]).eq_set(space.value(other.subscripts[k])));
    }
    return impl.judge(space, both, all, meet);
  });
}

Verdict Prover::cover(const std::vector<Image>& images, const std::vector<ExprId>& extents) {
  ExprArena extended = impl_->arena;
  std::vector<SymbolId> point;
  Context box;
  for (ExprId extent : extents) {
    point.push_back(extended.add_symbol("point", SymbolKind::Index));
    box.axes.push_back({point.back(), extended.integer(0), extent});
  }
  Context everything = box;
  std::vector<ExprId> roots;
  std::vector<Image> sets;
  for (const Image& image : images) {
    sets.push_back(renamed(extended, image, {}));
    const Context& where = sets.back().where;
    everything.axes.insert(everything.axes.end(), where.axes.begin(), where.axes.end());
    roots.insert(roots.end(), where.conditions.begin(), where.conditions.end());
    roots.insert(roots.end(), sets.back().subscripts.begin(), sets.back().subscripts.end());
  }
  Prover inner(extended, impl_->facts);
  const Impl& impl = *inner.impl_;
  return impl.guarded([&] {
    const auto known = impl.relevant(everything, roots);    // extents are bounds of its axes
    const std::vector<ExprId>& conditions = known.where.conditions;
    AffineSpace space = impl.space_for(known, roots);
    const isl::set wanted = impl.points(space, {box.axes, conditions});
    isl::set missing = wanted;
    for (const Image& image : sets) {
      isl::set here = impl.points(space, {image.where.axes, with(conditions, image.where.conditions)});
      for (std::size_t k = 0; k < point.size(); ++k) {
        here = here.intersect(space.symbol(point[k]).eq_set(space.value(image.subscripts[k])));
      }
      missing = missing.subtract(space.project(here, indices_of(image.where)));
    }
    if (space.dropped()) return Verdict::Unknown;
    return impl.judge(space, box, wanted, missing);
  });
}

}  // namespace cdsl
