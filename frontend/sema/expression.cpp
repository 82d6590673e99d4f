#include "frontend/sema/expression.h"

#include <algorithm>

#include "dsl/support/suggest.h"
#include "frontend/sema/constant.h"
#include "frontend/sema/extremes.h"
#include "frontend/sema/function.h"
#include "frontend/sema/operators.h"
#include "frontend/sema/read.h"
#include "frontend/sema/record.h"
#include "frontend/sema/reduction.h"

namespace cdsl::sema {
namespace {

// The parser bounds nesting in the text; `let`s and `def`s nest further when they are expanded.
constexpr int kMaxDepth = 1000;
constexpr std::uint64_t kMaxOperations = 4'000'000;

// --- Names ---

Operand evaluate_let(Analysis& a, LetSymbol& let, SourceRange at) {
  let.is_used = true;
  const auto key = std::make_pair(&std::as_const(let), a.place);
  if (const auto found = a.let_values.find(key); found != a.let_values.end()) return found->second;
  const std::uint32_t seen_until = a.seen_until, order = a.let_order;
  const std::size_t depth = a.let_depth;
  a.seen_until = std::min(a.seen_until, let.time);
  a.let_order = let.order;
  a.let_depth = a.scopes.depth();
  a.expansions.push_back({let.name, at, &let});
  Operand value = evaluate(a, let.value);
  if (let.part >= 0) {
    value =
        tuple_part(a, {value, a.range(let.value)}, static_cast<std::uint32_t>(let.part), let.where);
  }
  a.expansions.pop_back();
  a.let_order = order;
  a.let_depth = depth;
  a.seen_until = seen_until;
  if (const Scalar* scalar = value.scalar()) {
    value = Scalar{scalar->expr, scalar->nature, {}, false, scalar->counted};
  }
  a.let_values.emplace(key, value);
  return value;
}

Operand evaluate_name(Analysis& a, const std::string& name, SourceRange at) {
  const Entity* entity = a.scopes.find(name);
  if (entity != nullptr) {
    const auto* index = std::get_if<IndexName>(&entity->what);
    if (index != nullptr) return with_nature(a.arena().symbol_ref(index->symbol), Nature::Index);
    if (entity->order < a.let_order) {
      if (const auto* operand = std::get_if<Operand>(&entity->what)) return *operand;
      if (const auto* let = std::get_if<LetSymbol*>(&entity->what))
        return evaluate_let(a, **let, at);
      TensorSymbol* tensor = std::get<TensorSymbol*>(entity->what);
      if (!a.ir(*tensor).shape.empty() && !tensor->is_poisoned) return WholeTensor{tensor};
      return read_scalar(a, *tensor, at);
    }
  }
  if (const auto constant = a.module.constant(name)) return constant_value(a, *constant.decl, at);
  if (name == "pi") return a.untyped.pi();
  if (name == "inf") return a.untyped.infinity();
  if (name == "nan") return a.untyped.nan();
  if (a.let_order != std::numeric_limits<std::uint32_t>::max()) {
    a.report(Code::UnboundIndex, at,
             "'" + name + "', which this `let` captures, is no index where the `let` is used");
    return {};
  }
  report_unknown_name(a, name, at);
  return {};
}

// --- Chains, which may be long: no recursion along them ---

Operand evaluate_binary(Analysis& a, ast::ExprId id) {
  std::vector<ast::ExprId> spine;
  ast::ExprId first = id;
  while (const auto* node = a.ast_if<ast::Binary>(first)) {
    spine.push_back(first);
    first = node->lhs;
  }
  Written value = written(a, first);
  for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
    const ast::Binary& node = *a.ast_if<ast::Binary>(*it);
    const SourceRange at = a.range(*it);
    if (node.op == ast::BinaryOp::And || node.op == ast::BinaryOp::Or) {
      const auto left = condition(a, value);
      AtPoints points(a);
      const bool is_and = node.op == ast::BinaryOp::And;
      if (left) points.assume(is_and ? *left : negated(a.arena(), *left));
      Written right = written(a, node.rhs);
      value = {left ? logic(a, ir_op(node.op), *left, right) : Operand(), at};
    } else {
      Written right = written(a, node.rhs);
      value = {binary(a, node.op, std::move(value), std::move(right), at), at};
    }
  }
  return value.value;
}

struct Arm {
  ExprId condition;
  Written value;
};

// The value of an `if` from its arms and the last `else`.
Operand joined(Analysis& a, const std::vector<Arm>& arms, Written last) {
  for (auto arm = arms.rbegin(); arm != arms.rend(); ++arm) {
    if (!arm->condition.valid() || arm->value.value.is_poison()) return {};
    const SourceRange at = cover(arm->value.at, last.at);
    last = {choose(a, arm->condition, arm->value, last, at), last.at};
  }
  return last.value;
}

Operand evaluate_if(Analysis& a, ast::ExprId id) {
  std::vector<Arm> arms;
  AtPoints otherwise(a);
  while (const auto* node = a.ast_if<ast::IfElse>(id)) {
    const ExprId holds = evaluate_condition(a, node->condition).value_or(ExprId{});
    {
      AtPoints then(a);
      then.assume(holds);
      arms.push_back({holds, written(a, node->then_value)});
    }
    if (holds.valid()) otherwise.assume(negated(a.arena(), holds));
    id = node->else_value;
  }
  return joined(a, arms, written(a, id));
}

Operand evaluate_unary(Analysis& a, const ast::Unary& node, SourceRange at) {
  constexpr Op kOps[] = {Op::Neg, Op::LogicalNot, Op::BitNot};
  return unary(a, kOps[static_cast<std::size_t>(node.op)], written(a, node.operand), at);
}

Operand evaluate_tuple(Analysis& a, const ast::Tuple& node) {
  TupleValue tuple;
  bool good = true;
  for (ast::ExprId part : node.parts) {
    tuple.parts.push_back(evaluate(a, part));
    good = good && !tuple.parts.back().is_poison();
  }
  return good ? Operand(std::move(tuple)) : Operand();
}

// [a, b, c]: every element has the shape of the first.
Operand evaluate_array(Analysis& a, const ast::ArrayLiteral& node, SourceRange at) {
  ArrayValue array{{static_cast<std::int64_t>(node.elements.size())}, {}};
  for (std::size_t k = 0; k < node.elements.size(); ++k) {
    const Operand element = evaluate(a, node.elements[k]);
    if (element.is_poison()) return {};
    const auto* inner = element.get<ArrayValue>();
    std::vector<std::int64_t> extents = array.extents;
    extents.resize(1);
    if (inner != nullptr)
      extents.insert(extents.end(), inner->extents.begin(), inner->extents.end());
    if (k == 0) array.extents = extents;
    if (array.extents != extents) {
      a.report(Code::BadConstArray, at, "the rows of an array have different lengths");
      return {};
    }
    if (inner == nullptr) {
      array.elements.push_back(element);
    } else {
      array.elements.insert(array.elements.end(), inner->elements.begin(), inner->elements.end());
    }
  }
  return array;
}

Operand evaluate_with(Analysis& a, const ast::With& node) {
  Written base = written(a, node.base);
  std::vector<FieldValue> fields;
  for (const ast::Argument& argument : node.fields) {
    fields.push_back({*argument.key, written(a, argument.value)});
  }
  return with_fields(a, std::move(base), std::move(fields));
}

Operand evaluate_node(Analysis& a, ast::ExprId id) {
  const ast::ExprNode& node = a.program.exprs[id].node;
  const SourceRange at = a.range(id);
  if (const auto* n = std::get_if<ast::IntLiteral>(&node)) return a.untyped.integer(n->hi, n->lo);
  if (const auto* n = std::get_if<ast::FloatLiteral>(&node)) return a.untyped.real(n->text);
  if (const auto* n = std::get_if<ast::BoolLiteral>(&node))
    return ordinary(a.arena().boolean(n->value));
  if (const auto* n = std::get_if<ast::NameRef>(&node)) return evaluate_name(a, n->name, at);
  if (const auto* n = std::get_if<ast::Unary>(&node)) return evaluate_unary(a, *n, at);
  if (std::holds_alternative<ast::Binary>(node)) return evaluate_binary(a, id);
  if (std::holds_alternative<ast::IfElse>(node)) return evaluate_if(a, id);
  if (std::holds_alternative<ast::Call>(node)) return evaluate_call(a, id);
  if (std::holds_alternative<ast::Reduction>(node)) return evaluate_reduction(a, id);
  if (const auto* n = std::get_if<ast::Tuple>(&node)) return evaluate_tuple(a, *n);
  if (const auto* n = std::get_if<ast::ArrayLiteral>(&node)) return evaluate_array(a, *n, at);
  if (const auto* n = std::get_if<ast::Field>(&node))
    return field_named(a, written(a, n->base), n->field);
  if (const auto* n = std::get_if<ast::TuplePart>(&node)) {
    return tuple_part(a, written(a, n->base), n->index, n->index_range);
  }
  if (std::holds_alternative<ast::Index>(node)) return read_index(a, id);
  return evaluate_with(a, std::get<ast::With>(node));
}

bool is_within_limits(Analysis& a, SourceRange at) {
  if (a.is_over_budget) return false;
  if (a.depth >= kMaxDepth) {
    a.report(Code::NestedTooDeeply, at,
             "expressions nest more than " + std::to_string(kMaxDepth) +
                 " deep once `let`s and `def`s are expanded; store a part in a tensor");
    a.is_over_budget = true;
  } else if (++a.operations > kMaxOperations) {
    a.report(Code::TooManyOperations, at,
             "the function has more than " + std::to_string(kMaxOperations) +
                 " operations once `let`s, `def`s and calls are expanded");
    a.is_over_budget = true;
  }
  return !a.is_over_budget;
}

}  // namespace

Operand evaluate(Analysis& a, ast::ExprId id) {
  if (!is_within_limits(a, a.range(id))) return {};
  ++a.depth;
  Operand result = evaluate_node(a, id);
  --a.depth;
  return result;
}

Written written(Analysis& a, ast::ExprId id) {
  return {evaluate(a, id), a.range(id)};
}

std::optional<ExprId> evaluate_condition(Analysis& a, ast::ExprId id) {
  return condition(a, written(a, id));
}

std::optional<Scalar> evaluate_integer(Analysis& a, ast::ExprId id, const std::string& place) {
  return integer(a, written(a, id), place);
}

std::optional<ExprId> evaluate_size(Analysis& a, ast::ExprId id, const std::string& place) {
  const Operand value = evaluate(a, id);
  if (value.is_poison()) return std::nullopt;
  const Scalar* scalar = value.scalar();
  if (scalar != nullptr && !is_integer(a.arena().type(scalar->expr))) {
    a.report(Code::BadExtent, a.range(id),
             place + " is made of sizes and integers, this is " + describe(a, value));
    return std::nullopt;
  }
  const auto whole = integer(a, {value, a.range(id)}, place);
  if (!whole) return std::nullopt;
  if (whole->nature == Nature::Size || is_size_expression(a.arena(), whole->expr)) {
    return tidy(a.arena(), whole->expr);
  }
  a.report(Code::BadExtent, a.range(id), place + " is made of sizes, literals and `let`s of those");
  return std::nullopt;
}

TensorSymbol* find_tensor(Analysis& a, std::string_view name) {
  if (const Entity* entity = a.scopes.find(name)) {
    const auto* tensor = std::get_if<TensorSymbol*>(&entity->what);
    return tensor != nullptr && entity->order < a.let_order ? *tensor : nullptr;
  }
  const auto constant = a.module.constant(name);
  return constant ? constant_tensor(a, *constant.decl) : nullptr;
}

void report_unknown_name(Analysis& a, std::string_view name, SourceRange at) {
  if (std::find(a.defining.begin(), a.defining.end(), name) != a.defining.end()) {
    const bool in_repeat = !a.loops.empty() && a.loops.back().kind == tir::Loop::Kind::Repeat;
    const Code code = a.loops.empty() ? Code::ReadBeforeDefined
                      : in_repeat     ? Code::NotAState
                                      : Code::NeedsTmp;
    const std::string text(name);
    auto& error = a.report(code, at, "'" + text + "' reads itself before it is defined");
    if (code == Code::NotAState)
      error.note(a.loops.back().where, "carry it as a state: from " + text + " = ...");
    if (code == Code::NeedsTmp) {
      error.note(a.loops.back().where,
                 "declare it before the loop: tmp " + text + ": type[extents];");
    }
    return;
  }
  std::vector<std::string_view> names = a.scopes.visible_names();
  const auto constants = a.module.constants();
  names.insert(names.end(), constants.begin(), constants.end());
  auto& error =
      a.report(Code::UnknownName, at,
               "nothing is named '" + std::string(name) + "' here" + did_you_mean(name, names));
  if (const auto near = nearest(name, names)) error.fix(at, *near);
}

}  // namespace cdsl::sema
