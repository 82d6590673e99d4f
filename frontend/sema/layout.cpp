#include "frontend/sema/layout.h"

#include "dsl/expr/integer.h"
#include "dsl/support/suggest.h"
#include "frontend/sema/expression.h"
#include "frontend/sema/signature.h"

namespace cdsl::sema {
namespace {

constexpr std::int64_t kMaxWidth = 4096;

// Leaves of each group; fields that are not named form one last group.
std::optional<std::vector<std::vector<std::uint32_t>>> split_groups(Analysis& a,
                                                                    const ast::Layout& layout,
                                                                    const StructInfo& type) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<bool> named(type.fields.size(), false);
  const auto add = [&](const FieldInfo& info) {
    for (std::uint32_t k = 0; k < info.leaf_count; ++k)
      groups.back().push_back(info.first_leaf + k);
  };
  for (const auto& group : layout.groups) {
    groups.emplace_back();
    for (const ast::Name& name : group) {
      const FieldInfo* info = type.find(name.text);
      if (info == nullptr) {
        std::vector<std::string_view> names;
        for (const FieldInfo& field : type.fields) names.push_back(field.name);
        a.report(Code::UnknownField, name.range,
                 type.name + " has no field '" + name.text + "'" + did_you_mean(name.text, names));
        return std::nullopt;
      }
      const auto k = static_cast<std::size_t>(info - type.fields.data());
      if (named[k]) {
        a.report(Code::BadLayout, name.range, "field '" + name.text + "' is in two groups");
        return std::nullopt;
      }
      named[k] = true;
      add(*info);
    }
  }
  groups.emplace_back();
  for (std::size_t k = 0; k < named.size(); ++k) {
    if (!named[k]) add(type.fields[k]);
  }
  if (groups.back().empty()) groups.pop_back();
  return groups;
}

}  // namespace

std::optional<Layout> resolve_layout(Analysis& a, const ast::Layout& layout,
                                     const StructInfo& type) {
  Layout result;
  switch (layout.kind) {
    case ast::LayoutKind::Aos: result.kind = Layout::Kind::Aos; break;
    case ast::LayoutKind::Soa: result.kind = Layout::Kind::Soa; break;
    case ast::LayoutKind::Auto: result.kind = Layout::Kind::Auto; break;
    case ast::LayoutKind::Aosoa: {
      const auto width = evaluate_size(a, layout.width, "the width of aosoa");
      const auto known = width ? constant_integer(a.arena(), *width) : std::nullopt;
      if (!width) return std::nullopt;
      if (!known || *known < 1 || *known > kMaxWidth) {
        a.report(Code::NotConstant, a.range(layout.width),
                 "the width of aosoa is a constant from 1 to 4096");
        return std::nullopt;
      }
      result.kind = Layout::Kind::Aosoa;
      result.width = *known;
      break;
    }
    case ast::LayoutKind::Split: {
      auto groups = split_groups(a, layout, type);
      if (!groups) return std::nullopt;
      result.kind = Layout::Kind::Split;
      result.groups = std::move(*groups);
      break;
    }
  }
  return result;
}

void apply_layout(Analysis& a, const ast::TypeExpr& type, TensorSymbol& symbol, bool is_input) {
  tir::Tensor& tensor = a.fn.tensor(symbol.id);
  if (type.layout) {
    if (symbol.element.record == nullptr) {
      a.report(Code::BadLayout, type.layout->range, "layouts belong to tensors of records");
    } else if (const auto layout = resolve_layout(a, *type.layout, *symbol.element.record)) {
      tensor.layout = *layout;
    }
  }
  if (type.strided && !is_input) {
    a.report(Code::BadLayout, type.range, "only inputs are strided");
  } else if (type.strided) {
    tensor.order = tir::Order::Strided;
  }
  if (type.col_major) tensor.order = tir::Order::ColMajor;
}

}  // namespace cdsl::sema
