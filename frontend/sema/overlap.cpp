#include "frontend/sema/overlap.h"

#include <algorithm>
#include <unordered_map>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "frontend/sema/extremes.h"
#include "frontend/sema/pieces.h"

namespace cdsl::sema {
namespace {

using Renaming = std::unordered_map<SymbolId, ExprId>;

// The part with indices of its own, so that two instances of one statement can be told apart.
DefinedPart renamed(Analysis& a, const DefinedPart& part, Renaming& fresh) {
  ExprArena& arena = a.arena();
  DefinedPart result = part;
  for (auto* axes : {&result.loops, &result.axes}) {
    for (Axis& axis : *axes) {
      axis.lo = substitute(arena, axis.lo, fresh);
      axis.hi = substitute(arena, axis.hi, fresh);
      const SymbolId old = axis.index;
      axis.index = arena.add_symbol(arena.symbol(old).name, SymbolKind::Index);
      fresh.emplace(old, arena.symbol_ref(axis.index));
    }
  }
  for (ExprId& subscript : result.subscripts) subscript = substitute(arena, subscript, fresh);
  for (ExprId& condition : result.conditions) condition = substitute(arena, condition, fresh);
  return result;
}

Context meeting(Analysis& a, const DefinedPart& x, const DefinedPart& y) {
  Context context;
  for (const DefinedPart* part : {&x, &y}) {
    context.axes.insert(context.axes.end(), part->loops.begin(), part->loops.end());
    context.axes.insert(context.axes.end(), part->axes.begin(), part->axes.end());
    context.conditions.insert(context.conditions.end(), part->conditions.begin(),
                              part->conditions.end());
  }
  for (std::size_t axis = 0; axis < x.subscripts.size(); ++axis) {
    if (x.subscripts[axis] == y.subscripts[axis]) continue;
    context.conditions.push_back(a.arena().apply(Op::Eq, {x.subscripts[axis], y.subscripts[axis]}));
  }
  return context;
}

bool is_empty(Analysis& a, const Context& context) {
  return a.prover().holds(context, a.arena().boolean(false)) == Verdict::Proved;
}

bool are_disjoint(Analysis& a, const DefinedPart& x, const DefinedPart& y) {
  for (std::size_t axis = 0; axis < x.subscripts.size(); ++axis) {
    const auto p = constant_span(a, x, axis), q = constant_span(a, y, axis);
    if (p && q && (p->second <= q->first || q->second <= p->first)) return true;
  }
  Renaming fresh;
  return is_empty(a, meeting(a, x, renamed(a, y, fresh)));
}

// Do iterations of the loops around write different elements?
bool is_disjoint_from_itself(Analysis& a, const DefinedPart& part) {
  ExprArena& arena = a.arena();
  std::vector<Axis> loose;
  for (const Axis& loop : part.loops) {
    const ExprId index = arena.symbol_ref(loop.index);
    const bool is_subscript =
        std::find(part.subscripts.begin(), part.subscripts.end(), index) != part.subscripts.end();
    if (!is_subscript) loose.push_back(loop);
  }
  if (loose.empty()) return true;
  // Two iterations that agree in outer loops and differ in this one.
  for (std::size_t k = 0; k < part.loops.size(); ++k) {
    Renaming fresh;
    const DefinedPart other = renamed(a, part, fresh);
    Context context = meeting(a, part, other);
    for (std::size_t j = 0; j <= k; ++j) {
      const ExprId own = arena.symbol_ref(part.loops[j].index);
      const ExprId its = arena.symbol_ref(other.loops[j].index);
      context.conditions.push_back(arena.apply(j < k ? Op::Eq : Op::Lt, {own, its}));
    }
    if (!is_empty(a, context)) return false;
  }
  return true;
}

// The condition under which `point` belongs to the part, where each index is given by a subscript;
// invalid where it is not.
ExprId membership(Analysis& a, const DefinedPart& part, const std::vector<ExprId>& point) {
  ExprArena& arena = a.arena();
  Renaming solved;
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    const auto form = linear_form(arena, part.subscripts[axis]);
    if (!form || form->terms.size() != 1) continue;
    if (constant_integer(arena, form->terms[0].second) != 1) continue;
    solved.emplace(form->terms[0].first, index_sub(arena, point[axis], form->rest(arena)));
  }
  ExprId holds;
  const auto require = [&](ExprId condition) {
    holds = logical_and(arena, holds, substitute(arena, condition, solved));
  };
  for (const auto* axes : {&part.loops, &part.axes}) {
    for (const Axis& axis : *axes) {
      if (!solved.contains(axis.index)) return {};
      const ExprId index = arena.symbol_ref(axis.index);
      require(arena.apply(Op::Ge, {index, axis.lo}));
      require(arena.apply(Op::Lt, {index, axis.hi}));
    }
  }
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    const ExprId place = substitute(arena, part.subscripts[axis], solved);
    const auto form = linear_form(arena, part.subscripts[axis]);
    if (form && form->terms.size() == 1 && solved.contains(form->terms[0].first) &&
        tidy(arena, place) == point[axis]) {
      continue;
    }
    holds = logical_and(arena, holds, arena.apply(Op::Eq, {point[axis], place}));
  }
  for (const ExprId condition : part.conditions) require(condition);
  return holds.valid() ? holds : arena.boolean(true);
}

// Every axis by an index of its own over its extent: most definitions, and no question for the
// prover.
bool is_whole(const Analysis& a, const TensorSymbol& symbol, const DefinedPart& part) {
  const std::vector<ExprId>& shape = a.ir(symbol).shape;
  if (!part.loops.empty() || !part.conditions.empty() || part.axes.size() != shape.size())
    return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto* index = a.fn.arena.get_if<Symbol>(part.subscripts[axis]);
    if (index == nullptr) return false;
    const auto found = std::find_if(part.axes.begin(), part.axes.end(),
                                    [&](const Axis& own) { return own.index == index->symbol; });
    if (found == part.axes.end() || found->hi != shape[axis]) return false;
    if (constant_integer(a.fn.arena, found->lo) != 0) return false;
  }
  return true;
}

bool iterates_apart(Analysis& a, const TensorSymbol& symbol, const DefinedPart& part) {
  if (is_disjoint_from_itself(a, part)) return true;
  const LoopFrame& loop = a.loops.back();
  const bool in_repeat = loop.kind == tir::Loop::Kind::Repeat;
  const bool is_output = symbol.kind == TensorKind::Output;
  a.report(in_repeat && !is_output ? Code::NotAState : Code::DefinitionInLoop, part.where,
           "iterations of the loop define the same elements of '" + symbol.name + "'")
      .note(loop.where, in_repeat ? "make it a state: from " + symbol.name + " = ..."
                                  : "the left side must differ between iterations");
  return false;
}

bool stands_apart(Analysis& a, const TensorSymbol& symbol, const DefinedPart& part) {
  for (const DefinedPart& earlier : symbol.parts) {
    if (!earlier.is_vouched && are_disjoint(a, earlier, part)) continue;
    a.report(Code::DefinedTwice, part.where,
             "elements of '" + symbol.name +
                 "' may be defined twice: the parts are not provably disjoint")
        .note(earlier.where, "the other definition")
        .note(symbol.where, "to overwrite elements, make it an inout or a state of a repeat");
    return false;
  }
  return true;
}

}  // namespace

void add_part(Analysis& a, TensorSymbol& symbol, DefinedPart part) {
  const bool good =
      part.is_vouched || (iterates_apart(a, symbol, part) && stands_apart(a, symbol, part));
  symbol.is_poisoned = symbol.is_poisoned || !good;
  symbol.parts.push_back(std::move(part));
}

void check_covered(Analysis& a, const TensorSymbol& symbol) {
  ExprArena& arena = a.arena();
  if (symbol.parts.size() == 1 && is_whole(a, symbol, symbol.parts[0])) return;
  const std::vector<DefinedPart> parts = joined(a, symbol.parts);
  if (parts.size() == 1 && is_whole(a, symbol, parts[0])) return;
  const std::vector<ExprId>& shape = a.ir(symbol).shape;
  Context everywhere;
  std::vector<ExprId> point;
  for (const ExprId extent : shape) {
    everywhere.axes.push_back({arena.add_symbol("p", SymbolKind::Index), arena.integer(0), extent});
    point.push_back(arena.symbol_ref(everywhere.axes.back().index));
  }
  for (const DefinedPart& part : parts) {
    if (part.is_vouched) return;
    const ExprId member = membership(a, part, point);
    // A part whose elements have no closed form may cover anything; the others decide.
    if (!member.valid()) return;
    if (arena.constant_value(member) != nullptr) return;
    everywhere.conditions.push_back(arena.apply(Op::LogicalNot, {member}));
  }
  if (is_empty(a, everywhere)) return;
  a.report(
       Code::NotCovered, symbol.parts.back().where,
       "the definitions of output '" + symbol.name + "' do not provably cover all of its elements")
      .note(symbol.where, "it is declared here");
}

}  // namespace cdsl::sema
