#include "passes/decide/row_start.h"

#include <algorithm>

namespace cdsl::deciding {
namespace {

constexpr int64_t kVectorBytes = 16;
constexpr std::size_t kMostAccesses = 64;   // each is compared with each

std::vector<ExprId> subscripts_of(const Site& site, const Access& access) {
  if (!access.is_store()) {
    const auto args = site.arena.args(access.read);
    return {args.begin(), args.end()};
  }
  return site.stores[static_cast<std::size_t>(&access - site.accesses.data())].subscripts;   // stores come first
}

// Neighbours along the index, each where its subscripts say. What else moves the row stands still while it is walked.
bool is_row(const Site& site, const Access& access, SymbolId index) {
  if (!access.is_contiguous(index) || !access.affine) return false;
  if (!access.is_store()) {
    const auto rules = site.arena.rules(access.read);
    if (std::any_of(rules.begin(), rules.end(), [](const AxisRule& rule) { return rule.boundary != Boundary::None || rule.holes.valid(); })) return false;
  }
  const auto place = [&](SymbolId symbol) {
    return std::find_if(site.axes.axes.begin(), site.axes.axes.end(), [&](const Axis& a) { return a.index == symbol; }) - site.axes.axes.begin();
  };
  const auto stands_still = [&](SymbolId other) { return other == index || site.is_of_statement(other) || place(other) < place(index); };
  return std::all_of(access.subscripts.begin(), access.subscripts.end(), [&](const auto& subscript) {
    return std::all_of(subscript.begin(), subscript.end(), [&](const auto& step) { return stands_still(step.first); });
  });
}

// By how many elements, modulo `of`, a step of each index moves the access; under no index, where it begins. Nothing where an extent
// is open.
std::optional<std::map<SymbolId, int64_t>> steps(const Site& site, const Access& access, int64_t of) {
  const tir::Tensor& tensor = site.function.tensor(access.tensor);
  std::map<SymbolId, int64_t> result;
  const auto add = [&](SymbolId index, int64_t step) {
    int64_t& sum = result[index];
    sum = (sum + step % of + of) % of;
    if (sum == 0) result.erase(index);
  };
  int64_t stride = 1;                     // modulo `of`, of one axis after the other from the innermost on
  const std::size_t rank = tensor.shape.size();
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t d = tensor.order == tir::Order::ColMajor ? k : rank - 1 - k;
    for (const auto& [index, coefficient] : access.subscripts[d]) add(index, coefficient % of * stride);
    add({}, access.offsets[d] % of * stride);
    if (k + 1 == rank) break;
    const auto extent = site.sizes.known(tensor.shape[d]);
    if (!extent) return std::nullopt;
    stride = *extent % of * stride % of;
  }
  return result;
}

bool alike(const Site& site, const Access& a, const Access& b, int64_t of) {
  const auto of_a = steps(site, a, of), of_b = steps(site, b, of);
  if (of_a && of_b) return *of_a == *of_b;
  const tir::Tensor &x = site.function.tensor(a.tensor), &y = site.function.tensor(b.tensor);
  return x.order == y.order && x.shape == y.shape && a.subscripts == b.subscripts && a.offsets == b.offsets;
}

}  // namespace

std::optional<RowStart> row_start(const Site& site, SymbolId index) {
  if (!site.assume.vectors || site.accesses.size() > kMostAccesses) return std::nullopt;
  const Access* best = nullptr;
  int64_t most = 0, widest = 1;
  for (const Access& a : site.accesses) {
    if (!is_row(site, a, index)) continue;
    int64_t all = 0, element = 1;
    for (const Access& b : site.accesses) {
      if (!is_row(site, b, index) || !alike(site, a, b, std::max<int64_t>(1, kVectorBytes / a.bytes))) continue;
      all += b.bytes;
      element = std::max(element, b.bytes);
    }
    const int64_t vector = kVectorBytes / element;
    if (vector > 1 && all > most) best = &a, most = all, widest = vector;
  }
  if (best == nullptr) return std::nullopt;
  return RowStart{best->tensor, best->leaf, subscripts_of(site, *best), widest};
}

bool starts_alike(const Site& site, const Access& access, const RowStart& start, SymbolId index) {
  const auto is_start = [&](const Access& a) { return a.tensor == start.tensor && a.leaf == start.leaf && subscripts_of(site, a) == start.subscripts; };
  const auto found = std::find_if(site.accesses.begin(), site.accesses.end(), is_start);
  return found != site.accesses.end() && is_row(site, access, index) && alike(site, access, *found, start.vector);
}

}  // namespace cdsl::deciding
