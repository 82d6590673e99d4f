#include "passes/recognize/patterns.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace cdsl::deciding {
namespace {

// What names the statement comes first: how often data is used again before how it is reached.
struct Rank {
  int operator()(const Contraction& c) const {
    if (!c.windows.empty() || (c.is_product() && !c.general)) return 1;
    return c.general ? 3 : c.rows.empty() ? 7 : 4;         // a matrix times a vector before the reduction that it is; a dot after
  }
  int operator()(const Updates&) const { return 0; }
  int operator()(const AllPairs&) const { return 2; }
  int operator()(const Scan&) const { return 5; }
  int operator()(const ReductionShape&) const { return 6; }
  int operator()(const SlidingWindow&) const { return 6; }
  int operator()(const Stencil&) const { return 8; }
  int operator()(const Gather&) const { return 9; }
  int operator()(const Permute&) const { return 10; }
  int operator()(const Reindex&) const { return 11; }
  int operator()(const Pointwise&) const { return 12; }
  int operator()(const Broadcast&) const { return 13; }
  int operator()(const Recurrence&) const { return 0; }
  int operator()(const Iteration&) const { return 0; }
};

constexpr int64_t kSmallBytes = 48 * 1024;                 // of a histogram: it fits the shared memory of a block

std::optional<int64_t> bins_of(const Subject& subject, const tir::Scatter& scatter) {
  if (touches_memory(subject.arena, scatter.target.value) || subject.arena.constant_value(scatter.target.value) == nullptr) return std::nullopt;
  int64_t bins = 1;
  for (ExprId extent : subject.function.tensor(scatter.target.tensor).shape) {
    const auto known = subject.sizes.known(extent);
    if (!known || *known <= 0) return std::nullopt;
    bins = product(bins, *known);
  }
  const int64_t bytes = size_of(subject.function.leaf(scatter.target.tensor, scatter.target.leaf).type);
  return bins <= kSmallBytes / bytes ? std::optional(bins) : std::nullopt;
}

void add_updates(const Subject& subject, const tir::Scatter* scatter, Patterns& found) {
  for (std::size_t k = 0; k < subject.stores.size(); ++k) {
    const bool by_data = subject.is_by_data(subject.accesses[k]);
    if (scatter == nullptr && !by_data) continue;
    Updates made{subject.stores[k].tensor, {}, by_data, {}};
    if (scatter != nullptr) made.op = scatter->op;
    if (scatter != nullptr && by_data) made.bins = bins_of(subject, *scatter);
    found.push_back(made);
  }
  if (scatter == nullptr) return;
  std::erase_if(found, [](const Pattern& p) {              // its places are not those of its points
    return std::holds_alternative<Pointwise>(p) || std::holds_alternative<Broadcast>(p) || std::holds_alternative<Permute>(p) ||
           std::holds_alternative<Reindex>(p);
  });
}

using Carried = std::map<TensorId, std::optional<int64_t>>;

// Which iterations of a loop read what earlier ones wrote.
class Loops {
 public:
  Loops(const tir::Function& function, const tir::Loop& loop, const SizeValues& sizes) : loop_(loop) { collect(function, *loop.body, sizes); }

  Recurrence run() {
    Recurrence made{loop_.index, loop_.descending, {}, true};
    for (const Subject& subject : subjects_) {
      for (std::size_t k = 0; k < subject.accesses.size(); ++k) {
        const Access& access = subject.accesses[k];
        const bool walked = std::any_of(access.subscripts.begin(), access.subscripts.end(), [&](const auto& s) { return s.contains(loop_.index); });
        if (k < subject.stores.size() && walked) written_.try_emplace(access.tensor, &access);
      }
    }
    Carried carried;
    for (const Subject& subject : subjects_) {
      std::unordered_set<ExprId> earlier;
      for (std::size_t k = subject.stores.size(); k < subject.accesses.size(); ++k)
        if (note(subject.accesses[k], carried)) earlier.insert(subject.accesses[k].read);
      made.linear &= is_linear(subject, earlier);
    }
    for (const auto& [tensor, distance] : carried) made.carried.push_back({tensor, distance});
    made.linear &= !carried.empty();
    return made;
  }

 private:
  void collect(const tir::Function& function, const tir::Block& block, const SizeValues& sizes) {
    for (const tir::Statement& statement : block.statements) {
      if (const auto* stage = std::get_if<tir::Stage>(&statement)) subjects_.emplace_back(function, stage->domain, stage->targets, sizes);
      if (const auto* scatter = std::get_if<tir::Scatter>(&statement))
        subjects_.emplace_back(function, scatter->domain, std::vector<tir::Target>{scatter->target}, sizes);
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) collect(function, *loop->body, sizes);
    }
  }

  bool note(const Access& read, Carried& carried) const {
    const auto found = written_.find(read.tensor);
    if (found == written_.end()) return false;
    const Access& store = *found->second;
    std::optional<int64_t> distance;
    for (std::size_t d = 0; d < store.subscripts.size() && d < read.subscripts.size(); ++d) {
      const auto at = store.subscripts[d].find(loop_.index);
      if (at == store.subscripts[d].end() || at->second != 1) continue;
      const auto from = read.subscripts[d].find(loop_.index);
      if (from == read.subscripts[d].end() || from->second != 1 || !read.affine || read.subscripts[d].size() != 1) break;
      distance = (loop_.descending ? -1 : 1) * (store.offsets[d] - read.offsets[d]);
    }
    if (distance && *distance <= 0) return false;
    const auto [at, is_new] = carried.try_emplace(read.tensor, distance);
    if (!is_new) at->second = distance && at->second ? std::optional(std::max(*distance, *at->second)) : std::nullopt;
    return true;
  }

  // Sums of what is carried times what is not.
  static bool is_linear(const Subject& subject, const std::unordered_set<ExprId>& carried) {
    const ExprArena& arena = subject.arena;
    std::unordered_map<ExprId, int> degrees;
    for (ExprId id : subject.outside) {
      int& degree = degrees[id] = carried.contains(id) ? 1 : 0;
      if (degree == 1) continue;
      if (arena.get_if<Apply>(id) == nullptr) continue;
      const auto args = arena.args(id);
      std::vector<int> of;
      for (ExprId arg : args) of.push_back(degrees.at(arg));
      const int most = of.empty() ? 0 : *std::max_element(of.begin(), of.end());
      if (most == 0) continue;
      const Op op = arena.get_if<Apply>(id)->op;
      if (op == Op::Add || op == Op::Sub || op == Op::Neg || op == Op::Cast) degree = most;
      else if (op == Op::Mul) degree = of[0] + of[1];
      else if (op == Op::Div && of[1] == 0) degree = most;
      else degree = 2;
    }
    const bool inside = std::any_of(subject.reductions.begin(), subject.reductions.end(), [&](ReductionId) { return !carried.empty(); });
    return !inside && std::all_of(subject.stores.begin(), subject.stores.end(), [&](const tir::Target& t) { return degrees.at(t.value) <= 1; });
  }

  const tir::Loop& loop_;
  std::vector<Subject> subjects_;
  std::map<TensorId, const Access*> written_;
};

}  // namespace

Patterns recognize(const Subject& subject, const tir::Scatter* scatter) {
  Patterns found;
  add_pairs(subject, found);
  add_reductions(subject, found);
  add_maps(subject, found);
  add_updates(subject, scatter, found);
  std::stable_sort(found.begin(), found.end(), [](const Pattern& a, const Pattern& b) { return std::visit(Rank(), a) < std::visit(Rank(), b); });
  return found;
}

Patterns recognize(const tir::Function& function, const tir::Loop& loop, const SizeValues& sizes) {
  if (loop.kind == tir::Loop::Kind::Along) return {Loops(function, loop, sizes).run()};
  return {Iteration{loop.index, loop.states, loop.until.valid()}};
}

std::vector<std::string> operator_names(const ExprArena& arena, std::span<const ExprId> roots) {
  std::vector<std::string> functions, arithmetic;
  std::vector<ExprId> open(roots.rbegin(), roots.rend());
  std::unordered_set<ExprId> seen;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    const auto* apply = arena.get_if<Apply>(id);
    if (apply == nullptr || !seen.insert(id).second) continue;
    const OpInfo& op = info(apply->op);
    const bool is_function = function_named(op.spelling).has_value();
    auto& names = is_function ? functions : arithmetic;
    const std::string name(op.spelling);
    if (apply->op != Op::Cast && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (ExprId arg : arena.args(id)) open.push_back(arg);
  }
  return functions.empty() ? arithmetic : functions;
}

}  // namespace cdsl::deciding
