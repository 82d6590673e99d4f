#include "codegen/launcher_context.h"

#include <fmt/format.h>
#include <algorithm>
#include <tuple>

#include "codegen/types.h"
#include "dsl/expr/print.h"
#include "dsl/plan/variants.h"

namespace cdsl::cuda {
namespace {

const char* role_text(tir::Role role) {
  switch (role) {
    case tir::Role::Input: return "";
    case tir::Role::InOut: return ", read and written";
    case tir::Role::Output: return ", written";
    case tir::Role::Temporary: return "";
  }
  return "";
}

}  // namespace

LauncherContext::LauncherContext(Module& m)
    : module(m), function(m.function), plan(m.program.plan), facts_(m.program.plan.arena) {
  function_name = m.names.declare("launch_" + function.name);
  struct_name = m.names.declare(function.name + "_args");
  workspace_name = m.names.declare(function.name + "_workspace_bytes");
  sites_name = m.names.declare(function.name + "_sites");
  if (m.options.library) reports_name = m.names.declare(function.name + "_reports");
  names = m.names;
  buffers.resize(plan.buffers.size());
  pointer_types.resize(plan.buffers.size());
  display_names.resize(plan.buffers.size());
  scalar_types.resize(plan.buffers.size(), ScalarType::U8);
  alignments.resize(plan.buffers.size(), 1);
  ranges.resize(plan.buffers.size(), -1);
  for (const plan::Variant& variant : plan.variants) {
    plan::for_each_launch(variant.steps,
                          [this](const plan::Launch& launch) { note_types(launch); });
  }

  Scopes members(&m.names);  // a member may not have the name of a type that the struct names
  for (const tir::Parameter& parameter : function.parameters) {
    if (const auto* tensor = std::get_if<TensorId>(&parameter.what)) {
      add_tensor(*tensor, members);
    } else {
      add_scalar(function.scalars[std::get<uint32_t>(parameter.what)], members);
    }
  }
  add_sizes(members);
  if (!module.program.sites.empty()) {
    fields.push_back({"cdsl_report*", members.declare("reports") + " = nullptr",
                      fmt::format("{} records, zeroed, or null", module.program.sites.size())});
  }
  names.push();
  for (const char* taken :
       {"args", "workspace", "stream", "why", "ranges", "unused", "blocks", "error"})
    names.declare(taken);
  name_other_buffers();
}

// The element type of memory is known from the kernels that use it.
void LauncherContext::note_types(const plan::Launch& launch) {
  std::size_t k = 0;
  for (const BufferId id : module.program.kernels[launch.kernel].buffers) {
    const loop::Buffer& buffer = module.program.buffer(id);
    if (buffer.space != loop::Space::Global) continue;
    const auto* ref = std::get_if<plan::BufferRef>(&launch.arguments[k++].value);
    if (ref == nullptr) continue;
    pointer_types[ref->buffer] = module.records.spelled(buffer.element);
    scalar_types[ref->buffer] = buffer.element.leaves[0].type;
    alignments[ref->buffer] = std::max(alignments[ref->buffer], buffer.element.alignment);
  }
  constexpr int64_t kMapAlignment = 16;
  for (const uint32_t index : module.program.kernels[launch.kernel].maps) {
    const loop::TensorMap& map = module.program.maps[index];
    alignments[map.buffer] = std::max(alignments[map.buffer], kMapAlignment);
    if (!pointer_types[map.buffer].empty()) continue;
    module.prelude.use_type(map.type);
    pointer_types[map.buffer] = cuda_type(map.type);
    scalar_types[map.buffer] = map.type;
  }
}

std::string LauncherContext::shape_text(const tir::Tensor& tensor, const std::string& type) {
  std::string out = type + "[";
  const ExprNames plain;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const bool may_be_one = axis < tensor.may_be_one.size() && tensor.may_be_one[axis];
    out += (axis == 0 ? "" : ", ") + std::string(may_be_one ? "1|" : "") +
           to_string(function.arena, tensor.shape[axis], plain);
  }
  return out + "]";
}

void LauncherContext::add_tensor(TensorId id, Scopes& members) {
  const tir::Tensor& tensor = function.tensor(id);
  if (tensor.is_constant) return;
  const std::vector<LayoutPart> parts = parts_of(function.element(id), decided(tensor.layout));
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const plan::Buffer& buffer = plan.buffers[b];
    if (buffer.kind != plan::Buffer::Kind::Parameter || buffer.tensor != id) continue;
    const RecordType& element = parts[buffer.part].element;
    for (const Leaf& leaf : element.leaves) module.prelude.use_type(leaf.type);
    const std::string type = module.records.spelled(element);
    pointer_types[b] = type;
    alignments[b] = element.alignment;
    std::string wanted = tensor.name;
    if (parts.size() > 1) {  // the part is called by the field that it holds, if it is one
      const auto& leaves = function.element(id).leaves;
      std::size_t first = 0;
      while (first + 1 < leaves.size() && parts[buffer.part].leaf_of[first] == LayoutPart::kAbsent)
        ++first;
      wanted += element.leaves.size() == 1 ? "_" + leaves[first].path
                                           : fmt::format("_part{}", buffer.part);
    }
    const std::string name = members.declare(wanted);
    const bool strided = tensor.order == tir::Order::Strided;
    fields.push_back({(tensor.role == tir::Role::Input ? "const " : "") + type + "*", name,
                      shape_text(tensor, std::string(function.element(id).is_scalar()
                                                         ? name_of(element.leaves[0].type)
                                                         : std::string_view(type))) +
                          (strided ? ", strided" : "") + role_text(tensor.role)});
    buffers[b] = "args." + name;
    display_names[b] = wanted;
  }
}

void LauncherContext::add_scalar(const tir::ScalarParameter& scalar, Scopes& members) {
  const SymbolInfo& info = function.arena.symbol(scalar.symbol);
  const std::string name = members.declare(info.name);
  module.prelude.use_type(info.type);
  fields.push_back(
      {std::string(cuda_type(info.type)), name,
       scalar.declared == info.type ? "" : fmt::format("a value of {}", name_of(scalar.declared))});
  spellings.symbols[scalar.symbol.index()] = "args." + name;
}

void LauncherContext::add_sizes(Scopes& members) {
  for (const tir::Size& size : function.sizes) {
    const std::string name = members.declare(function.arena.symbol(size.symbol).name);
    fields.push_back({"long long", name, size.known ? fmt::format("must be {}", *size.known) : ""});
    spellings.symbols[size.symbol.index()] = "args." + name;
  }
  std::vector<plan::ViewSymbol> views = plan.views;
  std::sort(views.begin(), views.end(), [](const plan::ViewSymbol& a, const plan::ViewSymbol& b) {
    return std::tie(a.tensor, a.axis, a.kind) < std::tie(b.tensor, b.axis, b.kind);
  });
  for (const plan::ViewSymbol& view : views) {
    const std::string name = members.declare(plan.arena.symbol(view.symbol).name);
    const bool stride = view.kind == plan::ViewSymbol::Kind::Stride;
    fields.push_back(
        {"long long", name,
         fmt::format("{} of axis {} of {}{}", stride ? "stride" : "extent", view.axis,
                     function.tensor(view.tensor).name, stride ? ", in elements" : "")});
    spellings.symbols[view.symbol.index()] = "args." + name;
  }
}

void LauncherContext::name_other_buffers() {
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    if (plan.buffers[b].kind != plan::Buffer::Kind::Parameter)
      buffers[b] = names.declare(plan.buffers[b].name);
    if (pointer_types[b].empty()) pointer_types[b] = "unsigned char";
  }
}

std::string LauncherContext::expression(ExprId id, Use use) {
  const Spellings& on_host = spellings;
  static const std::vector<loop::Buffer> no_buffers;
  ExpressionPrinter printer(
      {plan.arena, no_buffers, on_host, module.records, module.prelude, facts_, false, true});
  use.address = true;
  return printer.print(id, use);
}

}  // namespace cdsl::cuda
