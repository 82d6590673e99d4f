// Sums of products: matrices, convolutions, all pairs.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {

void Generator::product() {
  const ScalarType type = rng_.of({ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F32, ScalarType::F64, ScalarType::I32,
                                   ScalarType::I8, ScalarType::C64, ScalarType::F8E4M3});
  const Type value{type == ScalarType::I8 ? ScalarType::I32 : evaluation_type(type)};
  const bool batched = rng_.chance(25), vector = rng_.chance(15);
  const Extent m = extent(), n = extent(), k = extent(), b = extent();
  std::vector<Index> indices;
  if (batched) indices.push_back({"b", b});
  indices.push_back({"m", m});
  if (!vector) indices.push_back({"n", n});
  const auto operand = [&](bool swapped, const Index& own) {
    std::vector<Extent> extents = {own.within, k};
    std::vector<Node> subscripts = {at(own.name), at("k")};
    if (swapped) {
      std::swap(extents[0], extents[1]);
      std::swap(subscripts[0], subscripts[1]);
    }
    if (batched && rng_.chance(80)) {
      extents.insert(extents.begin(), b);
      subscripts.insert(subscripts.begin(), at("b"));
    }
    return access(value, input(type, extents).name, std::move(subscripts));
  };
  Node left = operand(rng_.chance(30), {"m", m});
  Node right = vector ? access(value, input(type, {k}).name, {at("k")}) : operand(rng_.chance(60), {"n", n});
  Scope scope = scope_of(indices);
  scope.storage = type;
  Scope inner = scope;
  inner.lets = nullptr;
  inner.reductions = 1;
  inner.indices.push_back({"k", k});
  if (rng_.chance(15) && type != ScalarType::I8) {
    used("prologue");
    left = binary(value, kMultiply, "*", std::move(left), expression(inner, value, 1));
  }
  std::string op = "sum";
  Node term = binary(value, kMultiply, "*", std::move(left), std::move(right));
  if (!is_complex(value.scalar) && rng_.chance(12)) {
    used("semiring");
    op = rng_.of({"max", "min"});
    term.pieces[1] = " + ";
    term.level = kAdd;
  }
  std::string binders = fmt::format("k in 0..{}", program_.extent_text(k));
  if (rng_.chance(6)) binders += " if k % 2 == 0";
  Type result = value;
  // Products of i8 stay i8; their sum is an i32.
  if (type == ScalarType::I8 && op != "sum") result = {ScalarType::I8};
  Node sum = reduce(result, op, binders, std::move(term));
  if (rng_.chance(45)) {
    used("epilogue");
    sum = binary(result, kAdd, "+", std::move(sum), expression(scope, result, depth()));
  }
  const ScalarType stored = is_storage_only(type) && rng_.chance(50) ? type : result.scalar;
  define(stored, indices, scope, store(stored, std::move(sum)));
}

void Generator::convolution() {
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F16, ScalarType::F64, ScalarType::I32});
  const Type value{evaluation_type(type)};
  const Extent width = extent(), channels = extent();
  const Extent window{-1, 1, rng_.of({1, 2, 3, 5}), 1};
  std::vector<Index> indices = {{"c", channels}, {"i", width}};
  const Tensor x = input(type, {channels, width}), w = input(type, {channels, window});
  const int stride = rng_.of({1, 1, 2}), dilation = rng_.of({1, 1, 2});
  const std::string place = fmt::format("{}i + {}r - {} @{}", stride == 1 ? "" : fmt::format("{} * ", stride),
                                        dilation == 1 ? "" : fmt::format("{} * ", dilation), window.b / 2, rng_.of({"zero", "clamp", "wrap"}));
  const bool mixed = rng_.chance(50);  // channels are contracted
  Node term = binary(value, kMultiply, "*", access(value, x.name, {at(mixed ? "s" : "c"), words(place)}),
                     access(value, w.name, {at(mixed ? "s" : "c"), at("r")}));
  std::string binders = fmt::format("r in 0..{}", window.b);
  if (mixed) binders = fmt::format("s in 0..{}, ", program_.extent_text(channels)) + binders;
  if (mixed && rng_.chance(50)) indices.erase(indices.begin());
  Scope scope = scope_of(indices);
  define(type, indices, scope, store(type, reduce(value, "sum", binders, std::move(term))));
}

void Generator::all_pairs() {
  const ScalarType type = float_type();
  const Type value{evaluation_type(type)};
  const Extent n = extent(), m = extent();
  const Tensor x = input(type, {n}), y = input(type, {m});
  const std::vector<Index> indices = {{"i", n}};
  Scope scope = scope_of(indices);
  scope.storage = type;
  Node difference = binary(value, kAdd, "-", access(value, x.name, {at("i")}), access(value, y.name, {at("r")}));
  Scope inner = scope;
  inner.lets = nullptr;
  inner.reductions = 1;
  inner.indices.push_back({"r", m});
  Node term = binary(value, kMultiply, "*", call(value, "abs", {std::move(difference)}), expression(inner, value, 2));
  define(type, indices, scope,
         store(type, reduce(value, rng_.of({"sum", "max", "min"}), fmt::format("r in 0..{}", program_.extent_text(m)), std::move(term))));
}

}  // namespace cdsl::random
