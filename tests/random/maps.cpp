// Statements in which each point stands alone: maps, permutations, windows.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {

void Generator::pointwise() {
  const std::vector<Index> indices = left_indices(shape(0, rng_.chance(15) ? 5 : 3));
  Scope scope = scope_of(indices);
  const ScalarType type = element_type();
  define(type, indices, scope, value_for(scope, type, depth()));
}

void Generator::permute() {
  const ScalarType type = element_type();
  const Type value{evaluation_type(type)};
  const std::vector<Index> indices = left_indices(shape(2, rng_.chance(30) ? 5 : 3));
  std::vector<Index> order = indices;
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[static_cast<std::size_t>(rng_.below(static_cast<int>(k)))]);
  std::vector<Extent> extents;
  std::vector<Node> subscripts;
  for (const Index& index : order) {
    extents.push_back(index.within);
    subscripts.push_back(at(index.name));
  }
  Scope scope = scope_of(indices);
  const Tensor x = input(type, extents);
  Node read = access(value, x.name, std::move(subscripts));
  if (rng_.chance(35) && value.scalar != ScalarType::Bool) {
    if (is_storage_only(type)) read = call(value, "f32", {std::move(read)});
    read = binary(value, kAdd, "+", std::move(read), expression(scope, value, 1));
    define(type, indices, scope, store(type, std::move(read)));
  } else {
    define(type, indices, scope, std::move(read));
  }
}

void Generator::stencil() {
  const ScalarType type = rng_.chance(80) ? float_type() : element_type();
  const Type value{evaluation_type(type)};
  if (value.scalar == ScalarType::Bool) return pointwise();
  const std::vector<Index> indices = left_indices(shape(1, 3));
  std::vector<Extent> extents;
  for (const Index& index : indices) extents.push_back(index.within);
  const Tensor x = input(type, extents);
  Scope scope = scope_of(indices);
  std::optional<Node> total;
  const char* mode = rng_.of({"clamp", "wrap", "zero", "reflect", "symmetric"});
  for (int points = 2 + rng_.below(4); points > 0; --points) {
    std::vector<Node> subscripts;
    for (const Index& index : indices) {
      const int by = rng_.below(5) - 2;
      subscripts.push_back(by == 0 ? at(index.name)
                                   : words(fmt::format("{} {} {} @{}", index.name, by < 0 ? "-" : "+", std::abs(by), mode)));
    }
    Node read = access(value, x.name, std::move(subscripts));
    if (is_storage_only(type)) read = call(value, "f32", {std::move(read)});
    if (rng_.chance(40)) read = binary(value, kMultiply, "*", std::move(read), literal(value));
    total = total ? binary(value, kAdd, rng_.chance(70) ? "+" : "-", std::move(*total), std::move(read)) : std::move(read);
  }
  define(type, indices, scope, store(type, std::move(*total)));
}

}  // namespace cdsl::random
