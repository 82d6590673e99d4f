// Select, && and ||: an arm that is not chosen is not evaluated, unless the schedule says that both
// are. Where it says nothing, small harmless arms stay expressions; others become If.
#include <algorithm>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/expression.h"

namespace cdsl::lowering {
namespace {

// `else if` chains longer than this are cut into groups of it, so that nothing nests deeper.
constexpr std::size_t kChain = 16;

// More lazy operators than this inside one choice, and shared ones among them are worth a look.
constexpr int kManyChoices = 8;

bool is_lazy(const ExprArena& arena, ExprId id) {
  return arena.is_apply(id, Op::Select) || arena.is_apply(id, Op::LogicalAnd) ||
         arena.is_apply(id, Op::LogicalOr);
}

}  // namespace

ExprId Lowerer::arm(ExprId root) {
  Scope scope(*this);
  ++arm_depth_;
  const ExprId result = widened(arena(), value(root));
  --arm_depth_;
  return result;
}

loop::Variable Lowerer::register_for(ExprId id, std::string_view hint, ExprId first) {
  const auto axes = hooks_.axes ? hooks_.axes(id) : std::vector<ExprId>{};
  const loop::Variable made = axes.empty() ? builder().var(kernel_.fresh(hint), first)
                                           : builder().var_over(kernel_.fresh(hint), axes, first);
  in_arms_[made.symbol.value] = id;
  return made;
}

ExprId Lowerer::lower_select(ExprId id) {
  const auto args = arena().args(id);
  const ExprId condition = args[0], then_root = args[1], else_root = args[2];
  if (const Value* always = arena().constant_value(lookup(condition))) return widened(arena(), value(always->i != 0 ? then_root : else_root));
  if (is_selected(id)) {
    // Both values in registers, so that what follows is no more than the choice.
    const ExprId chosen = lookup(condition);
    const ExprId first = pinned(widened(arena(), lookup(then_root)), hint_for(then_root));
    const ExprId second = pinned(widened(arena(), lookup(else_root)), hint_for(else_root));
    return arena().apply(Op::Select, {chosen, first, second});
  }
  if (!is_decided() && fits_in_arm(arena(), then_root, known()) && fits_in_arm(arena(), else_root, known())) {
    const ExprId chosen = lookup(condition);
    const ExprId then_value = arm(then_root);
    return arena().apply(Op::Select, {chosen, then_value, arm(else_root)});
  }
  CDSL_CHECK(arm_depth_ == 0, "an arm that needs statements inside an expression");

  share_choices(id);
  std::vector<ExprId> links{id};
  for (ExprId next = else_root;
       arena().is_apply(next, Op::Select) && !is_known(next) && uses_[next] == 1 && !is_selected(next);) {
    links.push_back(next);
    next = arena().args(next)[2];
  }
  if (links.size() > kChain) return lower_chain(id, links);

  const ScalarType type = evaluation_type(arena().type(id));
  const ExprId chosen = lookup(condition);
  const auto result = register_for(id, hint_for(id), zero(arena(), type));
  builder().if_(
      chosen, [&] { assign_arm(result, then_root); }, [&] { assign_arm(result, else_root); });
  return result.ref;
}

// A choice that several arms use would be written out in each, and the choices that it uses again
// in each of those. Where it is arithmetic on values at hand it is evaluated once, before all arms.
void Lowerer::share_choices(ExprId select) {
  std::vector<ExprId> nodes{select};
  std::unordered_set<uint32_t> seen{select.value};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for_each_child(arena(), nodes[k], [&](ExprId child) {
      if (!is_known(child) && seen.insert(child.value).second) nodes.push_back(child);
    });
  }
  const auto choices = std::count_if(nodes.begin(), nodes.end(),
                                     [&](ExprId node) { return is_lazy(arena(), node); });
  if (choices <= kManyChoices) return;
  std::sort(nodes.begin(), nodes.end());
  std::unordered_map<uint32_t, bool>
      chooses;  // pure nodes, and whether a choice is among their operands
  std::vector<ExprId> shared;
  for (ExprId node : nodes) {
    if (node == select || arena().get_if<Read>(node) != nullptr ||
        arena().get_if<Reduce>(node) != nullptr)
      continue;
    bool pure = true, chooser = is_lazy(arena(), node);
    for (ExprId arg : arena().args(node)) {
      const auto found = chooses.find(arg.value);
      pure &= is_known(arg) || found != chooses.end();
      chooser |= found != chooses.end() && found->second;
    }
    if (!pure) continue;
    chooses[node.value] = chooser;
    if (chooser && uses_[node] > 1) shared.push_back(node);
  }
  prepare(shared);
}

// result = root, with nested choices assigning to the same register.
void Lowerer::assign_arm(const loop::Variable& result, ExprId root) {
  Scope scope(*this);
  const bool choose =
      arena().is_apply(root, Op::Select) && !is_known(root) && !is_selected(root) &&
      (is_decided() || !fits_in_arm(arena(), root, known()));
  if (!choose) {
    const ExprId chosen = value(root);
    builder().assign(result, widened(arena(), chosen));
    return;
  }
  const auto args = arena().args(root);
  const ExprId then_root = args[1], else_root = args[2];
  std::vector<ExprId> first = shared_by_arms(arena(), root, known(), hooks_.selected);
  first.push_back(args[0]);
  prepare(first);
  if (const Value* always = arena().constant_value(lookup(first.back()))) return assign_arm(result, always->i != 0 ? then_root : else_root);
  builder().if_(
      lookup(first.back()), [&] { assign_arm(result, then_root); },
      [&] { assign_arm(result, else_root); });
}

// A long `if ... else if ... else`: groups of links, each entered only while none before was taken.
ExprId Lowerer::lower_chain(ExprId id, const std::vector<ExprId>& links) {
  const ScalarType type = evaluation_type(arena().type(id));
  const auto result = register_for(id, hint_for(id), zero(arena(), type));
  const auto open = register_for(id, "undecided", arena().boolean(true));
  std::function<void(std::size_t, std::size_t)> emit = [&](std::size_t link, std::size_t end) {
    if (link == end) return;
    Scope scope(*this);
    const ExprId condition = arena().args(links[link])[0], then_root = arena().args(links[link])[1];
    const auto taken = [&] {
      assign_arm(result, then_root);
      builder().assign(open, arena().boolean(false));
    };
    const ExprId chosen = value(condition);
    if (link + 1 == end)
      builder().if_(chosen, taken);
    else
      builder().if_(chosen, taken, [&] { emit(link + 1, end); });
  };
  for (std::size_t link = 0; link < links.size(); link += kChain) {
    const std::size_t end = std::min(link + kChain, links.size());
    if (link == 0)
      emit(link, end);
    else
      builder().if_(open.ref, [&] { emit(link, end); });
  }
  const ExprId last = arena().args(links.back())[2];
  builder().if_(open.ref, [&] { assign_arm(result, last); });
  return result.ref;
}

ExprId Lowerer::lower_logic(ExprId id, Op op) {
  const auto args = arena().args(id);
  const ExprId left = args[0], right = args[1];
  const ExprId first = lookup(left);
  if (const Value* always = arena().constant_value(first)) return (always->i != 0) == (op == Op::LogicalAnd) ? value(right) : first;
  if (fits_in_arm(arena(), right, known())) {
    const ExprId second = arm(right);
    if (const Value* always = arena().constant_value(second))
      return (always->i != 0) == (op == Op::LogicalAnd) ? first : second;
    return arena().apply(op, {first, second});
  }
  CDSL_CHECK(arm_depth_ == 0, "an operand that needs statements inside an expression");
  const auto result = register_for(id, "holds", first);
  const ExprId go_on =
      op == Op::LogicalAnd ? result.ref : arena().apply(Op::LogicalNot, {result.ref});
  builder().if_(go_on, [&] { assign_arm(result, right); });
  return result.ref;
}

}  // namespace cdsl::lowering
