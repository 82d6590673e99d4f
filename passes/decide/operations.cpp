#include "passes/decide/operations.h"

#include <algorithm>
#include <numeric>

#include "dsl/expr/walk.h"
#include "passes/decide/site.h"

namespace cdsl::deciding {
namespace {

double& at(UnitCounts& counts, Unit unit) { return counts[static_cast<std::size_t>(unit)]; }

class Counting {
 public:
  explicit Counting(const Site& site) : site_(site) {}

  Operations run() {
    Operations result;
    std::vector<ExprId> roots;
    for (const tir::Target& target : site_.stores) roots.push_back(target.value);
    for (ExprId id : postorder(site_.arena, roots)) {
      uint64_t mask = 0;
      for_each_child(site_.arena, id, [&](ExprId child) { mask |= masks_[child]; });
      if (const auto* symbol = site_.arena.get_if<Symbol>(id)) mask |= bit(symbol->symbol);
      if (const auto* reduce = site_.arena.get_if<Reduce>(id)) {
        at(result.all, Unit::Fp32) += points(mask);
        for (const Axis& a : site_.arena.reduction(reduce->reduction).axes) mask &= ~bit(a.index);
      }
      masks_[id] = mask;
      add(id, points(mask), result.all);
    }
    for (const Choice& choice : site_.choices) result.choices.push_back(of(choice));
    for (std::size_t k = site_.choices.size(); k-- > 0;) {           // inner ones first
      const Choice& choice = site_.choices[k];
      for (const auto& arm : choice.arms)
        for (ExprId id : arm)
          if (site_.arena.get_if<Read>(id) != nullptr) result.choice_of[id] = static_cast<int>(k);
      const auto& own = result.choices[k];
      if (choice.around >= 0) result.choices[static_cast<std::size_t>(choice.around)].slots[choice.side] += own.slots[0] + own.slots[1] + 1;
    }
    return result;
  }

 private:
  Operations::OfChoice of(const Choice& choice) {
    Operations::OfChoice counts;
    counts.points = points(masks_[choice.select]);
    for (const int side : {0, 1})
      for (ExprId id : choice.arms[side]) add(id, points(masks_[id]), counts.arms[side]);
    for (const int side : {0, 1}) {
      UnitCounts& all = counts.arms[side];
      counts.slots[side] = (std::accumulate(all.begin(), all.end(), 0.0) - at(all, Unit::Sfu)) / std::max(counts.points, 1.0);
    }
    return counts;
  }

  double points(uint64_t mask) const {
    double n = 1;
    for (std::size_t k = 0; k < site_.axes.axes.size(); ++k)
      if (mask >> std::min<std::size_t>(k, 63) & 1) n *= static_cast<double>(site_.extent(site_.axes.axes[k].index));
    return n;
  }

  uint64_t bit(SymbolId symbol) const {
    for (std::size_t k = 0; k < site_.axes.axes.size(); ++k)
      if (site_.axes.axes[k].index == symbol) return uint64_t{1} << std::min<std::size_t>(k, 63);
    return 0;
  }

  void add(ExprId id, double count, UnitCounts& to) const {
    const auto* apply = site_.arena.get_if<Apply>(id);
    const auto args = site_.arena.args(id);
    if (apply == nullptr || args.empty()) return;
    const Op op = apply->op;
    const ScalarType operand = site_.arena.type(args[op == Op::Select ? 1 : 0]);
    const double cost = info(op).cost * (is_complex(operand) ? 2 : 1);
    const bool wide = operand == ScalarType::F64 || operand == ScalarType::C128;
    if (op == Op::Cast) {
      at(to, Unit::Convert) += is_float(operand) != is_float(site_.arena.type(id)) || is_storage_only(operand) ? count : 0;
    } else if (wide) {
      at(to, Unit::Fp64) += count * cost;
    } else if (is_float(operand) || is_complex(operand)) {
      if (cost >= 4) at(to, Unit::Sfu) += count;
      at(to, Unit::Fp32) += count * cost;
    } else {
      at(to, Unit::Int) += count * cost;
    }
  }

  const Site& site_;
  std::unordered_map<ExprId, uint64_t> masks_;   // of each node, the axes that it hangs on
};

}  // namespace

Operations operations(const Site& site) { return Counting(site).run(); }

}  // namespace cdsl::deciding
