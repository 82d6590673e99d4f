#include "frontend/sema/constant.h"

#include "dsl/expr/integer.h"
#include "dsl/support/suggest.h"
#include "dsl/types/arithmetic.h"
#include "frontend/sema/expression.h"

namespace cdsl::sema {
namespace {

constexpr std::int64_t kMaxElements = 1 << 20;

// The value of an expression of constants, conversions and operators; nullopt where it has more.
std::optional<Value> fold(const ExprArena& arena, ExprId id) {
  if (const Value* value = arena.constant_value(id)) return *value;
  const auto* node = arena.get_if<Apply>(id);
  if (node == nullptr) return std::nullopt;
  std::vector<Value> args;
  for (ExprId arg : arena.args(id)) {
    const auto value = fold(arena, arg);
    if (!value) return std::nullopt;
    args.push_back(*value);
  }
  const ExprId typed = arena.args(id)[node->op == Op::Select ? 1 : 0];
  if (node->op == Op::Cast) return convert(args[0], arena.type(typed), arena.type(id));
  return cdsl::apply(node->op, arena.type(typed), args);
}

// Evaluated apart from the function that uses it.
struct Apart {
  explicit Apart(Analysis& the_analysis)
      : a(the_analysis),
        scope(the_analysis, true),
        points(the_analysis),
        let_order(the_analysis.let_order),
        kept(the_analysis.points) {
    a.let_order = std::numeric_limits<std::uint32_t>::max();
    a.points = {};
  }
  ~Apart() {
    a.let_order = let_order;
    a.points = kept;
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;

  Analysis& a;
  InScope scope;
  AtPoints points;
  std::uint32_t let_order;
  Context kept;
};

std::optional<std::vector<std::int64_t>> extents_of(Analysis& a, const ast::ConstDecl& decl) {
  std::vector<std::int64_t> extents;
  std::int64_t count = 1;
  for (const ast::Extent& extent : decl.type.shape) {
    const auto value = evaluate_size(a, extent.value, "an extent of a const");
    const auto known = value ? constant_integer(a.arena(), *value) : std::nullopt;
    if (!known || *known < 0) {
      if (value) a.report(Code::NotConstant, extent.range, "an extent of a const is a constant");
      return std::nullopt;
    }
    extents.push_back(*known);
    if (*known > kMaxElements || (count *= std::max<std::int64_t>(*known, 1)) > kMaxElements) {
      a.report(Code::ArrayLimit, extent.range,
               "a const holds at most " + std::to_string(kMaxElements) + " elements");
      return std::nullopt;
    }
  }
  return extents;
}

std::optional<Value> element_value(Analysis& a, const ast::ConstDecl& decl, const Written& x,
                                   ScalarType type) {
  const auto expr = stored(a, x, type, "const '" + decl.name.text + "'");
  if (!expr) return std::nullopt;
  const auto value = fold(a.arena(), *expr);
  if (!value) a.report(Code::NotConstant, x.at, "the value of a const is a constant expression");
  return value;
}

bool fill(Analysis& a, const ast::ConstDecl& decl, TensorSymbol& symbol,
          const std::vector<std::int64_t>& extents) {
  const Operand value = evaluate(a, decl.value);
  if (value.is_poison()) return false;
  const auto* array = value.get<ArrayValue>();
  if (array == nullptr || array->extents != extents) {
    a.report(Code::BadConstArray, a.range(decl.value),
             "the value does not have the declared shape of '" + decl.name.text + "'")
        .note(decl.type.range, "declared here");
    return false;
  }
  for (const Operand& element : array->elements) {
    const auto folded =
        element_value(a, decl, {element, a.range(decl.value)}, symbol.element.scalar);
    if (!folded) return false;
    a.fn.tensor(symbol.id).constants.push_back(*folded);
  }
  return true;
}

// What C and other languages call our types.
std::optional<ScalarType> own_name(std::string_view name) {
  constexpr std::pair<std::string_view, ScalarType> kForeign[] = {
      {"float", ScalarType::F32},     {"double", ScalarType::F64},  {"half", ScalarType::F16},
      {"bfloat16", ScalarType::BF16}, {"int", ScalarType::I32},     {"long", ScalarType::I64},
      {"short", ScalarType::I16},     {"char", ScalarType::I8},     {"unsigned", ScalarType::U32},
      {"complex", ScalarType::C64},   {"float32", ScalarType::F32}, {"float64", ScalarType::F64},
      {"int32", ScalarType::I32},     {"int64", ScalarType::I64},   {"uint8", ScalarType::U8}};
  for (const auto& [foreign, type] : kForeign) {
    if (foreign == name) return type;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ElementType> resolve_type(Analysis& a, const ast::Name& name) {
  if (const auto generic = a.types.find(name.text); generic != a.types.end()) {
    return ElementType{generic->second, nullptr, {}};
  }
  if (const StructInfo* structure = a.module.structure(name.text)) {
    return ElementType{ScalarType::F32, structure, {}};
  }
  if (const auto scalar = scalar_type_named(name.text)) return ElementType{*scalar, nullptr, {}};
  std::vector<std::string_view> names = a.module.types();
  for (const auto& [generic, type] : a.types) names.push_back(generic);
  if (const auto own = own_name(name.text)) {
    a.report(
         Code::UnknownType, name.range,
         "no type is named '" + name.text + "', did you mean '" + std::string(name_of(*own)) + "'?")
        .fix(name.range, std::string(name_of(*own)));
    return std::nullopt;
  }
  auto& error = a.report(Code::UnknownType, name.range,
                         "no type is named '" + name.text + "'" + did_you_mean(name.text, names));
  if (const auto near = nearest(name.text, names)) error.fix(name.range, *near);
  return std::nullopt;
}

TensorSymbol* constant_tensor(Analysis& a, const ast::ConstDecl& decl) {
  if (!decl.type.has_shape || decl.type.shape.empty()) return nullptr;
  if (const auto found = a.constants.find(decl.name.text); found != a.constants.end())
    return found->second;
  a.constants.emplace(decl.name.text,
                      nullptr);  // while it is evaluated: one that needs itself is an error
  const Apart apart(a);
  const auto element = resolve_type(a, decl.type.name);
  const auto extents = extents_of(a, decl);
  if (!element || !extents) return nullptr;
  if (element->record != nullptr) {
    a.report(Code::BadConstArray, decl.type.range, "a const holds scalars");
    return nullptr;
  }
  std::vector<ExprId> shape;
  for (const std::int64_t extent : *extents) shape.push_back(a.arena().integer(extent));
  TensorSymbol& symbol =
      a.add_tensor(decl.name.text, TensorKind::Constant, *element, shape, decl.name.range);
  symbol.is_defined = true;
  a.fn.tensor(symbol.id).is_constant = true;
  symbol.is_poisoned = !fill(a, decl, symbol, *extents);
  a.constants[decl.name.text] = &symbol;
  return &symbol;
}

Operand constant_value(Analysis& a, const ast::ConstDecl& decl, SourceRange at) {
  if (decl.type.has_shape && !decl.type.shape.empty()) {
    TensorSymbol* symbol = constant_tensor(a, decl);
    return symbol != nullptr ? Operand(WholeTensor{symbol}) : Operand();
  }
  if (a.constants.contains(decl.name.text)) {
    a.report(Code::RecursiveDefinition, at, "const '" + decl.name.text + "' needs its own value");
    return {};
  }
  a.constants.emplace(decl.name.text, nullptr);
  const Apart apart(a);
  const auto element = resolve_type(a, decl.type.name);
  const Written value = written(a, decl.value);
  a.constants.erase(decl.name.text);
  if (!element || value.value.is_poison()) return {};
  if (element->record != nullptr) {
    a.report(Code::BadConstArray, decl.type.range, "a const holds scalars");
    return {};
  }
  const ScalarType type = element->scalar;
  const auto folded = element_value(a, decl, value, type);
  if (!folded) return {};
  const ScalarType wide = evaluation_type(type);
  const ExprId expr = a.arena().constant(wide, convert(*folded, type, wide));
  const Nature nature = is_integer(type) ? Nature::Size : Nature::Ordinary;
  if (nature == Nature::Size && type == ScalarType::I64) return with_nature(expr, nature);
  return ordinary(expr);
}

}  // namespace cdsl::sema
