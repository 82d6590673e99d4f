// Loops inside loops.
#include <fmt/format.h>

#include "tests/random/generator.h"

namespace cdsl::random {
namespace {

Tensor named(const std::string& name, ScalarType type, std::vector<Extent> shape) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.element = name_of(type);
  tensor.shape = std::move(shape);
  return tensor;
}

/// name[i, j @zero, ...], one of them moved.
Node neighbour(const Tensor& tensor, const std::vector<Index>& indices, std::size_t axis, const std::string& by) {
  std::vector<Node> subscripts;
  for (std::size_t k = 0; k < indices.size(); ++k)
    subscripts.push_back(k == axis ? words(fmt::format("{} {} @zero", indices[k].name, by)) : at(indices[k].name));
  return access({evaluation_type(tensor.type)}, tensor.name, std::move(subscripts));
}

std::vector<Extent> extents_of(const std::vector<Index>& indices) {
  std::vector<Extent> extents;
  for (const Index& index : indices) extents.push_back(index.within);
  return extents;
}

}  // namespace

/// repeat t from u = x { repeat w from v = u { v[i] = ...; } u[i] = v[i] ...; }
void Generator::repeat_in_repeat() {
  if (in_loop_) return;
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::F16});
  const Type value{evaluation_type(type)};
  const std::vector<Index> indices = left_indices(shape(1, 2));
  const std::vector<Extent> extents = extents_of(indices);
  const std::string start = input(type, extents).name;
  const Tensor outer = output(type, extents), inner = named(fresh("u"), type, extents);
  const int outer_steps = rng_.below(4), inner_steps = rng_.below(4);
  const bool hangs = rng_.chance(30);  // the inner range on the outer index
  loop(fmt::format("repeat t in 0..{} from {} = {}", outer_steps, outer.name, start), outer.name, [&] {
    visible_.push_back(outer);
    loop(fmt::format("repeat w in 0..{} from {} = {}", hangs ? "t" : fmt::format("{}", inner_steps), inner.name, outer.name), inner.name, [&] {
      visible_.push_back(inner);
      Scope scope = scope_of(indices);
      define_as(inner, indices, value_for(scope, type, 2));
    });
    visible_.push_back(inner);
    Scope scope = scope_of(indices);
    scope.storage = type;
    std::vector<Node> on;
    for (const Index& index : indices) on.push_back(at(index.name));
    Node other = expression(scope, value, 1);
    define_as(outer, indices, store(type, sum_or_product(value, access(value, inner.name, std::move(on)), std::move(other))));
  });
  visible_.push_back(outer);
}

/// repeat t from u = x { along i { u[i] = u[i - 1 @zero] ...; } }
void Generator::along_in_repeat() {
  if (in_loop_) return;
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::U8});
  const Type value{evaluation_type(type)};
  const std::vector<Index> indices = left_indices(shape(1, 2));
  const std::vector<Extent> extents = extents_of(indices);
  const std::string start = input(type, extents).name;
  const Tensor state = output(type, extents);
  const auto axis = static_cast<std::size_t>(rng_.below(static_cast<int>(indices.size())));
  const bool down = rng_.chance(30);
  loop(fmt::format("repeat t in 0..{} from {} = {}", rng_.below(4), state.name, start), state.name, [&] {
    visible_.push_back(state);
    loop(fmt::format("along {} in 0..{}{}", indices[axis].name, program_.extent_text(extents[axis]), down ? " descending" : ""), state.name, [&] {
      Scope scope = scope_of(indices);
      Node other = expression(scope, value, 2);
      define_as(state, indices, sum_or_product(value, neighbour(state, indices, axis, rng_.of({"- 1", "+ 1", "- 2"})), std::move(other)));
    });
  });
  visible_.push_back(state);
}

/// along i { along j { y[i, j] = y[i - 1, j] + y[i, j - 1]; } }
void Generator::along_in_along() {
  if (in_loop_) return;
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32, ScalarType::I64});
  const Type value{type};
  const std::vector<Index> indices = left_indices(shape(2, 3));
  const std::vector<Extent> extents = extents_of(indices);
  const Tensor target = output(type, extents);
  const bool swapped = rng_.chance(30);
  const std::size_t first = swapped ? 1 : 0, second = 1 - first;
  const auto head = [&](std::size_t axis) { return fmt::format("along {} in 0..{}", indices[axis].name, program_.extent_text(extents[axis])); };
  loop(head(first), target.name, [&] {
    loop(head(second), target.name, [&] {
      Node previous = neighbour(target, indices, first, "- 1");
      if (rng_.chance(70)) previous = call(value, rng_.of({"min", "max"}), {std::move(previous), neighbour(target, indices, second, "- 1")});
      Scope scope = scope_of(indices);
      Node other = expression(scope, value, 2);
      define_as(target, indices, sum_or_product(value, std::move(previous), std::move(other)));
    });
  });
  visible_.push_back(target);
}

/// along i { repeat t from v = x[i] { v = ...; } y[i] = v + y[i - 1 @zero]; }
void Generator::repeat_in_along() {
  if (in_loop_) return;
  const ScalarType type = rng_.of({ScalarType::F32, ScalarType::F64, ScalarType::I32});
  const Type value{type};
  const std::vector<Index> indices = left_indices(shape(1, 1));
  const std::vector<Extent> extents = extents_of(indices);
  const Tensor target = output(type, extents);
  const std::string start = input(type, extents).name, state = fresh("u");
  const int steps = rng_.below(4);
  loop(fmt::format("along i in 0..{}", program_.extent_text(extents[0])), target.name, [&] {
    loop(fmt::format("repeat t in 0..{} from {} = {}[i]", steps, state, start), state, [&] {
      Scope scope = scope_of(indices);
      scope.values.push_back(leaf(state, value));
      Node other = expression(scope, value, 2);
      emit(statement(state, sum_or_product(value, leaf(state, value), std::move(other)), {state}));
    });
    define_as(target, indices, sum_or_product(value, neighbour(target, indices, 0, "- 1"), leaf(state, value)));
  });
  visible_.push_back(target);
}

}  // namespace cdsl::random
