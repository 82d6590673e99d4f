#include "frontend/sema/module.h"

#include <algorithm>

#include "dsl/support/suggest.h"

namespace cdsl::sema {
namespace {

// An array field is part of the program text's idea of a record, not a tensor.
constexpr std::int64_t kMaxFieldElements = 1024;
// Every leaf is a pointer of a kernel where the layout is soa, and a name as long as records nest.
constexpr std::size_t kMaxLeaves = 256, kMaxNestedRecords = 32;

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

template <class Decl>
void declare(std::map<std::string, Declared<Decl>, std::less<>>& table,
             std::map<std::string, SourceRange>& seen, const Decl& decl, const ast::Item& item,
             DiagnosticSink& sink) {
  const auto [first, is_new] = seen.try_emplace(decl.name.text, decl.name.range);
  if (!is_new) {
    sink.report(Code::DuplicateName, decl.name.range, "'" + decl.name.text + "' is declared twice")
        .note(first->second, "first declared here");
    return;
  }
  table.emplace(decl.name.text, Declared<Decl>{&decl, &item});
}

template <class Table>
void append_names(const Table& table, std::vector<std::string_view>& names) {
  for (const auto& entry : table) names.push_back(entry.first);
}

}  // namespace

const FieldInfo* StructInfo::find(std::string_view field) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const FieldInfo& info) { return info.name == field; });
  return found == fields.end() ? nullptr : &*found;
}

Module::Module(const ast::Program& program, DiagnosticSink& sink) {
  std::map<std::string, SourceRange> callables, values;
  for (const ast::Item& item : program.items) {
    if (const auto* fn = std::get_if<ast::FnDecl>(&item.node)) {
      declare(fns_, callables, *fn, item, sink);
    } else if (const auto* def = std::get_if<ast::DefDecl>(&item.node)) {
      declare(defs_, callables, *def, item, sink);
    } else if (const auto* reducer = std::get_if<ast::ReducerDecl>(&item.node)) {
      declare(reducers_, callables, *reducer, item, sink);
    } else if (const auto* structure = std::get_if<ast::StructDecl>(&item.node)) {
      declare(struct_decls_, callables, *structure, item, sink);
    } else if (const auto* constant = std::get_if<ast::ConstDecl>(&item.node)) {
      declare(constants_, values, *constant, item, sink);
    } else if (const auto* schedule = std::get_if<ast::ScheduleDecl>(&item.node)) {
      schedules_[schedule->fn.text].push_back(&item);
    } else if (const auto* expect = std::get_if<ast::ExpectDecl>(&item.node)) {
      schedules_[expect->fn.text].push_back(&item);
    }
  }
  lay_out_structs(program, sink);
}

const StructInfo* Module::structure(std::string_view name) const {
  const auto found = structs_.find(name);
  return found == structs_.end() ? nullptr : found->second.get();
}

const std::vector<const ast::Item*>& Module::schedules(std::string_view fn) const {
  static const std::vector<const ast::Item*> none;
  const auto found = schedules_.find(fn);
  return found == schedules_.end() ? none : found->second;
}

void Module::lay_out_structs(const ast::Program& program, DiagnosticSink& sink) {
  std::vector<std::string> path;
  for (const auto& [name, decl] : struct_decls_) lay_out(program, decl, path, sink);
}

bool Module::lay_out(const ast::Program& program, const Declared<ast::StructDecl>& declared,
                     std::vector<std::string>& path, DiagnosticSink& sink) {
  const ast::StructDecl& decl = *declared.decl;
  if (structs_.contains(decl.name.text)) return true;
  if (unusable_.contains(decl.name.text)) return false;
  if (std::find(path.begin(), path.end(), decl.name.text) != path.end()) {
    sink.report(Code::RecursiveDefinition, decl.name.range,
                "struct '" + decl.name.text + "' contains itself");
    return false;
  }
  if (path.size() >= kMaxNestedRecords) {
    sink.report(Code::RecordLimit, decl.name.range,
                "records nest more than " + std::to_string(kMaxNestedRecords) + " deep");
    unusable_.insert(decl.name.text);
    return false;
  }
  path.push_back(decl.name.text);
  auto info = std::make_unique<StructInfo>();
  info->name = info->record.name = decl.name.text;
  info->where = decl.name.range;
  bool good = true;
  for (const ast::FieldDecl& field : decl.fields) {
    good = add_field(program, field, *info, path, sink) && good;
    if (info->record.leaves.size() > kMaxLeaves) {
      sink.report(Code::RecordLimit, field.name.range,
                  "struct '" + decl.name.text + "' has more than " + std::to_string(kMaxLeaves) +
                      " fields, those of the records in it included");
      good = false;
      break;
    }
  }
  path.pop_back();
  RecordType& record = info->record;
  record.size = round_up(record.size, record.alignment);
  if (decl.fields.empty()) {
    sink.report(Code::RecordFields, decl.name.range,
                "struct '" + decl.name.text + "' has no fields");
    good = false;
  }
  if (good)
    structs_.emplace(decl.name.text, std::move(info));
  else
    unusable_.insert(decl.name.text);
  return good;
}

bool Module::add_field(const ast::Program& program, const ast::FieldDecl& field, StructInfo& info,
                       std::vector<std::string>& path, DiagnosticSink& sink) {
  RecordType& record = info.record;
  FieldInfo added{
      field.name.text, {}, static_cast<std::uint32_t>(record.leaves.size()), 1, field.name.range};
  if (const FieldInfo* first = info.find(field.name.text)) {
    sink.report(Code::DuplicateName, field.name.range,
                "field '" + field.name.text + "' is declared twice")
        .note(first->where, "first declared here");
    return false;
  }
  std::int64_t count = 1;
  for (const ast::Extent& extent : field.type.shape) {
    const auto* literal = program.exprs.get_if<ast::IntLiteral>(extent.value);
    const std::int64_t size = literal == nullptr ? 0 : static_cast<std::int64_t>(literal->lo);
    if (literal == nullptr || literal->hi != 0 || size < 1 || size > kMaxFieldElements ||
        (count *= size) > kMaxFieldElements) {
      const bool large = literal != nullptr && (literal->hi != 0 || literal->lo != 0);
      sink.report(large ? Code::ArrayLimit : Code::NotConstant, extent.range,
                  large ? "an array field holds at most 1024 elements"
                        : "the extent of an array field is a literal of at least 1");
      return false;
    }
    added.type.extents.push_back(size);
  }
  const std::string& type = field.type.name.text;
  if (const auto scalar = scalar_type_named(type)) {
    added.type.scalar = *scalar;
    const std::int64_t unit = size_of(*scalar);
    const std::int64_t offset = round_up(record.size, unit);
    record.leaves.push_back({field.name.text, *scalar, added.type.extents, offset});
    record.size = offset + unit * count;
    record.alignment = std::max(record.alignment, unit);
    info.fields.push_back(std::move(added));
    return true;
  }
  const auto nested = find(struct_decls_, type);
  if (!nested) {
    std::vector<std::string_view> known = types();
    sink.report(Code::UnknownType, field.type.name.range,
                "no type is named '" + type + "'" + did_you_mean(type, known));
    return false;
  }
  if (!added.type.extents.empty()) {
    sink.report(Code::BadExtent, field.type.range, "array fields hold scalars, not records");
    return false;
  }
  if (!lay_out(program, nested, path, sink)) return false;
  const StructInfo& inner = *structs_.find(type)->second;
  added.type.record = &inner;
  added.leaf_count = static_cast<std::uint32_t>(inner.record.leaves.size());
  const std::int64_t base = round_up(record.size, inner.record.alignment);
  for (Leaf leaf : inner.record.leaves) {
    leaf.path = field.name.text + "." + leaf.path;
    leaf.offset += base;
    record.leaves.push_back(std::move(leaf));
  }
  record.size = base + inner.record.size;
  record.alignment = std::max(record.alignment, inner.record.alignment);
  info.fields.push_back(std::move(added));
  return true;
}

std::vector<std::string_view> Module::callables() const {
  std::vector<std::string_view> names;
  append_names(fns_, names);
  append_names(defs_, names);
  append_names(struct_decls_, names);
  return names;
}

std::vector<std::string_view> Module::types() const {
  std::vector<std::string_view> names;
  for (int k = 0; k < kScalarTypeCount; ++k) names.push_back(name_of(static_cast<ScalarType>(k)));
  append_names(struct_decls_, names);
  return names;
}

std::vector<std::string_view> Module::constants() const {
  std::vector<std::string_view> names;
  append_names(constants_, names);
  return names;
}

}  // namespace cdsl::sema
