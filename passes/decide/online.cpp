#include "passes/decide/online.h"

#include <algorithm>
#include <numbers>
#include <set>

#include "dsl/expr/normal_exponent.h"
#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

class Matching {
 public:
  Matching(const Site& site, SymbolId index) : site_(site), arena_(site.arena), index_(index) {}

  std::vector<OnlineSum> run() {
    std::vector<ExprId> roots;
    for (const tir::Target& target : site_.stores) roots.push_back(target.value);
    std::vector<OnlineSum> found;
    std::set<ReductionId> seen;
    for (ExprId id : postorder(arena_, roots)) {
      const auto* reduce = arena_.get_if<Reduce>(id);
      if (reduce == nullptr || !seen.insert(reduce->reduction).second) continue;
      if (const auto sum = match(reduce->reduction)) found.push_back(*sum);
    }
    return found;
  }

 private:
  bool is_along(const Reduction& r, Monoid monoid) const {
    return r.monoid == monoid && r.axes.size() == 1 && r.axes[0].index == index_ && !r.guard.valid();
  }

  /// Without the casts that say in which type a value of a storage type is computed with.
  ExprId bare(ExprId id) const {
    while (arena_.is_apply(id, Op::Cast)) {
      const ExprId inner = arena_.args(id)[0];
      if (evaluation_type(arena_.type(inner)) != arena_.type(id)) break;
      id = inner;
    }
    return id;
  }

  bool is_positive(ExprId id) const {
    const Value* value = arena_.constant_value(bare(id));
    return value != nullptr && is_float(arena_.type(bare(id))) && value->re > 0 && value->re < kMostScale;
  }

  /// The difference that is scaled and exponentiated.
  ExprId difference(ExprId id) const {
    while (true) {
      const auto args = arena_.args(id);
      if (arena_.is_apply(id, Op::Mul) && is_positive(args[1])) id = args[0];
      else if (arena_.is_apply(id, Op::Mul) && is_positive(args[0])) id = args[1];
      else if (arena_.is_apply(id, Op::Div) && is_positive(args[1])) id = args[0];
      else return id;
    }
  }

  std::optional<OnlineSum> match(ReductionId id) const {
    const Reduction sum = arena_.reduction(id);
    if (!is_along(sum, Monoid::Sum)) return std::nullopt;
    const ExprId term = sum.lifted[0];
    if (!arena_.is_apply(term, Op::Exp) && !arena_.is_apply(term, Op::Exp2)) return std::nullopt;
    const ExprId gap = difference(arena_.args(term)[0]);
    if (!arena_.is_apply(gap, Op::Sub)) return std::nullopt;
    const auto* top = arena_.get_if<Reduce>(bare(arena_.args(gap)[1]));
    if (top == nullptr) return std::nullopt;
    const Reduction greatest = arena_.reduction(top->reduction);
    const ScalarType type = arena_.type(gap);
    if (!is_along(greatest, Monoid::Max) || !is_float(type) || evaluation_type(greatest.types[0]) != type || sum.types[0] != type) return std::nullopt;
    const auto nodes = postorder(arena_, greatest.lifted);
    const bool is_plain = std::none_of(nodes.begin(), nodes.end(), [&](ExprId node) { return arena_.get_if<Reduce>(node) != nullptr; });
    if (!is_plain || bare(arena_.args(gap)[0]) != bare(greatest.lifted[0])) return std::nullopt;
    const SymbolId symbol = site_.arena.add_symbol("gap", SymbolKind::Local, type);
    const ExprId stands = site_.arena.symbol_ref(symbol);
    Rewriter rewrite(site_.arena, [&](ExprId node) { return node == gap ? std::optional(stands) : std::nullopt; });
    return OnlineSum{top->reduction, id, symbol, in_base_two(rewrite(term))};
  }

  /// exp(x) as exp2(x * log2 e) that never gets denormal, a third of the instructions. What rounding the product costs is relative to x,
  /// and where x is large the exponential is small beside the 1 of the maximum itself: of their sum it is a few units in the last place.
  /// So is what stands for exponentials below the least normal number.
  ExprId in_base_two(ExprId exponential) const {
    ExprArena& arena = site_.arena;
    const ScalarType type = arena.type(exponential);
    if (type != ScalarType::F32) return exponential;
    ExprId exponent = arena.args(exponential)[0];
    if (arena.is_apply(exponential, Op::Exp)) exponent = arena.apply(Op::Mul, {exponent, arena.real(std::numbers::log2e, type)});
    return arena.apply(Op::Exp2, {arena.apply(Op::Max, {exponent, arena.real(kLeastNormalExponent, type)})});
  }

  static constexpr double kMostScale = 1e4;  // products with it stay far from the ends of any type

  const Site& site_;
  const ExprArena& arena_;
  SymbolId index_;
};

}  // namespace

std::vector<OnlineSum> online_sums(const Site& site, SymbolId index) { return Matching(site, index).run(); }

}  // namespace cdsl::deciding
