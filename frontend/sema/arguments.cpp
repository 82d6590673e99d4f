#include "frontend/sema/arguments.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/support/suggest.h"
#include "frontend/sema/bounds.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/extremes.h"
#include "frontend/sema/open_type.h"
#include "frontend/sema/signature.h"
#include "frontend/sema/sizes.h"

namespace cdsl::sema {
namespace {

// Divides a form where that leaves no remainder.
bool divide(LinearForm& form, std::int64_t by) {
  bool divides = form.constant % by == 0;
  for (const auto& [atom, factor] : form.atoms) divides = divides && factor % by == 0;
  if (!divides) return false;
  form.constant /= by;
  for (auto& [atom, factor] : form.atoms) factor /= by;
  return true;
}

class Matcher {
 public:
  Matcher(Analysis& a, const ast::FnDecl& fn, const ast::Call& call, SourceRange at)
      : a_(a), fn_(fn), call_(call), at_(at) {}

  std::optional<CallArguments> run() {
    if (!match()) return std::nullopt;
    bool good = true;
    for (std::size_t k = 0; k < fn_.params.size(); ++k)
      good = add_tensor(fn_.params[k], values_[k]) && good;
    if (!good || !deduce_types() || !deduce_sizes()) return std::nullopt;
    for (std::size_t k = 0; k < fn_.params.size(); ++k)
      good = add_scalar(fn_.params[k], values_[k]) && good;
    if (!good) return std::nullopt;
    return std::move(result_);
  }

 private:
  bool is_by_value(const ast::Param& param) const {
    return !param.is_inout && !param.type.has_shape &&
           a_.module.structure(param.type.name.text) == nullptr;
  }

  const ast::GenericParam* generic_named(const std::string& name) const {
    const auto found =
        std::find_if(fn_.generics.begin(), fn_.generics.end(),
                     [&](const ast::GenericParam& g) { return g.name.text == name; });
    return found == fn_.generics.end() ? nullptr : &*found;
  }

  // Gives each parameter its argument.
  bool match() {
    values_.resize(fn_.params.size());
    std::size_t next = 0;
    for (const ast::Argument& argument : call_.arguments) {
      if (!argument.key) {
        if (next >= fn_.params.size()) return wrong_count();
        values_[next++] = argument.value;
        continue;
      }
      if (const auto* generic = generic_named(argument.key->text)) {
        if (!add_generic(*generic, argument)) return false;
        continue;
      }
      const auto param =
          std::find_if(fn_.params.begin(), fn_.params.end(),
                       [&](const ast::Param& p) { return p.name.text == argument.key->text; });
      if (param == fn_.params.end() || argument.generic) return unknown(*argument.key);
      ast::ExprId& slot = values_[static_cast<std::size_t>(param - fn_.params.begin())];
      if (slot.valid()) {
        a_.report(Code::DuplicateName, argument.key->range,
                  "'" + argument.key->text + "' is given twice");
        return false;
      }
      slot = argument.value;
    }
    const bool complete =
        std::all_of(values_.begin(), values_.end(), [](ast::ExprId id) { return id.valid(); });
    return complete || wrong_count();
  }

  bool wrong_count() {
    const auto given = std::count_if(
        call_.arguments.begin(), call_.arguments.end(),
        [&](const ast::Argument& x) { return !x.key || generic_named(x.key->text) == nullptr; });
    a_.report(Code::ArgumentCount, at_,
              "'" + fn_.name.text + "' takes " + std::to_string(fn_.params.size()) +
                  " arguments, " + std::to_string(given) + " given")
        .note(fn_.name.range, "it is declared here");
    return false;
  }

  bool unknown(const ast::Name& key) {
    std::vector<std::string_view> names;
    for (const ast::Param& param : fn_.params) names.push_back(param.name.text);
    for (const ast::GenericParam& generic : fn_.generics) names.push_back(generic.name.text);
    auto& error = a_.report(Code::UnknownArgument, key.range,
                            "'" + fn_.name.text + "' has no parameter '" + key.text + "'" +
                                did_you_mean(key.text, names));
    if (const auto near = nearest(key.text, names)) error.fix(key.range, *near);
    return false;
  }

  bool add_generic(const ast::GenericParam& generic, const ast::Argument& argument) {
    if (generic.kind == ast::GenericKind::Size) {
      const auto size = evaluate_size(a_, argument.value, "a size");
      if (size) result_.sizes.emplace_back(generic.name.text, *size);
      return size.has_value();
    }
    const auto* name = a_.ast_if<ast::NameRef>(argument.value);
    std::optional<ScalarType> type;
    if (name != nullptr) {
      const auto outer = a_.types.find(name->name);
      type = outer != a_.types.end() ? outer->second : scalar_type_named(name->name);
    }
    if (!type) {
      a_.report(Code::UnknownType, a_.range(argument.value),
                "'" + generic.name.text + "' takes a scalar type");
      return false;
    }
    return set_type(generic, *type, a_.range(argument.value));
  }

  bool set_type(const ast::GenericParam& generic, ScalarType type, SourceRange at) {
    const auto [known, is_new] = result_.types.emplace(generic.name.text, type);
    if (!is_new && known->second != type) {
      a_.report(Code::TypeMismatch, at,
                "'" + generic.name.text + "' is " + std::string(name_of(known->second)) +
                    " by another argument, " + std::string(name_of(type)) + " by this one");
      return false;
    }
    if (is_of_kind(type, generic.kind)) return true;
    a_.report(Code::BadGenericType, at,
              std::string(name_of(type)) + " is not of kind " + ast::spelling(generic.kind))
        .note(generic.name.range, "the parameter is declared here");
    return false;
  }

  bool add_tensor(const ast::Param& param, ast::ExprId value) {
    result_.places[param.name.text] = a_.range(value);
    if (is_by_value(param)) return true;
    const auto* name = a_.ast_if<ast::NameRef>(value);
    TensorSymbol* symbol = name != nullptr ? find_tensor(a_, name->name) : nullptr;
    if (symbol == nullptr) {
      if (name != nullptr && a_.scopes.find(name->name) == nullptr &&
          !a_.module.constant(name->name)) {
        report_unknown_name(a_, name->name, a_.range(value));
        return false;
      }
      a_.report(Code::NotAValue, a_.range(value),
                "parameter '" + param.name.text + "' of '" + fn_.name.text +
                    "' takes the name of a tensor");
      return false;
    }
    symbol->is_used = true;
    if (symbol->is_poisoned) return false;
    if (!symbol->is_defined) {
      a_.report(Code::ReadBeforeDefined, a_.range(value),
                "'" + symbol->name + "' is passed before it is defined")
          .note(symbol->where, "it is declared here");
      return false;
    }
    if (a_.ir(*symbol).shape.size() != param.type.shape.size()) {
      a_.report(Code::ShapeMismatch, a_.range(value),
                "'" + symbol->name + "' has " +
                    counted(a_.ir(*symbol).shape.size(), "axis", "axes") + ", parameter '" +
                    param.name.text + "' has " + std::to_string(param.type.shape.size()))
          .note(param.range, "declared here");
      return false;
    }
    result_.tensors[param.name.text] = symbol;
    settle_type(*symbol, a_.range(value));
    return has_type(param, *symbol, a_.range(value));
  }

  bool has_type(const ast::Param& param, const TensorSymbol& symbol, SourceRange at) {
    const std::string& wanted = param.type.name.text;
    if (const auto* generic = generic_named(wanted)) {
      if (symbol.element.record == nullptr) return set_type(*generic, symbol.element.scalar, at);
    } else if (const StructInfo* record = a_.module.structure(wanted)) {
      if (symbol.element.record == record) return true;
    } else if (symbol.element.record == nullptr &&
               scalar_type_named(wanted) == symbol.element.scalar) {
      return true;
    }
    const std::string own = symbol.element.record != nullptr
                                ? symbol.element.record->name
                                : std::string(name_of(symbol.element.scalar));
    a_.report(Code::TypeMismatch, at,
              "'" + symbol.name + "' holds " + own + ", parameter '" + param.name.text +
                  "' takes " + wanted)
        .note(param.range, "declared here");
    return false;
  }

  // Types that no tensor gives come from scalar arguments that have one.
  bool deduce_types() {
    bool good = true;
    for (std::size_t k = 0; k < fn_.params.size(); ++k) {
      const ast::Param& param = fn_.params[k];
      const auto* generic = generic_named(param.type.name.text);
      if (!is_by_value(param) || generic == nullptr || result_.types.contains(generic->name.text))
        continue;
      const Operand value = evaluate(a_, values_[k]);
      const Scalar* scalar = value.scalar();
      if (scalar == nullptr) continue;
      const ScalarType type =
          a_.arena().type(scalar->stored.valid() ? scalar->stored : scalar->expr);
      good = set_type(*generic, type, a_.range(values_[k])) && good;
    }
    for (const ast::GenericParam& generic : fn_.generics) {
      if (generic.kind == ast::GenericKind::Size || result_.types.contains(generic.name.text))
        continue;
      a_.report(
            Code::GenericNotGiven, at_,
            "type '" + generic.name.text + "' of '" + fn_.name.text + "' is given by no argument")
          .note(at_, "give it: " + fn_.name.text + "<" + generic.name.text + ": f32>(...)");
      good = false;
    }
    return good;
  }

  bool has_size(const std::string& name) const {
    return std::any_of(result_.sizes.begin(), result_.sizes.end(),
                       [&](const auto& s) { return s.first == name; });
  }

  bool deduce_sizes() {
    for (const bool bare : {true, false}) {
      for (const ast::Param& param : fn_.params) {
        const auto found = result_.tensors.find(param.name.text);
        if (found == result_.tensors.end()) continue;
        for (std::size_t axis = 0; axis < param.type.shape.size(); ++axis) {
          const auto extent = linear_extent(a_.program.exprs, param.type.shape[axis].value);
          if (!extent || has_size(extent->name) || a_.module.constant(extent->name)) continue;
          if (bare != (extent->scale == 1 && extent->offset == 0)) continue;
          result_.sizes.emplace_back(extent->name,
                                     solved(*extent, a_.ir(*found->second).shape[axis]));
        }
      }
    }
    for (const ast::GenericParam& generic : fn_.generics) {
      if (generic.kind != ast::GenericKind::Size || has_size(generic.name.text)) continue;
      a_.report(Code::GenericNotGiven, at_,
                "size '" + generic.name.text + "' of '" + fn_.name.text + "' is not given")
          .fix(call_.arguments.empty() ? at_.finish()
                                       : a_.range(call_.arguments.back().value).finish(),
               ", " + generic.name.text + ": 1");
      return false;
    }
    return true;
  }

  // N of a*N + b; that it divides is part of the check of the parameter's extents.
  ExprId solved(const LinearExtent& extent, ExprId actual) {
    ExprArena& arena = a_.arena();
    const ExprId rest = index_sub(arena, actual, arena.integer(extent.offset));
    if (auto form = linear_form(arena, rest);
        form && form->terms.empty() && divide(*form, extent.scale)) {
      return form->rest(arena);
    }
    return index_floordiv(arena, tidy(arena, rest), arena.integer(extent.scale));
  }

  bool add_scalar(const ast::Param& param, ast::ExprId value) {
    if (!is_by_value(param)) return true;
    const auto generic = result_.types.find(param.type.name.text);
    const auto type = generic != result_.types.end() ? std::optional(generic->second)
                                                     : scalar_type_named(param.type.name.text);
    if (!type) {
      a_.report(Code::UnknownType, param.type.range,
                "no type is named '" + param.type.name.text + "'");
      return false;
    }
    const auto expr = stored(a_, written(a_, value), *type, "parameter '" + param.name.text + "'");
    if (!expr) return false;
    result_.scalars[param.name.text] =
        ordinary(kept(param, a_.arena().cast(*expr, evaluation_type(*type)), value));
    return true;
  }

  // The value at the call: what reads tensors goes through one of its own, since the body may
  // overwrite them.
  ExprId kept(const ast::Param& param, ExprId value, ast::ExprId source) {
    bool reads = false;
    for (ExprId id : postorder(a_.arena(), std::span(&value, 1))) {
      reads = reads || a_.arena().get_if<Read>(id) != nullptr ||
              a_.arena().get_if<Reduce>(id) != nullptr;
    }
    if (!reads) return value;
    const ScalarType type = a_.arena().type(value);
    TensorSymbol& symbol = a_.add_tensor(fn_.name.text + "_" + param.name.text, TensorKind::Tmp,
                                         {type, nullptr, {}}, {}, a_.range(source));
    symbol.is_defined = symbol.is_used = true;
    tir::Stage stage;
    stage.where = a_.range(source);
    stage.targets.push_back({symbol.id, 0, {}, value, Bounds::Proved, stage.where});
    a_.block().statements.emplace_back(std::move(stage));
    return a_.arena().read(symbol.id, 0, type, {}, {}, a_.range(source));
  }

  Analysis& a_;
  const ast::FnDecl& fn_;
  const ast::Call& call_;
  SourceRange at_;
  std::vector<ast::ExprId> values_;
  CallArguments result_;
};

}  // namespace

std::optional<CallArguments> call_arguments(Analysis& a, const ast::FnDecl& fn,
                                            const ast::Call& call, SourceRange at) {
  return Matcher(a, fn, call, at).run();
}

bool constant_is_one(const Analysis& a, ExprId extent) {
  return constant_integer(a.fn.arena, extent) == 1;
}

}  // namespace cdsl::sema
