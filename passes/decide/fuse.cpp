#include "passes/decide/fuse.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "dsl/expr/walk.h"
#include "passes/recognize/conditions.h"
#include "passes/recognize/shared_indices.h"

namespace cdsl::deciding {
namespace {

std::vector<ExprId> roots_of(const tir::Domain& domain, const std::vector<tir::Target>& targets) {
  std::vector<ExprId> roots;
  for (const Axis& axis : domain.axes) roots.insert(roots.end(), {axis.lo, axis.hi});
  if (domain.guard.valid()) roots.push_back(domain.guard);
  for (const tir::Target& target : targets) {
    roots.insert(roots.end(), target.subscripts.begin(), target.subscripts.end());
    roots.push_back(target.value);
  }
  return roots;
}

bool touches_memory(const ExprArena& arena, ExprId root) {
  const auto nodes = postorder(arena, std::span(&root, 1));
  return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) {
    return arena.get_if<Read>(id) != nullptr || arena.get_if<Reduce>(id) != nullptr;
  });
}

// What a kernel holds at most: more, and neither its compile time nor its registers are worth the traffic that it saves.
constexpr std::size_t kMostNodes = 384, kMostStores = 16;
// Of more statements the first stay apart: each looks at all that the ones before it were written out to.
constexpr std::size_t kMostStatements = 1024;

std::size_t nodes_of(const ExprArena& arena, const std::vector<tir::Target>& stores) {
  std::vector<ExprId> roots;
  for (const tir::Target& target : stores) roots.push_back(target.value);
  return postorder(arena, roots).size();
}

// Ends that use neither memory nor an index.
bool is_fixed(const ExprArena& arena, const Axis& axis) {
  for (ExprId end : {axis.lo, axis.hi}) {
    if (touches_memory(arena, end)) return false;
    for (SymbolId symbol : free_symbols(arena, end)) {
      if (arena.symbol(symbol).kind != SymbolKind::Size) return false;
    }
  }
  return true;
}

class Fusion {
 public:
  Fusion(tir::Function& function, PassContext& context) : function_(function), arena_(function.arena), context_(context) {}

  Candidates run() {
    count_ = count_uses(function_.body, 0);
    block(function_.body);
    return std::move(found_);
  }

 private:
  struct Uses {
    std::set<std::size_t> writers, readers;
    bool in_loop = false;
  };
  struct Touched {
    std::set<TensorId> written, read;
  };

  void block(const tir::Block& statements) {
    std::vector<Candidate> here;
    place_.clear();
    for (const tir::Statement& statement : statements.statements) {
      const std::size_t number = next_++;
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) {
        block(*loop->body);
        here.clear();
        place_.clear();
        continue;
      }
      const auto* stage = std::get_if<tir::Stage>(&statement);
      if (stage == nullptr) continue;
      const Candidate alone{number, stage, {number}, stage->targets, false};
      if (count_ - number > kMostStatements) {
        found_.alone.push_back(alone);
        found_.fused.push_back(alone);
        continue;
      }
      Candidate candidate = alone;
      for (std::size_t k = 0; k < candidate.stores.size(); ++k) {
        // Each round writes out what the last one brought in.
        for (ExprId before; before != candidate.stores[k].value;) {
          Candidate next = candidate;
          next.stores[k].value = written_out(before = candidate.stores[k].value, here, next);
          if (nodes_of(arena_, next.stores) > kMostNodes) break;
          candidate = std::move(next);
        }
      }
      std::sort(candidate.statements.begin(), candidate.statements.end());
      candidate.statements.erase(std::unique(candidate.statements.begin(), candidate.statements.end()), candidate.statements.end());
      if (!is_closed(candidate)) candidate = alone;
      here.push_back(candidate);
      for (const tir::Target& target : stage->targets) place_[target.tensor] = here.size() - 1;
      if (here.size() > 1) take_in_neighbour(here[here.size() - 2], candidate);
      if (is_closed(candidate)) here.back() = candidate; else candidate = here.back();
      found_.alone.push_back(alone);
      found_.fused.push_back(std::move(candidate));
    }
  }

  // The statement before, where both have the same points, walk over the same ranges, share what they read and do not wait for
  // one another.
  void take_in_neighbour(const Candidate& before, Candidate& user) {
    const auto& axes = user.stage->domain.axes;
    const auto& others = before.stage->domain.axes;
    if (before.statements.back() + 1 != user.statements.front() || axes.size() != others.size()) return;
    if (before.stage->domain.guard.valid() || user.stage->domain.guard.valid()) return;
    std::unordered_map<SymbolId, ExprId> with;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (axes[k].lo != others[k].lo || axes[k].hi != others[k].hi) return;
      with[others[k].index] = arena_.symbol_ref(axes[k].index);
    }
    std::vector<tir::Target> stores = before.stores;
    bool shares = false;
    for (tir::Target& target : stores) {
      target.value = substitute(arena_, target.value, with);
      for (ExprId& subscript : target.subscripts) subscript = substitute(arena_, subscript, with);
      for (const tir::Target& own : user.stores) {
        if (own.tensor == target.tensor || reads_tensor(arena_, own.value, target.tensor)) return;
        shares |= share_a_read(own.value, target.value);
      }
    }
    if (!shares || reduced_ranges(stores) != reduced_ranges(user.stores)) return;
    stores.insert(stores.end(), user.stores.begin(), user.stores.end());
    if (stores.size() > kMostStores || nodes_of(arena_, stores) > kMostNodes) return;
    user.stores = std::move(stores);
    user.statements.insert(user.statements.begin(), before.statements.begin(), before.statements.end());
  }

  // One walk serves reductions over the same ranges only.
  std::set<std::pair<ExprId, ExprId>> reduced_ranges(const std::vector<tir::Target>& stores) const {
    std::set<std::pair<ExprId, ExprId>> ranges;
    for (const tir::Target& target : stores) {
      for (ExprId id : postorder(arena_, std::span(&target.value, 1))) {
        const auto* reduce = arena_.get_if<Reduce>(id);
        if (reduce == nullptr) continue;
        for (const Axis& axis : arena_.reduction(reduce->reduction).axes) ranges.insert({axis.lo, axis.hi});
      }
    }
    return ranges;
  }

  bool share_a_read(ExprId a, ExprId b) const {
    std::set<TensorId> tensors;
    for (ExprId id : postorder(arena_, std::span(&a, 1)))
      if (const auto* read = arena_.get_if<Read>(id)) tensors.insert(read->tensor);
    for (ExprId id : postorder(arena_, std::span(&b, 1)))
      if (const auto* read = arena_.get_if<Read>(id); read != nullptr && tensors.contains(read->tensor)) return true;
    return false;
  }

  // Nobody outside the group reads what it does not store, and nothing between its stages changes what they read.
  bool is_closed(const Candidate& candidate) {
    const auto inside = [&](std::size_t n) { return std::binary_search(candidate.statements.begin(), candidate.statements.end(), n); };
    std::set<TensorId> still_read;            // in memory, whatever was written out
    for (ExprId id : postorder(arena_, roots_of(candidate.stage->domain, candidate.stores)))
      if (const auto* read = arena_.get_if<Read>(id)) still_read.insert(read->tensor);
    for (std::size_t statement : candidate.statements) {
      for (TensorId tensor : touched_[statement].written) {
        const Uses& uses = uses_[tensor];
        const bool stored = std::any_of(candidate.stores.begin(), candidate.stores.end(), [&](const tir::Target& t) { return t.tensor == tensor; });
        if (stored || statement == candidate.number) continue;
        if (still_read.contains(tensor)) return false;
        if (uses.writers.size() == 1 && !std::all_of(uses.readers.begin(), uses.readers.end(), inside)) return false;
      }
      if (statement == candidate.number) continue;
      for (TensorId tensor : touched_[statement].read) {
        const auto& writers = uses_[tensor].writers;
        const bool changed = std::any_of(writers.upper_bound(statement), writers.lower_bound(candidate.number),
                                         [&](std::size_t writer) { return !inside(writer); });
        if (changed) return false;
      }
    }
    return true;
  }

  // A read of an intermediate at an element becomes that element's value.
  ExprId written_out(ExprId value, const std::vector<Candidate>& before, Candidate& user) {
    std::unordered_map<ExprId, ExprId> known;
    const auto nodes = postorder(arena_, std::span(&value, 1));
    for (ExprId id : nodes) {
      const auto* read = arena_.get_if<Read>(id);
      if (read == nullptr) continue;
      const TensorId tensor = read->tensor;
      const auto place = place_.find(tensor);
      const Candidate* made = place == place_.end() ? nullptr : &before[place->second];
      if (made == nullptr || made->stores.size() != 1 || !is_private(tensor, user.number) || !fits(*made, id)) continue;
      const std::string& name = function_.tensor(tensor).name;
      const auto asked = context_.schedule.overrides.find(name + ".place");
      const std::string choice = asked == context_.schedule.overrides.end() ? "" : asked->second;
      if (choice == "global") {
        context_.settled.insert(name + ".place");
        continue;
      }
      if (repeats_reduction(*made, *user.stage, id)) {
        if (choice == "registers") context_.impossible[name + ".place"] = {choice, "each use would reduce again; possible: global"};
        continue;
      }
      if (choice == "registers") context_.settled.insert(name + ".place"), user.asked = true;
      std::unordered_map<SymbolId, ExprId> with;
      const auto args = arena_.args(id);
      for (std::size_t k = 0; k < made->stage->domain.axes.size(); ++k) {
        const auto at = std::find(made->stores[0].subscripts.begin(), made->stores[0].subscripts.end(),
                                  arena_.symbol_ref(made->stage->domain.axes[k].index));
        with[made->stage->domain.axes[k].index] = args[static_cast<std::size_t>(at - made->stores[0].subscripts.begin())];
      }
      known[id] = substitute(arena_, made->stores[0].value, with);
      user.statements.insert(user.statements.end(), made->statements.begin(), made->statements.end());
    }
    if (known.empty()) return value;
    return Rewriter(arena_, [&](ExprId id) -> std::optional<ExprId> {
      const auto found = known.find(id);
      return found == known.end() ? std::nullopt : std::optional(found->second);
    })(value);
  }

  // Would points of the user that share an element of `made` each reduce for themselves? Not where they are those of the row
  // that is reduced: they share a block.
  bool repeats_reduction(const Candidate& made, const tir::Stage& user, ExprId read) const {
    std::vector<Axis> reduced;
    for (ExprId id : postorder(arena_, std::span(&made.stores[0].value, 1))) {
      const auto* reduce = arena_.get_if<Reduce>(id);
      if (reduce == nullptr) continue;
      const auto& axes = arena_.reduction(reduce->reduction).axes;
      reduced.insert(reduced.end(), axes.begin(), axes.end());
    }
    if (reduced.empty()) return false;
    const auto args = arena_.args(read);
    const auto uses = [&](SymbolId index) { return std::find(args.begin(), args.end(), arena_.symbol_ref(index)) != args.end(); };
    const auto& axes = user.domain.axes;
    const bool own = std::all_of(args.begin(), args.end(), [&](ExprId arg) {
      return std::any_of(axes.begin(), axes.end(), [&](const Axis& a) { return arena_.symbol_ref(a.index) == arg; }) ||
             arena_.constant_value(arg) != nullptr;
    });
    return std::any_of(axes.begin(), axes.end(), [&](const Axis& a) {
      const bool along = own && std::any_of(reduced.begin(), reduced.end(), [&](const Axis& r) { return r.lo == a.lo && r.hi == a.hi; });
      return !uses(a.index) && !along;
    });
  }

  // An undeclared intermediate that one stage writes, outside loops, and that is read here at the latest.
  bool is_private(TensorId tensor, std::size_t user) {
    const tir::Tensor& info = function_.tensor(tensor);
    if (info.role != tir::Role::Temporary || info.declared) return false;
    const Uses& uses = uses_[tensor];
    return uses.writers.size() == 1 && !uses.in_loop && !uses.readers.empty() && *uses.readers.rbegin() <= user;
  }

  // Plain subscripts on both sides, all of the box written, and the same element type.
  bool fits(const Candidate& made, ExprId read) const {
    const tir::Target& target = made.stores[0];
    const auto& axes = made.stage->domain.axes;
    if (made.stage->domain.guard.valid() || target.bounds == Bounds::PerElement) return false;
    const auto args = arena_.args(read);
    if (args.size() != target.subscripts.size() || axes.size() != args.size()) return false;
    for (const Axis& axis : axes) {
      if (std::count(target.subscripts.begin(), target.subscripts.end(), arena_.symbol_ref(axis.index)) != 1) return false;
    }
    for (const AxisRule& rule : arena_.rules(read)) {
      if (rule.boundary != Boundary::None || rule.bounds == Bounds::PerElement || rule.holes.valid()) return false;
    }
    // Only an element at plain indices is computed no more often than stored.
    return std::all_of(args.begin(), args.end(), [&](ExprId arg) { return arena_.get_if<Symbol>(arg) != nullptr; });
  }

  std::size_t count_uses(const tir::Block& statements, std::size_t number, int depth = 0) {
    for (const tir::Statement& statement : statements.statements) {
      const std::size_t here = number++;
      const auto note = [&](const tir::Domain& domain, const std::vector<tir::Target>& targets) {
        for (const tir::Target& target : targets) {
          uses_[target.tensor].writers.insert(here);
          touched_[here].written.insert(target.tensor);
          uses_[target.tensor].in_loop |= depth > 0;
        }
        for (ExprId id : postorder(arena_, roots_of(domain, targets))) {
          const auto* read = arena_.get_if<Read>(id);
          if (read == nullptr) continue;
          uses_[read->tensor].readers.insert(here);
          touched_[here].read.insert(read->tensor);
          uses_[read->tensor].in_loop |= depth > 0;
        }
      };
      if (const auto* stage = std::get_if<tir::Stage>(&statement)) note(stage->domain, stage->targets);
      if (const auto* scatter = std::get_if<tir::Scatter>(&statement)) note(scatter->domain, {scatter->target});
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) number = count_uses(*loop->body, number, depth + 1);
    }
    return number;
  }

  tir::Function& function_;
  ExprArena& arena_;
  PassContext& context_;
  std::size_t next_ = 0, count_ = 0;
  Candidates found_;
  std::map<TensorId, Uses> uses_;
  std::unordered_map<std::size_t, Touched> touched_;        // by statement
  std::unordered_map<TensorId, std::size_t> place_;         // among the statements of the block: which writes it last
};

/// Is there a reduction in an arm of a choice, `&&` or `||` under `roots`?
bool reduces_in_an_arm(const ExprArena& arena, std::span<const ExprId> roots) {
  for (ExprId id : postorder(arena, roots)) {
    if (!arena.is_apply(id, Op::Select) && !arena.is_apply(id, Op::LogicalAnd) && !arena.is_apply(id, Op::LogicalOr)) continue;
    for (ExprId node : postorder(arena, arena.args(id).subspan(1)))
      if (arena.get_if<Reduce>(node) != nullptr) return true;
  }
  return false;
}

/// Is there a running reduction, which has no axes of its own?
bool runs(const ExprArena& arena, std::span<const ExprId> roots) {
  const auto nodes = postorder(arena, roots);
  return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) {
    const auto* reduce = arena.get_if<Reduce>(id);
    return reduce != nullptr && arena.reduction(reduce->reduction).axes.empty();
  });
}

/// What is evaluated once a term of some reduction.
std::set<ExprId> in_reductions(const ExprArena& arena, std::span<const ExprId> roots) {
  std::vector<ExprId> terms;
  for (ExprId id : postorder(arena, roots)) {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce == nullptr) continue;
    const Reduction& reduction = arena.reduction(reduce->reduction);
    terms.insert(terms.end(), reduction.lifted.begin(), reduction.lifted.end());
    if (reduction.guard.valid()) terms.push_back(reduction.guard);
  }
  const auto nodes = postorder(arena, terms);
  return {nodes.begin(), nodes.end()};
}

}  // namespace

Candidates candidates(tir::Function& function, PassContext& context) {
  share_indices(function);
  return Fusion(function, context).run();
}

std::string why_not(const tir::Function& function, const tir::Stage& stage, const std::vector<tir::Target>& stores, bool strict) {
  const ExprArena& arena = function.arena;
  const bool reduces = std::any_of(stores.begin(), stores.end(), [&](const tir::Target& target) {
    const auto nodes = postorder(arena, std::span(&target.value, 1));
    return std::any_of(nodes.begin(), nodes.end(), [&](ExprId id) { return arena.get_if<Reduce>(id) != nullptr; });
  });
  if (stage.domain.axes.empty() && !reduces) return "it has one point";
  std::set<SymbolId> indices;
  for (const Axis& axis : stage.domain.axes) {
    indices.insert(axis.index);
    if (!is_fixed(arena, axis)) return "a range hangs on another index or on data";
  }
  std::map<TensorId, std::vector<ExprId>> written;
  for (const tir::Target& target : stores) {
    if (target.bounds == Bounds::PerElement) return "where it writes is tested for each element";
    if (written.contains(target.tensor) && written[target.tensor] != target.subscripts) return "it writes several elements of one tensor";
    written[target.tensor] = target.subscripts;
    std::set<SymbolId> placed;
    for (ExprId subscript : target.subscripts) {
      if (touches_memory(arena, subscript)) return "where it writes hangs on data";
      for (SymbolId symbol : free_symbols(arena, subscript)) placed.insert(symbol);
    }
    // A scatter to places that are vouched for, `T[unique((i + 1) % N)]`, at sizes that fold the index away: stores are tested by
    // the indices in their subscripts.
    for (SymbolId index : indices)
      if (!placed.contains(index)) return "an index of the statement does not say where it writes";
  }
  if (stage.domain.guard.valid()) {
    // Conditions are values of one point; a group has no axes for what they reduce over.
    for (ExprId id : postorder(arena, std::span(&stage.domain.guard, 1)))
      if (arena.get_if<Reduce>(id) != nullptr) return "a reduction says which points are written";
  }
  const std::vector<ExprId> roots = roots_of(stage.domain, stores);
  const std::set<ExprId> repeated = in_reductions(arena, roots);
  const bool has_rows = reduces && !runs(arena, roots);
  for (ExprId id : postorder(arena, roots)) {
    if (const auto* read = arena.get_if<Read>(id)) {
      const auto args = arena.args(id);
      const auto rules = arena.rules(id);
      const bool is_repeated = !has_rows || repeated.contains(id);  // else one of few, beside a row that is reduced
      const bool is_spread = std::any_of(rules.begin(), rules.end(), [](const AxisRule& rule) { return rule.holes.valid(); });
      if (const auto target = written.find(read->tensor);
          target != written.end() && (is_spread || !std::equal(args.begin(), args.end(), target->second.begin(), target->second.end())))
        return "points read elements that other points overwrite";
      for (const AxisRule& rule : arena.rules(id)) {
        if (rule.boundary == Boundary::None && rule.bounds == Bounds::PerElement && is_repeated) return "a read is tested for each element";
        if (rule.boundary == Boundary::Fill && touches_memory(arena, rule.fill)) return "a fill value reads memory";
      }
      for (ExprId arg : args) {
        if (touches_memory(arena, arg) && is_repeated) return "a subscript hangs on data";
      }
    }
    if (const auto* reduce = arena.get_if<Reduce>(id)) {
      const Reduction& reduction = arena.reduction(reduce->reduction);
      if (strict) return "strict mode keeps the documented order of a reduction";
      if (reduction.monoid == Monoid::User) return "a reduction of the user's own";
      std::vector<ExprId> terms = reduction.lifted;
      if (reduction.guard.valid()) terms.push_back(reduction.guard);
      std::set<SymbolId> used;
      for (ExprId term : terms)
        for (SymbolId symbol : free_symbols(arena, term)) used.insert(symbol);
      const auto order = postorder(arena, reduction.lifted);
      const bool is_outer = std::any_of(order.begin(), order.end(), [&](ExprId inner) { return arena.get_if<Reduce>(inner) != nullptr; });
      if ((reduction.guard.valid() && is_outer) || reduces_in_an_arm(arena, reduction.lifted)) return "a reduction in the terms of another is computed for some of them only";
      for (const Axis& axis : reduction.axes) {
        if (!is_fixed(arena, axis)) return "the range of a reduction hangs on another index or on data";
        if (!used.contains(axis.index)) return "the terms of a reduction are the same along an index of it";
      }
      if (is_complex(reduction.types[0])) return "a reduction of complex numbers";
    }
  }
  return reduces_too_early(function, stage.domain, stores);
}

}  // namespace cdsl::deciding
