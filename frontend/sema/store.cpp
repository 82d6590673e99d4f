#include "frontend/sema/store.h"

#include "frontend/sema/record.h"

namespace cdsl::sema {
namespace {

struct Element {
  TensorId tensor;
  const std::vector<ExprId>& subscripts;
  Bounds bounds;
  SourceRange where;
};

bool store_scalar(Analysis& a, const Element& element, std::uint32_t leaf,
                  const std::vector<ExprId>& within, const Written& value, ScalarType type,
                  std::vector<tir::Target>& targets) {
  const std::string place = "'" + a.tensor_name(element.tensor) + "'";
  const auto expr = stored(a, value, type, place);
  if (!expr) return false;
  std::vector<ExprId> subscripts = element.subscripts;
  subscripts.insert(subscripts.end(), within.begin(), within.end());
  targets.push_back(
      {element.tensor, leaf, std::move(subscripts), *expr, element.bounds, element.where});
  return true;
}

bool store_array(Analysis& a, const Element& element, std::uint32_t leaf, const Written& value,
                 const ElementType& type, std::vector<tir::Target>& targets) {
  std::int64_t count = 1;
  for (const std::int64_t extent : type.extents) count *= extent;
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::vector<ExprId> within(type.extents.size());
    std::int64_t rest = flat;
    for (std::size_t k = type.extents.size(); k-- > 0; rest /= type.extents[k]) {
      within[k] = a.arena().integer(rest % type.extents[k]);
    }
    const Written part{array_element(a, value.value, flat), value.at};
    if (!store_scalar(a, element, leaf, within, part, type.scalar, targets)) return false;
  }
  return true;
}

bool store_record(Analysis& a, const Element& element, std::uint32_t leaf, const Written& value,
                  const StructInfo& type, std::vector<tir::Target>& targets) {
  for (std::size_t k = 0; k < type.fields.size(); ++k) {
    const FieldInfo& info = type.fields[k];
    const Written part{field(a, value.value, k), value.at};
    const std::uint32_t at = leaf + info.first_leaf;
    bool good = false;
    if (info.type.record != nullptr) {
      good = store_record(a, element, at, part, *info.type.record, targets);
    } else if (!info.type.extents.empty()) {
      good = store_array(a, element, at, part, info.type, targets);
    } else {
      good = store_scalar(a, element, at, {}, part, info.type.scalar, targets);
    }
    if (!good) return false;
  }
  return true;
}

}  // namespace

std::optional<ElementType> element_of(Analysis& a, Written& value) {
  if (value.value.is_poison()) return std::nullopt;
  if (const StructInfo* type = record_type(value.value))
    return ElementType{ScalarType::F32, type, {}};
  const auto scalar = typed(a, value);
  if (!scalar) return std::nullopt;
  value.value = *scalar;
  return ElementType{a.arena().type(scalar->expr), nullptr, {}};
}

bool append_stores(Analysis& a, const TensorSymbol& symbol, const std::vector<ExprId>& subscripts,
                   Bounds bounds, const Written& value, SourceRange where,
                   std::vector<tir::Target>& targets) {
  if (value.value.is_poison()) return false;
  const Element element{symbol.id, subscripts, bounds, where};
  const StructInfo* type = symbol.element.record;
  if (type == nullptr)
    return store_scalar(a, element, 0, {}, value, symbol.element.scalar, targets);
  if (record_type(value.value) != type) {
    a.report(
        Code::TypeMismatch, value.at,
        "'" + symbol.name + "' holds " + type->name + ", the value is " + describe(a, value.value));
    return false;
  }
  return store_record(a, element, 0, value, *type, targets);
}

}  // namespace cdsl::sema
