#include "frontend/sema/signature.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "frontend/sema/constant.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/extremes.h"
#include "frontend/sema/sizes.h"

namespace cdsl::sema {
namespace {

void declare_size(Analysis& a, tir::Size size, const std::string& name, SourceRange where) {
  size.symbol = a.arena().add_symbol(name, SymbolKind::Size);
  const ExprId ref = a.arena().symbol_ref(size.symbol);
  if (const auto given = a.options.sizes.find(name); given != a.options.sizes.end()) {
    if (given->second < 0) {
      a.report(Code::BadDefine, where,
               "size " + name + " is given as " + std::to_string(given->second) +
                   "; sizes are at least 0");
    } else {
      size.known = given->second;
      a.add_fact(a.arena().apply(Op::Eq, {ref, a.arena().integer(given->second)}));
    }
  }
  a.fn.sizes.push_back(size);
  a.scopes.declare(name, {with_nature(ref, Nature::Size), where, 0});
}

bool is_new_name(const Analysis& a, const std::string& name) {
  return a.scopes.find(name) == nullptr && !a.module.constant(name);
}

// Scalars by value have no memory; every other parameter is a tensor.
bool is_by_value(const Analysis& a, const ast::Param& param) {
  return !param.is_inout && !param.type.has_shape &&
         a.module.structure(param.type.name.text) == nullptr;
}

// Tensor ids of the parameters, which sizes refer to, before the tensors exist.
std::vector<TensorId> parameter_ids(const Analysis& a, const ast::FnDecl& fn) {
  std::vector<TensorId> ids;
  std::size_t next = a.fn.tensors.size();
  for (const ast::Param& param : fn.params) {
    ids.push_back(is_by_value(a, param) ? TensorId() : TensorId(next++));
  }
  return ids;
}

// Bare extents first, then a*N + b, then those that may be 1: the clearest source wins.
void determine_sizes(Analysis& a, const ast::FnDecl& fn, const std::vector<TensorId>& ids) {
  for (const int round : {0, 1, 2}) {
    for (std::size_t k = 0; k < fn.params.size(); ++k) {
      const auto& shape = fn.params[k].type.shape;
      for (std::uint32_t axis = 0; axis < shape.size(); ++axis) {
        const auto extent = linear_extent(a.program.exprs, shape[axis].value);
        if (!extent || !is_new_name(a, extent->name)) continue;
        const bool is_bare = extent->scale == 1 && extent->offset == 0;
        if (round != (shape[axis].may_be_one ? 2 : is_bare ? 0 : 1)) continue;
        tir::Size size;
        size.tensor = ids[k];
        size.axis = axis;
        size.scale = extent->scale;
        size.offset = extent->offset;
        declare_size(a, size, extent->name, shape[axis].range);
      }
    }
  }
}

bool report_undetermined(Analysis& a, const ast::FnDecl& fn) {
  bool good = true;
  for (const auto* params : {&fn.params, &fn.outputs}) {
    for (const ast::Param& param : *params) {
      for (const ast::Extent& extent : param.type.shape) {
        ast::post_order(a.program.exprs, extent.value, [&](ast::ExprId id) {
          const auto* name = a.ast_if<ast::NameRef>(id);
          if (name == nullptr || !is_new_name(a, name->name)) return;
          const bool is_parameter =
              std::any_of(fn.params.begin(), fn.params.end(),
                          [&](const ast::Param& p) { return p.name.text == name->name; });
          if (is_parameter) return;
          auto& error = a.report(Code::SizeNotDetermined, a.range(id),
                                 "nothing determines size '" + name->name + "'");
          const bool has_generics = !fn.generics.empty();
          const SourceRange at = has_generics ? fn.generics.back().name.range : fn.name.range;
          if (!has_generics) error.fix(at.finish(), "<" + name->name + ": size>");
          error.note(fn.name.range,
                     "declare it as a parameter: " + fn.name.text + "<" + name->name + ": size>");
          // Known from here on, so that one error stays one.
          tir::Size size;
          size.is_parameter = true;
          declare_size(a, size, name->name, a.range(id));
          good = false;
        });
      }
    }
  }
  return good;
}

bool declare_by_value(Analysis& a, const ast::Param& param) {
  const auto type = resolve_type(a, param.type.name);
  if (!type) return false;
  tir::ScalarParameter scalar;
  scalar.declared = type->scalar;
  scalar.symbol =
      a.arena().add_symbol(param.name.text, SymbolKind::Scalar, evaluation_type(type->scalar));
  scalar.where = param.range;
  a.fn.parameters.push_back({static_cast<std::uint32_t>(a.fn.scalars.size())});
  a.fn.scalars.push_back(scalar);
  return a.declare(param.name, {ordinary(a.arena().symbol_ref(scalar.symbol)), {}, 0});
}

bool declare_tensor(Analysis& a, const ast::Param& param, TensorKind kind) {
  const auto element = resolve_type(a, param.type.name);
  const auto shape = shape_of(a, param.type);
  const bool good = element && shape;
  TensorSymbol& symbol = a.add_tensor(param.name.text, kind, element.value_or(ElementType{}),
                                      shape.value_or(std::vector<ExprId>{}), param.name.range);
  symbol.is_poisoned = !good;
  symbol.is_defined = kind != TensorKind::Output || !good;
  tir::Tensor& tensor = a.fn.tensor(symbol.id);
  for (std::size_t axis = 0; good && axis < param.type.shape.size(); ++axis) {
    tensor.may_be_one[axis] = param.type.shape[axis].may_be_one;
    if (tensor.may_be_one[axis] && kind != TensorKind::Input) {
      a.report(Code::BadExtent, param.type.shape[axis].range,
               "only inputs may have extents that may be 1");
    }
  }
  if (good) {
    assume_extents(a, *shape);
    apply_layout(a, param.type, symbol, kind == TensorKind::Input);
  }
  a.fn.parameters.push_back({symbol.id});
  return a.declare(param.name, {&symbol, {}, 0}) && good;
}

bool is_launch_fact(Analysis& a, ExprId condition, SourceRange at) {
  if (is_launch_known(a.arena(), condition)) return true;
  a.report(Code::BadFact, at, "a fact is made of sizes and scalar parameters");
  return false;
}

void declare_fact(Analysis& a, const ast::Fact& fact) {
  tir::Fact result;
  result.required = fact.is_required;
  result.where = fact.range;
  if (const auto* expr = std::get_if<ast::FactExpr>(&fact.node)) {
    const auto condition = evaluate_condition(a, expr->condition);
    if (!condition || !is_launch_fact(a, *condition, a.range(expr->condition))) return;
    if (a.prover().holds({}, *condition) == Verdict::Refuted) {
      a.report(Code::FactIsFalse, fact.range, "this fact never holds");
    }
    result.condition = *condition;
    if (fact.is_required || a.options.assume_facts) a.add_fact(*condition);
    a.fn.facts.push_back(result);
    return;
  }
  const auto find = [&](const ast::Name& name) -> TensorSymbol* {
    TensorSymbol* symbol = find_tensor(a, name.text);
    if (symbol == nullptr)
      a.report(Code::BadFact, name.range, "'" + name.text + "' is no tensor parameter");
    return symbol;
  };
  if (const auto* aligned = std::get_if<ast::FactAligned>(&fact.node)) {
    const TensorSymbol* symbol = find(aligned->tensor);
    const auto bytes = evaluate_size(a, aligned->bytes, "an alignment");
    const auto known = bytes ? constant_integer(a.arena(), *bytes) : std::nullopt;
    if (symbol == nullptr || !bytes) return;
    if (!known || *known < 1 || (*known & (*known - 1)) != 0) {
      a.report(Code::BadFact, a.range(aligned->bytes), "an alignment is a power of two");
      return;
    }
    result.kind = tir::Fact::Kind::Aligned;
    result.tensor = symbol->id;
    result.bytes = *known;
    a.fn.facts.push_back(result);
    return;
  }
  for (const ast::Name& name : std::get<ast::FactNoAlias>(fact.node).tensors) {
    const TensorSymbol* symbol = find(name);
    if (symbol == nullptr) return;
    result.tensors.push_back(symbol->id);
  }
  result.kind = tir::Fact::Kind::NoAlias;
  a.fn.facts.push_back(result);
}

}  // namespace

bool is_of_kind(ScalarType type, ast::GenericKind kind) {
  switch (kind) {
    case ast::GenericKind::Float: return is_float(type);
    case ast::GenericKind::Int: return is_integer(type);
    case ast::GenericKind::Number: return type != ScalarType::Bool;
    case ast::GenericKind::Size: return false;
  }
  return false;
}

bool declare_generic_types(Analysis& a, const ast::FnDecl& fn) {
  bool good = true;
  for (const ast::GenericParam& generic : fn.generics) {
    if (generic.kind == ast::GenericKind::Size) continue;
    const auto given = a.options.types.find(generic.name.text);
    if (given == a.options.types.end()) {
      a.report(Code::GenericNotGiven, generic.name.range,
               "type '" + generic.name.text + "' of '" + fn.name.text + "' is not given")
          .note(generic.name.range, "give it on the command line: -D" + generic.name.text + "=f32");
      good = false;
      continue;
    }
    if (!is_of_kind(given->second, generic.kind)) {
      a.report(
          Code::BadGenericType, generic.name.range,
          std::string(name_of(given->second)) + " is not of kind " + ast::spelling(generic.kind));
      good = false;
    }
    a.types[generic.name.text] = given->second;
  }
  return good;
}

bool declare_signature(Analysis& a, const ast::FnDecl& fn) {
  for (const ast::GenericParam& generic : fn.generics) {
    if (generic.kind != ast::GenericKind::Size) continue;
    if (const Entity* first = a.scopes.find(generic.name.text)) {
      a.report(Code::NameInUse, generic.name.range, "'" + generic.name.text + "' is already in use")
          .note(first->where, "it is first used here");
      continue;
    }
    tir::Size size;
    size.is_parameter = true;
    declare_size(a, size, generic.name.text, generic.name.range);
  }
  determine_sizes(a, fn, parameter_ids(a, fn));
  bool good = report_undetermined(a, fn);
  for (const ast::Param& param : fn.params) {
    const TensorKind kind = param.is_inout ? TensorKind::InOut : TensorKind::Input;
    good = (is_by_value(a, param) ? declare_by_value(a, param) : declare_tensor(a, param, kind)) &&
           good;
  }
  for (const ast::Param& output : fn.outputs) {
    good = declare_tensor(a, output, TensorKind::Output) && good;
  }
  return good;
}

void declare_facts(Analysis& a, const ast::FnDecl& fn) {
  for (const ast::Fact& fact : fn.facts) declare_fact(a, fact);
  if (!fn.precision) return;
  if (fn.precision->text == "tf32") {
    a.fn.tf32 = true;
  } else {
    a.report(Code::UnknownPrecision, fn.precision->range, "the one precision is tf32")
        .fix(fn.precision->range, "tf32");
  }
}

std::optional<std::vector<ExprId>> shape_of(Analysis& a, const ast::TypeExpr& type) {
  if (type.shape.size() > kMaxRank) {
    a.report(Code::RankLimit, type.range,
             "a tensor has at most " + std::to_string(kMaxRank) + " axes");
    return std::nullopt;
  }
  std::vector<ExprId> shape;
  bool good = true;
  for (const ast::Extent& extent : type.shape) {
    const auto value = evaluate_size(a, extent.value, "an extent");
    good = good && value.has_value();
    if (!value) continue;
    const auto known = constant_integer(a.arena(), *value);
    if (known && *known < 0) {
      a.report(Code::NegativeExtent, extent.range, "the extent is " + std::to_string(*known));
      good = false;
    }
    shape.push_back(*value);
  }
  return good ? std::optional(std::move(shape)) : std::nullopt;
}

void assume_extents(Analysis& a, const std::vector<ExprId>& shape) {
  ExprArena& arena = a.arena();
  for (const ExprId extent : shape) {
    // Sizes and constants are known to be at least 0.
    if (arena.get_if<Symbol>(extent) != nullptr || arena.get_if<Constant>(extent) != nullptr)
      continue;
    a.add_fact(arena.apply(Op::Ge, {extent, arena.integer(0)}));
  }
}

}  // namespace cdsl::sema
