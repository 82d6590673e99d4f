#include "frontend/sema/record.h"

#include <algorithm>
#include <array>

#include "dsl/support/suggest.h"
#include "frontend/sema/operators.h"

namespace cdsl::sema {
namespace {

std::int64_t count_of(const std::vector<std::int64_t>& extents) {
  std::int64_t count = 1;
  for (std::int64_t extent : extents) count *= extent;
  return count;
}

const std::vector<std::int64_t>* array_extents(const Operand& x) {
  if (const auto* array = x.get<ArrayValue>()) return &array->extents;
  const auto* place = x.get<Place>();
  return place != nullptr && !place->type.extents.empty() ? &place->type.extents : nullptr;
}

void unknown_field(Analysis& a, const StructInfo& type, const ast::Name& name) {
  std::vector<std::string_view> names;
  for (const FieldInfo& info : type.fields) names.push_back(info.name);
  auto& error =
      a.report(Code::UnknownField, name.range,
               type.name + " has no field '" + name.text + "'" + did_you_mean(name.text, names));
  if (const auto near = nearest(name.text, names)) error.fix(name.range, *near);
  error.note(type.where, "the struct is declared here");
}

// A field keeps its storage type through an `if` of whole records.
Operand choose_field(Analysis& a, ExprId condition, const Written& x, const Written& y,
                     SourceRange where) {
  Operand result = choose(a, condition, x, y, where);
  const Scalar *p = x.value.scalar(), *q = y.value.scalar();
  auto* scalar = std::get_if<Scalar>(&result.node);
  if (scalar == nullptr || p == nullptr || q == nullptr || !p->stored.valid() || !q->stored.valid())
    return result;
  const ScalarType type = a.arena().type(p->stored);
  if (type == a.arena().type(q->stored)) scalar->stored = a.arena().cast(scalar->expr, type);
  return result;
}

}  // namespace

const StructInfo* record_type(const Operand& x) {
  if (const auto* record = x.get<RecordValue>()) return record->type;
  const auto* place = x.get<Place>();
  return place != nullptr ? place->type.record : nullptr;
}

bool is_record(const Operand& x) {
  return record_type(x) != nullptr;
}

Operand loaded(Analysis& a, Place place) {
  if (place.type.record != nullptr || !place.type.extents.empty()) return place;
  ExprArena& arena = a.arena();
  const ScalarType type = place.type.scalar;
  std::vector<AxisRule> rules = place.rules;
  for (std::size_t axis = 0; axis < place.fills.size(); ++axis) {
    const Scalar* fill = place.fills[axis].scalar();
    if (fill != nullptr) rules[axis].fill = fill->stored.valid() ? fill->stored : fill->expr;
  }
  for (AxisRule& rule : rules) {
    if (rule.boundary == Boundary::Fill && arena.type(rule.fill) != type)
      rule.fill = arena.cast(rule.fill, type);
  }
  const ExprId read =
      arena.read(place.tensor, place.leaf, type, place.subscripts, rules, place.where);
  if (!is_storage_only(type)) return Scalar{read, Nature::Ordinary, {}, true, {}};
  return Scalar{arena.cast(read, evaluation_type(type)), Nature::Ordinary, read, true, {}};
}

Operand field(Analysis& a, const Operand& record, std::size_t index) {
  if (const auto* value = record.get<RecordValue>()) return value->fields[index];
  Place place = *record.get<Place>();
  const FieldInfo& info = place.type.record->fields[index];
  place.leaf += info.first_leaf;
  place.type = info.type;
  for (Operand& fill : place.fills) {
    if (is_record(fill)) fill = field(a, fill, index);
  }
  return loaded(a, std::move(place));
}

Operand field_named(Analysis& a, Written base, const ast::Name& name) {
  if (base.value.is_poison()) return {};
  if (const StructInfo* type = record_type(base.value)) {
    const FieldInfo* info = type->find(name.text);
    if (info == nullptr) {
      unknown_field(a, *type, name);
      return {};
    }
    return field(a, base.value, static_cast<std::size_t>(info - type->fields.data()));
  }
  const Scalar* scalar = base.value.scalar();
  const bool complex = scalar != nullptr && is_complex(a.arena().type(scalar->expr));
  if (complex && (name.text == "re" || name.text == "im")) {
    return ordinary(a.arena().apply(name.text == "re" ? Op::Real : Op::Imag, {scalar->expr}));
  }
  if (std::holds_alternative<WholeTensor>(base.value.node)) {
    constexpr std::array<std::string_view, 7> kModes = {"zero",      "fill", "clamp",    "reflect",
                                                        "symmetric", "wrap", "unchecked"};
    auto& error =
        a.report(Code::UnknownMode, name.range,
                 "no boundary mode is named '" + name.text + "'" + did_you_mean(name.text, kModes));
    if (const auto near = nearest(name.text, kModes)) error.fix(name.range, *near);
    return {};
  }
  a.report(Code::UnknownField, name.range,
           describe(a, base.value) + " has no field '" + name.text + "'");
  return {};
}

Operand tuple_part(Analysis& a, Written base, std::uint32_t index, SourceRange where) {
  if (base.value.is_poison()) return {};
  const auto* tuple = base.value.get<TupleValue>();
  if (tuple == nullptr || index >= tuple->parts.size()) {
    a.report(Code::PartOfNoTuple, where,
             describe(a, base.value) + " has no part ." + std::to_string(index));
    return {};
  }
  return tuple->parts[index];
}

Operand array_element(Analysis& a, const Operand& array, std::int64_t flat) {
  if (const auto* value = array.get<ArrayValue>())
    return value->elements[static_cast<std::size_t>(flat)];
  Place place = *array.get<Place>();
  const std::int64_t whole = flat;
  std::vector<ExprId> position;
  for (auto it = place.type.extents.rbegin(); it != place.type.extents.rend(); ++it) {
    position.insert(position.begin(), a.arena().integer(flat % *it));
    flat /= *it;
  }
  AxisRule proved;
  proved.bounds = Bounds::Proved;
  place.subscripts.insert(place.subscripts.end(), position.begin(), position.end());
  place.rules.insert(place.rules.end(), position.size(), proved);
  place.type.extents.clear();
  for (Operand& fill : place.fills) {
    if (!fill.is_poison()) fill = array_element(a, fill, whole);
  }
  return loaded(a, std::move(place));
}

Operand as_field(Analysis& a, Written value, const ElementType& type, const std::string& place) {
  if (value.value.is_poison()) return {};
  if (type.record != nullptr) {
    if (record_type(value.value) == type.record) return value.value;
    a.report(Code::TypeMismatch, value.at,
             place + " is a " + type.record->name + ", the value is " + describe(a, value.value));
    return {};
  }
  if (!type.extents.empty()) {
    const auto* extents = array_extents(value.value);
    if (extents == nullptr || *extents != type.extents) {
      a.report(Code::TypeMismatch, value.at,
               place + " is an array, the value is " + describe(a, value.value));
      return {};
    }
    ElementType element = type;
    element.extents.clear();
    ArrayValue result{type.extents, {}};
    for (std::int64_t k = 0; k < count_of(type.extents); ++k) {
      result.elements.push_back(
          as_field(a, {array_element(a, value.value, k), value.at}, element, place));
      if (result.elements.back().is_poison()) return {};
    }
    return result;
  }
  const auto expr = stored(a, value, type.scalar, place);
  if (!expr) return {};
  if (!is_storage_only(type.scalar)) return ordinary(*expr);
  return Scalar{
      a.arena().cast(*expr, evaluation_type(type.scalar)), Nature::Ordinary, *expr, false, {}};
}

Operand choose_records(Analysis& a, ExprId condition, Written x, Written y, SourceRange where) {
  const StructInfo *p = record_type(x.value), *q = record_type(y.value);
  if (p == nullptr || p != q) {
    a.report(
        Code::BranchTypes, where,
        "branches have different types: " + describe(a, x.value) + " and " + describe(a, y.value));
    return {};
  }
  RecordValue result{p, {}};
  for (std::size_t k = 0; k < p->fields.size(); ++k) {
    const Operand left = field(a, x.value, k), right = field(a, y.value, k);
    const auto* extents = array_extents(left);
    if (extents == nullptr) {
      result.fields.push_back(choose_field(a, condition, {left, x.at}, {right, y.at}, where));
      continue;
    }
    ArrayValue array{*extents, {}};
    for (std::int64_t e = 0; e < count_of(array.extents); ++e) {
      array.elements.push_back(choose_field(a, condition, {array_element(a, left, e), x.at},
                                            {array_element(a, right, e), y.at}, where));
    }
    result.fields.push_back(std::move(array));
  }
  return result;
}

Operand construct(Analysis& a, const StructInfo& type, std::vector<FieldValue> fields,
                  SourceRange where) {
  RecordValue result{&type, std::vector<Operand>(type.fields.size())};
  std::vector<const FieldValue*> given(type.fields.size());
  bool good = true;
  for (const FieldValue& value : fields) {
    const FieldInfo* info = type.find(value.name.text);
    if (info == nullptr) {
      unknown_field(a, type, value.name);
      good = false;
      continue;
    }
    const auto k = static_cast<std::size_t>(info - type.fields.data());
    if (given[k] != nullptr) {
      a.report(Code::RecordFields, value.name.range, "field '" + info->name + "' is given twice")
          .note(given[k]->name.range, "first given here");
      good = false;
      continue;
    }
    given[k] = &value;
    result.fields[k] = as_field(a, value.value, info->type, "field '" + info->name + "'");
    good = good && !result.fields[k].is_poison();
  }
  std::string missing;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (given[k] == nullptr) missing += (missing.empty() ? "'" : ", '") + type.fields[k].name + "'";
  }
  if (!missing.empty()) {
    a.report(Code::RecordFields, where, type.name + " also needs " + missing)
        .note(type.where, "the struct is declared here");
    return {};
  }
  return good ? Operand(std::move(result)) : Operand();
}

Operand with_fields(Analysis& a, Written base, std::vector<FieldValue> fields) {
  if (base.value.is_poison()) return {};
  const StructInfo* type = record_type(base.value);
  if (type == nullptr) {
    a.report(Code::UnknownField, base.at,
             "'with' replaces fields of a record, this is " + describe(a, base.value));
    return {};
  }
  RecordValue result{type, {}};
  for (std::size_t k = 0; k < type->fields.size(); ++k)
    result.fields.push_back(field(a, base.value, k));
  bool good = true;
  for (const FieldValue& value : fields) {
    const FieldInfo* info = type->find(value.name.text);
    if (info == nullptr) {
      unknown_field(a, *type, value.name);
      good = false;
      continue;
    }
    Operand& slot = result.fields[static_cast<std::size_t>(info - type->fields.data())];
    slot = as_field(a, value.value, info->type, "field '" + info->name + "'");
    good = good && !slot.is_poison();
  }
  return good ? Operand(std::move(result)) : Operand();
}

}  // namespace cdsl::sema
