// One tensor at two indices of one axis, both over the same range: `p[i]` and `p[j]`, `X[i, k]` and `X[j, k]`.
#include <algorithm>
#include <map>

#include "dsl/expr/walk.h"
#include "passes/recognize/patterns.h"

namespace cdsl::deciding {
namespace {

class Pairs {
 public:
  Pairs(const Subject& subject, Patterns& found) : subject_(subject), arena_(subject.arena), found_(found) {}

  // Reads of `nodes`, where `inner` are the axes of the reduction around them.
  void look(const std::vector<ExprId>& nodes, const std::vector<Axis>& inner) {
    std::map<std::vector<uint32_t>, const Axis*> known;   // a read with a hole in it -> what stands in the hole
    for (ExprId id : nodes) {
      const auto* read = arena_.get_if<Read>(id);
      if (read == nullptr) continue;
      const auto args = arena_.args(id);
      for (std::size_t d = 0; d < args.size(); ++d) {
        const auto* symbol = arena_.get_if<Symbol>(args[d]);
        const Axis* axis = symbol == nullptr ? nullptr : find(symbol->symbol, inner);
        if (axis == nullptr || std::count(args.begin(), args.end(), args[d]) != 1) continue;
        std::vector<uint32_t> key{read->tensor.value, static_cast<uint32_t>(d)};
        for (std::size_t e = 0; e < args.size(); ++e) key.push_back(e == d ? 0 : args[e].value);
        const auto [at, is_new] = known.try_emplace(std::move(key), axis);
        if (is_new || at->second->index == axis->index) continue;
        meet(read->tensor, *at->second, *axis, args);
      }
    }
  }

 private:
  const Axis* find(SymbolId index, const std::vector<Axis>& inner) const {
    for (const auto* axes : {&subject_.axes, &inner})
      for (const Axis& axis : *axes)
        if (axis.index == index) return &axis;
    return nullptr;
  }

  void meet(TensorId tensor, const Axis& a, const Axis& b, std::span<const ExprId> args) {
    const bool first = subject_.is_of_statement(a.index), second = subject_.is_of_statement(b.index);
    if ((!first && !second) || a.lo != b.lo || a.hi != b.hi) return;
    for (ExprId arg : args) {                              // X[i, i] beside X[j, i] is a diagonal
      if (const auto* s = arena_.get_if<Symbol>(arg); s != nullptr && s->symbol == a.index) return;
    }
    for (const Pattern& p : found_)
      if (const auto* pairs = std::get_if<AllPairs>(&p); pairs != nullptr && pairs->tensor == tensor) return;
    found_.push_back(AllPairs{tensor, first ? a.index : b.index, first ? b.index : a.index, !first || !second});
  }

  const Subject& subject_;
  const ExprArena& arena_;
  Patterns& found_;
};

}  // namespace

void add_pairs(const Subject& subject, Patterns& found) {
  Pairs pairs(subject, found);
  for (ReductionId id : subject.reductions) {
    const Reduction& reduction = subject.arena.reduction(id);
    pairs.look(postorder(subject.arena, reduction.lifted), reduction.axes);
  }
  pairs.look(subject.outside, {});
}

}  // namespace cdsl::deciding
