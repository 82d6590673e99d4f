#include "api/variant_sizes.h"

#include <algorithm>
#include <optional>

#include "dsl/expr/walk.h"
#include "dsl/tensor/bind.h"

namespace cdsl {
namespace {

constexpr int64_t kUniformUpTo = 72, kRandomUpTo = 40;
constexpr int kRandomTries = 4000;

class SizeSearch {
 public:
  SizeSearch(const tir::Function& function, const plan::Plan& plan, const SizeSet& fixed)
      : function_(function), plan_(plan), fixed_(fixed) {
    for (const tir::Size& size : function.sizes) {
      const std::string& name = function.arena.symbol(size.symbol).name;
      if (!fixed.contains(name)) open_.push_back(name);
    }
  }

  bool depends_on_sizes(const plan::Variant& variant) const {
    const std::map<SymbolId, Value> all = bindings({});
    return std::any_of(variant.guards.begin(), variant.guards.end(), [&](const plan::Guard& guard) {
      const auto* holds = std::get_if<plan::Holds>(&guard);
      return holds != nullptr && value(plan_.arena, holds->condition, all).has_value();
    });
  }

  bool holds(const plan::Variant& variant, const SizeSet& sizes) const {
    const std::map<SymbolId, Value> known = bindings(sizes);
    return std::all_of(variant.guards.begin(), variant.guards.end(), [&](const plan::Guard& guard) {
      const auto* condition = std::get_if<plan::Holds>(&guard);
      return condition == nullptr ||
             value(plan_.arena, condition->condition, known).value_or(1) != 0;
    });
  }

  /// A set with which the launch is legal, as far as sizes say, and the variant's guards hold or
  /// not.
  std::optional<SizeSet> find(const plan::Variant& variant, bool wanted) {
    const auto fits = [&](const SizeSet& sizes) {
      return is_legal(sizes) && holds(variant, sizes) == wanted;
    };
    for (int64_t k = 1; k <= kUniformUpTo; ++k) {
      SizeSet sizes = fixed_;
      for (const std::string& name : open_) sizes[name] = k;
      if (fits(sizes)) return sizes;
    }
    for (int k = 0; k < kRandomTries; ++k) {
      SizeSet sizes = fixed_;
      for (const std::string& name : open_) sizes[name] = next() % kRandomUpTo + 1;
      if (fits(sizes)) return sizes;
    }
    return std::nullopt;
  }

 private:
  // Sizes that a set lacks are 1.
  std::map<SymbolId, Value> bindings(const SizeSet& sizes) const {
    std::map<SymbolId, Value> bound;
    for (const tir::Size& size : function_.sizes) {
      const auto found = sizes.find(function_.arena.symbol(size.symbol).name);
      bound[size.symbol] = Value::of_int(found == sizes.end() ? 1 : found->second);
    }
    return bound;
  }

  /// Nothing where `id` depends on more than sizes.
  static std::optional<int64_t> value(const ExprArena& arena, ExprId id,
                                      const std::map<SymbolId, Value>& known) {
    for (const SymbolId symbol : free_symbols(arena, id)) {
      if (!known.contains(symbol)) return std::nullopt;
    }
    return tir::evaluate_constant(arena, id, known).i;
  }

  bool is_legal(const SizeSet& sizes) const {
    const std::map<SymbolId, Value> known = bindings(sizes);
    const auto holds = [&](ExprId condition) {
      return value(function_.arena, condition, known).value_or(1) != 0;
    };
    for (const tir::Check& check : function_.checks) {
      if (!holds(check.condition)) return false;
    }
    for (const tir::Fact& fact : function_.facts) {
      const bool needed = fact.required && fact.kind == tir::Fact::Kind::Condition;
      if (needed && !holds(fact.condition)) return false;
    }
    for (const tir::Tensor& tensor : function_.tensors) {
      for (const ExprId extent : tensor.shape) {
        if (value(function_.arena, extent, known).value_or(0) < 0) return false;
      }
    }
    return true;
  }

  // Knuth's MMIX generator, its upper half.
  int64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int64_t>(state_ >> 33);
  }

  const tir::Function& function_;
  const plan::Plan& plan_;
  const SizeSet& fixed_;
  std::vector<std::string> open_;
  uint64_t state_ = 1;
};

}  // namespace

std::vector<SizeSet> sizes_for_variants(const tir::Function& function, const plan::Plan& plan,
                                        const SizeSet& fixed, const std::vector<SizeSet>& sets) {
  SizeSearch search(function, plan, fixed);
  std::vector<SizeSet> more;
  for (const plan::Variant& variant : plan.variants) {
    if (!search.depends_on_sizes(variant)) continue;
    for (const bool wanted : {true, false}) {
      const auto has = [&](const SizeSet& sizes) { return search.holds(variant, sizes) == wanted; };
      if (std::any_of(sets.begin(), sets.end(), has) || std::any_of(more.begin(), more.end(), has))
        continue;
      if (auto found = search.find(variant, wanted)) more.push_back(std::move(*found));
    }
  }
  return more;
}

}  // namespace cdsl
