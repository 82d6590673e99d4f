#include "passes/lower/memory.h"

#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::lowering {
namespace {

ExprId product(ExprArena& arena, const std::vector<ExprId>& factors) {
  ExprId result = arena.integer(1);
  for (ExprId factor : factors) result = index_mul(arena, result, factor);
  return result;
}

}  // namespace

std::string identifier(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    const bool word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!word) c = '_';
  }
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "_" + name : name;
}

ScalarType accumulation_type(ScalarType type) {
  switch (type) {
    case ScalarType::I8:
    case ScalarType::I16: return ScalarType::I32;
    case ScalarType::Bool:
    case ScalarType::U8:
    case ScalarType::U16: return ScalarType::U32;
    default: return evaluation_type(type);
  }
}

Memory::Memory(const tir::Function& function, loop::Program& program)
    : function_(function), program_(program) {
  for (std::size_t k = 0; k < program.arena.symbol_count(); ++k) {
    const SymbolInfo& symbol = program.arena.symbol(SymbolId(k));
    if (symbol.kind == SymbolKind::Size || symbol.kind == SymbolKind::Scalar)
      names_.insert(symbol.name);
  }
  for (std::size_t k = 0; k < function.tensors.size(); ++k) tensors_.push_back(store(TensorId(k)));
  for (const tir::Parameter& parameter : function.parameters) {
    if (const auto* tensor = std::get_if<TensorId>(&parameter.what)) add_parameter_buffers(*tensor);
  }
}

// An identifier that no other buffer or parameter has.
std::string Memory::unique(const std::string& wish) {
  const std::string base = identifier(wish);
  std::string name = base;
  for (int k = 2; registers_.contains(name) || !names_.insert(name).second; ++k)
    name = base + "_" + std::to_string(k);
  return name;
}

SymbolId Memory::add_symbol(const std::string& name) {
  return program_.arena.add_symbol(unique(name), SymbolKind::Size);
}

// `p_x` for a part that holds one leaf, else a number.
void Memory::name_parts(const std::string& name, const RecordType& element, Storage& storage) {
  for (std::size_t part = 0; part < storage.parts.size(); ++part) {
    std::string suffix;
    if (storage.parts.size() > 1) suffix = "_" + std::to_string(part);
    if (storage.parts.size() > 1 && storage.parts[part].element.leaves.size() == 1) {
      const auto& leaf_of = storage.parts[part].leaf_of;
      const auto held = std::find_if(leaf_of.begin(), leaf_of.end(),
                                     [](uint32_t k) { return k != LayoutPart::kAbsent; });
      suffix = "_" + element.leaves[static_cast<std::size_t>(held - leaf_of.begin())].path;
    }
    storage.names.push_back(unique(name + suffix));
  }
}

Storage Memory::store(TensorId id) {
  const tir::Tensor& tensor = function_.tensor(id);
  Storage storage;
  if (tensor.is_constant) storage.constant = id;
  storage.parts = parts_of(function_.element(id), decided(tensor.layout));
  name_parts(tensor.name, function_.element(id), storage);
  storage.buffers.assign(storage.parts.size(), kNoBuffer);
  storage.extents = tensor.shape;
  storage.count = product(arena(), storage.extents);
  storage.order = tensor.order;
  set_strides(id, storage);
  return storage;
}

// Strides are spelled out only where extents alone don't say them: strided views, and axes whose
// extent may be 1.
void Memory::set_strides(TensorId id, Storage& storage) {
  const tir::Tensor& tensor = function_.tensor(id);
  const std::size_t rank = tensor.shape.size();
  const auto may_be_one = [&](std::size_t axis) {
    return axis < tensor.may_be_one.size() && tensor.may_be_one[axis];
  };
  bool broadcasts = false;
  for (std::size_t axis = 0; axis < rank; ++axis) broadcasts |= may_be_one(axis);
  if (tensor.order != tir::Order::Strided && !broadcasts) return;

  ExprArena& arena = program_.arena;
  std::vector<ExprId> strides(rank);
  ExprId dense = arena.integer(1);
  for (std::size_t step = 0; step < rank; ++step) {
    const std::size_t axis = tensor.order == tir::Order::ColMajor ? step : rank - 1 - step;
    strides[axis] = dense;
    if (tensor.order == tir::Order::Strided) {
      const SymbolId symbol = add_symbol(tensor.name + "_step_" + std::to_string(axis));
      program_.plan.views.push_back(
          {symbol, plan::ViewSymbol::Kind::Stride, id, static_cast<uint32_t>(axis)});
      strides[axis] = arena.symbol_ref(symbol);
    }
    const ExprId extent =
        may_be_one(axis) ? actual_extent(id, static_cast<uint32_t>(axis)) : tensor.shape[axis];
    if (may_be_one(axis)) {
      const ExprId is_one = arena.apply(Op::Eq, {extent, arena.integer(1)});
      strides[axis] = arena.apply(Op::Select, {is_one, arena.integer(0), strides[axis]});
    }
    dense = index_mul(arena, dense, extent);
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    storage.stride_symbols.push_back(add_symbol(tensor.name + "_stride_" + std::to_string(axis)));
  }
  storage.strides = std::move(strides);
  storage.count = dense;
}

ExprId Memory::actual_extent(TensorId id, uint32_t axis) {
  auto [found, is_new] = extents_.try_emplace({id, axis});
  if (is_new) {
    const std::string name = function_.tensor(id).name + "_extent_" + std::to_string(axis);
    const SymbolId symbol = add_symbol(name);
    program_.plan.views.push_back({symbol, plan::ViewSymbol::Kind::Extent, id, axis});
    found->second = program_.arena.symbol_ref(symbol);
  }
  return found->second;
}

Storage& Memory::shadow(TensorId tensor, bool widened) {
  auto [found, is_new] = shadows_.try_emplace({tensor, widened});
  Storage& storage = found->second;
  if (is_new) {
    RecordType element = function_.element(tensor);
    for (Leaf& leaf : element.leaves) {
      if (widened) leaf.type = accumulation_type(leaf.type);
    }
    lay_out(element);
    storage.parts = parts_of(element, Layout{Layout::Kind::Soa, 0, {}});
    name_parts(function_.tensor(tensor).name + (widened ? "_wide" : "_next"), element, storage);
    storage.buffers.assign(storage.parts.size(), kNoBuffer);
    storage.extents = function_.tensor(tensor).shape;
    storage.count = product(arena(), storage.extents);
  }
  return storage;
}

uint32_t Memory::buffer(Storage& storage, uint32_t part) {
  uint32_t& buffer = storage.buffers[part];
  if (buffer != kNoBuffer) return buffer;
  const LayoutPart& layout = storage.parts[part];
  plan::Buffer made;
  made.name = storage.names[part];
  if (storage.constant.valid()) {
    made.kind = plan::Buffer::Kind::Constant;
    made.contents = constant_bytes(storage.constant);
  }
  ExprId groups = storage.count;
  if (layout.group != 1) {
    groups = index_floordiv(arena(), index_add(arena(), groups, arena().integer(layout.group - 1)),
                            arena().integer(layout.group));
  }
  made.bytes = index_mul(arena(), groups, arena().integer(layout.element.size));
  buffer = static_cast<uint32_t>(program_.plan.buffers.size());
  program_.plan.buffers.push_back(std::move(made));
  return buffer;
}

void Memory::add_parameter_buffers(TensorId id) {
  Storage& storage = of(id);
  for (uint32_t part = 0; part < storage.parts.size(); ++part) {
    plan::Buffer& made = program_.plan.buffers[buffer(storage, part)];
    made.kind = plan::Buffer::Kind::Parameter;
    made.tensor = id;
    made.part = part;
  }
}

uint32_t Memory::add_flag(const std::string& name) {
  return add_workspace(name, scalar_record(ScalarType::U8), arena().integer(1));
}

uint32_t Memory::add_workspace(const std::string& name, const RecordType& element, ExprId count) {
  plan::Buffer buffer;
  buffer.name = unique(name);
  buffer.bytes = index_mul(arena(), count, arena().integer(element.size));
  program_.plan.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(program_.plan.buffers.size() - 1);
}

std::vector<std::byte> Memory::constant_bytes(TensorId id) const {
  const RecordType& element = function_.element(id);
  const std::vector<Value>& values = function_.tensor(id).constants;
  CDSL_CHECK(element.is_scalar(), "a constant array of records: " + function_.tensor(id).name);
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(element.size));
  for (std::size_t k = 0; k < values.size(); ++k) {
    store_element(bytes.data() + k * static_cast<std::size_t>(element.size), element.leaves[0].type,
                  values[k]);
  }
  return bytes;
}

}  // namespace cdsl::lowering
