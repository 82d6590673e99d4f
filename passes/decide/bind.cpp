#include "passes/decide/bind.h"

#include <algorithm>
#include <optional>

#include "dsl/expr/integer.h"
#include "dsl/expr/walk.h"
#include "dsl/machine/memory.h"
#include "passes/decide/accesses.h"
#include "passes/decide/canonical.h"

namespace cdsl::deciding {
namespace {

using loop::Factor;
using loop::Level;

constexpr int kLanes = 32, kVectorBytes = 16;
// A row of this many elements a thread stays in registers.
constexpr int64_t kResidentRegisters = 32;

class Binder {
 public:
  Binder(tir::Function& function, const Candidate& candidate, PassContext& context)
      : function_(function), arena_(function.arena), candidate_(candidate), context_(context) {}

  std::optional<Group> run() {
    group_.name = function_.tensor(candidate_.stores.back().tensor).name;
    group_.statements = candidate_.statements;
    group_.stores = candidate_.stores;
    group_.where = candidate_.stage->where;
    group_.conditions.assign(group_.stores.size(), candidate_.stage->domain.guard);
    if (is_off("tile")) return declined("the general path was asked for");
    axes_ = canonical(function_, *candidate_.stage, group_.stores);
    accesses_ = accesses(function_, group_.stores);
    for (const Axis& axis : axes_.axes) group_.axes.push_back({axis.index, axis.lo, axis.hi, Binding::Grid, {}, 1});
    const bool chosen = axes_.reduced.empty() ? pointwise() : is_contraction() ? contraction() : reduction();
    if (!chosen) return std::nullopt;
    return std::move(group_);
  }

 private:
  // --- What is known ---

  std::optional<int64_t> known(ExprId id) const {
    if (const auto c = constant_integer(arena_, id)) return c;
    if (const auto* symbol = arena_.get_if<Symbol>(id)) {
      for (const tir::Size& size : function_.sizes)
        if (size.symbol == symbol->symbol) return size.known;
      return std::nullopt;
    }
    const auto* apply = arena_.get_if<Apply>(id);
    const auto args = arena_.args(id);
    if (apply == nullptr || args.size() != 2) return std::nullopt;
    const auto a = known(args[0]), b = known(args[1]);
    if (!a || !b) return std::nullopt;
    switch (apply->op) {
      case Op::Add: return *a + *b;
      case Op::Sub: return *a - *b;
      case Op::Mul: return *a * *b;
      case Op::FloorDiv:
      case Op::Div: return *b > 0 && *a >= 0 ? std::optional(*a / *b) : std::nullopt;
      default: return std::nullopt;
    }
  }
  std::optional<int64_t> extent(const GroupAxis& axis) const {
    const auto lo = known(axis.lo), hi = known(axis.hi);
    return lo && hi ? std::optional(std::max<int64_t>(*hi - *lo, 0)) : std::nullopt;
  }
  bool is_small(const GroupAxis& axis, int64_t least) const {
    const auto e = extent(axis);
    return e && *e < least;
  }
  GroupAxis& axis(SymbolId index) {
    return *std::find_if(group_.axes.begin(), group_.axes.end(), [&](const GroupAxis& a) { return a.index == index; });
  }
  std::string name(SymbolId index) const { return arena_.symbol(index).name; }
  bool is_off(const char* directive) const {
    const auto found = context_.schedule.overrides.find(group_.name + "." + directive);
    return found != context_.schedule.overrides.end() && found->second == "off";
  }

  // --- Remarks ---

  std::optional<Group> declined(std::string reason) {
    context_.remarks.push_back({"map", group_.name, false, "general", std::move(reason), {}, {}, group_.where});
    return std::nullopt;
  }
  void chose(std::string pass, std::string choice, std::string reason, std::vector<Remark::Number> numbers,
             std::vector<Remark::Alternative> alternatives = {}) {
    context_.remarks.push_back({std::move(pass), group_.name, true, std::move(choice), std::move(reason), std::move(numbers),
                                std::move(alternatives), group_.where});
  }
  // Sectors of a request for each access, with lanes along `index`, summed.
  double sectors(SymbolId index) const {
    double total = 0;
    for (const Access& a : accesses_) {
      const bool beside = a.unit == index;
      const int64_t stride = !a.uses(index) ? 0 : beside ? a.bytes : 128;
      total += global_request(LaneStride{stride, static_cast<int>(std::min<int64_t>(a.bytes, 16)), 0, kLanes}).sectors;
    }
    return total;
  }

  // Elements of one vector access along `index`: 1 unless every access along it begins where a vector may.
  int64_t vector_along(SymbolId index, bool whole_rows) const {
    int64_t widest = 1;
    for (const Access& a : accesses_) {
      if (a.unit != index) continue;
      widest = std::max(widest, a.bytes);
      if (!is_bare(a)) return 1;
      if (a.subscripts.size() > 1 && !whole_rows) {
        const tir::Tensor& tensor = function_.tensor(a.tensor);
        const auto row = known(tensor.order == tir::Order::ColMajor ? tensor.shape.front() : tensor.shape.back());
        if (!row || *row % (kVectorBytes / std::max<int64_t>(a.bytes, 2)) != 0) return 1;
      }
    }
    if (is_off("vector")) return 1;
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const Access& a) { return a.unit == index; })
               ? std::max<int64_t>(1, kVectorBytes / std::max<int64_t>(widest, 2))
               : 1;
  }
  bool is_bare(const Access& a) const {
    if (!a.read.valid()) return true;
    const auto args = arena_.args(a.read);
    return std::all_of(args.begin(), args.end(), [&](ExprId s) {
      return arena_.get_if<Symbol>(s) != nullptr || arena_.constant_value(s) != nullptr;
    });
  }

  // --- Pointwise ---

  // Every access is at the box's own place: the box may be counted as one axis.
  bool is_flat() const {
    for (const GroupAxis& a : group_.axes) {
      const auto lo = known(a.lo);
      if (!lo || *lo != 0) return false;
    }
    for (const Access& a : accesses_) {
      const tir::Tensor& tensor = function_.tensor(a.tensor);
      const bool constant = std::none_of(a.subscripts.begin(), a.subscripts.end(), [](const auto& s) { return !s.empty(); });
      if (constant && a.affine) continue;
      if (!a.affine || !is_bare(a) || tensor.order != tir::Order::RowMajor || tensor.shape.size() != group_.axes.size()) return false;
      if (std::any_of(tensor.may_be_one.begin(), tensor.may_be_one.end(), [](bool one) { return one; })) return false;
      if (a.subscripts.size() != group_.axes.size()) return false;
      for (std::size_t k = 0; k < group_.axes.size(); ++k) {
        if (!a.subscripts[k].contains(group_.axes[k].index) || (k > 0 && tensor.shape[k] != group_.axes[k].hi)) return false;
      }
    }
    return true;
  }

  bool pointwise() {
    if (is_flat()) return flat();
    const Access& store = accesses_.front();
    if (!store.unit.valid()) return (void)declined("the store has no index along which it is contiguous"), false;
    const SymbolId lanes = store.unit;
    std::vector<const Access*> across;   // read along another index, while the lanes' index moves them too
    for (const Access& a : accesses_)
      if (a.read.valid() && a.unit.valid() && a.unit != lanes && a.uses(lanes) && a.uses(a.unit)) across.push_back(&a);
    if (is_small(axis(lanes), kLanes)) return (void)declined("fewer than 32 points along the lanes"), false;
    if (!across.empty()) return permuted(lanes, across);
    return rows(lanes);
  }

  bool flat() {
    const SymbolId point = arena_.add_symbol("point", SymbolKind::Index);
    ExprId count = arena_.integer(1);
    for (const GroupAxis& a : group_.axes) count = index_mul(arena_, count, a.hi);
    const SymbolId last = group_.axes.back().index;
    const int64_t vector = vector_along(last, true);
    GroupAxis whole{point, arena_.integer(0), count, Binding::Grid, {{Level::Warp, 8, 1}, {Level::Lane, kLanes, 1}}, 1};
    if (vector > 1) whole.factors.push_back({Level::Vector, vector, 1});
    const bool one = group_.axes.size() == 1;
    if (one) {
      group_.axes[0].factors = whole.factors;
    } else {
      for (GroupAxis& a : group_.axes) a.binding = Binding::Resident;   // within the tile of the box
      group_.axes.push_back(whole);
      group_.flat = true;
    }
    group_.split_edge = true;
    if (vector > 1) group_.alignment = kVectorBytes;
    chose("map", "flat", "all accesses are at the statement's own point: one index along the lanes",
          {{"sectors/request", sectors(last), ""}, {"elements a vector", static_cast<double>(vector), ""}});
    return true;
  }

  bool rows(SymbolId lanes) {
    const int64_t vector = vector_along(lanes, false);
    GroupAxis& a = axis(lanes);
    a.factors = {{Level::Lane, kLanes, 1}};
    if (vector > 1) a.factors.push_back({Level::Vector, vector, 1}), group_.alignment = kVectorBytes;
    // Warps along the nearest other index, so that a block's rows share what stencils read.
    GroupAxis* other = nullptr;
    for (GroupAxis& b : group_.axes)
      if (b.index != lanes && !is_small(b, 8)) other = &b;
    if (other != nullptr)
      other->factors = {{Level::Warp, 8, 1}};
    else
      a.factors.insert(a.factors.begin(), Factor{Level::Warp, 8, 1});
    group_.split_edge = true;
    chose("map", name(lanes), "the index along which most accesses are contiguous runs along the lanes",
          {{"sectors/request, all accesses", sectors(lanes), ""}, {"elements a vector", static_cast<double>(vector), ""}}, others(lanes));
    return true;
  }

  std::vector<Remark::Alternative> others(SymbolId lanes) const {
    std::vector<Remark::Alternative> result;
    for (const GroupAxis& a : group_.axes) {
      if (a.index != lanes) result.push_back({name(a.index), "more sectors", {{"sectors/request, all accesses", sectors(a.index), ""}}});
    }
    return result;
  }

  bool permuted(SymbolId lanes, const std::vector<const Access*>& across) {
    const SymbolId along = across.front()->unit;
    for (const Access* a : across)
      if (a->unit != along) return (void)declined("reads are contiguous along several other indices"), false;
    if (is_small(axis(along), kLanes)) return (void)declined("fewer than 32 points along the rows that are read"), false;
    axis(lanes).factors = {{Level::Lane, kLanes, 1}};
    axis(along).factors = {{Level::Register, 4, 1}, {Level::Warp, 8, 1}};
    const int64_t bytes = across.front()->bytes;
    const int64_t pad = std::max<int64_t>(1, 4 / bytes);
    const auto degree = [&](int64_t padding) {
      return static_cast<double>(shared_request(LaneStride{(kLanes + padding) * bytes, static_cast<int>(bytes), 0, kLanes}).degree);
    };
    for (const Access* a : across) {
      const Read read = *arena_.get_if<Read>(a->read);
      const bool there = std::any_of(group_.staged.begin(), group_.staged.end(), [&](const Staging& s) { return s.tensor == read.tensor && s.leaf == read.leaf; });
      if (!there) group_.staged.push_back({read.tensor, read.leaf, pad, false});
    }
    group_.split_edge = false;
    chose("tile", "shared", "read along " + name(along) + ", stored along " + name(lanes) + ": both contiguous through a tile",
          {{"tile", 32, "x 32"}, {"sectors/request", 4 * static_cast<double>(bytes) / 4, ""}},
          {{"direct", "one of the sides is a stride apart", {{"sectors/request", 32, ""}}}});
    chose("pad", std::to_string(pad), "columns of the tile fall into different banks",
          {{"bank degree", degree(pad), ""}}, {{"0", "conflicts", {{"bank degree", degree(0), ""}}}});
    return true;
  }

  // --- Reductions ---

  // The index with the most contiguous reads.
  SymbolId most_contiguous() const {
    SymbolId best;
    int most = 0;
    for (const GroupAxis& a : group_.axes) {
      int count = 0;
      for (const Access& access : accesses_) count += access.read.valid() && access.unit == a.index;
      if (count > most) most = count, best = a.index;
    }
    return best;
  }

  bool reduction() {
    const SymbolId along = most_contiguous();
    if (!along.valid()) return (void)declined("no read is contiguous along an index"), false;
    return axes_.is_reduced(along) ? row_reduction(along) : column_reduction(along);
  }

  // Other reduced axes are walked by each thread.
  void stream_others(SymbolId except) {
    for (GroupAxis& a : group_.axes)
      if (a.index != except && axes_.is_reduced(a.index)) a.binding = Binding::Stream;
  }
  bool mapped_elsewhere(SymbolId except) const {
    for (std::size_t k = 0; k < axes_.of_statement; ++k)
      if (axes_.axes[k].index != except && axes_.is_reduced(axes_.axes[k].index)) return true;
    return false;
  }

  bool row_reduction(SymbolId along) {
    if (mapped_elsewhere(along)) return (void)declined("the rows of a reduction of several indices are mapped again"), false;
    stream_others(along);
    GroupAxis& row = axis(along);
    const auto length = extent(row);
    const bool others = axes_.reduced.size() > 1;
    const int64_t vector = vector_along(along, false);
    const auto ceil = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
    GroupAxis* outer = nullptr;
    for (GroupAxis& a : group_.axes)
      if (a.binding == Binding::Grid && a.index != along) outer = &a;
    int64_t registers = 4;
    std::string choice;
    if (length && *length <= 1024 && outer != nullptr && !others) {
      registers = std::max<int64_t>(1, ceil(*length, kLanes * vector));
      row.binding = Binding::Resident;
      row.factors = {{Level::Register, registers, 1}, {Level::Lane, kLanes, 1}};
      outer->factors = {{Level::Warp, 8, 1}};
      choice = "warp";
    } else {
      int64_t warps = 8;
      while (length && warps < 32 && *length > warps * kLanes * kResidentRegisters) warps *= 2;
      if (!length && outer == nullptr) warps = 32;
      const bool fits = length && *length <= warps * kLanes * kResidentRegisters && !others;
      row.binding = fits ? Binding::Resident : Binding::Stream;
      registers = fits ? std::max<int64_t>(1, ceil(*length, warps * kLanes * vector)) : 4;
      row.factors = {{Level::Register, registers, 1}, {Level::Warp, warps, 1}, {Level::Lane, kLanes, 1}};
      group_.warps = static_cast<int>(warps);
      choice = fits ? "block" : "block, streamed";
    }
    if (vector > 1) row.factors.push_back({Level::Vector, vector, 1}), group_.alignment = kVectorBytes;
    const double passes = row.binding == Binding::Resident ? 1 : static_cast<double>(row_reads(along));
    chose("reduce", choice, row.binding == Binding::Resident ? "a row stays in registers: it is read once"
                            : length ? "a row does not fit into registers" : "the length of a row is not known",
          {{"reads of a row", passes, ""}, {"registers a thread", static_cast<double>(registers * vector), ""},
           {"warps", static_cast<double>(group_.warps), ""}, {"sectors/request, all accesses", sectors(along), ""}});
    return true;
  }

  // How often a streamed row is read: once a reduction, once more for a store along it.
  int row_reads(SymbolId along) const {
    int reads = 0;
    std::vector<ExprId> roots;
    for (const tir::Target& target : group_.stores) {
      roots.push_back(target.value);
      const auto& s = target.subscripts;
      reads += std::find(s.begin(), s.end(), arena_.symbol_ref(along)) != s.end();
    }
    std::vector<ReductionId> seen;
    for (ExprId id : postorder(arena_, roots)) {
      const auto* reduce = arena_.get_if<Reduce>(id);
      if (reduce == nullptr || std::find(seen.begin(), seen.end(), reduce->reduction) != seen.end()) continue;
      seen.push_back(reduce->reduction);
      ++reads;
    }
    return reads;
  }

  bool column_reduction(SymbolId along) {
    if (mapped_elsewhere(along) || axes_.of_statement < axes_.axes.size() - axes_.reduced.size())
      return (void)declined("a reduced index is mapped again"), false;
    if (is_small(axis(along), kLanes)) return (void)declined("fewer than 32 points along the lanes"), false;
    stream_others(along);
    axis(along).factors = {{Level::Lane, kLanes, 1}};
    // The outermost reduced index is shared out over warps; each thread has four loads under way.
    for (GroupAxis& a : group_.axes) {
      if (a.binding != Binding::Stream || is_small(a, 32)) continue;
      a.factors = {{Level::Register, 4, 1}, {Level::Warp, 8, 1}};
      break;
    }
    const bool shared_out = std::any_of(group_.axes.begin(), group_.axes.end(), [](const GroupAxis& a) { return a.binding == Binding::Stream && !a.factors.empty(); });
    if (!shared_out) axis(along).factors.insert(axis(along).factors.begin(), Factor{Level::Warp, 8, 1});
    chose("reduce", shared_out ? "columns, warps" : "columns", "reads are contiguous along " + name(along) + ", which is kept: lanes along it",
          {{"sectors/request, all accesses", sectors(along), ""}}, others(along));
    return true;
  }

  // --- Contractions ---

  // One sum of products over one index; each of two other indices moves one operand only.
  bool is_contraction() {
    if (axes_.reduced.size() != 1 || mapped_elsewhere(SymbolId{}) || axes_.of_statement < 2) return false;
    const SymbolId k = axes_.reduced[0];
    std::vector<const Access*> operands;
    for (const Access& a : accesses_)
      if (a.read.valid() && a.uses(k)) operands.push_back(&a);
    if (operands.size() != 2 || operands[0]->tensor == operands[1]->tensor) return false;
    for (const Access* a : operands)
      if (!a->affine || !is_bare(*a)) return false;
    row_ = column_ = SymbolId{};
    for (std::size_t i = 0; i < axes_.of_statement; ++i) {
      const SymbolId index = axes_.axes[i].index;
      const bool first = operands[0]->uses(index), second = operands[1]->uses(index);
      if (first && second) continue;      // a batch index
      if (!first && !second) return false;
      SymbolId& side = first ? row_ : column_;
      if (side.valid()) return false;
      side = index;
    }
    if (!row_.valid() || !column_.valid()) return false;
    a_ = operands[0], b_ = operands[1];
    // The store's contiguous index runs along the lanes.
    if (accesses_.front().unit == row_) std::swap(row_, column_), std::swap(a_, b_);
    return accesses_.front().unit == column_ && !is_small(axis(row_), 16) && !is_small(axis(column_), 16);
  }

  bool contraction() {
    const SymbolId k = axes_.reduced[0];
    const auto m = extent(axis(row_)), n = extent(axis(column_));
    const auto tiles = [&](int64_t size) { return ((*m + size - 1) / size) * ((*n + size - 1) / size); };
    const bool large = m && n && tiles(128) >= 132;
    axis(row_).factors = {{Level::Warp, 4, 2}, {Level::Lane, 4, 8}, {Level::Register, large ? 8 : 4, 1}};
    axis(column_).factors = {{Level::Warp, 2, 1}, {Level::Register, large ? 2 : 1, 1}, {Level::Lane, 8, 1}, {Level::Vector, 4, 1}};
    axis(k).binding = Binding::Stream;
    axis(k).chunk = 16;
    if (vector_along(column_, false) >= 4) group_.alignment = kVectorBytes;
    for (const Access* operand : {a_, b_}) {
      const Read read = *arena_.get_if<Read>(operand->read);
      // Rows of the box run along k, so that a thread's values lie side by side.
      std::size_t k_place = 0, other_place = 0;
      for (std::size_t d = 0; d < operand->subscripts.size(); ++d) {
        if (operand->subscripts[d].contains(k)) k_place = d;
        if (operand->subscripts[d].contains(row_) || operand->subscripts[d].contains(column_)) other_place = d;
      }
      group_.staged.push_back({read.tensor, read.leaf, k_place > other_place ? 4 : 0, k_place > other_place});
    }
    const double side = large ? 128 : 64;
    chose("tile", std::to_string(large ? 128 : 64) + "x" + std::to_string(large ? 128 : 64) + "x16",
          "operands are used by a whole tile of results: staged in shared memory, results in registers",
          {{"loads/FLOP from memory", (2 * side) / (2 * side * side), ""}, {"results a thread", large ? 64.0 : 16.0, ""}},
          {{"direct", "every operand is loaded for each product", {{"loads/FLOP from memory", 1, ""}}}});
    return true;
  }

  tir::Function& function_;
  ExprArena& arena_;
  const Candidate& candidate_;
  PassContext& context_;
  Group group_;
  Axes axes_;
  std::vector<Access> accesses_;
  SymbolId row_, column_;
  const Access *a_ = nullptr, *b_ = nullptr;
};

}  // namespace

std::optional<Group> bind(tir::Function& function, const Candidate& candidate, PassContext& context) {
  return Binder(function, candidate, context).run();
}

}  // namespace cdsl::deciding
