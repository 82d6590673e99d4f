#include "frontend/sema/scatter.h"

#include <algorithm>
#include <limits>

#include "dsl/expr/integer.h"
#include "frontend/sema/bounds.h"
#include "frontend/sema/definition.h"
#include "frontend/sema/domain.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/identity.h"
#include "frontend/sema/left.h"
#include "frontend/sema/snapshot.h"
#include "frontend/sema/store.h"

namespace cdsl::sema {
namespace {

tir::ScatterOp ir_op(ast::ScatterOp op) {
  switch (op) {
    case ast::ScatterOp::Add: return tir::ScatterOp::Add;
    case ast::ScatterOp::Mul: return tir::ScatterOp::Mul;
    case ast::ScatterOp::Min: return tir::ScatterOp::Min;
    case ast::ScatterOp::Max: return tir::ScatterOp::Max;
    case ast::ScatterOp::And: return tir::ScatterOp::And;
    case ast::ScatterOp::Or: return tir::ScatterOp::Or;
    case ast::ScatterOp::Xor: return tir::ScatterOp::Xor;
    case ast::ScatterOp::Assign: break;
  }
  CDSL_UNREACHABLE("an assignment does not combine");
}

TensorSymbol* target_of(Analysis& a, const ast::Scatter& scatter) {
  const ast::Name& name = scatter.target.name;
  bool is_new = false;
  TensorSymbol* symbol = resolve_target(a, name, is_new);
  if (is_new ||
      (symbol != nullptr && symbol->kind == TensorKind::Intermediate && !symbol->is_state)) {
    if (symbol != nullptr && symbol->is_poisoned) return nullptr;
    a.report(Code::ScatterTarget, name.range,
             "'" + name.text +
                 "' is not declared: a scatter goes into an output, an inout, a state or a tmp")
        .note(name.range, "declare it: tmp " + name.text + ": type[extents];");
    declare_poisoned(a, {scatter.target});
    return nullptr;
  }
  if (symbol == nullptr || symbol->is_poisoned) return nullptr;
  const std::size_t rank = a.ir(*symbol).shape.size();
  if (rank != scatter.target.subscripts.size()) {
    a.report(Code::RankMismatch, scatter.target.range,
             "'" + name.text + "' has " + counted(rank, "axis", "axes") + ", " +
                 counted(scatter.target.subscripts.size(), "subscript", "subscripts") + " given");
    return nullptr;
  }
  if (symbol->element.record != nullptr && scatter.op != ast::ScatterOp::Assign) {
    a.report(Code::NoSuchOperation, scatter.op_range, "a scatter combines scalars, not records");
    return nullptr;
  }
  return symbol;
}

// One use of a tensor: all scatters with one operator, and no `=`.
bool is_consistent(Analysis& a, const TensorSymbol& symbol, const ast::Scatter& scatter) {
  if (symbol.is_overwritable()) return true;
  if (!symbol.parts.empty() || symbol.was_state || symbol.is_called) {
    a.report(Code::DefinitionKind, scatter.target.range,
             "'" + symbol.name + "' is defined by '=' already")
        .note(symbol.parts.empty() ? symbol.where : symbol.parts[0].where, "here");
    return false;
  }
  const bool assigns = scatter.op == ast::ScatterOp::Assign;
  if (!symbol.is_scattered) return true;
  if (assigns == symbol.is_assigned && (assigns || symbol.scatter_op == ir_op(scatter.op)))
    return true;
  a.report(Code::DefinitionKind, scatter.op_range,
           "all scatters into '" + symbol.name + "' use one operator");
  return false;
}

bool takes(Analysis& a, const ast::Scatter& scatter, ScalarType type) {
  const bool number = type != ScalarType::Bool;
  bool good = true;
  switch (scatter.op) {
    case ast::ScatterOp::Add:
    case ast::ScatterOp::Mul: good = number; break;
    case ast::ScatterOp::Min:
    case ast::ScatterOp::Max: good = number && !is_complex(type); break;
    case ast::ScatterOp::And:
    case ast::ScatterOp::Or:
    case ast::ScatterOp::Xor: good = is_integer(type) || !number; break;
    case ast::ScatterOp::Assign: break;
  }
  if (!good) {
    a.report(Code::NoSuchOperation, scatter.op_range,
             "'" + std::string(ast::spelling(scatter.op)) + "' is not defined for " +
                 std::string(name_of(type)));
  }
  return good;
}

// A stage that gives every element of a tensor one value, before anything in the tensor's own block
// that is still to come.
void fill(Analysis& a, TensorSymbol& symbol, TensorId tensor, ExprId value, SourceRange at) {
  tir::Block& home = symbol.home != nullptr ? *symbol.home : *a.blocks.front();
  tir::Stage stage;
  stage.where = at;
  std::vector<ExprId> point;
  for (const ExprId extent : std::vector<ExprId>(a.fn.tensor(tensor).shape)) {
    stage.domain.axes.push_back(a.make_axis("i" + std::to_string(point.size()),
                                            a.arena().integer(0), extent, RangeOrigin::Written,
                                            at));
    point.push_back(a.arena().symbol_ref(stage.domain.axes.back().index));
  }
  const std::vector<Leaf> leaves = a.fn.element(tensor).leaves;
  for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    for (std::int64_t flat = 0; flat < leaves[leaf].count(); ++flat) {
      std::vector<ExprId> subscripts = point;
      std::int64_t rest = flat;
      for (std::size_t k = leaves[leaf].extents.size(); k-- > 0; rest /= leaves[leaf].extents[k]) {
        subscripts.insert(subscripts.begin() + static_cast<std::ptrdiff_t>(point.size()),
                          a.arena().integer(rest % leaves[leaf].extents[k]));
      }
      const ExprId start = value.valid() ? value : zero_of(a.arena(), leaves[leaf].type);
      stage.targets.push_back({tensor, leaf, subscripts, start, Bounds::Proved, at});
    }
  }
  home.statements.emplace_back(std::move(stage));
}

// Sums of 16-bit and 8-bit floats are kept in f32 beside the tensor.
TensorId accumulator_of(Analysis& a, TensorSymbol& symbol, SourceRange at) {
  if (!symbol.accumulator.valid()) {
    const std::vector<ExprId> shape = a.ir(symbol).shape;
    TensorSymbol& wide = a.add_tensor(symbol.name + "_wide", TensorKind::Tmp,
                                      {ScalarType::F32, nullptr, {}}, shape, at);
    wide.is_used = wide.is_defined = true;
    symbol.accumulator = wide.id;
  }
  return symbol.accumulator;
}

void start(Analysis& a, TensorSymbol& symbol, const ast::Scatter& scatter, TensorId into,
           SourceRange at) {
  const bool is_fresh = !symbol.is_overwritable();
  if (is_fresh && symbol.is_scattered) return;
  if (!is_fresh) {
    if (into != symbol.id) a.block().statements.emplace_back(copy_stage(a, into, symbol.id, at));
    return;
  }
  if (scatter.op == ast::ScatterOp::Assign) {
    fill(a, symbol, into, {}, at);
  } else {
    const ScalarType type = a.fn.element(into).leaves[0].type;
    fill(a, symbol, into, identity_of(a.arena(), ir_op(scatter.op), type), at);
  }
}

struct Update {
  BoundIndices bound;
  std::vector<ExprId> subscripts;  // of the IR
  Bounds bounds = Bounds::Proved;
  bool is_vouched = false;
  Written value;
};

std::vector<ast::ExprId> uses_of(const ast::Scatter& scatter) {
  std::vector<ast::ExprId> uses{scatter.value};
  for (const ast::LeftSubscript& left : scatter.target.subscripts) {
    if (const auto* expr = std::get_if<ast::LeftExpr>(&left.node)) uses.push_back(expr->value);
    if (const auto* unique = std::get_if<ast::LeftUnique>(&left.node))
      uses.push_back(unique->value);
  }
  if (scatter.target.guard.valid()) uses.push_back(scatter.target.guard);
  return uses;
}

bool add_subscript(Analysis& a, const TensorSymbol& symbol, const ast::LeftSubscript& left,
                   Update& update) {
  if (std::holds_alternative<ast::LeftRanged>(left.node)) {
    a.report(Code::BadLeftSubscript, left.range, "indices of a scatter stand in its brackets")
        .note(left.range, "write scatter[i in a..b] T[i] ...");
    return false;
  }
  const auto* unique = std::get_if<ast::LeftUnique>(&left.node);
  const ast::ExprId expr =
      unique != nullptr ? unique->value : std::get<ast::LeftExpr>(left.node).value;
  update.is_vouched = update.is_vouched || unique != nullptr;
  const auto value = evaluate_integer(a, expr, "a subscript");
  if (!value) return false;
  const std::size_t axis = update.subscripts.size();
  const bool has_box = !symbol.lo.empty();
  const ExprId lo = has_box ? symbol.lo[axis] : a.arena().integer(0);
  const ExprId hi = has_box ? symbol.hi[axis] : a.ir(symbol).shape[axis];
  const Bounds here = write_bounds(a, {symbol.name, axis, value->expr, lo, hi, false, left.range});
  if (here == Bounds::PerElement) update.bounds = here;
  update.subscripts.push_back(index_sub(a.arena(), value->expr, lo));
  return true;
}

// Without unique(...), every index of the scatter stands alone as a subscript.
bool is_distinct(const Analysis& a, const Update& update) {
  return std::all_of(update.bound.axes.begin(), update.bound.axes.end(), [&](const Axis& axis) {
    return std::any_of(update.subscripts.begin(), update.subscripts.end(), [&](ExprId subscript) {
      const auto* symbol = a.fn.arena.get_if<Symbol>(subscript);
      return symbol != nullptr && symbol->symbol == axis.index;
    });
  });
}

std::optional<Update> analyze_update(Analysis& a, const ast::Scatter& scatter,
                                     const TensorSymbol& symbol) {
  const InScope scope(a);
  AtPoints points(a);
  auto bound = bind_indices(a, points, scatter.binders, uses_of(scatter));
  if (!bound) return std::nullopt;
  Update update;
  update.bound = std::move(*bound);
  if (scatter.target.guard.valid()) {
    const auto guard = evaluate_condition(a, scatter.target.guard);
    if (!guard) return std::nullopt;
    update.bound.guard = logical_and(a.arena(), update.bound.guard, *guard);
    points.assume(*guard);
  }
  bool good = true;
  for (const ast::LeftSubscript& left : scatter.target.subscripts) {
    good = good && add_subscript(a, symbol, left, update);
  }
  update.value = written(a, scatter.value);
  if (!good || update.value.value.is_poison()) return std::nullopt;
  if (scatter.op == ast::ScatterOp::Assign && !update.is_vouched && !is_distinct(a, update)) {
    auto& error = a.report(Code::NotUnique, scatter.target.range,
                           "several iterations may write one element of '" + symbol.name + "'");
    if (!scatter.target.subscripts.empty()) {
      const SourceRange first = scatter.target.subscripts[0].range;
      error.fix(first.start(), "unique(").fix(first.finish(), ")");
    }
    return std::nullopt;
  }
  return update;
}

bool emit(Analysis& a, const ast::Scatter& scatter, TensorSymbol& symbol, const Update& update,
          SourceRange at) {
  const bool assigns = scatter.op == ast::ScatterOp::Assign;
  const ScalarType type = symbol.element.scalar;
  const bool is_wide = !assigns && symbol.element.record == nullptr && is_storage_only(type);
  std::vector<tir::Target> targets;
  TensorSymbol view = symbol;
  if (is_wide) {
    view.id = accumulator_of(a, symbol, at);
    view.element.scalar = ScalarType::F32;
  }
  if (!append_stores(a, view, update.subscripts, update.bounds, update.value, at, targets))
    return false;
  start(a, symbol, scatter, view.id, at);
  note_overwrite(a, symbol);
  tir::Domain domain{update.bound.axes, update.bound.guard};
  if (assigns) {
    a.block().statements.emplace_back(tir::Stage{std::move(domain), std::move(targets), at});
  } else {
    const bool in_order = scatter.deterministic || (a.options.strict && !is_integer(type));
    a.block().statements.emplace_back(
        tir::Scatter{std::move(domain), ir_op(scatter.op), targets[0], in_order, at});
  }
  if (is_wide) a.block().statements.emplace_back(copy_stage(a, symbol.id, view.id, at));
  return true;
}

}  // namespace

void analyze_scatter(Analysis& a, const ast::Scatter& scatter, SourceRange at) {
  TensorSymbol* symbol = target_of(a, scatter);
  if (symbol == nullptr || !is_consistent(a, *symbol, scatter)) return;
  if (symbol->element.record == nullptr && !takes(a, scatter, symbol->element.scalar)) return;
  const auto update = analyze_update(a, scatter, *symbol);
  if (!update || !emit(a, scatter, *symbol, *update, at)) {
    if (!symbol->is_defined) symbol->is_poisoned = symbol->is_defined = true;
    return;
  }
  symbol->is_scattered = symbol->is_defined = true;
  symbol->is_assigned = scatter.op == ast::ScatterOp::Assign;
  if (!symbol->is_assigned) symbol->scatter_op = ir_op(scatter.op);
}

}  // namespace cdsl::sema
