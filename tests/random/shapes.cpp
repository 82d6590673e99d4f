// Names, types, shapes and tensors of a generated program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/random/generator.h"

namespace cdsl::random {

std::string Generator::fresh(const std::string& stem) {
  return fmt::format("{}{}", stem, names_[stem]++);
}

ScalarType Generator::element_type() {
  return rng_.pick(types_);
}

Extent Generator::extent() {
  return rng_.pick(extents_);
}

std::vector<Extent> Generator::shape(int least, int most) {
  std::vector<Extent> shape(static_cast<std::size_t>(least + rng_.below(most - least + 1)));
  for (Extent& each : shape) each = extent();
  return shape;
}

Tensor Generator::input(ScalarType type, std::vector<Extent> shape) {
  for (const Tensor& tensor : visible_) {
    if (tensor.fields.empty() && !tensor.is_scalar && tensor.type == type && tensor.shape == shape && rng_.chance(60)) return tensor;
  }
  Tensor tensor;
  tensor.name = fresh("x");
  tensor.type = type;
  tensor.element = name_of(type);
  tensor.shape = std::move(shape);
  tensor.is_scalar = tensor.shape.empty() && rng_.chance(60);
  if (tensor.shape.empty() && !tensor.is_scalar) tensor.suffix = "[]";
  if (tensor.shape.size() >= 1 && rng_.chance(8)) {
    tensor.suffix = " strided";
    used("strided");
  } else if (tensor.shape.size() >= 2 && rng_.chance(8)) {
    tensor.suffix = " col_major";
    used("col_major");
  } else if (!tensor.shape.empty() && rng_.chance(8)) {
    tensor.may_be_one.assign(tensor.shape.size(), false);
    const auto axis = static_cast<std::size_t>(rng_.below(static_cast<int>(tensor.shape.size())));
    tensor.may_be_one[axis] = tensor.shape[axis].size >= 0;
    used("broadcast");
  }
  program_.inputs.push_back(tensor);
  visible_.push_back(tensor);
  return visible_.back();
}

Tensor Generator::output(ScalarType type, std::vector<Extent> shape) {
  Tensor tensor;
  tensor.name = fresh("y");
  tensor.type = type;
  tensor.element = name_of(type);
  tensor.shape = std::move(shape);
  program_.outputs.push_back(tensor);
  return tensor;
}

std::vector<Index> Generator::left_indices(const std::vector<Extent>& shape) {
  static const std::vector<std::string> names = {"i", "j", "k", "l", "m", "n"};
  std::vector<Index> indices;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) indices.push_back({names[axis], shape[axis]});
  return indices;
}

Scope Generator::scope_of(const std::vector<Index>& indices) {
  Scope scope;
  scope.indices = indices;
  scope.indices.insert(scope.indices.end(), loop_indices_.begin(), loop_indices_.end());
  scope.storage = rng_.of({ScalarType::F16, ScalarType::BF16, ScalarType::F8E4M3});
  scope.lets = block_;
  for (const Tensor& tensor : visible_)
    if (tensor.is_scalar) scope.values.push_back(leaf(tensor.name, {evaluation_type(tensor.type)}));
  return scope;
}

Node Generator::store(ScalarType type, Node value) {
  if (!is_storage_only(type)) return value;
  return call({type}, std::string(name_of(type)), {std::move(value)});
}

Node Generator::value_for(Scope& scope, ScalarType type, int depth) {
  return store(type, expression(scope, {evaluation_type(type)}, depth));
}

Statement Generator::statement(std::string head_left, Node value, std::vector<std::string> defines) {
  Statement statement;
  statement.head = composed({}, 0, {head_left + " = ", ""}, {std::move(value)});
  statement.head.is_value = false;
  statement.defines = std::move(defines);
  return statement;
}

void Generator::declare_tmp(const Tensor& tensor) {
  std::vector<std::string> extents;
  for (const Extent& extent : tensor.shape) extents.push_back(program_.extent_text(extent));
  Statement declaration;
  declaration.head = leaf(fmt::format("tmp {}: {}{}{}", tensor.name, tensor.element,
                                      extents.empty() ? "" : fmt::format("[{}]", fmt::join(extents, ", ")), tensor.suffix),
                          {});
  declaration.head.is_value = false;
  declaration.defines = {tensor.name};
  emit(std::move(declaration));
}

namespace {
/// A left side as an access, so that the shrinker can take axes away.
Node target(const Program& program, const std::string& name, const std::vector<Index>& indices, bool ranges) {
  std::vector<Node> subscripts;
  for (const Index& index : indices) {
    subscripts.push_back(leaf(ranges ? fmt::format("{} in 0..{}", index.name, program.extent_text(index.within)) : index.name, {}));
    subscripts.back().is_value = false;
  }
  Node node = access({}, name, std::move(subscripts));
  node.is_value = false;
  return node;
}
}  // namespace

void Generator::define_as(const Tensor& tensor, const std::vector<Index>& indices, Node value) {
  Statement made;
  remember(tensor.name, indices, value);
  made.head = composed({}, 0, {"", " = ", ""}, {target(program_, tensor.name, indices, false), std::move(value)});
  made.head.is_value = false;
  made.defines = {tensor.name};
  emit(std::move(made));
}

void Generator::define(ScalarType type, const std::vector<Index>& indices, Scope&, Node value) {
  std::vector<Extent> shape;
  for (const Index& index : indices) shape.push_back(index.within);
  Tensor tensor;
  const int kind = in_loop_ ? 9 : rng_.below(10);
  if (kind < 6) {
    tensor = output(type, shape);
    define_as(tensor, indices, std::move(value));
  } else {
    tensor.name = fresh("h");
    tensor.shape = shape;
    const bool is_tmp = kind == 6;
    tensor.type = is_tmp ? type : evaluation_type(type);
    tensor.element = name_of(tensor.type);
    if (is_tmp) {
      used("tmp");
      declare_tmp(tensor);
      define_as(tensor, indices, std::move(value));
    } else {
      used("intermediate");
      Statement made;
      remember(tensor.name, indices, value);
      made.head = composed({}, 0, {"", " = ", ""}, {target(program_, tensor.name, indices, true), std::move(value)});
      made.head.is_value = false;
      made.defines = {tensor.name};
      emit(std::move(made));
    }
  }
  visible_.push_back(tensor);
}

namespace {

constexpr ScalarType kCommon[] = {ScalarType::F32, ScalarType::F32, ScalarType::F32, ScalarType::F16, ScalarType::BF16, ScalarType::F64,
                                  ScalarType::I32, ScalarType::I32, ScalarType::I8, ScalarType::U8, ScalarType::I16, ScalarType::U16,
                                  ScalarType::U32, ScalarType::I64, ScalarType::U64, ScalarType::Bool, ScalarType::C64,
                                  ScalarType::C128, ScalarType::F8E4M3, ScalarType::F8E5M2};
constexpr int64_t kSizes[] = {0, 1, 1, 2, 3, 3, 4, 5, 7, 8, 16, 31, 32, 33, 33, 48, 48, 64, 100, 128, 130, 1028};
constexpr int64_t kConstants[] = {1, 2, 3, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64};

}  // namespace

Program Generator::make() {
  static const std::vector<std::string> names = {"M", "N", "K", "L"};
  const int sizes = 1 + rng_.below(4);
  for (int k = 0; k < sizes; ++k) {
    program_.sizes.push_back({names[static_cast<std::size_t>(k)], kSizes[rng_.below(static_cast<int>(std::size(kSizes)))]});
    for (int copies = 0; copies < 3; ++copies) extents_.push_back({k, 1, 0, 1});
    if (rng_.chance(25)) extents_.push_back(rng_.chance(50) ? Extent{k, 1, 1, 1} : rng_.chance(50) ? Extent{k, 2, 0, 1} : Extent{k, 1, 1, 2});
  }
  for (int k = rng_.below(3); k >= 0; --k) extents_.push_back({-1, 1, kConstants[rng_.below(static_cast<int>(std::size(kConstants)))], 1});
  for (int k = 0; k < 4; ++k) types_.push_back(kCommon[rng_.below(static_cast<int>(std::size(kCommon)))]);

  std::vector<int> weights;
  for (const Production& production : statements()) weights.push_back(production.weight);
  for (int count = rng_.of({1, 1, 2, 2, 3, 3, 4, 6}); count > 0; --count) {
    const Production& chosen = statements()[rng_.weighted(weights)];
    used(chosen.name);
    (this->*chosen.make)();
  }
  if (program_.outputs.empty() && program_.inouts.empty()) pointwise();
  while (program_.outputs.empty() && program_.inouts.empty()) {
    const std::vector<Index> indices = left_indices(shape(1, 2));
    Scope scope = scope_of(indices);
    const ScalarType type = element_type();
    std::vector<Extent> extents;
    for (const Index& index : indices) extents.push_back(index.within);
    Node value = value_for(scope, type, 2);
    define_as(output(type, extents), indices, std::move(value));
  }
  if (rng_.chance(20)) {
    const int k = rng_.below(sizes);
    used("where");
    program_.facts.push_back(fmt::format("{} % {} == 0", names[static_cast<std::size_t>(k)], rng_.of({2, 4, 8})));
    if (rng_.chance(30)) program_.facts.push_back("noalias");
    for (const Tensor& tensor : program_.inputs)
      if (!tensor.is_scalar && rng_.chance(30)) program_.facts.push_back(fmt::format("aligned({}, 16)", tensor.name));
  }
  if (rng_.chance(35)) schedule();
  if (rng_.chance(8)) expectations();
  return std::move(program_);
}

}  // namespace cdsl::random
