#include "api/spot_values.h"

#include <set>

#include "api/test_values.h"

namespace cdsl {
namespace {

constexpr int64_t kMostPoints = 200'000'000;   // of an output's elements together, and of one element

/// Row-major numbers; the telling ones first, so that they are there when time runs out.
std::vector<int64_t> chosen(int64_t elements, int64_t count, uint64_t seed) {
  std::vector<int64_t> order;
  std::set<int64_t> seen;
  const auto add = [&](int64_t at) {
    if (at >= 0 && at < elements && seen.insert(at).second) order.push_back(at);
  };
  if (elements <= count) {
    for (int64_t at = 0; at < elements; ++at) add(at);
    return order;
  }
  constexpr int64_t kEdge = int64_t{1} << 31;     // where 32-bit indices end
  for (const int64_t at : {int64_t{0}, elements - 1, kEdge - 1, kEdge, 2 * kEdge - 1, 2 * kEdge}) add(at);
  for (uint64_t k = 0; static_cast<int64_t>(order.size()) < count; ++k)
    add(static_cast<int64_t>(mix(seed, k) % static_cast<uint64_t>(elements)));
  return order;
}

std::vector<int64_t> subscripts_of(int64_t flat, const std::vector<int64_t>& shape) {
  std::vector<int64_t> subscripts(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; flat /= shape[axis]) subscripts[axis] = flat % shape[axis];
  return subscripts;
}

SpotOutput values_of(eval::SpotEvaluator& evaluator, const tir::Function& function, TensorId id, const std::vector<int64_t>& shape,
                     int64_t count, uint64_t seed) {
  SpotOutput output{function.tensor(id).name, {}, 0, {}};
  int64_t elements = 1, each = 0;
  for (const int64_t extent : shape) elements *= extent;
  const auto& leaves = function.element(id).leaves;
  for (const Leaf& leaf : leaves) each += leaf.count();
  output.elements = elements * each;
  const int64_t start = evaluator.points();
  try {
    for (const int64_t flat : chosen(elements, count, seed)) {
      if (evaluator.points() - start > kMostPoints) return output;
      for (uint32_t k = 0; k < leaves.size(); ++k) {
        for (int64_t within = 0; within < leaves[k].count(); ++within) {
          std::vector<int64_t> at = subscripts_of(flat, shape);
          const std::vector<int64_t> inside = subscripts_of(within, leaves[k].extents);
          at.insert(at.end(), inside.begin(), inside.end());
          output.values.push_back({{flat, k, within}, evaluator.element(id, k, at)});
        }
      }
    }
  } catch (const eval::NotAlone& refusal) {
    output.refusal = refusal.what();
  }
  return output;
}

}  // namespace

int64_t SpotValues::checked() const {
  int64_t sum = 0;
  for (const SpotOutput& output : outputs) sum += static_cast<int64_t>(output.values.size());
  return sum;
}

int64_t SpotValues::elements() const {
  int64_t sum = 0;
  for (const SpotOutput& output : outputs) sum += output.elements;
  return sum;
}

SpotValues spot_values(const tir::Function& function, const Arguments& arguments, const tir::Bound& bound, eval::Mode mode,
                       int64_t count, uint64_t seed) {
  SpotValues spots;
  eval::SpotEvaluator evaluator(function, arguments, bound, mode, kMostPoints);
  for (std::size_t k = 0; k < function.tensors.size(); ++k) {
    const tir::Role role = function.tensors[k].role;
    if (role != tir::Role::Output && role != tir::Role::InOut) continue;
    spots.outputs.push_back(values_of(evaluator, function, TensorId(k), bound.shapes[k], count, seed));
  }
  spots.reports = evaluator.reports();
  return spots;
}

}  // namespace cdsl
