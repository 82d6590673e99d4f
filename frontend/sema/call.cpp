#include "frontend/sema/call.h"

#include <algorithm>

#include "dsl/support/suggest.h"
#include "frontend/sema/arguments.h"
#include "frontend/sema/bounds.h"
#include "frontend/sema/constant.h"
#include "frontend/sema/definition.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/finish.h"
#include "frontend/sema/left.h"
#include "frontend/sema/overlap.h"
#include "frontend/sema/signature.h"
#include "frontend/sema/snapshot.h"
#include "frontend/sema/statement.h"

namespace cdsl::sema {
namespace {

constexpr std::size_t kMaxExpansions = 64;

// One output of the callee and where it goes.
struct Result {
  TensorSymbol* target = nullptr;  // null: a new name
  const ast::Target* left = nullptr;
  TensorSymbol* output = nullptr;  // the callee's own symbol
  bool is_copied = false;          // through a tensor of its own
};

// What is set aside while the callee is expanded.
class Expanding {
 public:
  Expanding(Analysis& a, const ast::FnDecl& fn, SourceRange at)
      : a_(a),
        types_(a.types),
        let_order_(a.let_order),
        prefix_(a.name_prefix),
        defining_(a.defining) {
    a.let_order = std::numeric_limits<std::uint32_t>::max();
    a.name_prefix = fn.name.text + "_";
    a.defining.clear();
    a.expansions.push_back({fn.name.text, at, &fn});
    a.scopes.enter_alone();
  }
  ~Expanding() {
    a_.scopes.leave();
    a_.expansions.pop_back();
    a_.types = types_;
    a_.let_order = let_order_;
    a_.name_prefix = prefix_;
    a_.defining = defining_;
  }
  Expanding(const Expanding&) = delete;
  Expanding& operator=(const Expanding&) = delete;

 private:
  Analysis& a_;
  std::map<std::string, ScalarType> types_;
  std::uint32_t let_order_;
  std::string prefix_;
  std::vector<std::string> defining_;
};

bool resolve_results(Analysis& a, const ast::FnDecl& fn, const ast::Definition* definition,
                     SourceRange at, const CallArguments& arguments, std::vector<Result>& results) {
  const std::size_t given = definition == nullptr ? 0 : definition->targets.size();
  if (given != fn.outputs.size()) {
    a.report(Code::TupleSize, at,
             "'" + fn.name.text + "' has " + std::to_string(fn.outputs.size()) + " outputs, " +
                 std::to_string(given) + " targets are given")
        .note(fn.name.range, "it is declared here");
    return false;
  }
  for (std::size_t k = 0; k < given; ++k) {
    const ast::Target& left = definition->targets[k];
    if (left.has_subscripts || left.guard.valid()) {
      a.report(Code::FnInExpression, left.range,
               "a call defines whole tensors: write '" + left.name.text + " = ...'");
      return false;
    }
    bool is_new = false;
    Result result;
    result.target = resolve_target(a, left.name, is_new);
    if (result.target == nullptr && !is_new) return false;
    result.left = &left;
    if (result.target != nullptr) {
      const bool is_argument =
          std::any_of(arguments.tensors.begin(), arguments.tensors.end(),
                      [&](const auto& entry) { return entry.second == result.target; });
      result.is_copied = is_argument || result.target->is_overwritable();
    }
    results.push_back(result);
  }
  return true;
}

// The callee's view of a tensor of the caller.
TensorSymbol& alias(Analysis& a, const std::string& name, TensorKind kind, const TensorSymbol& of) {
  TensorSymbol& symbol = a.tensors.emplace_back();
  symbol.id = of.id;
  symbol.name = name;
  symbol.kind = kind;
  symbol.element = of.element;
  symbol.lo = of.lo;
  symbol.hi = of.hi;
  symbol.is_defined = kind != TensorKind::Output;
  symbol.is_poisoned = of.is_poisoned;
  symbol.loop_depth = a.loops.size();
  symbol.home = a.blocks.back();
  symbol.where = of.where;
  return symbol;
}

bool bind_tensors(Analysis& a, const ast::FnDecl& fn, const CallArguments& arguments) {
  bool good = true;
  for (const ast::Param& param : fn.params) {
    const auto found = arguments.tensors.find(param.name.text);
    if (found == arguments.tensors.end()) continue;
    const TensorKind kind = param.is_inout ? TensorKind::InOut : TensorKind::Input;
    TensorSymbol& symbol = alias(a, param.name.text, kind, *found->second);
    good = a.declare(param.name, {&symbol, {}, 0}) && good;
    const auto shape = shape_of(a, param.type);
    if (!shape) return false;
    const std::vector<ExprId> actual = a.ir(symbol).shape;
    for (std::size_t axis = 0; axis < actual.size(); ++axis) {
      const SourceRange at = arguments.places.at(param.name.text);
      if (param.type.shape[axis].may_be_one && constant_is_one(a, actual[axis])) {
        a.report(Code::ShapeMismatch, at, "an extent of 1 is not broadcast in calls");
        good = false;
      } else if (!require_equal(a, actual[axis], (*shape)[axis],
                                "axis " + std::to_string(axis) + " of '" + found->second->name +
                                    "' has extent {0}, '" + fn.name.text + "' needs {1}",
                                at)) {
        a.report(Code::ShapeMismatch, at,
                 "axis " + std::to_string(axis) + " of '" + found->second->name + "' is " +
                     a.text(actual[axis]) + ", '" + fn.name.text + "' needs " +
                     a.text((*shape)[axis]))
            .note(param.type.range, "declared here");
        good = false;
      }
    }
  }
  return good;
}

bool same_element(const ElementType& x, const ElementType& y) {
  return x.record == y.record && (x.record != nullptr || x.scalar == y.scalar);
}

bool fits_target(Analysis& a, const ast::Param& output, const ElementType& element,
                 const std::vector<ExprId>& shape, const Result& result) {
  const TensorSymbol& target = *result.target;
  const SourceRange at = result.left->range;
  if (!same_element(element, target.element)) {
    a.report(Code::TypeMismatch, at,
             "'" + target.name + "' and output '" + output.name.text + "' hold different types")
        .note(output.range, "declared here");
    return false;
  }
  const std::vector<ExprId> own = a.ir(target).shape;
  bool good = own.size() == shape.size();
  for (std::size_t axis = 0; good && axis < own.size(); ++axis) {
    good = require_equal(
        a, own[axis], shape[axis],
        "axis " + std::to_string(axis) + " of '" + target.name + "' has extent {0}, the result {1}",
        at);
  }
  if (!good) {
    a.report(Code::ShapeMismatch, at,
             "'" + target.name + "' does not have the shape of output '" + output.name.text + "'")
        .note(output.range, "declared here");
  }
  return good;
}

bool bind_outputs(Analysis& a, const ast::FnDecl& fn, std::vector<Result>& results) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    const ast::Param& output = fn.outputs[k];
    Result& result = results[k];
    const auto element = resolve_type(a, output.type.name);
    const auto shape = shape_of(a, output.type);
    if (!element || !shape) return false;
    if (result.target != nullptr && !fits_target(a, output, *element, *shape, result)) return false;
    if (result.target != nullptr && !result.is_copied) {
      result.output = &alias(a, output.name.text, TensorKind::Output, *result.target);
    } else {
      // A new name bears the caller's name in the IR, a copy the callee's.
      const std::string prefix = a.name_prefix;
      if (result.target == nullptr) a.name_prefix.clear();
      const std::string& name =
          result.target == nullptr ? result.left->name.text : output.name.text;
      TensorSymbol& symbol =
          a.add_tensor(name, TensorKind::Tmp, *element, *shape, result.left->range);
      a.name_prefix = prefix;
      assume_extents(a, *shape);
      apply_layout(a, output.type, symbol, false);
      symbol.name = output.name.text;
      symbol.kind = TensorKind::Output;
      result.output = &symbol;
    }
    if (!a.declare(output.name, {result.output, {}, 0})) return false;
  }
  return true;
}

void finish_results(Analysis& a, const ast::FnDecl& fn, std::vector<Result>& results,
                    SourceRange at) {
  for (std::size_t k = 0; k < results.size(); ++k) {
    Result& result = results[k];
    if (result.target == nullptr) {
      TensorSymbol& symbol = *result.output;
      symbol.kind = TensorKind::Tmp;
      symbol.name = result.left->name.text;
      symbol.is_called = symbol.is_defined = true;
      symbol.is_used = false;
      a.declare(result.left->name, {&symbol, {}, 0});
      continue;
    }
    TensorSymbol& target = *result.target;
    if (target.is_overwritable()) {
      note_overwrite(a, target);
    } else if (!target.parts.empty() || target.is_scattered || target.is_called ||
               target.was_state) {
      a.report(Code::DefinedTwice, result.left->range, "'" + target.name + "' is defined already")
          .note(target.where, "it is declared here");
    } else if (!loops_inside(a, target).empty()) {
      a.report(Code::DefinitionInLoop, result.left->range,
               "every iteration of the loop defines '" + target.name + "' as a whole");
    }
    if (result.is_copied)
      a.block().statements.emplace_back(copy_stage(a, target.id, result.output->id, at));
    target.is_called = target.is_defined = true;
  }
  static_cast<void>(fn);
}

// An inout may be overwritten here, and no other argument is the same memory.
bool check_inouts(Analysis& a, const ast::FnDecl& fn, const CallArguments& arguments) {
  bool good = true;
  for (const ast::Param& param : fn.params) {
    const auto found = arguments.tensors.find(param.name.text);
    if (!param.is_inout || found == arguments.tensors.end()) continue;
    TensorSymbol& symbol = *found->second;
    const SourceRange at = arguments.places.at(param.name.text);
    for (const auto& [other, tensor] : arguments.tensors) {
      if (tensor != &symbol || other == param.name.text) continue;
      a.report(Code::InputAssigned, at,
               "'" + symbol.name + "' is overwritten here and passed as '" + other + "' too");
      good = false;
    }
    if (symbol.is_overwritable()) {
      note_overwrite(a, symbol);
      continue;
    }
    a.report(Code::InputAssigned, at,
             "'" + fn.name.text + "' overwrites '" + symbol.name +
                 "', which is no inout and no state here")
        .note(symbol.where, "it is declared here");
    good = false;
  }
  return good;
}

bool expand(Analysis& a, const ast::FnDecl& fn, CallArguments& arguments,
            std::vector<Result>& results, SourceRange at) {
  const Expanding expanding(a, fn, at);
  a.types = arguments.types;
  for (const auto& [name, size] : arguments.sizes) {
    a.scopes.declare(name, {with_nature(size, Nature::Size), at, 0});
  }
  for (const auto& [name, value] : arguments.scalars) a.scopes.declare(name, {value, at, 0});
  if (!bind_tensors(a, fn, arguments) || !bind_outputs(a, fn, results)) return false;
  require_facts(a, fn, at);
  const std::size_t errors = a.sink.error_count();
  analyze_statements(a, fn.body);
  for (const Result& result : results) check_output(a, *result.output);
  return a.sink.error_count() == errors;
}

}  // namespace

bool is_fn_call(const Analysis& a, ast::ExprId value) {
  const auto* call = a.program.exprs.get_if<ast::Call>(value);
  return call != nullptr && a.module.fn(call->callee.text);
}

void analyze_call(Analysis& a, ast::ExprId id, const ast::Definition* definition, SourceRange at) {
  const ast::Call& call = *a.ast_if<ast::Call>(id);
  const auto poison = [&] {
    if (definition != nullptr) declare_poisoned(a, definition->targets);
  };
  const auto fn = a.module.fn(call.callee.text);
  if (!fn) {
    const bool known =
        a.module.def(call.callee.text) || a.module.structure(call.callee.text) != nullptr;
    std::vector<std::string_view> names = a.module.callables();
    a.report(known ? Code::FnInExpression : Code::UnknownFunction, call.callee.range,
             known ? "only the call of a fn is a statement"
                   : "no fn is named '" + call.callee.text + "'" +
                         did_you_mean(call.callee.text, names));
    return poison();
  }
  if (a.is_expanding(fn.decl) || a.expansions.size() >= kMaxExpansions) {
    const bool recursive = a.is_expanding(fn.decl);
    a.report(
        recursive ? Code::RecursiveDefinition : Code::TooManyStatements, at,
        recursive ? "'" + fn.decl->name.text + "' calls itself" : "calls nest more than 64 deep");
    a.is_over_budget |= !recursive;  // each level may call twice: 2^64 of these are no better than one
    return poison();
  }
  auto arguments = call_arguments(a, *fn.decl, call, a.range(id));
  std::vector<Result> results;
  if (!arguments || !resolve_results(a, *fn.decl, definition, at, *arguments, results))
    return poison();
  if (!check_inouts(a, *fn.decl, *arguments)) return poison();
  if (!expand(a, *fn.decl, *arguments, results, a.range(id))) return poison();
  finish_results(a, *fn.decl, results, at);
}

}  // namespace cdsl::sema
