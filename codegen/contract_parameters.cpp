// Parameters: types, shapes, layouts, and the address of every element.
#include <fmt/format.h>

#include "codegen/contract_parts.h"
#include "dsl/expr/print.h"

namespace cdsl::cuda {
namespace {

std::string_view name_of_role(tir::Role role) {
  switch (role) {
    case tir::Role::Input: return "input";
    case tir::Role::InOut: return "inout";
    case tir::Role::Output: return "output";
    case tir::Role::Temporary: return "temporary";
  }
  return "";
}

std::string_view name_of_order(tir::Order order) {
  switch (order) {
    case tir::Order::RowMajor: return "row_major";
    case tir::Order::ColMajor: return "col_major";
    case tir::Order::Strided: return "strided";
  }
  return "";
}

std::string_view name_of_layout(Layout::Kind kind) {
  switch (kind) {
    case Layout::Kind::Aos: return "aos";
    case Layout::Kind::Soa:
    case Layout::Kind::Auto: return "soa";  // what auto stands for on the general path
    case Layout::Kind::Aosoa: return "aosoa";
    case Layout::Kind::Split: return "split";
  }
  return "";
}

// The element number L from the subscripts i0, i1, ...: Horner over the extents, or a sum over
// strides.
std::string element_number(const tir::Function& function, const tir::Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (rank == 0) return "0";
  std::string out;
  if (tensor.order == tir::Order::Strided) {
    for (std::size_t axis = 0; axis < rank; ++axis)
      out += fmt::format("{}i{} * stride{}", axis == 0 ? "" : " + ", axis, axis);
    return out;
  }
  for (std::size_t step = 0; step < rank; ++step) {
    const std::size_t axis = tensor.order == tir::Order::ColMajor ? rank - 1 - step : step;
    const std::string index = fmt::format("i{}", axis);
    if (step == 0) {
      out = index;
      continue;
    }
    const std::string extent = expression_text(function.arena, tensor.shape[axis]);
    out = fmt::format(
        "{} * {} + {}", step == 1 ? out : "(" + out + ")",
        function.arena.get_if<Apply>(tensor.shape[axis]) ? "(" + extent + ")" : extent, index);
  }
  return out;
}

// Where element k of a leaf of element L lies, from the start of its part.
std::string address_text(const LayoutPart& part, const Leaf& leaf) {
  const int64_t size = part.element.size, unit = size_of(leaf.type);
  const std::string offset = leaf.offset == 0 ? "" : fmt::format(" + {}", leaf.offset);
  const bool array = leaf.count() / part.group > 1;
  if (part.group > 1) {
    const std::string inner =
        array ? fmt::format("k * {0} + L % {0}", part.group) : fmt::format("L % {}", part.group);
    return fmt::format("L / {} * {}{} + ({}) * {}", part.group, size, offset, inner, unit);
  }
  return fmt::format("L * {}{}{}", size, offset, array ? fmt::format(" + k * {}", unit) : "");
}

void write_part(const RecordType& element, const LayoutPart& part, std::size_t number,
                JsonWriter& json) {
  for (std::size_t leaf = 0; leaf < element.leaves.size(); ++leaf) {
    if (part.leaf_of[leaf] == LayoutPart::kAbsent) continue;
    const Leaf& placed = part.element.leaves[part.leaf_of[leaf]];
    json.object([&] {
      json.field("field", element.leaves[leaf].path);
      json.field("type", name_of(placed.type));
      json.list("extents", [&] {
        for (const int64_t extent : element.leaves[leaf].extents) json.integer(extent);
      });
      json.field("part", number);
      json.field("byte", address_text(part, placed));
    });
  }
}

void write_tensor(const tir::Function& function, TensorId id, JsonWriter& json) {
  const tir::Tensor& tensor = function.tensor(id);
  const RecordType& element = function.element(id);
  const Layout layout = decided(tensor.layout);
  const std::vector<LayoutPart> parts = parts_of(element, layout);
  json.field("name", tensor.name);
  json.field("kind", "tensor");
  json.field("role", name_of_role(tensor.role));
  json.field("element", element_name(element));
  json.list("shape", [&] {
    for (const ExprId extent : tensor.shape) json.text(expression_text(function.arena, extent));
  });
  json.list("may_be_one", [&] {
    for (std::size_t axis = 0; axis < tensor.may_be_one.size(); ++axis) {
      if (tensor.may_be_one[axis]) json.integer(static_cast<int64_t>(axis));
    }
  });
  json.field("order", name_of_order(tensor.order));
  json.field("layout", name_of_layout(layout.kind));
  // Parts lie one after another, each at a multiple of 256 bytes; L is the number of the element.
  json.field("L", element_number(function, tensor));
  json.list("parts", [&] {
    for (const LayoutPart& part : parts) {
      json.object([&] {
        json.field("bytes_per_element", part.element.size);
        json.field("elements_per_group", part.group);
        json.field("alignment", part.element.alignment);
      });
    }
  });
  json.list("fields", [&] {
    for (std::size_t k = 0; k < parts.size(); ++k) write_part(element, parts[k], k, json);
  });
}

}  // namespace

std::string expression_text(const ExprArena& arena, ExprId id) {
  return to_string(arena, id, {});
}

std::string element_name(const RecordType& element) {
  return element.is_scalar() ? std::string(name_of(element.leaves[0].type)) : element.name;
}

void write_parameters(const tir::Function& function, const plan::Plan& plan, JsonWriter& json) {
  json.list("parameters", [&] {
    for (const tir::Parameter& parameter : function.parameters) {
      json.object([&] {
        if (const auto* tensor = std::get_if<TensorId>(&parameter.what))
          return write_tensor(function, *tensor, json);
        const tir::ScalarParameter& scalar = function.scalars[std::get<uint32_t>(parameter.what)];
        json.field("name", function.arena.symbol(scalar.symbol).name);
        json.field("kind", "scalar");
        json.field("type", name_of(scalar.declared));
        json.field("evaluated_as", name_of(function.arena.symbol(scalar.symbol).type));
      });
    }
  });
  json.list("views", [&] {
    for (const plan::ViewSymbol& view : plan.views) {
      json.object([&] {
        json.field("name", plan.arena.symbol(view.symbol).name);
        json.field("kind", view.kind == plan::ViewSymbol::Kind::Stride ? "stride" : "extent");
        json.field("tensor", function.tensor(view.tensor).name);
        json.field("axis", view.axis);
      });
    }
  });
}

}  // namespace cdsl::cuda
