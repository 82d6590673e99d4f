#include "frontend/sema/definition.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "frontend/sema/bounds.h"
#include "frontend/sema/box.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/never_written.h"
#include "frontend/sema/open_type.h"
#include "frontend/sema/overlap.h"
#include "frontend/sema/record.h"
#include "frontend/sema/snapshot.h"

namespace cdsl::sema {
namespace {

// The parts of the right side, one a target.
std::optional<std::vector<Written>> split(Analysis& a, const Written& value, std::size_t count) {
  if (value.value.is_poison()) return std::nullopt;
  if (count == 1) return std::vector<Written>{value};
  const auto* tuple = value.value.get<TupleValue>();
  if (tuple == nullptr || tuple->parts.size() != count) {
    a.report(
        Code::TupleSize, value.at,
        std::to_string(count) + " targets are given, the value is " + describe(a, value.value));
    return std::nullopt;
  }
  std::vector<Written> parts;
  for (const Operand& part : tuple->parts) parts.push_back({part, value.at});
  return parts;
}

void report_untyped_state(Analysis& a, const std::string& name, const Written& value) {
  auto& error = a.report(Code::UntypedState, value.at,
                         "state '" + name + "' takes its type from its start, which has none");
  if (const auto scalar = typed(a, value))
    propose_cast(error, value.at, a.arena().type(scalar->expr));
}

TensorSymbol* make_intermediate(Analysis& a, const LeftSide& side, Written& value, NewName kind) {
  const std::string& name = side.target->name.text;
  const bool is_untyped = value.value.untyped() != nullptr;
  if (kind == NewName::State && is_untyped) {
    report_untyped_state(a, name, value);
    return nullptr;
  }
  auto element = element_of(a, value);
  if (!element) return nullptr;
  Box box;
  for (std::size_t axis = 0; axis < side.subscripts.size(); ++axis) {
    const auto span =
        subscript_span(a, side.subscripts[axis], name, side.target->subscripts[axis].range);
    if (!span) return nullptr;
    box.push_back(*span);
  }
  if (kind == NewName::Intermediate) include_later_definitions(a, name, box);
  std::vector<ExprId> shape;
  bool from_zero = true;
  for (const auto& [lo, hi] : box) {
    shape.push_back(extent_of(a, lo, hi));
    from_zero = from_zero && constant_integer(a.fn.arena, lo) == 0;
  }
  TensorSymbol& symbol = a.add_tensor(name, TensorKind::Intermediate, std::move(*element), shape,
                                      side.target->name.range);
  for (const auto& [lo, hi] : box) {
    if (from_zero) break;
    symbol.lo.push_back(lo);
    symbol.hi.push_back(hi);
  }
  symbol.is_state = kind == NewName::State;
  symbol.is_open = is_untyped;
  return &symbol;
}

// Subscripts of the IR, counted from the box, and how they are known to be inside.
std::vector<ExprId> place(Analysis& a, const LeftSide& side, const TensorSymbol& symbol,
                          Bounds& bounds) {
  ExprArena& arena = a.arena();
  std::vector<ExprId> subscripts;
  bounds = Bounds::Proved;
  for (std::size_t axis = 0; axis < side.subscripts.size(); ++axis) {
    const bool has_box = !symbol.lo.empty();
    const ExprId lo = has_box ? symbol.lo[axis] : arena.integer(0);
    const ExprId hi = has_box ? symbol.hi[axis] : a.ir(symbol).shape[axis];
    if (!side.is_default[axis]) {
      const SourceRange at = side.target->subscripts[axis].range;
      const Bounds here =
          write_bounds(a, {symbol.name, axis, side.subscripts[axis], lo, hi, false, at});
      if (here == Bounds::PerElement) bounds = here;
    }
    subscripts.push_back(index_sub(arena, side.subscripts[axis], lo));
  }
  return subscripts;
}

bool may_define(Analysis& a, const TensorSymbol& symbol, const LeftSide& side) {
  if (symbol.is_poisoned) return false;
  if (symbol.was_state && !symbol.is_overwritable()) {
    a.report(Code::DefinedTwice, side.target->range,
             "'" + symbol.name + "' keeps the last value of its loop and cannot be defined again")
        .note(symbol.where, "it is declared here");
    return false;
  }
  if (symbol.is_scattered && !symbol.is_overwritable()) {
    a.report(Code::DefinitionKind, side.target->range,
             "'" + symbol.name + "' is scattered into already")
        .note(symbol.where, "it is declared here");
    return false;
  }
  return true;
}

// Records a definition for the rules of 5.2, or an overwrite for those of 5.3.
void note_definition(Analysis& a, TensorSymbol& symbol, const LeftSides& left, const LeftSide& side,
                     SourceRange at) {
  if (symbol.is_overwritable()) {
    note_overwrite(a, symbol);
    return;
  }
  DefinedPart part{loops_inside(a, symbol), left.axes, side.subscripts, {}, side.is_vouched, at};
  if (left.guard.valid()) part.conditions.push_back(left.guard);
  check_own_reads(a, symbol, part);
  add_part(a, symbol, std::move(part));
}

void require_same_type(Analysis& a, const TensorSymbol& symbol, const Written& value) {
  if (symbol.kind != TensorKind::Intermediate || symbol.is_state) return;
  Written copy = value;
  const Scalar* scalar = copy.value.scalar();
  if (scalar == nullptr || symbol.element.record != nullptr) return;
  if (a.arena().type(scalar->expr) == symbol.element.scalar) return;
  const std::string type(name_of(symbol.element.scalar));
  auto& error = a.report(Code::TypeMismatch, value.at,
                         "the definitions of '" + symbol.name + "' have different types: " + type +
                             " and " + describe(a, value.value));
  error.note(symbol.where, "first defined here");
  if (symbol.settled_at.valid())
    error.note(symbol.settled_at, "read here as " + type + ", the default of its untyped definitions");
}

struct Work {
  LeftSides left;
  std::vector<Written> values;
  std::vector<TensorSymbol*> symbols;
  std::vector<std::pair<std::string, Entity>> added;
};

bool add_target(Analysis& a, Work& work, std::size_t k, NewName kind, SourceRange at,
                tir::Stage& stage) {
  const LeftSide& side = work.left.sides[k];
  TensorSymbol* symbol = side.symbol;
  const std::optional<UntypedId> untyped = work.values[k].value.untyped() != nullptr
                                               ? std::optional(*work.values[k].value.untyped())
                                               : std::nullopt;
  if (symbol == nullptr) {
    symbol = make_intermediate(a, side, work.values[k], kind);
    if (symbol == nullptr) return false;
    work.added.emplace_back(side.target->name.text, Entity{symbol, side.target->name.range, 0});
  } else {
    if (!may_define(a, *symbol, side)) return false;
    if (symbol->is_open && !meet_open_type(a, *symbol, work.values[k])) return false;
    require_same_type(a, *symbol, work.values[k]);
  }
  work.symbols.push_back(symbol);
  Bounds bounds = Bounds::Proved;
  const std::vector<ExprId> subscripts = place(a, side, *symbol, bounds);
  if (!append_stores(a, *symbol, subscripts, bounds, work.values[k], at, stage.targets))
    return false;
  if (symbol->is_open && untyped) {
    symbol->untyped_parts.push_back(
        {stage.targets.back().value, *untyped, work.values[k].at, at});
  }
  return true;
}

std::optional<Work> analyze_sides(Analysis& a, const std::vector<ast::Target>& targets,
                                  ast::ExprId value, SourceRange at, NewName kind,
                                  tir::Stage& stage) {
  const InScope scope(a);
  AtPoints points(a);
  auto left = bind_left(a, points, targets, value);
  if (!left) return std::nullopt;
  Work work{std::move(*left), {}, {}, {}};
  auto values = split(a, written(a, value), targets.size());
  if (!values) return std::nullopt;
  work.values = std::move(*values);
  stage.domain = {work.left.axes, work.left.guard};
  stage.where = at;
  bool good = true;
  for (std::size_t k = 0; k < targets.size(); ++k)
    good = add_target(a, work, k, kind, at, stage) && good;
  if (!good) return std::nullopt;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    note_definition(a, *work.symbols[k], work.left, work.left.sides[k], at);
  }
  return work;
}

}  // namespace

std::vector<Axis> loops_inside(const Analysis& a, const TensorSymbol& symbol) {
  std::vector<Axis> loops;
  for (std::size_t k = symbol.loop_depth; k < a.loops.size(); ++k) loops.push_back(a.loops[k].axis);
  return loops;
}

void declare_poisoned(Analysis& a, const std::vector<ast::Target>& targets) {
  for (const ast::Target& target : targets) {
    if (const Entity* entity = a.scopes.find(target.name.text)) {
      auto* const* symbol = std::get_if<TensorSymbol*>(&entity->what);
      // An output or tmp is not reported as undefined after an error in its definition.
      if (symbol != nullptr && (*symbol)->kind != TensorKind::Input && !(*symbol)->is_defined) {
        (*symbol)->is_poisoned = (*symbol)->is_defined = true;
      }
      continue;
    }
    TensorSymbol& symbol =
        a.add_tensor(target.name.text, TensorKind::Intermediate, {}, {}, target.name.range);
    symbol.is_poisoned = symbol.is_defined = symbol.is_used = true;
    a.scopes.declare(target.name.text, {&symbol, target.name.range, 0});
  }
}

std::optional<std::vector<TensorSymbol*>> define(Analysis& a,
                                                 const std::vector<ast::Target>& targets,
                                                 ast::ExprId value, SourceRange at, NewName kind) {
  for (const ast::Target& target : targets) a.defining.push_back(target.name.text);
  tir::Stage stage;
  auto work = analyze_sides(a, targets, value, at, kind, stage);
  a.defining.clear();
  a.own_reads.clear();
  if (!work) {
    declare_poisoned(a, targets);
    return std::nullopt;
  }
  for (auto& [name, entity] : work->added) a.scopes.declare(name, std::move(entity));
  for (TensorSymbol* symbol : work->symbols) symbol->is_defined = true;
  a.block().statements.emplace_back(std::move(stage));
  return std::move(work->symbols);
}

void analyze_definition(Analysis& a, const ast::Definition& definition, SourceRange at) {
  define(a, definition.targets, definition.value, at, NewName::Intermediate);
}

}  // namespace cdsl::sema
