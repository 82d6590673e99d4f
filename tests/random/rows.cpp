// Reductions along an axis: rows, scans, softmax, places of extremes, reducers of the user.
#include <algorithm>

#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {

void Generator::reduce_rows() {
  std::vector<Index> indices = left_indices(shape(1, 3));
  Scope scope = scope_of(indices);
  const ScalarType type = rng_.chance(60) ? float_type() : element_type();
  const Type value{evaluation_type(type)};
  const Extent inner = extent();
  std::vector<Extent> extents;
  for (const Index& index : indices) extents.push_back(index.within);
  // The reduced axis anywhere among the others.
  const auto place = static_cast<std::size_t>(rng_.below(static_cast<int>(indices.size()) + 1));
  extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(place), inner);
  const Tensor x = input(type, extents);
  scope.storage = type;
  std::vector<Node> subscripts;
  for (const Index& index : indices) subscripts.push_back(at(index.name));
  subscripts.insert(subscripts.begin() + static_cast<std::ptrdiff_t>(place), at("r"));
  Node term = access(value, x.name, std::move(subscripts));
  if (rng_.chance(40)) {
    Scope body = scope;
    body.lets = nullptr;
    body.reductions = 1;
    body.indices.push_back({"r", inner});
    if (value.scalar == ScalarType::Bool) {
      term = binary(kBool, kAnd, "&&", std::move(term), expression(body, kBool, 1));
    } else {
      Node other = expression(body, value, 1);
      term = sum_or_product(value, std::move(term), std::move(other));
    }
  }
  std::string op = "sum";
  if (value.scalar == ScalarType::Bool) op = rng_.chance(50) ? "any" : "all";
  else if (is_complex(value.scalar)) op = "sum";
  else if (size_of(value.scalar) < 4) op = rng_.of({"max", "min"});
  else op = rng_.of({"sum", "sum", "max", "min", "prod"});
  Node result = reduce(value, op, fmt::format("r in 0..{}", program_.extent_text(inner)), std::move(term));
  if (rng_.chance(30) && value.scalar != ScalarType::Bool) result = binary(value, kAdd, "+", std::move(result), expression(scope, value, 1));
  define(type, indices, scope, store(type, std::move(result)));
}

void Generator::reduce_all() {
  Scope scope = scope_of({});
  const ScalarType type = element_type();
  const Type value{evaluation_type(type)};
  if (auto node = reduction(scope, value, depth())) define(type, {}, scope, store(type, std::move(*node)));
}

void Generator::scan() {
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::I64, ScalarType::F16, ScalarType::U32});
  const Type value{evaluation_type(type)};
  std::vector<Index> indices = left_indices(shape(1, 2));
  if (rng_.chance(40)) std::reverse(indices.begin(), indices.end());
  const Index along = indices.back();
  std::vector<Extent> extents;
  std::vector<Node> subscripts;
  for (const Index& index : indices) {
    extents.push_back(index.within);
    subscripts.push_back(at(&index == &indices.back() ? "r" : index.name));
  }
  const Tensor x = input(type, extents);
  Node term = access(value, x.name, std::move(subscripts));
  Scope scope = scope_of(indices);
  scope.storage = type;
  if (rng_.chance(35)) {
    Scope inner = scope;
    inner.lets = nullptr;
    inner.reductions = 1;
    inner.indices.push_back({"r", along.within});
    term = binary(value, kMultiply, "*", std::move(term), expression(inner, value, 1));
  }
  const std::string size = program_.extent_text(along.within);
  const std::string range = rng_.of({0, 1, 2, 3}) == 0 ? fmt::format("r in {}..{}", along.name, size)
                            : rng_.chance(65)          ? fmt::format("r in 0..={}", along.name)
                            : rng_.chance(50)          ? fmt::format("r in 0..{}", along.name)
                                                       : fmt::format("r in {} + 1..{}", along.name, size);
  Node result = reduce(value, rng_.of({"sum", "sum", "sum", "max", "min", "prod"}), range, std::move(term));
  if (rng_.chance(25)) result = binary(value, kAdd, "+", std::move(result), expression(scope, value, 1));
  define(type, indices, scope, store(type, std::move(result)));
}

void Generator::softmax() {
  const ScalarType type = float_type();
  const Type value{evaluation_type(type)};
  const Extent rows = extent(), columns = extent();
  const Tensor x = input(type, {rows, columns});
  const std::string i = fmt::format("i in 0..{}", program_.extent_text(rows)), j = fmt::format("j in 0..{}", program_.extent_text(columns));
  const std::string top = fresh("h"), den = fresh("h");
  const Node read = access(value, x.name, {at("i"), at("j")});
  Node shifted = binary(value, kAdd, "-", read, access(value, top, {at("i")}));
  Node weight = call(value, "exp", {shifted});
  emit(statement(fmt::format("{}[{}]", top, i), reduce(value, rng_.chance(80) ? "max" : "mean", j, read), {top}));
  emit(statement(fmt::format("{}[{}]", den, i), reduce(value, "sum", j, weight), {den}));
  Tensor made;
  made.type = value.scalar;
  made.element = name_of(value.scalar);
  made.shape = {rows};
  for (const std::string& name : {top, den}) {
    made.name = name;
    visible_.push_back(made);
  }
  const std::vector<Index> indices = {{"i", rows}, {"j", columns}};
  Scope scope = scope_of(indices);
  Node result = binary(value, kMultiply, "/", std::move(weight), access(value, den, {at("i")}));
  if (rng_.chance(30)) result = binary(value, kMultiply, "*", std::move(result), expression(scope, value, 1));
  define(type, indices, scope, store(type, std::move(result)));
}

/// (v[i], p[i]) = argmax[r](x[i, r]);
void Generator::arguments() {
  if (in_loop_) return;
  ScalarType type = element_type();
  if (type == ScalarType::Bool || is_complex(type)) type = ScalarType::F32;
  const Type value{evaluation_type(type)};
  const std::vector<Index> indices = left_indices(shape(0, 2));
  std::vector<Extent> shape;
  for (const Index& index : indices) shape.push_back(index.within);
  Scope scope = scope_of(indices);
  Scope inner = scope;
  inner.lets = nullptr;
  inner.reductions = 1;
  std::vector<Index> binders = {{"r", extent()}};
  if (rng_.chance(30)) binders.push_back({"s", extent()});
  std::string text;
  for (const Index& index : binders) {
    inner.indices.push_back(index);
    text += fmt::format("{}{} in 0..{}", text.empty() ? "" : ", ", index.name, program_.extent_text(index.within));
  }
  Node body = expression(inner, value, 1);
  const std::string op = rng_.chance(50) ? "argmax" : "argmin";
  if (rng_.chance(50)) {
    const Tensor best = output(value.scalar, shape), place = output(rng_.chance(50) ? ScalarType::I32 : ScalarType::I64, shape);
    std::string on;
    for (const Index& index : indices) on += (on.empty() ? "[" : ", ") + index.name;
    if (!on.empty()) on += "]";
    emit(statement(fmt::format("({}{}, {}{})", best.name, on, place.name, on), reduce({}, op, text, std::move(body)), {best.name, place.name}));
    visible_.push_back(best);
  } else {
    define(ScalarType::I64, indices, scope, call({ScalarType::I64}, "i64", {reduce(kIndex, op, text, std::move(body))}));
  }
}

void Generator::user_reducer() {
  if (in_loop_) return;
  const bool whole = rng_.chance(50);
  const Type value{whole ? ScalarType::I32 : rng_.of({ScalarType::F32, ScalarType::F64})};
  const std::string type(name_of(value.scalar));
  const bool commutative = rng_.chance(50);
  const std::string name = fresh(commutative ? "moments" : "compose");
  program_.items.push_back(
      {name, commutative ? fmt::format("reducer {}(a: ({}, {}), b) identity (0, 0) commutative = (a.0 + b.0, max(a.1, b.1));", name, type, type)
                         : fmt::format("reducer {}(a: ({}, {}), b) identity (1, 0) = (a.0 * b.0, a.1 * b.0 + b.1);", name, type, type)});
  if (commutative && rng_.chance(50)) program_.items.back().text =
      fmt::format("reducer {}(a: ({}, {}), b) identity (0, 0) commutative = (a.0 + b.0, a.1 + b.1);", name, type, type);
  else if (commutative) program_.items.back().text =
      fmt::format("reducer {}(a: ({}, {}), b) identity (1, 1) commutative = (a.0 * b.0, a.1 * b.1);", name, type, type);
  const std::vector<Index> indices = left_indices(shape(0, 2));
  std::vector<Extent> shape;
  for (const Index& index : indices) shape.push_back(index.within);
  Scope scope = scope_of(indices);
  Scope inner = scope;
  inner.lets = nullptr;
  inner.reductions = 1;
  const Index r{"r", extent()};
  inner.indices.push_back(r);
  Node first = expression(inner, value, 1), second = expression(inner, value, 1);
  Node term = composed({}, kPostfix, {"(", ", ", ")"}, {std::move(first), std::move(second)});
  term.is_value = false;
  const Tensor one = output(value.scalar, shape), two = output(value.scalar, shape);
  std::string on;
  for (const Index& index : indices) on += (on.empty() ? "[" : ", ") + index.name;
  if (!on.empty()) on += "]";
  std::string range = fmt::format("r in 0..{}", program_.extent_text(r.within));
  if (rng_.chance(20) && !indices.empty() && indices.back().within == r.within) range = fmt::format("r in 0..={}", indices.back().name);
  emit(statement(fmt::format("({}{}, {}{})", one.name, on, two.name, on), reduce({}, name, range, std::move(term)), {one.name, two.name}));
  visible_.push_back(one);
  visible_.push_back(two);
}

}  // namespace cdsl::random
