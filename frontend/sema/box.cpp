#include "frontend/sema/box.h"

#include "dsl/expr/integer.h"
#include "frontend/sema/domain.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/extremes.h"

namespace cdsl::sema {
namespace {

bool proves(Analysis& a, Op op, ExprId x, ExprId y) {
  const auto p = constant_integer(a.fn.arena, x), q = constant_integer(a.fn.arena, y);
  if (p && q) return op == Op::Le ? *p <= *q : *p >= *q;
  return a.prover().holds({}, a.arena().apply(op, {x, y})) == Verdict::Proved;
}

ExprId lesser(Analysis& a, ExprId x, ExprId y) {
  if (x == y || proves(a, Op::Le, x, y)) return x;
  return proves(a, Op::Le, y, x) ? y : index_min(a.arena(), x, y);
}

ExprId greater(Analysis& a, ExprId x, ExprId y) {
  if (x == y || proves(a, Op::Ge, x, y)) return x;
  return proves(a, Op::Ge, y, x) ? y : index_max(a.arena(), x, y);
}

// The span of one left subscript of a definition that is not analyzed yet; nullopt where it is not
// clear.
std::optional<std::pair<ExprId, ExprId>> peek(Analysis& a, AtPoints& points,
                                              const ast::LeftSubscript& left,
                                              const ast::Definition& definition,
                                              const std::string& tensor) {
  std::optional<Span> span;
  const ast::Name* index = nullptr;
  ast::Name bare;
  if (const auto* ranged = std::get_if<ast::LeftRanged>(&left.node)) {
    index = &ranged->index;
    span = evaluate_range(a, ranged->span);
  } else if (const auto* expr = std::get_if<ast::LeftExpr>(&left.node)) {
    const auto* name = a.ast_if<ast::NameRef>(expr->value);
    if (name == nullptr || a.scopes.find(name->name) != nullptr || a.module.constant(name->name)) {
      const auto place = evaluate_integer(a, expr->value, "a left subscript");
      return place ? subscript_span(a, place->expr, tensor, left.range) : std::nullopt;
    }
    bare = {name->name, a.range(expr->value)};
    index = &bare;
    const ast::ExprId roots[] = {definition.value};
    const ReadsByIndex reads = collect_reads(a, roots);
    const auto found = reads.find(name->name);
    if (found == reads.end() || found->second.bare.empty()) return std::nullopt;
    span =
        Span{found->second.bare[0].lo, found->second.bare[0].hi, RangeOrigin::Inferred, left.range};
  }
  if (!span) return std::nullopt;
  const auto axis = bind_index(a, points, *index, *span);
  if (!axis) return std::nullopt;
  return subscript_span(a, a.arena().symbol_ref(axis->index), tensor, left.range);
}

void include(Analysis& a, const ast::Definition& definition, const ast::Target& target, Box& box) {
  if (target.subscripts.size() != box.size()) return;
  const InScope scope(a);
  AtPoints points(a);
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    const auto span = peek(a, points, target.subscripts[axis], definition, target.name.text);
    if (!span) return;
    box[axis] = {lesser(a, box[axis].first, span->first),
                 greater(a, box[axis].second, span->second)};
  }
}

}  // namespace

std::optional<std::pair<ExprId, ExprId>> subscript_span(Analysis& a, ExprId subscript,
                                                        const std::string& tensor, SourceRange at) {
  ExprArena& arena = a.arena();
  ExprId first = subscript, end = index_add(arena, subscript, arena.integer(1));
  if (const auto* symbol = arena.get_if<Symbol>(subscript)) {
    if (const auto found = a.indices.find(symbol->symbol); found != a.indices.end()) {
      first = found->second.lo;
      end = found->second.hi;
    }
  }
  const auto lo = extreme(a, first, false), hi = extreme(a, end, true);
  if (lo && hi && is_size_expression(arena, *lo) && is_size_expression(arena, *hi))
    return {{*lo, *hi}};
  a.report(Code::UnboundedIntermediate, at,
           "'" + tensor + "' has no box: this subscript spans no range over sizes")
      .note(at, "declare it: tmp " + tensor + ": type[extents];");
  return std::nullopt;
}

void include_later_definitions(Analysis& a, const std::string& name, Box& box) {
  if (a.source_block == nullptr) return;
  const auto& statements = a.source_block->statements;
  for (std::size_t k = a.source_index + 1; k < statements.size(); ++k) {
    const auto* definition = std::get_if<ast::Definition>(&statements[k].node);
    if (definition == nullptr) continue;
    for (const ast::Target& target : definition->targets) {
      if (target.name.text == name) include(a, *definition, target, box);
    }
  }
}

ExprId extent_of(Analysis& a, ExprId lo, ExprId hi) {
  const ExprId extent = tidy(a.arena(), index_sub(a.arena(), hi, lo));
  const auto known = constant_integer(a.arena(), extent);
  const bool positive = known ? *known >= 0 : proves(a, Op::Ge, extent, a.arena().integer(0));
  return positive ? extent : index_max(a.arena(), extent, a.arena().integer(0));
}

}  // namespace cdsl::sema
