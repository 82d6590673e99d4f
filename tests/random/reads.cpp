// Reads of tensors: subscripts that are inside by construction, or have a mode.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

Node plus(const std::string& index, int64_t by) {
  if (by == 0) return leaf(index, kIndex);
  return binary(kIndex, kAdd, by < 0 ? "-" : "+", leaf(index, kIndex), leaf(fmt::format("{}", std::abs(by)), kIndex));
}

}  // namespace

std::optional<Node> Generator::read(Scope& scope, Type type) {
  if (type.is_index) return std::nullopt;
  std::vector<std::pair<const Tensor*, const Field*>> fitting;
  for (std::size_t k = 0; k < visible_.size(); ++k) {
    const Tensor& tensor = visible_[k];
    const int copies = k + 3 >= visible_.size() ? 3 : 1;  // what was defined last is read most
    for (int copy = 0; copy < copies; ++copy) {
      if (tensor.is_scalar) continue;
      if (tensor.fields.empty() && evaluation_type(tensor.type) == type.scalar) fitting.emplace_back(&tensor, nullptr);
      for (const Field& field : tensor.fields)
        if (evaluation_type(field.type) == type.scalar) fitting.emplace_back(&tensor, &field);
    }
  }
  if (fitting.empty() || (program_.inputs.size() < 5 && rng_.chance(12))) {
    std::vector<ScalarType> stored = {type.scalar};
    for (ScalarType each : types_)
      if (evaluation_type(each) == type.scalar) stored.push_back(each);
    // Of the shape of some indices, so that bare subscripts are likely.
    std::vector<Extent> extents;
    for (const Index& index : scope.indices)
      if (extents.size() < 4 && rng_.chance(65)) extents.push_back(index.within);
    if (extents.size() > 1 && rng_.chance(25)) std::swap(extents.front(), extents.back());
    if (rng_.chance(8)) extents = shape(0, 3);
    const Tensor made = input(rng_.pick(stored), extents);
    return read_of(scope, made, nullptr);
  }
  const auto [tensor, field] = rng_.pick(fitting);
  const Tensor copy = *tensor;  // a subscript may add tensors
  if (field == nullptr) return read_of(scope, copy, nullptr);
  const Field its = *field;
  return read_of(scope, copy, &its);
}

Node Generator::read_of(Scope& scope, const Tensor& tensor, const Field* field) {
  const ScalarType stored = field != nullptr ? field->type : tensor.type;
  const Type type{evaluation_type(stored)};
  std::vector<Node> subscripts;
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) subscripts.push_back(subscript(scope, tensor.shape[axis], stored, field != nullptr));
  std::string suffix;
  if (field != nullptr) {
    suffix = "." + field->name;
    if (field->extent > 0) suffix += fmt::format("[{}]", rng_.below(field->extent));
  }
  Node node = access(type, tensor.name, std::move(subscripts), suffix);
  if (is_storage_only(stored) && scope.storage != stored) return call(type, "f32", {std::move(node)});
  return node;
}

Node Generator::subscript(Scope& scope, const Extent& extent, ScalarType element, bool is_record) {
  std::vector<Index*> equal;
  for (Index& index : scope.indices)
    if (index.within == extent) equal.push_back(&index);
  const int what = rng_.below(100);
  if (!equal.empty() && what < 78) {
    // The innermost of several is the likeliest.
    Index& index = *equal[rng_.chance(60) ? equal.size() - 1 : static_cast<std::size_t>(rng_.below(static_cast<int>(equal.size())))];
    if (what < 66) {
      index.bare = true;
      return leaf(index.name, kIndex);
    }
    if (what < 72) {
      used("reversed read");
      const std::string size = program_.extent_text(extent);
      const bool compound = size.find(' ') != std::string::npos;
      return leaf(compound ? fmt::format("({}) - 1 - {}", size, index.name) : fmt::format("{} - 1 - {}", size, index.name), kIndex, kAdd);
    }
    used("div mod read");
    return binary(kIndex, kMultiply, "/", leaf(index.name, kIndex), leaf(fmt::format("{}", 2 + rng_.below(3)), kIndex));
  }
  if (extent.size < 0 && rng_.chance(40)) {
    if (scope.indices.empty() || rng_.chance(40)) return leaf(fmt::format("{}", rng_.below(static_cast<int>(extent.b))), kIndex);
    used("div mod read");
    return binary(kIndex, kMultiply, "%", leaf(rng_.pick(scope.indices).name, kIndex), leaf(fmt::format("{}", extent.b), kIndex));
  }
  return moded(scope, element, is_record);
}

std::optional<Node> Generator::gathered(Scope& scope) {
  std::vector<Extent> extents;
  for (const Index& index : scope.indices)
    if (rng_.chance(50) && extents.size() < 2) extents.push_back(index.within);
  const ScalarType type = rng_.of({ScalarType::I32, ScalarType::I32, ScalarType::I64, ScalarType::U8, ScalarType::I16});
  const Tensor places = input(type, extents);
  if (places.is_scalar) return leaf(places.name, {type});
  std::vector<Node> subscripts;
  for (const Extent& each : places.shape) {
    for (Index& index : scope.indices) {
      if (!(index.within == each)) continue;
      index.bare = true;
      subscripts.push_back(leaf(index.name, kIndex));
      break;
    }
  }
  used("gather");
  return access({type}, places.name, std::move(subscripts));
}

Node Generator::moded(Scope& scope, ScalarType element, bool is_record) {
  Node at;
  if (scope.indices.empty()) {
    at = leaf(fmt::format("{}", rng_.below(4)), kIndex);
  } else {
    const std::string index = rng_.pick(scope.indices).name;
    switch (rng_.weighted({8, 3, 3, 2, 3})) {
      case 0: at = plus(index, rng_.below(5) - 2); break;
      case 1:
        at = composed(kIndex, kAdd, {"2 * ", rng_.chance(50) ? " + 1" : " - 1"}, {leaf(index, kIndex)});
        break;
      case 2: {
        const std::string& other = rng_.pick(scope.indices).name;
        at = binary(kIndex, kAdd, rng_.chance(50) ? "+" : "-", leaf(index, kIndex), leaf(other, kIndex));
        break;
      }
      case 3: at = binary(kIndex, kAdd, "-", leaf(fmt::format("{}", rng_.below(40)), kIndex), leaf(index, kIndex)); break;
      default:
        if (auto node = gathered(scope)) at = *node;
    }
  }
  static const std::vector<const char*> modes = {"clamp", "clamp", "wrap", "reflect", "symmetric", "zero", "zero", "fill(1)", "holes(2)"};
  std::string mode = rng_.pick(modes);
  if (mode == "fill(1)" && is_record) mode = "zero";
  if (mode == "fill(1)" && element == ScalarType::Bool) mode = "fill(true)";
  used("mode " + mode.substr(0, mode.find('(')));
  Node node = composed(kIndex, kConditional, {"", " @" + mode}, {std::move(at)}, {kOr});
  node.is_value = false;
  return node;
}

/// if i >= 1 { x[i - 1] } else { 0 }
std::optional<Node> Generator::guarded_read(Scope& scope, Type type) {
  if (scope.indices.empty() || type == Type{ScalarType::Bool} || type.is_index) return std::nullopt;
  Index& index = scope.indices[static_cast<std::size_t>(rng_.below(static_cast<int>(scope.indices.size())))];
  std::vector<ScalarType> stored = {type.scalar};
  const Tensor tensor = input(rng_.pick(stored), {index.within});
  if (tensor.shape.empty()) return std::nullopt;
  used("guarded read");
  const int by = 1 + rng_.below(3);
  const bool back = rng_.chance(50);
  Node read = access(type, tensor.name, {plus(index.name, back ? -by : by)});
  const std::string limit = program_.extent_text(index.within);
  Node when = back ? leaf(fmt::format("{} >= {}", index.name, by), {ScalarType::Bool}, kCompare)
                   : leaf(fmt::format("{} + {} < {}", index.name, by, limit), {ScalarType::Bool}, kCompare);
  Node otherwise = literal(type);
  return composed(type, kConditional, {"if ", " { ", " } else { ", " }"}, {std::move(when), std::move(read), std::move(otherwise)}, {kOr});
}

}  // namespace cdsl::random
