// What a `let` sees of a tensor that is overwritten after it.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {

/// let v = z[i] ...; z[i] = ...; y[i] = v + z[i];
void Generator::snapshot() {
  if (in_loop_) return;
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::U8, ScalarType::F16});
  const Type value{evaluation_type(type)};
  const std::vector<Index> indices = left_indices(shape(1, 2));
  Tensor z;
  z.name = fresh("z");
  z.type = type;
  z.element = name_of(type);
  for (const Index& index : indices) z.shape.push_back(index.within);
  program_.inouts.push_back(z);
  used("let snapshot");
  const auto own = [&](const char* by) {
    std::vector<Node> on;
    for (const Index& index : indices) on.push_back(on.empty() && *by != 0 ? words(index.name + by) : at(index.name));
    Node read = access(value, z.name, std::move(on));
    return is_storage_only(type) ? call(value, "f32", {std::move(read)}) : read;
  };
  const std::string name = fresh("v");
  Scope scope = scope_of(indices);
  scope.lets = nullptr;
  Node before = own(rng_.of({"", "", " + 1 @clamp", " - 1 @wrap", " + 2 @zero"}));
  if (rng_.chance(60)) {
    Node other = expression(scope, value, 1);
    before = sum_or_product(value, std::move(before), std::move(other));
  }
  emit(statement("let " + name, std::move(before), {name}));
  for (int times = rng_.of({1, 1, 2}); times > 0; --times) {
    Scope inner = scope_of(indices);
    if (rng_.chance(60)) inner.values.push_back(leaf(name, value));
    Node now = expression(inner, value, 2);
    if (rng_.chance(50)) now = sum_or_product(value, own(""), std::move(now));
    define_as(z, indices, store(type, std::move(now)));
  }
  visible_.push_back(z);
  Node after = sum_or_product(value, leaf(name, value), own(""));
  Scope last = scope_of(indices);
  define(type, indices, last, store(type, std::move(after)));
}

}  // namespace cdsl::random
