#include "frontend/sema/read.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "frontend/sema/bounds.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/extremes.h"
#include "frontend/sema/never_written.h"
#include "frontend/sema/open_type.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/record.h"
#include "frontend/sema/snapshot.h"

namespace cdsl::sema {
namespace {

Boundary boundary_of(ast::ModeKind kind) {
  switch (kind) {
    case ast::ModeKind::Zero: return Boundary::Zero;
    case ast::ModeKind::Fill: return Boundary::Fill;
    case ast::ModeKind::Clamp: return Boundary::Clamp;
    case ast::ModeKind::Reflect: return Boundary::Reflect;
    case ast::ModeKind::Symmetric: return Boundary::Symmetric;
    case ast::ModeKind::Wrap: return Boundary::Wrap;
    case ast::ModeKind::Unchecked: return Boundary::Unchecked;
    case ast::ModeKind::Holes: break;
  }
  CDSL_UNREACHABLE("holes is not a boundary");
}

// What subscripts apply to: the axes of a tensor, or the extents of an array field.
struct Axes {
  std::string name;
  std::vector<std::pair<ExprId, ExprId>> spans;
  ScalarType scalar;  // of the elements, for fill
  const StructInfo* record = nullptr;
};

bool add_mode(Analysis& a, const ast::Mode& mode, const Axes& axes, std::size_t axis,
              AxisRule& rule, Place& place) {
  if (mode.kind == ast::ModeKind::Holes) {
    const auto stride =
        integer(a, {evaluate(a, mode.argument), a.range(mode.argument)}, "the stride of holes");
    if (!stride) return false;
    const auto known = constant_integer(a.arena(), stride->expr);
    if (known && *known < 1) {
      a.report(Code::ModeArgument, a.range(mode.argument), "the stride of holes is at least 1");
      return false;
    }
    if (!known && !is_launch_known(a.arena(), stride->expr)) {
      a.report(Code::ModeArgument, a.range(mode.argument),
               "the stride of holes is made of sizes and scalar parameters");
      return false;
    }
    if (!known) {
      a.add_check(a.arena().apply(Op::Ge, {stride->expr, a.arena().integer(1)}),
                  "the stride of holes is {0}, it must be at least 1", {stride->expr},
                  a.range(mode.argument));
    }
    rule.holes = stride->expr;
    if (rule.boundary == Boundary::None) rule.boundary = Boundary::Zero;
    return true;
  }
  rule.boundary = boundary_of(mode.kind);
  if (mode.kind != ast::ModeKind::Fill) return true;
  const Written value{evaluate(a, mode.argument), a.range(mode.argument)};
  if (axes.record != nullptr) {
    place.fills.resize(axes.spans.size());
    place.fills[axis] =
        as_field(a, value, {ScalarType::F32, axes.record, {}}, "'" + axes.name + "'");
    return !place.fills[axis].is_poison();
  }
  const auto fill = stored(a, value, axes.scalar, "'" + axes.name + "'");
  if (!fill) return false;
  rule.fill = *fill;
  return true;
}

bool read_axis(Analysis& a, const Axes& axes, std::size_t axis, const ast::Subscript& subscript,
               const std::optional<ast::Mode>& whole, Place& place) {
  const SourceRange at = a.range(subscript.value);
  const auto value = integer(a, {evaluate(a, subscript.value), at}, "a subscript");
  if (!value) return false;
  const auto& [lo, hi] = axes.spans[axis];
  AxisRule rule;
  rule.bounds = Bounds::Proved;
  bool has_boundary = false;
  for (const ast::Mode& mode : subscript.modes) {
    if (!add_mode(a, mode, axes, axis, rule, place)) return false;
    has_boundary = true;
  }
  if (whole && !has_boundary) {
    if (!add_mode(a, *whole, axes, axis, rule, place)) return false;
    has_boundary = true;
  }
  if (!has_boundary) {
    const bool bare = a.ast_if<ast::NameRef>(subscript.value) != nullptr;
    rule.bounds = read_bounds(a, {axes.name, axis, value->expr, lo, hi, bare, at});
  }
  place.subscripts.push_back(index_sub(a.arena(), value->expr, lo));
  place.rules.push_back(rule);
  return true;
}

bool read_axes(Analysis& a, const Axes& axes, const ast::Index& node, SourceRange at,
               Place& place) {
  if (node.subscripts.size() != axes.spans.size()) {
    a.report(Code::RankMismatch, at,
             "'" + axes.name + "' has " + counted(axes.spans.size(), "axis", "axes") + ", " +
                 counted(node.subscripts.size(), "subscript", "subscripts") + " given");
    return false;
  }
  bool good = true;
  for (std::size_t axis = 0; axis < axes.spans.size(); ++axis) {
    good = read_axis(a, axes, axis, node.subscripts[axis], node.mode, place) && good;
  }
  return good;
}

bool is_readable(Analysis& a, TensorSymbol& symbol, SourceRange at) {
  symbol.is_used = true;
  settle_type(symbol, at);
  if (symbol.is_poisoned) return false;
  if (symbol.is_defined) return true;
  a.report(Code::ReadBeforeDefined, at, "'" + symbol.name + "' is read before it is defined")
      .note(symbol.where, "it is declared here");
  symbol.is_poisoned = true;
  return false;
}

Operand read_tensor(Analysis& a, TensorSymbol& symbol, const ast::Index& node, SourceRange at) {
  if (!is_readable(a, symbol, at)) return {};
  const tir::Tensor& tensor = a.ir(symbol);
  Axes axes{symbol.name, {}, symbol.element.scalar, symbol.element.record};
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const bool has_box = !symbol.lo.empty();
    const ExprId lo = has_box ? symbol.lo[axis] : a.arena().integer(0);
    axes.spans.emplace_back(lo, index_add(a.arena(), lo, tensor.shape[axis]));
    if (has_box) axes.spans.back().second = symbol.hi[axis];
  }
  Place place{version_seen(a, symbol), {}, {}, symbol.element, 0, at, {}};
  if (!read_axes(a, axes, node, at, place)) return {};
  note_own_read(a, symbol, place.subscripts, at);
  check_iteration(a, symbol, place.subscripts, at);
  return loaded(a, std::move(place));
}

Operand read_array_field(Analysis& a, const Place& base, const ast::Index& node, SourceRange at) {
  const Leaf& leaf = a.fn.leaf(base.tensor, base.leaf);
  Axes axes{leaf.path, {}, base.type.scalar, nullptr};
  for (const std::int64_t extent : base.type.extents) {
    axes.spans.emplace_back(a.arena().integer(0), a.arena().integer(extent));
  }
  Place place = base;
  const bool has_fill = std::any_of(base.fills.begin(), base.fills.end(),
                                    [](const Operand& fill) { return !fill.is_poison(); });
  if (has_fill) {
    a.report(Code::ModeNotAllowed, at,
             "an array field under fill has no subscripts; use zero or clamp");
    return {};
  }
  place.type.extents.clear();
  place.where = at;
  if (!read_axes(a, axes, node, at, place)) return {};
  return loaded(a, std::move(place));
}

// An array under construction is no memory: a constant subscript picks, another one selects.
Operand pick(Analysis& a, const ArrayValue& array, const ast::Index& node, SourceRange at) {
  Axes axes{"array", {}, ScalarType::F32, nullptr};
  for (const std::int64_t extent : array.extents) {
    axes.spans.emplace_back(a.arena().integer(0), a.arena().integer(extent));
  }
  Place place;
  if (!read_axes(a, axes, node, at, place)) return {};
  ExprId flat = a.arena().integer(0);
  for (std::size_t axis = 0; axis < array.extents.size(); ++axis) {
    flat = index_add(a.arena(), index_mul(a.arena(), flat, axes.spans[axis].second),
                     place.subscripts[axis]);
  }
  if (const auto known = constant_integer(a.arena(), flat)) {
    return array.elements[static_cast<std::size_t>(*known)];
  }
  Operand result = array.elements.back();
  for (std::size_t k = array.elements.size() - 1; k-- > 0;) {
    const ExprId here =
        a.arena().apply(Op::Eq, {flat, a.arena().integer(static_cast<std::int64_t>(k))});
    result = choose(a, here, {array.elements[k], at}, {result, at}, at);
  }
  return result;
}

}  // namespace

Operand read_scalar(Analysis& a, TensorSymbol& symbol, SourceRange at) {
  if (!is_readable(a, symbol, at)) return {};
  return loaded(a, Place{version_seen(a, symbol), {}, {}, symbol.element, 0, at, {}});
}

Operand read_index(Analysis& a, ast::ExprId id) {
  const ast::Index& node = *a.ast_if<ast::Index>(id);
  const SourceRange at = a.range(id);
  if (const auto* name = a.ast_if<ast::NameRef>(node.base)) {
    if (TensorSymbol* symbol = find_tensor(a, name->name)) return read_tensor(a, *symbol, node, at);
  }
  const Operand base = evaluate(a, node.base);
  if (base.is_poison()) return {};
  if (const auto* array = base.get<ArrayValue>()) return pick(a, *array, node, at);
  const auto* place = base.get<Place>();
  if (place != nullptr && !place->type.extents.empty()) {
    const Place copy = *place;
    return read_array_field(a, copy, node, at);
  }
  if (node.subscripts.empty() && base.scalar() != nullptr) return base;
  a.report(Code::NotATensor, a.range(node.base),
           "only a tensor has subscripts, this is " + describe(a, base));
  return {};
}

}  // namespace cdsl::sema
