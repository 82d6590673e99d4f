// A reduction's term is taken apart into factors; which indices move which factor says what is batch, row, column and contracted,
// in whatever order operands and subscripts stand.
#include <algorithm>
#include <set>

#include "dsl/expr/walk.h"
#include "passes/recognize/patterns.h"

namespace cdsl::deciding {
namespace {

constexpr std::size_t kMostFactors = 16;

struct Semiring {
  Monoid plus;
  Op times;
  const char* name;
};
constexpr Semiring kSemirings[] = {
    {Monoid::Sum, Op::Mul, ""},          {Monoid::Min, Op::Add, "min-plus"},  {Monoid::Max, Op::Add, "max-plus"},
    {Monoid::ArgMin, Op::Add, "min-plus"}, {Monoid::ArgMax, Op::Add, "max-plus"}, {Monoid::Max, Op::Mul, "max-times"},
    {Monoid::Min, Op::Mul, "min-times"}, {Monoid::Max, Op::Min, "max-min"},   {Monoid::Min, Op::Max, "min-max"},
    {Monoid::Any, Op::LogicalAnd, "or-and"}, {Monoid::All, Op::LogicalOr, "and-or"}, {Monoid::Count, Op::LogicalAnd, "count-and"}};

using Indices = std::set<SymbolId>;

struct Factor {
  ExprId root, main;                      // the read that all its indices move; invalid: computed
  Indices indices;
};

bool contains(const Indices& all, const Indices& part) { return std::includes(all.begin(), all.end(), part.begin(), part.end()); }
Indices without(const Indices& a, const Indices& b) {
  Indices result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}
Indices both(const Indices& a, const Indices& b) {
  Indices result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}

class Matcher {
 public:
  Matcher(const Subject& subject, ReductionId id) : subject_(subject), arena_(subject.arena), reduction_(arena_.reduction(id)) {
    for (const Axis& axis : subject.axes) statement_.insert(axis.index);
    for (const Axis& axis : reduction_.axes) reduced_.insert(axis.index);
    made_.reduction = id;
    made_.masked = reduction_.guard.valid();
  }

  std::optional<Contraction> run() {
    if (reduction_.monoid == Monoid::User || reduction_.lifted.empty()) return std::nullopt;
    if (!take_apart() && !pair_up()) return std::nullopt;
    if (!assign()) return std::nullopt;
    if (made_.general && !made_.is_product()) return std::nullopt;
    describe_operands();
    return std::move(made_);
  }

 private:
  Indices indices_of(ExprId root) const {
    Indices result;
    for (SymbolId symbol : free_symbols(arena_, root))
      if (statement_.contains(symbol) || reduced_.contains(symbol)) result.insert(symbol);
    return result;
  }
  bool is_reduced(const Indices& indices) const { return !both(indices, reduced_).empty(); }

  // Below casts, signs and masks.
  ExprId bare(ExprId id) {
    for (;;) {
      const auto* apply = arena_.get_if<Apply>(id);
      if (apply == nullptr) return id;
      const auto args = arena_.args(id);
      if (apply->op == Op::Cast || apply->op == Op::Neg) {
        id = args[0];
      } else if (apply->op == Op::Select && (arena_.constant_value(args[1]) != nullptr || arena_.constant_value(args[2]) != nullptr)) {
        made_.masked = true;
        id = arena_.constant_value(args[1]) != nullptr ? args[2] : args[1];
      } else {
        return id;
      }
    }
  }

  // The term as factors, each with one read that has all its indices.
  bool take_apart() {
    const ExprId term = bare(reduction_.lifted[0]);
    const auto* top = arena_.get_if<Apply>(term);
    if (top == nullptr) return false;
    const Op op = top->op == Op::Sub ? Op::Add : top->op == Op::Div && is_float(arena_.type(term)) ? Op::Mul : top->op;
    const auto ring = std::find_if(std::begin(kSemirings), std::end(kSemirings),
                                   [&](const Semiring& s) { return s.plus == reduction_.monoid && s.times == op; });
    if (ring == std::end(kSemirings)) return false;
    made_.semiring = ring->name;
    std::vector<ExprId> open{term};
    while (!open.empty()) {
      const ExprId id = bare(open.back());
      open.pop_back();
      const auto* apply = arena_.get_if<Apply>(id);
      const bool divides = apply != nullptr && op == Op::Mul && apply->op == Op::Div && is_float(arena_.type(id));
      if (apply != nullptr && (apply->op == op || divides || (op == Op::Add && apply->op == Op::Sub))) {
        const auto args = arena_.args(id);
        open.push_back(args[1]);
        open.push_back(args[0]);
      } else if (!add_factor(id)) {
        factors_.clear();
        return false;
      }
    }
    return factors_.size() >= 2;
  }

  bool add_factor(ExprId root) {
    Factor factor{root, {}, indices_of(root)};
    if (!is_reduced(factor.indices)) return true;         // a scale of the result
    bool computed = true, reduces = false;
    for (ExprId id : postorder(arena_, std::span(&root, 1))) {
      reduces |= arena_.get_if<Reduce>(id) != nullptr;
      if (arena_.get_if<Read>(id) == nullptr) continue;
      computed = false;
      if (indices_of(id) == factor.indices) factor.main = id;
    }
    if (!factor.main.valid() && !computed && !reduces) return false;
    // Weights that the reduced index alone gives are no operand, nor is what is there already.
    if (computed && both(factor.indices, statement_).empty()) return true;
    const auto same = [&](const Factor& f) { return f.main.valid() ? f.main == factor.main : f.root == factor.root; };
    if (std::none_of(factors_.begin(), factors_.end(), same)) factors_.push_back(std::move(factor));
    return factors_.size() <= kMostFactors;
  }

  // No product: two places that are read, and whatever is done with them.
  bool pair_up() {
    factors_.clear();
    made_.semiring.clear();
    made_.general = true;
    for (ExprId id : postorder(arena_, reduction_.lifted)) {
      if (arena_.get_if<Reduce>(id) != nullptr) return false;
      if (arena_.get_if<Read>(id) == nullptr) continue;
      Factor factor{id, id, indices_of(id)};
      const Access& access = subject_.access(id);
      const auto same = [&](const Factor& f) {
        const auto a = arena_.args(f.main), b = arena_.args(id);
        return subject_.access(f.main).tensor == access.tensor && std::equal(a.begin(), a.end(), b.begin(), b.end());
      };
      if (!is_reduced(factor.indices) || std::any_of(factors_.begin(), factors_.end(), same)) continue;
      if (subject_.is_by_data(access) || factors_.size() == 2) return false;
      factors_.push_back(std::move(factor));
    }
    if (factors_.size() != 2) return false;
    const Indices all = indices_of(reduction_.lifted[0]);
    return std::all_of(all.begin(), all.end(), [&](SymbolId s) { return factors_[0].indices.contains(s) || factors_[1].indices.contains(s); });
  }

  // Factors that another one covers go with it; what is left falls into sides that share batch indices only.
  bool assign() {
    std::vector<const Factor*> sides;
    for (const Factor& f : factors_) {
      const auto covers = [&](const Factor& g) {
        return &f != &g && contains(g.indices, f.indices) && (f.indices.size() < g.indices.size() || &g < &f);
      };
      if (std::none_of(factors_.begin(), factors_.end(), covers)) sides.push_back(&f);
    }
    Indices first, second;
    if (sides.size() == 1) {
      first = sides[0]->indices;
      for (const Factor& f : factors_) {
        if (&f == sides[0]) continue;
        second.insert(f.indices.begin(), f.indices.end());
        if (!b_ || b_->indices.size() < f.indices.size()) b_ = &f;
      }
      a_ = sides[0];
      made_.operands = 2;
    } else if (!split(sides, first, second)) {
      return false;
    }
    const Indices batch = both(both(first, second), statement_);
    Indices rows = both(without(first, batch), statement_), columns = both(without(second, batch), statement_);
    const SymbolId unit = subject_.accesses.front().unit;
    if (rows.contains(unit) || (rows.empty() && !columns.empty())) {
      if (!columns.empty() || rows.empty()) std::swap(rows, columns), std::swap(a_, b_);
    }
    made_.batch = in_order(batch), made_.rows = in_order(rows), made_.columns = in_order(columns);
    for (const Axis& axis : reduction_.axes) made_.contracted.push_back(axis.index);
    made_.a = a_->main, made_.b = b_->main;
    return true;
  }

  bool split(const std::vector<const Factor*>& sides, Indices& first, Indices& second) {
    Indices batch = both(sides[0]->indices, statement_);
    for (const Factor* f : sides) batch = both(batch, f->indices);
    // What is connected with the first through an index that is no batch index.
    std::vector<bool> taken(sides.size(), false);
    std::size_t parts = 0;
    for (std::size_t start = 0; start < sides.size(); ++start) {
      if (taken[start]) continue;
      Indices linked = sides[start]->indices;
      taken[start] = true;
      for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t k = 0; k < sides.size(); ++k) {
          if (taken[k] || both(without(both(sides[k]->indices, statement_), batch), linked).empty()) continue;
          taken[k] = grows = true;
          linked.insert(sides[k]->indices.begin(), sides[k]->indices.end());
        }
      }
      (parts == 0 ? first : second).insert(linked.begin(), linked.end());
      (parts == 0 ? a_ : b_) = parts < 2 ? sides[start] : b_;
      ++parts;
    }
    made_.operands = parts;
    return parts >= 2;
  }

  std::vector<SymbolId> in_order(const Indices& indices) const {
    std::vector<SymbolId> result;
    for (const Axis& axis : subject_.axes)
      if (indices.contains(axis.index)) result.push_back(axis.index);
    return result;
  }

  void describe_operands() {
    if (made_.general) {
      made_.prologue = operator_names(arena_, reduction_.lifted);
      return;
    }
    for (const Factor& factor : factors_) {
      if (factor.root == factor.main) continue;
      for (std::string& name : operator_names(arena_, std::span(&factor.root, 1))) {
        if (std::find(made_.prologue.begin(), made_.prologue.end(), name) == made_.prologue.end()) made_.prologue.push_back(std::move(name));
      }
    }
  }

  const Subject& subject_;
  const ExprArena& arena_;
  const Reduction& reduction_;
  Indices statement_, reduced_;
  std::vector<Factor> factors_;
  const Factor *a_ = nullptr, *b_ = nullptr;
  Contraction made_;
};

}  // namespace

std::optional<Contraction> contraction(const Subject& subject, ReductionId reduction) { return Matcher(subject, reduction).run(); }

}  // namespace cdsl::deciding
