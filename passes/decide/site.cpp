#include "passes/decide/site.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/decide/mirror.h"

namespace cdsl::deciding {
namespace {

constexpr int64_t kVectorBytes = 16;
constexpr int64_t kMostSteps = 1 << 12, kMostBytes = int64_t{1} << 32;   // of a stride: beyond, all are alike

const Architecture& architecture_of(const Schedule& schedule) {
  const Architecture* found = find_architecture(schedule.architecture);
  return found != nullptr ? *found : *find_architecture(kDefaultArchitecture);
}

}  // namespace

Site::Site(tir::Function& f, const Candidate& c, const SizeValues& s, PassContext& context_, const Assumptions& a)
    : function(f), arena(f.arena), candidate(c), sizes(s), context(context_), assume(a),
      arch(architecture_of(context_.schedule)), name(f.tensor(c.stores.back().tensor).name), stores(c.stores) {
  axes = canonical(function, *c.stage, stores);
  if (!context.schedule.strict) mirrored = share_mirrored(arena, stores);
  for (std::size_t k = 0; k < axes.axes.size(); ++k) position_.emplace(axes.axes[k].index, k);
  accesses = deciding::accesses(function, stores, sizes);
  choices = deciding::choices(function, c.stage->domain, stores, axes.axes);
  for (Access& a : accesses) {              // the index of a loop around the statement does not move its points
    const auto is_unit = [&](const Axis& axis) { return axis.index == a.unit; };
    if (a.unit.valid() && std::none_of(axes.axes.begin(), axes.axes.end(), is_unit)) a.unit = {};
  }
}

std::optional<Site> Site::with_short_rows() const {
  std::vector<ExprId> ends;
  for (const Axis& a : axes.axes) {
    const bool carried = !candidate.running.empty() && candidate.running[0].along == a.index;
    if ((is_reduced(a.index) || carried) && sizes.is_open(a.hi)) ends.push_back(a.hi);
  }
  if (ends.empty()) return std::nullopt;
  Site result = *this;
  result.sizes = sizes.with_short(ends);
  result.operations.reset();
  return result;
}

Group Site::bare() const {
  Group group;
  group.name = name;
  group.statements = candidate.statements;
  group.stores = stores;
  group.where = candidate.stage->where;
  group.running = candidate.running;
  group.conditions.assign(stores.size(), candidate.stage->domain.guard);
  for (const Axis& a : axes.axes) group.axes.push_back({.index = a.index, .lo = a.lo, .hi = a.hi, .binding = Binding::Grid, .factors = {}});
  for (const Access& a : accesses) {
    if (a.joined == 1 || !assume.vectors) continue;
    group.alignment = kVectorBytes;
    const bool there = std::find(group.aligned.begin(), group.aligned.end(), a.tensor) != group.aligned.end();
    if (!there) group.aligned.push_back(a.tensor);
  }
  return group;
}

const Axis& Site::axis(SymbolId index) const {
  const auto found = position_.find(index);
  CDSL_CHECK(found != position_.end(), "an index that is no axis of the statement");
  return axes.axes[found->second];
}

std::optional<int64_t> Site::known_extent(SymbolId index) const {
  const auto lo = sizes.known(axis(index).lo), hi = sizes.known(axis(index).hi);
  return lo && hi ? std::optional(distance(*lo, *hi, 0)) : std::nullopt;
}

int64_t Site::extent(SymbolId index) const {
  return product(1, distance(sizes.likely(axis(index).lo), sizes.likely(axis(index).hi), 1));
}

bool Site::is_of_statement(SymbolId index) const {
  const auto end = axes.axes.begin() + static_cast<std::ptrdiff_t>(axes.of_statement);
  return std::any_of(axes.axes.begin(), end, [&](const Axis& a) { return a.index == index; });
}

int64_t Site::stride(const Access& access, SymbolId index) const {
  const tir::Tensor& tensor = function.tensor(access.tensor);
  const std::size_t rank = std::min(tensor.shape.size(), access.subscripts.size());
  int64_t bytes = 0, step = access.pitch;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t d = tensor.order == tir::Order::ColMajor ? k : rank - 1 - k;
    const auto found = access.subscripts[d].find(index);
    if (found != access.subscripts[d].end()) bytes += std::clamp(found->second, -kMostSteps, kMostSteps) * std::min(step, kMostBytes);
    step = product(step, std::max<int64_t>(1, sizes.likely(tensor.shape[d])));
  }
  return bytes;
}

int64_t Site::elements_of(TensorId tensor) const {
  int64_t elements = 1;
  for (ExprId extent : function.tensor(tensor).shape) elements = product(elements, std::max<int64_t>(1, sizes.likely(extent)));
  return elements;
}

bool Site::is_bare(const Access& access) const {
  if (access.is_store()) return true;
  const auto args = arena.args(access.read);
  return std::all_of(args.begin(), args.end(), [&](ExprId s) {
    return arena.get_if<Symbol>(s) != nullptr || arena.constant_value(s) != nullptr;
  });
}

std::optional<ExprId> Site::row_length(const Access& access) const {
  const tir::Tensor& tensor = function.tensor(access.tensor);
  if (tensor.shape.size() < 2) return std::nullopt;
  return tensor.order == tir::Order::ColMajor ? tensor.shape.front() : tensor.shape.back();
}

bool Site::is_aligned(const Access& access, SymbolId index) const {
  const auto first = sizes.known(axis(index).lo);
  return access.is_contiguous(index) && access.affine && is_bare(access) && first && *first % kVectorBytes == 0;
}

// What a read goes along the index in one subscript, where it moves within a window: indices beside it run over constants, as those
// of a filter's taps do.
std::optional<Site::Reach> Site::window(const Access& access, std::size_t d, SymbolId index) const {
  constexpr int64_t kWidest = 64;           // what is read farther away is no neighbourhood
  const auto is_near = [](int64_t steps) { return steps >= -kWidest && steps <= kWidest; };
  const auto own = access.subscripts[d].find(index);
  if (access.is_store() || access.irregular[d] || own == access.subscripts[d].end() || own->second != 1) return std::nullopt;
  int64_t low = access.offsets[d], high = access.offsets[d];
  if (!is_near(low)) return std::nullopt;
  for (const auto& [other, step] : access.subscripts[d]) {
    if (other == index) continue;
    if (!position_.contains(other) || is_of_statement(other)) return std::nullopt;   // what else moves it, a loop's index for instance
    const auto lo = sizes.known(axis(other).lo);
    const auto extent = known_extent(other);
    if (!lo || !extent || !is_near(*lo) || *extent < 1 || *extent > kWidest || !is_near(step)) return std::nullopt;
    const int64_t first = step * *lo, last = step * (*lo + *extent - 1);
    low += std::min(first, last);
    high += std::max(first, last);
  }
  if (!is_near(low) || !is_near(high)) return std::nullopt;
  return Reach{std::max<int64_t>(0, -low), std::max<int64_t>(0, high)};
}

Site::Reach Site::reach(SymbolId index) const {
  Reach reach;
  for (const Access& a : accesses) {
    for (std::size_t d = 0; d < a.subscripts.size(); ++d) {
      const auto found = window(a, d, index);
      if (!found) continue;
      reach.low = std::max(reach.low, found->low);
      reach.high = std::max(reach.high, found->high);
    }
  }
  return reach;
}

SymbolId Site::beside_rows(SymbolId index) const {
  SymbolId beside;
  for (const Access& a : accesses) {
    if (a.is_store() || !a.uses(index)) continue;
    const tir::Tensor& tensor = function.tensor(a.tensor);
    if (!is_windowed(a, index) || tensor.order != tir::Order::RowMajor || tensor.shape.size() < 2) return {};
    const std::size_t last = a.subscripts.size() - 1;
    const AxisRule& rule = arena.rules(a.read)[last];
    const bool is_unused = rule.boundary == Boundary::None ? rule.bounds != Bounds::PerElement : rule.boundary == Boundary::Zero || rule.boundary == Boundary::Fill;
    if (!is_unused || rule.holes.valid()) return {};
    SymbolId next;
    for (const auto& [other, step] : a.subscripts[last - 1])
      if (is_of_statement(other) && window(a, last - 1, other)) next = other;
    if (!next.valid() || next == index || (beside.valid() && beside != next)) return {};
    beside = next;
  }
  return beside;
}

bool Site::is_windowed(const Access& access, SymbolId index) const {
  const tir::Tensor& tensor = function.tensor(access.tensor);
  if (access.is_store() || !access.affine || !access.is_packed() || access.subscripts.size() != tensor.shape.size() || tensor.shape.empty()) return false;
  return window(access, tensor.order == tir::Order::ColMajor ? 0 : access.subscripts.size() - 1, index).has_value();
}

Width Site::widest(SymbolId index) const {
  Width width;
  int64_t bytes = 0;
  for (const Access& a : accesses) {
    if (is_aligned(a, index)) bytes = std::max(bytes, a.bytes);
  }
  if (bytes == 0 || bytes >= kVectorBytes) {
    width.why = bytes == 0 ? "no access along " + name_of(index) + " is of neighbours at the row's start" : "an element is a vector";
    return width;
  }
  if (!assume.vectors) {
    width.why = "this variant holds at any alignment";
    return width;
  }
  int64_t elements = kVectorBytes / bytes;
  std::vector<SizeMultiple> multiples;
  for (const Access& a : accesses) {
    if (!is_aligned(a, index)) continue;
    const auto row = row_length(a);
    if (!row) continue;
    if (const auto known = sizes.known(*row)) {
      while (elements > 1 && *known % elements != 0) elements /= 2;
      if (elements == 1) width.why = "rows of " + std::to_string(*known) + " elements begin off the vectors";
      continue;
    }
    const auto* symbol = arena.get_if<Symbol>(*row);
    if (symbol == nullptr) {
      elements = 1;
      width.why = "the length of a row is no plain size";
      continue;
    }
    multiples.push_back({symbol->symbol, 0});
  }
  if (elements <= 1) return width;
  width.elements = elements;
  for (SizeMultiple multiple : multiples) {
    multiple.of = elements;
    const auto same = [&](const SizeMultiple& m) { return m.size == multiple.size; };
    if (std::none_of(width.multiples.begin(), width.multiples.end(), same)) width.multiples.push_back(multiple);
  }
  return width;
}

int Site::passes_over(SymbolId index) const {
  if (!passes_) {
    passes_.emplace();
    std::vector<ExprId> roots;
    for (const tir::Target& target : stores) {
      roots.push_back(target.value);
      for (ExprId subscript : target.subscripts)
        if (const auto* symbol = arena.get_if<Symbol>(subscript)) (*passes_)[symbol->symbol] = 1;
    }
    std::unordered_set<ReductionId> seen;
    for (ExprId id : postorder(arena, roots)) {
      const auto* reduce = arena.get_if<Reduce>(id);
      if (reduce == nullptr || !seen.insert(reduce->reduction).second) continue;
      for (const Axis& axis : arena.reduction(reduce->reduction).axes) ++(*passes_)[axis.index];
    }
  }
  const auto found = passes_->find(index);
  return found == passes_->end() ? 1 : found->second;
}

bool Site::is_reduced_inside(SymbolId index) const {
  const auto is_over = [&](ExprId id) {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce == nullptr) return false;
    const auto& over = arena.reduction(reduce->reduction).axes;
    return std::any_of(over.begin(), over.end(), [&](const Axis& a) { return a.index == index; });
  };
  std::vector<ExprId> roots, terms;
  for (const tir::Target& target : stores) roots.push_back(target.value);
  for (ExprId id : postorder(arena, roots)) {
    const auto* reduce = arena.get_if<Reduce>(id);
    if (reduce == nullptr || is_over(id)) continue;
    const Reduction& outer = arena.reduction(reduce->reduction);
    terms.insert(terms.end(), outer.lifted.begin(), outer.lifted.end());
    if (outer.guard.valid()) terms.push_back(outer.guard);
  }
  const auto inside = postorder(arena, terms);
  return std::any_of(inside.begin(), inside.end(), is_over);
}

}  // namespace cdsl::deciding
