#include "passes/recognize/choices.h"

#include <algorithm>
#include <unordered_map>

#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

class Choices {
 public:
  Choices(const tir::Function& function, const tir::Domain& domain, const std::vector<tir::Target>& stores, const std::vector<Axis>& axes)
      : arena_(function.arena), safe_(function, axes) {
    for (const tir::Target& target : stores) {
      roots_.insert(roots_.end(), target.subscripts.begin(), target.subscripts.end());
      roots_.push_back(target.value);
    }
    // What stores evaluate under the statement's condition, a reduction evaluates before it.
    if (domain.guard.valid()) roots_.push_back(domain.guard);
    has_condition_ = domain.guard.valid();
  }

  std::vector<Choice> run() {
    const auto nodes = postorder(arena_, roots_);
    const auto is_choice = [&](ExprId id) { return arena_.is_apply(id, Op::Select); };
    if (std::none_of(nodes.begin(), nodes.end(), is_choice)) return {};
    for (ExprId root : roots_) place_[root] = 0;
    for (std::size_t k = nodes.size(); k-- > 0;) visit(nodes[k]);      // users before operands
    if (!has_condition_) sure_ = surely_evaluated(arena_, roots_);
    find_unsafe(nodes);
    for (Choice& choice : found_) look_at(choice);
    return std::move(found_);
  }

 private:
  struct Place {                         // an arm; 0: of no choice
    int parent = 0, choice = -1, side = 0, depth = 0;
  };

  void visit(ExprId id) {
    const bool reduces = arena_.get_if<Reduce>(id) != nullptr;
    const int place = reduces ? 0 : place_[id];
    if (arena_.is_apply(id, Op::Select)) return choose(id, place);
    const Place& here = at(place);
    const bool works = arena_.get_if<Apply>(id) != nullptr || arena_.get_if<Read>(id) != nullptr;
    if (place != 0 && works) found_[static_cast<std::size_t>(here.choice)].arms[here.side].push_back(id);
    for_each_child(arena_, id, [&](ExprId child) { use(child, place); });
  }

  void choose(ExprId id, int place) {
    const Place here = at(place);
    Choice choice;
    choice.select = id;
    choice.around = here.choice;
    choice.side = here.side;
    const int number = static_cast<int>(found_.size());
    found_.push_back(std::move(choice));
    const auto args = arena_.args(id);
    use(args[0], place);
    for (const int side : {0, 1}) {
      places_.push_back({place, number, side, here.depth + 1});
      use(args[static_cast<std::size_t>(side) + 1], static_cast<int>(places_.size()) - 1);
    }
  }

  // What several places need is evaluated where they meet.
  void use(ExprId child, int place) {
    const auto [found, is_new] = place_.try_emplace(child, place);
    if (is_new) return;
    int other = found->second;
    while (other != place) {
      int& deeper = at(other).depth >= at(place).depth ? other : place;
      deeper = at(deeper).parent;
    }
    found->second = place;
  }

  const Place& at(int place) const { return places_[static_cast<std::size_t>(place)]; }

  void look_at(Choice& choice) {
    const auto args = arena_.args(choice.select);
    for (SymbolId symbol : free_symbols(arena_, args[0]))
      if (arena_.symbol(symbol).kind == SymbolKind::Index) choice.hangs_on.push_back(symbol);
    choice.by_place = compares_places(args[0]);
    choice.is_safe = !unsafe_.contains(args[1]) && !unsafe_.contains(args[2]);
  }

  // Operands before users.
  void find_unsafe(const std::vector<ExprId>& nodes) {
    for (ExprId id : nodes) {
      if (sure_.contains(id) || arena_.get_if<Reduce>(id) != nullptr) continue;
      bool is_safe = arena_.get_if<Read>(id) == nullptr || safe_.holds(id);
      for_each_child(arena_, id, [&](ExprId child) { is_safe &= !unsafe_.contains(child); });
      if (!is_safe) unsafe_.insert(id);
    }
  }

  // What hangs on no index may be any arithmetic.
  bool compares_places(ExprId condition) const {
    std::unordered_set<ExprId> moving;
    for (ExprId id : postorder(arena_, std::span(&condition, 1))) {
      const auto* symbol = arena_.get_if<Symbol>(id);
      if (symbol != nullptr && arena_.symbol(symbol->symbol).kind == SymbolKind::Index) moving.insert(id);
      for_each_child(arena_, id, [&](ExprId child) {
        if (moving.contains(child)) moving.insert(id);
      });
      if (arena_.get_if<Read>(id) != nullptr || arena_.get_if<Reduce>(id) != nullptr) return false;
      const auto* apply = arena_.get_if<Apply>(id);
      if (apply != nullptr && moving.contains(id) && !keeps_order(apply->op)) return false;
    }
    return true;
  }

  static bool keeps_order(Op op) {
    const OpClass kind = info(op).op_class;
    return kind == OpClass::Compare || kind == OpClass::Logic || op == Op::Add || op == Op::Sub || op == Op::Neg || op == Op::Mul ||
           op == Op::Min || op == Op::Max || op == Op::Cast;
  }

  const ExprArena& arena_;
  SafeReads safe_;
  bool has_condition_ = false;
  std::vector<ExprId> roots_;
  std::unordered_map<ExprId, int> place_;
  std::vector<Place> places_{Place{}};
  std::vector<Choice> found_;
  std::unordered_set<ExprId> sure_, unsafe_;   // unsafe: evaluating it makes a read that may lie outside
};

}  // namespace

std::vector<Choice> choices(const tir::Function& function, const tir::Domain& domain, const std::vector<tir::Target>& stores,
                            const std::vector<Axis>& axes) {
  return Choices(function, domain, stores, axes).run();
}

}  // namespace cdsl::deciding
