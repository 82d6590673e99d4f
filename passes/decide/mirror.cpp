#include "passes/decide/mirror.h"

#include <unordered_map>

#include "dsl/expr/walk.h"

namespace cdsl::deciding {
namespace {

using Nodes = std::unordered_map<ExprId, ExprId>;

// Calls of normcdf, by argument.
Nodes calls(const ExprArena& arena, const std::vector<tir::Target>& stores) {
  std::vector<ExprId> roots;
  for (const tir::Target& store : stores) roots.push_back(store.value);
  Nodes found;
  for (ExprId id : postorder(arena, roots))
    if (arena.is_apply(id, Op::Normcdf)) found.emplace(arena.args(id)[0], id);
  return found;
}

// The call whose argument is -x; invalid: there is none.
ExprId call_of_negative(ExprArena& arena, const Nodes& calls, ExprId x) {
  const auto args = arena.args(x);
  const bool is_difference = arena.is_apply(x, Op::Sub);
  const ExprId left = args.empty() ? ExprId{} : args[0], right = args.size() < 2 ? ExprId{} : args[1];
  const ExprId ways[] = {arena.is_apply(x, Op::Neg) ? left : arena.apply(Op::Neg, {x}),
                         is_difference ? arena.apply(Op::Sub, {right, left}) : ExprId{}};
  for (const ExprId way : ways)
    if (const auto found = calls.find(way); way.valid() && found != calls.end()) return found->second;
  return {};
}

}  // namespace

int share_mirrored(ExprArena& arena, std::vector<tir::Target>& stores) {
  const Nodes found = calls(arena, stores);
  Nodes replaced;
  for (const auto& [x, call] : found) {
    const ExprId other = call_of_negative(arena, found, x);
    if (!other.valid() || replaced.contains(call)) continue;
    const bool turned = arena.is_apply(x, Op::Neg);   // the plainer argument is the other's
    const ExprId base = turned ? arena.args(other)[0] : x;
    const ScalarType type = arena.type(base);
    const ExprId tail = arena.apply(Op::Normcdf, {arena.apply(Op::Neg, {arena.apply(Op::Abs, {base})})});
    const ExprId rest = arena.apply(Op::Sub, {arena.real(1, type), tail});
    const ExprId is_negative = arena.apply(Op::Lt, {base, arena.real(0, type)});
    replaced[turned ? other : call] = arena.apply(Op::Select, {is_negative, tail, rest});
    replaced[turned ? call : other] = arena.apply(Op::Select, {is_negative, rest, tail});
  }
  if (replaced.empty()) return 0;
  Rewriter rewriter(arena, [&](ExprId id) {
    const auto by = replaced.find(id);
    return by == replaced.end() ? std::nullopt : std::optional(by->second);
  });
  for (tir::Target& store : stores) store.value = rewriter(store.value);
  return static_cast<int>(replaced.size() / 2);
}

}  // namespace cdsl::deciding
