#include "passes/decide/scatter_vectors.h"

#include <algorithm>
#include <set>

#include "dsl/expr/walk.h"
#include "dsl/schedule/scatter.h"

namespace cdsl::deciding {
namespace {

constexpr int kWordBytes = 4;

bool is_zero(const ExprArena& arena, ExprId id) {
  const Value* value = arena.constant_value(id);
  return value != nullptr && value->i == 0;
}

bool moves_in_vectors(ScalarType type) {
  return is_integer(type) || type == ScalarType::F16 || type == ScalarType::BF16 || type == ScalarType::F32 || type == ScalarType::F64;
}

/// Is it an array of scalars, row after row, in which this leaf's elements lie side by side?
bool lies_densely(const tir::Function& function, TensorId id, uint32_t leaf) {
  const tir::Tensor& tensor = function.tensor(id);
  const RecordType& element = function.element(id);
  const bool may_be_one = std::find(tensor.may_be_one.begin(), tensor.may_be_one.end(), true) != tensor.may_be_one.end();
  const bool alone = element.leaves.size() == 1 || tensor.layout.kind == Layout::Kind::Soa;
  const bool grouped = tensor.layout.kind == Layout::Kind::Aosoa || tensor.layout.kind == Layout::Kind::Split;
  return tensor.order == tir::Order::RowMajor && !may_be_one && !tensor.is_constant && alone && !grouped && element.leaves[leaf].extents.empty();
}

bool counts_points(const tir::Function& function, const tir::Scatter& scatter, ExprId id, const Read& read) {
  const auto& axes = scatter.domain.axes;
  const auto& shape = function.tensor(read.tensor).shape;
  const auto subscripts = function.arena.args(id);
  const auto rules = function.arena.rules(id);
  if (read.tensor == scatter.target.tensor || subscripts.size() != axes.size() || shape.size() != axes.size()) return false;
  if (!moves_in_vectors(function.leaf(read.tensor, read.leaf).type) || !lies_densely(function, read.tensor, read.leaf)) return false;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto* index = function.arena.get_if<Symbol>(subscripts[k]);
    if (index == nullptr || index->symbol != axes[k].index || shape[k] != axes[k].hi) return false;
    if (rules[k].boundary != Boundary::None || rules[k].holes.valid()) return false;
  }
  return true;
}

// Is an index needed but for these reads?
bool needs_index(const tir::Function& function, const tir::Scatter& scatter, std::vector<ExprId> pending, const std::vector<ExprId>& reads) {
  std::set<ExprId> seen(reads.begin(), reads.end());
  while (!pending.empty()) {
    const ExprId id = pending.back();
    pending.pop_back();
    if (!seen.insert(id).second) continue;
    const auto* symbol = function.arena.get_if<Symbol>(id);
    for (const Axis& axis : scatter.domain.axes)
      if (symbol != nullptr && symbol->symbol == axis.index) return true;
    for_each_child(function.arena, id, [&](ExprId child) { pending.push_back(child); });
  }
  return false;
}

}  // namespace

VectorReads vector_reads(const tir::Function& function, const tir::Scatter& scatter) {
  VectorReads found;
  const ExprArena& arena = function.arena;
  const auto& axes = scatter.domain.axes;
  if (axes.empty() || !std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) { return is_zero(arena, axis.lo); })) {
    found.why_not = "the points are not counted from 0";
    return found;
  }
  std::vector<ExprId> roots = scatter.target.subscripts;
  roots.push_back(scatter.target.value);
  if (scatter.domain.guard.valid()) roots.push_back(scatter.domain.guard);
  int widest = 0, narrowest = kVectorBytes;
  for (ExprId id : postorder(arena, roots)) {
    const auto* read = arena.get_if<Read>(id);
    if (read == nullptr || !counts_points(function, scatter, id, *read)) continue;
    found.reads.push_back(id);
    if (std::find(found.tensors.begin(), found.tensors.end(), read->tensor) == found.tensors.end()) found.tensors.push_back(read->tensor);
    const int bytes = size_of(function.leaf(read->tensor, read->leaf).type);
    widest = std::max(widest, bytes);
    narrowest = std::min(narrowest, bytes);
  }
  if (found.reads.empty()) {
    found.why_not = "no read is of the element whose number is the point's";
    return found;
  }
  found.counts_back = axes.size() > 1 && needs_index(function, scatter, roots, found.reads);
  found.width = std::max<int64_t>(kVectorBytes / widest, kWordBytes / narrowest);
  for (ExprId id : found.reads) {
    const auto* read = arena.get_if<Read>(id);
    const ScalarType type = function.leaf(read->tensor, read->leaf).type;
    found.bytes += size_of(type);
    found.words += static_cast<int>(found.width) * (stays_packed(type) ? size_of(type) : std::max(kWordBytes, size_of(type))) / kWordBytes;
  }
  return found;
}

}  // namespace cdsl::deciding
