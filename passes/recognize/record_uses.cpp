#include "passes/recognize/record_uses.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "dsl/expr/walk.h"
#include "dsl/machine/architectures.h"
#include "passes/recognize/accesses.h"

namespace cdsl::deciding {
namespace {

constexpr int64_t kMostElements = 32;      // of an array field that are counted one by one
constexpr double kBlock = 256;

struct Extent {
  SymbolId index;
  double points = 1;
  bool of_domain = true;                   // else of a reduction
};

// The uses of one statement.
class Finder {
 public:
  Finder(const tir::Function& function, const SizeValues& sizes, const tir::Domain& domain, const std::vector<tir::Target>& targets)
      : function_(function), sizes_(sizes) {
    std::vector<ExprId> also;
    if (domain.guard.valid()) also.push_back(domain.guard);
    for (const tir::Target& target : targets) also.insert(also.end(), target.subscripts.begin(), target.subscripts.end());
    accesses_ = accesses(function, targets, sizes, also);
    if (std::none_of(accesses_.begin(), accesses_.end(), [&](const Access& a) { return is_of_records(a); })) return;
    for (const Axis& axis : domain.axes) add(axis, true);
    for (const tir::Target& target : targets) also.push_back(target.value);
    for (ExprId id : postorder(function.arena, also)) {
      const auto* reduce = function.arena.get_if<Reduce>(id);
      if (reduce == nullptr) continue;
      for (const Axis& axis : function.arena.reduction(reduce->reduction).axes)
        if (!runs_as_one(axis, id, domain)) add(axis, false);
    }
    choose_lanes();
    for (const Extent& extent : extents_) points_ *= extent.of_domain ? extent.points : 1;
    std::size_t target = 0;
    for (const Access& access : accesses_) {
      const tir::Target* store = access.is_store() ? &targets[target++] : nullptr;
      if (is_of_records(access)) count(access, store);
    }
  }

  StatementUses uses(double runs) {
    StatementUses result{{}, points_, runs};
    for (auto& [key, use] : uses_) result.uses.push_back(std::move(use));
    return result;
  }

 private:
  // Where a use is: affine ones by their coefficients, so that neighbours in a stencil share; others by the subscripts themselves.
  using Key = std::tuple<uint32_t, bool, std::vector<std::map<SymbolId, int64_t>>, std::vector<ExprId>>;

  bool is_of_records(const Access& access) const { return function_.element(access.tensor).leaves.size() > 1; }

  void add(const Axis& axis, bool of_domain) {
    const auto same = [&](const Extent& e) { return e.index == axis.index; };
    if (std::any_of(extents_.begin(), extents_.end(), same)) return;
    extents_.push_back({axis.index, static_cast<double>(distance(sizes_.likely(axis.lo), sizes_.likely(axis.hi), 1)), of_domain});
  }

  // A row that is reduced and then mapped has one axis, as in `canonical`.
  bool runs_as_one(const Axis& axis, ExprId reduce, const tir::Domain& domain) {
    for (const Axis& own : domain.axes) {
      if (own.lo != axis.lo || own.hi != axis.hi) continue;
      const auto free = free_symbols(function_.arena, reduce);
      if (std::find(free.begin(), free.end(), own.index) != free.end()) continue;
      for (Access& access : accesses_) {
        if (access.unit == axis.index) access.unit = own.index;
        for (auto& subscript : access.subscripts) {
          const auto found = subscript.find(axis.index);
          if (found == subscript.end()) continue;
          subscript[own.index] += found->second;
          subscript.erase(axis.index);
        }
      }
      return true;
    }
    return false;
  }

  // Of equals, an index of the domain, the innermost.
  void choose_lanes() {
    int most = -1;
    for (const Extent& extent : extents_) {
      int count = 0;
      for (const Access& access : accesses_) count += access.unit == extent.index;
      if (extent.of_domain ? count >= most : count > std::max(most, 0)) most = count, lanes_ = extent.index;
    }
  }

  void count(const Access& access, const tir::Target* store) {
    const tir::Tensor& tensor = function_.tensor(access.tensor);
    const std::size_t rank = tensor.shape.size();
    std::vector<std::map<SymbolId, int64_t>> where(access.subscripts.begin(), access.subscripts.begin() + static_cast<std::ptrdiff_t>(rank));
    std::vector<ExprId> exactly;
    if (std::find(access.irregular.begin(), access.irregular.end(), true) != access.irregular.end()) {
      const auto args = store != nullptr ? std::span<const ExprId>(store->subscripts) : function_.arena.args(access.read);
      exactly.assign(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(rank));
    }
    const Key key{static_cast<uint32_t>(access.tensor.index()), store != nullptr, where, exactly};
    const auto [found, is_new] = uses_.try_emplace(key);
    RecordUse& use = found->second;
    if (is_new) place(access, rank, use);
    const uint32_t leaf = store != nullptr ? store->leaf : function_.arena.get_if<Read>(access.read)->leaf;
    add_fields(access, rank, leaf, use);
  }

  // An element whose subscripts are constants, else each.
  void add_fields(const Access& access, std::size_t rank, uint32_t leaf, RecordUse& use) const {
    const Leaf& field = function_.leaf(access.tensor, leaf);
    int64_t element = 0;
    for (std::size_t k = 0; k < field.extents.size(); ++k) {
      const std::size_t axis = rank + k;
      if (!access.subscripts[axis].empty() || access.irregular[axis]) {
        for (int64_t each = 0; each < std::min(field.count(), kMostElements); ++each) use.fields.push_back({leaf, each});
        return;
      }
      element = element * field.extents[k] + access.offsets[axis];
    }
    use.fields.push_back({leaf, element});
  }

  void place(const Access& access, std::size_t rank, RecordUse& use) const {
    use.tensor = access.tensor;
    use.is_store = access.is_store();
    const auto is_used = [&](SymbolId index) {
      for (std::size_t axis = 0; axis < rank; ++axis)
        if (access.subscripts[axis].contains(index)) return true;
      return false;
    };
    for (std::size_t axis = 0; axis < rank; ++axis) use.irregular |= access.irregular[axis] && access.subscripts[axis].contains(lanes_);
    use.step = std::abs(step(access, rank, lanes_));
    double others = 1;
    for (const Extent& extent : extents_) {
      const bool used = is_used(extent.index), along = extent.index == lanes_;
      const double points = along ? std::ceil(extent.points / kWarpLanes) : extent.points;
      if (used || extent.of_domain) use.warps *= points;
      if (used) use.different *= points;
      else if (extent.of_domain) others *= extent.points;
      const int64_t on = used && !along ? std::abs(step(access, rank, extent.index)) : 0;
      if (on > 0 && (use.walk == 0 || on < use.walk)) use.walk = on;
    }
    use.comes_back = others > kBlock;
    use.different *= std::max(1.0, others / kBlock);
  }

  // Records from one value of the index to the next.
  int64_t step(const Access& access, std::size_t rank, SymbolId index) const {
    const tir::Tensor& tensor = function_.tensor(access.tensor);
    constexpr int64_t kMost = int64_t{1} << 32;
    int64_t records = 0, unit = 1;
    for (std::size_t k = 0; k < rank; ++k) {
      const std::size_t axis = tensor.order == tir::Order::ColMajor ? k : rank - 1 - k;
      const auto found = access.subscripts[axis].find(index);
      if (found != access.subscripts[axis].end()) records += std::clamp<int64_t>(found->second, -4096, 4096) * std::min(unit, kMost);
      unit = product(unit, std::max<int64_t>(1, sizes_.likely(tensor.shape[axis])));
    }
    return records;
  }

  const tir::Function& function_;
  const SizeValues& sizes_;
  std::vector<Access> accesses_;
  std::vector<Extent> extents_;
  SymbolId lanes_;
  double points_ = 1;
  std::map<Key, RecordUse> uses_;
};

void find(const tir::Function& function, const SizeValues& sizes, const tir::Block& block, double runs,
          std::vector<StatementUses>& result) {
  const auto add = [&](const tir::Domain& domain, const std::vector<tir::Target>& targets) {
    StatementUses found = Finder(function, sizes, domain, targets).uses(runs);
    if (!found.uses.empty()) result.push_back(std::move(found));
  };
  for (const tir::Statement& statement : block.statements) {
    if (const auto* stage = std::get_if<tir::Stage>(&statement)) add(stage->domain, stage->targets);
    if (const auto* scatter = std::get_if<tir::Scatter>(&statement)) add(scatter->domain, {scatter->target});
    if (const auto* loop = std::get_if<tir::Loop>(&statement)) {
      const auto steps = static_cast<double>(distance(sizes.likely(loop->lo), sizes.likely(loop->hi), 1));
      find(function, sizes, *loop->body, runs * steps, result);
    }
  }
}

}  // namespace

std::vector<StatementUses> record_uses(const tir::Function& function, const SizeValues& sizes) {
  std::vector<StatementUses> result;
  const auto is_record = [](const RecordType& record) { return record.leaves.size() > 1; };
  if (std::any_of(function.records.begin(), function.records.end(), is_record)) find(function, sizes, function.body, 1, result);
  return result;
}

}  // namespace cdsl::deciding
