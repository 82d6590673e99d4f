// Scatters, gathers, ranges from data, tensors in pieces and in part.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

Node head(std::vector<std::string> pieces, std::vector<Node> kids) {
  Node node = composed({}, kConditional, std::move(pieces), std::move(kids));
  node.is_value = false;
  return node;
}

}  // namespace

void Generator::gather() {
  const ScalarType type = element_type();
  const Extent points = extent(), places = extent();
  const Tensor index = input(rng_.of({ScalarType::I32, ScalarType::I64, ScalarType::U8}), {points});
  std::vector<Index> indices = {{"i", points}};
  std::vector<Extent> shape = {places};
  std::vector<Node> subscripts = {access(kIndex, index.name, {at("i")})};
  if (rng_.chance(50)) {
    indices.push_back({"j", extent()});
    shape.push_back(indices.back().within);
    subscripts.push_back(at("j"));
  }
  const Tensor x = input(type, shape);
  Scope scope = scope_of(indices);
  Node read = access({evaluation_type(type)}, x.name, std::move(subscripts));
  if (rng_.chance(40) && type != ScalarType::Bool) {
    scope.storage = type;
    read = binary(read.type, kAdd, "+", std::move(read), expression(scope, {evaluation_type(type)}, 1));
    read = store(type, std::move(read));
  }
  define(type, indices, scope, std::move(read));
}

void Generator::histogram() {
  if (in_loop_) return;
  const Tensor x = input(ScalarType::U8, shape(1, 2));
  const std::vector<Index> indices = left_indices(x.shape);
  std::vector<Node> subscripts;
  std::string binders;
  for (const Index& index : indices) {
    subscripts.push_back(at(index.name));
    binders += fmt::format("{}{} in 0..{}", binders.empty() ? "" : ", ", index.name, program_.extent_text(index.within));
  }
  const Tensor bins = output(rng_.of({ScalarType::I32, ScalarType::U32, ScalarType::I64, ScalarType::F32}), {{-1, 1, 256, 1}});
  Statement made;
  made.head = head({"scatter[" + binders + "] " + bins.name + "[", "] += 1"}, {access({ScalarType::U8}, x.name, std::move(subscripts))});
  made.defines = {bins.name};
  emit(std::move(made));
  visible_.push_back(bins);
}

void Generator::scatter() {
  if (in_loop_) return;
  ScalarType type = element_type();
  const std::vector<Index> binders = left_indices(shape(1, 2));
  Scope scope = scope_of(binders);
  std::string op = "+=";
  if (type == ScalarType::Bool) op = rng_.of({"|=", "&=", "^="});
  else if (is_complex(type)) op = rng_.of({"+=", "*="});
  else if (is_integer(type)) op = rng_.of({"+=", "+=", "*=", "min=", "max=", "&=", "|=", "^="});
  else op = rng_.of({"+=", "+=", "min=", "max="});
  const int rank = rng_.of({0, 1, 1, 2});
  std::vector<Extent> extents;
  std::vector<Node> kids;
  std::vector<std::string> pieces;
  Scope where = scope;
  where.lets = nullptr;
  for (int axis = 0; axis < rank; ++axis) {
    extents.push_back(extent());
    const std::string size = program_.extent_text(extents.back());
    if (rng_.chance(35)) {
      if (auto place = gathered(where)) {
        kids.push_back(std::move(*place));
        continue;
      }
    }
    // Inside, or dropped and reported.
    Node place = expression(where, kIndex, 1);
    kids.push_back(call(kIndex, rng_.chance(80) ? "floormod" : "min", {std::move(place), leaf(size, kIndex)}));
  }
  const bool start = rng_.chance(25);
  Tensor target;
  if (start) {
    target.name = fresh("z");
    target.type = type;
    target.element = name_of(type);
    target.shape = extents;
    if (extents.empty()) target.suffix = "[]";
    program_.inouts.push_back(target);
    used("inout");
  } else {
    target = output(type, extents);
  }
  Node value = value_for(scope, type, 2);
  std::string text;
  for (std::size_t k = 0; k < binders.size(); ++k)
    text += fmt::format("{}{} in 0..{}", k == 0 ? "" : ", ", binders[k].name, program_.extent_text(binders[k].within));
  if (rng_.chance(20)) {
    used("binder guard");
    Scope guard = where;
    text += " if " + condition(guard, 1).text();
  }
  const bool ordered = rng_.chance(10);
  if (ordered) used("deterministic");
  std::vector<Node> parts = {access({}, target.name, std::move(kids)), std::move(value)};
  parts[0].is_value = false;
  const std::string spelt = op.size() == 4 ? op.substr(0, 3) + "=" : op;
  Statement made;
  made.head = head({fmt::format("scatter{}[{}] ", ordered ? " deterministic" : "", text), " " + spelt + " ", ""}, std::move(parts));
  made.defines = {target.name};
  emit(std::move(made));
  target.suffix = "";
  visible_.push_back(target);
}

void Generator::scatter_unique() {
  if (in_loop_) return;
  const ScalarType type = element_type();
  const Extent n = extent();
  const std::vector<Index> binders = {{"i", n}};
  Scope scope = scope_of(binders);
  const Tensor target = output(type, {n});
  Node value = value_for(scope, type, 2);
  const std::string size = program_.extent_text(n);
  const std::string place = rng_.chance(50) ? fmt::format("{} - 1 - i", size) : fmt::format("(i + 3) % {}", size.find(' ') == std::string::npos ? size : "(" + size + ")");
  Statement made;
  made.head = head({fmt::format("scatter[i in 0..{}] {}[unique({})] = ", size, target.name, place), ""}, {std::move(value)});
  made.defines = {target.name};
  emit(std::move(made));
  visible_.push_back(target);
}

/// A sum over rows that data delimits, as of a sparse matrix.
void Generator::segments() {
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::F16});
  const Type value{evaluation_type(type)};
  const Extent rows{rng_.below(static_cast<int>(program_.sizes.size())), 1, 0, 1};
  const Extent marks{rows.size, 1, 1, 1};
  const Extent length = extent();
  const Tensor row = input(rng_.chance(80) ? ScalarType::I32 : ScalarType::I64, {marks}), x = input(type, {length});
  const std::vector<Index> indices = {{"i", rows}};
  Scope scope = scope_of(indices);
  Scope inner = scope;
  inner.lets = nullptr;
  inner.reductions = 1;
  scope.storage = inner.storage = type;
  inner.indices.push_back({"r", {-1, 1, 1 << 20, 1}});  // its range is data's
  Node term = access(value, x.name, {at("r")});
  if (rng_.chance(60)) term = binary(value, kMultiply, "*", std::move(term), expression(inner, value, 1));
  Node binders = leaf(fmt::format("r in {}[i]..{}[i + 1]", row.name, row.name), {});
  binders.is_value = false;
  if (rng_.chance(20)) {
    binders = composed({}, kPostfix, {binders.pieces[0] + " if ", ""}, {condition(inner, 1)}, {kOr});
    binders.is_value = false;
  }
  Node sum = composed(value, kPostfix, {rng_.of({"sum[", "sum[", "max[", "prod["}), "](", ")"}, {std::move(binders), std::move(term)});
  define(type, indices, scope, store(type, std::move(sum)));
}

/// y[i in 0..N / 2] = ...; y[i in N / 2..N] = ...;
void Generator::pieces() {
  if (in_loop_) return;
  const ScalarType type = element_type();
  std::vector<Index> indices = left_indices(shape(1, 3));
  std::vector<Extent> extents;
  for (const Index& index : indices) extents.push_back(index.within);
  const auto axis = static_cast<std::size_t>(rng_.below(static_cast<int>(indices.size())));
  const Tensor target = output(type, extents);
  const std::string size = program_.extent_text(extents[axis]);
  const std::string border = extents[axis].size < 0 ? fmt::format("{}", rng_.below(static_cast<int>(extents[axis].b) + 1))
                                                    : fmt::format("({}) / {}", size, 2 + rng_.below(2));
  for (const std::string& range : {"0.." + border, border + ".." + size}) {
    Scope scope = scope_of(indices);
    Node value = value_for(scope, type, depth());
    std::string on;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      on += on.empty() ? "" : ", ";
      on += k == axis ? fmt::format("{} in {}", indices[k].name, range) : indices[k].name;
    }
    emit(statement(fmt::format("{}[{}]", target.name, on), std::move(value), {target.name}));
  }
  visible_.push_back(target);
}

void Generator::overwrite() {
  if (in_loop_) return;
  const ScalarType type = element_type();
  const std::vector<Index> indices = left_indices(shape(1, 2));
  Tensor target;
  target.name = fresh("z");
  target.type = type;
  target.element = name_of(type);
  for (const Index& index : indices) target.shape.push_back(index.within);
  program_.inouts.push_back(target);
  visible_.push_back(target);
  used("inout");
  for (int times = rng_.of({1, 1, 2}); times > 0; --times) {
    Scope scope = scope_of(indices);
    Node value = value_for(scope, type, depth());
    std::string on;
    for (const Index& index : indices) {
      on += (on.empty() ? "" : ", ") + index.name;
      if (rng_.chance(20)) on += fmt::format(" in {}..{}", rng_.below(3), program_.extent_text(index.within));
    }
    if (rng_.chance(40)) {
      used("left guard");
      Scope guard = scope;
      guard.lets = nullptr;
      on += " if " + condition(guard, 1).text();
    }
    emit(statement(fmt::format("{}[{}]", target.name, on), std::move(value), {target.name}));
  }
}

}  // namespace cdsl::random
