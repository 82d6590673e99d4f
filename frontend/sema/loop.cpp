#include "frontend/sema/loop.h"

#include <set>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "frontend/sema/bounds.h"
#include "frontend/sema/definition.h"
#include "frontend/sema/domain.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/open_type.h"
#include "frontend/sema/record.h"
#include "frontend/sema/snapshot.h"
#include "frontend/sema/statement.h"
#include "frontend/sema/written_names.h"

namespace cdsl::sema {
namespace {

// Bounds that are known before the loop starts: no tensor takes part.
std::optional<Span> loop_range(Analysis& a, const ast::IndexRange& range) {
  const auto span = evaluate_range(a, range);
  if (!span) return std::nullopt;
  const ExprId bounds[] = {span->lo, span->hi};
  for (ExprId id : postorder(a.arena(), bounds)) {
    if (a.arena().get_if<Read>(id) == nullptr && a.arena().get_if<Reduce>(id) == nullptr) continue;
    a.report(
        Code::BadLoop, range.range,
        "the range of a loop is made of sizes, scalar parameters and indices of enclosing loops");
    return std::nullopt;
  }
  return span;
}

// What the body writes holds other values from here on, and may be read before its statement.
void prepare_written(Analysis& a, const ast::Block& body) {
  for (const std::string& name : written_names(a.program, body)) {
    TensorSymbol* symbol = find_tensor(a, name);
    if (symbol == nullptr || symbol->kind == TensorKind::Input ||
        symbol->kind == TensorKind::Constant)
      continue;
    if (symbol->is_defined) note_overwrite(a, *symbol);
    if (symbol->kind == TensorKind::Output || symbol->kind == TensorKind::Tmp)
      symbol->is_defined = true;
  }
}

struct Header {
  tir::Loop::Kind kind;
  const ast::Name& index;
  Span span;
  bool descending;
  ast::ExprId until;
  std::vector<TensorId> states;
};

void analyze_body(Analysis& a, const Header& header, const ast::Block& body, SourceRange at) {
  prepare_written(a, body);
  tir::Loop loop;
  loop.kind = header.kind;
  loop.lo = header.span.lo;
  loop.hi = header.span.hi;
  loop.descending = header.descending;
  loop.states = header.states;
  loop.where = at;
  loop.body = std::make_unique<tir::Block>();
  {
    const InScope scope(a);
    AtPoints points(a);
    const Axis axis = a.make_axis(header.index.text, header.span.lo, header.span.hi,
                                  RangeOrigin::Loop, header.span.where);
    a.declare(header.index, {IndexName{axis.index}, {}, 0});
    points.add(axis);
    loop.index = axis.index;
    a.loops.push_back({axis, header.kind, header.descending, header.index.range});
    a.blocks.push_back(loop.body.get());
    {
      const InScope inner(a);
      analyze_statements(a, body);
    }
    a.place = AtPoints::next(a);
    if (header.until.valid()) loop.until = evaluate_condition(a, header.until).value_or(ExprId{});
    a.blocks.pop_back();
    a.loops.pop_back();
  }
  a.block().statements.emplace_back(std::move(loop));
}

// --- States ---

// May the name be carried? Outputs, inouts, tmps and earlier states; a new name is one.
bool may_be_state(Analysis& a, const ast::StateInit& init) {
  bool is_new = false;
  TensorSymbol* symbol = resolve_target(a, init.target.name, is_new);
  if (symbol == nullptr) return is_new;
  if (symbol->is_overwritable() || symbol->was_state) return true;
  const bool is_free = symbol->parts.empty() && !symbol->is_scattered && !symbol->is_called;
  if (symbol->kind != TensorKind::Intermediate && is_free) return true;
  a.report(Code::DefinedTwice, init.target.name.range,
           "'" + symbol->name + "' is defined already, so that no loop can start it")
      .note(symbol->where, "it is declared here");
  return false;
}

Operand element_at(Analysis& a, TensorSymbol& source, const std::vector<ExprId>& point,
                   SourceRange at) {
  AxisRule proved;
  proved.bounds = Bounds::Proved;
  Place place{version_seen(a, source),
              point,
              std::vector<AxisRule>(point.size(), proved),
              source.element,
              0,
              at,
              {}};
  return loaded(a, std::move(place));
}

TensorSymbol* new_copy(Analysis& a, const ast::Name& name, const TensorSymbol& source) {
  ElementType element = source.element;
  if (element.record == nullptr) element.scalar = evaluation_type(element.scalar);
  TensorSymbol& symbol =
      a.add_tensor(name.text, TensorKind::Intermediate, element, a.ir(source).shape, name.range);
  symbol.lo = source.lo;
  symbol.hi = source.hi;
  return &symbol;
}

bool same_shape(Analysis& a, const TensorSymbol& target, const TensorSymbol& source,
                SourceRange at) {
  const std::vector<ExprId> p = a.ir(target).shape, q = a.ir(source).shape;
  bool good = p.size() == q.size();
  for (std::size_t axis = 0; good && axis < p.size(); ++axis) {
    good = require_equal(a, p[axis], q[axis],
                         "axis " + std::to_string(axis) + " of state '" + target.name +
                             "' has extent {0}, that of '" + source.name + "' {1}",
                         at);
  }
  if (!good) {
    a.report(Code::ShapeMismatch, at,
             "'" + source.name + "' does not have the shape of '" + target.name + "'")
        .note(target.where, "it is declared here");
  }
  return good;
}

// u = u0 of whole tensors.
TensorSymbol* copy_state(Analysis& a, const ast::StateInit& init, TensorSymbol& source,
                         SourceRange at) {
  source.is_used = true;
  settle_type(source, a.range(init.value));
  if (source.is_poisoned) return nullptr;
  if (!source.is_defined) {
    a.report(Code::ReadBeforeDefined, a.range(init.value),
             "'" + source.name + "' is read before it is defined");
    return nullptr;
  }
  bool is_new = false;
  TensorSymbol* target = resolve_target(a, init.target.name, is_new);
  if (is_new) {
    target = new_copy(a, init.target.name, source);
    a.declare(init.target.name, {target, {}, 0});
  } else if (target == nullptr || !same_shape(a, *target, source, init.target.range)) {
    return nullptr;
  }
  tir::Stage stage;
  stage.where = at;
  std::vector<ExprId> point;
  const std::vector<ExprId> shape = a.ir(*target).shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    stage.domain.axes.push_back(a.make_axis("i" + std::to_string(axis), a.arena().integer(0),
                                            shape[axis], RangeOrigin::Written, at));
    point.push_back(a.arena().symbol_ref(stage.domain.axes.back().index));
  }
  const Written value{element_at(a, source, point, a.range(init.value)), a.range(init.value)};
  if (!append_stores(a, *target, point, Bounds::Proved, value, at, stage.targets)) return nullptr;
  note_overwrite(a, *target);
  a.block().statements.emplace_back(std::move(stage));
  return target;
}

TensorSymbol* start_state(Analysis& a, const ast::StateInit& init) {
  if (!may_be_state(a, init)) return nullptr;
  const SourceRange at = cover(init.target.range, a.range(init.value));
  const auto* name = a.ast_if<ast::NameRef>(init.value);
  TensorSymbol* source = name != nullptr ? find_tensor(a, name->name) : nullptr;
  if (source != nullptr && !init.target.has_subscripts &&
      (source->is_poisoned || !a.ir(*source).shape.empty())) {
    return copy_state(a, init, *source, at);
  }
  bool is_new = false;
  TensorSymbol* existing = resolve_target(a, init.target.name, is_new);
  if (existing != nullptr) existing->is_state = true;
  const auto defined = define(a, {init.target}, init.value, at, NewName::State);
  return defined ? defined->front() : nullptr;
}

std::vector<TensorSymbol*> start_states(Analysis& a, const ast::Repeat& repeat) {
  std::vector<TensorSymbol*> states;
  std::vector<std::pair<TensorSymbol*, bool>> defined_before;
  const std::uint32_t seen_until = a.seen_until;
  a.seen_until = std::min(a.seen_until, a.time);
  for (const ast::StateInit& init : repeat.states) {
    TensorSymbol* before = find_tensor(a, init.target.name.text);
    const bool was_defined = before != nullptr && before->is_defined;
    const AtPoints start(a);
    a.place = AtPoints::next(a);
    TensorSymbol* state = start_state(a, init);
    if (state == nullptr) {
      declare_poisoned(a, {init.target});
      continue;
    }
    if (std::find(states.begin(), states.end(), state) != states.end()) {
      a.report(Code::DuplicateName, init.target.name.range,
               "state '" + state->name + "' is started twice");
      continue;
    }
    // No start sees another's new value.
    state->is_defined = was_defined;
    states.push_back(state);
  }
  a.seen_until = seen_until;
  for (TensorSymbol* state : states) {
    state->is_defined = true;
    state->is_state = true;
    state->is_used = true;
  }
  return states;
}

}  // namespace

void analyze_repeat(Analysis& a, const ast::Repeat& repeat, SourceRange at) {
  const auto span = loop_range(a, repeat.span);
  const std::vector<TensorSymbol*> states = start_states(a, repeat);
  const ExprId none = a.arena().integer(0);
  Header header{tir::Loop::Kind::Repeat,
                repeat.index,
                span.value_or(Span{none, none, RangeOrigin::Loop, at}),
                false,
                repeat.until,
                {}};
  for (const TensorSymbol* state : states) header.states.push_back(state->id);
  analyze_body(a, header, repeat.body, at);
  for (TensorSymbol* state : states) {
    state->is_state = false;
    state->was_state = true;
  }
}

void analyze_along(Analysis& a, const ast::Along& along, SourceRange at) {
  const auto span = loop_range(a, along.span);
  if (span && along.descending) require_step_below(a, *span);
  const ExprId none = a.arena().integer(0);
  const Header header{
      tir::Loop::Kind::Along, along.index, span.value_or(Span{none, none, RangeOrigin::Loop, at}),
      along.descending,       {},          {}};
  analyze_body(a, header, along.body, at);
}

}  // namespace cdsl::sema
