// Contractions: one sum of products, two other indices that move one operand each. A block computes a tile of results from
// panels of both operands in shared memory, a thread a tile of it in registers.
#include <algorithm>

#include "passes/decide/mappings.h"
#include "passes/recognize/patterns.h"

namespace cdsl::deciding {
namespace {

using loop::Level;

struct Product {
  SymbolId row, column, summed;
  const Access *a = nullptr, *b = nullptr;  // moved by row, by column
};

// Of the contractions that are recognized, those that a tile of two staged operands carries out: one index a side, one contracted,
// and nothing else that the contracted index moves.
std::optional<Product> product_of(const Site& site) {
  if (site.axes.reduced.size() != 1 || site.axes.of_statement < 2) return std::nullopt;
  const SymbolId summed = site.axes.reduced[0];
  if (site.is_of_statement(summed)) return std::nullopt;
  std::vector<const Access*> operands;
  for (const Access& a : site.accesses)
    if (!a.is_store() && a.uses(summed)) operands.push_back(&a);
  if (operands.size() != 2 || operands[0]->tensor == operands[1]->tensor) return std::nullopt;
  for (const Access* a : operands)
    if (!a->affine || !site.is_bare(*a) || !a->is_packed()) return std::nullopt;
  const Subject subject(site.function, {{site.axes.axes.begin(), site.axes.axes.begin() + static_cast<std::ptrdiff_t>(site.axes.of_statement)}, {}},
                        site.stores, site.sizes);
  for (ReductionId id : subject.reductions) {
    const auto found = contraction(subject, id);
    if (!found || found->rows.size() != 1 || found->columns.size() != 1) continue;
    if (found->batch.size() + 2 != site.axes.of_statement || site.accesses.front().unit != found->columns[0]) continue;
    Product p{found->rows[0], found->columns[0], summed};
    for (const Access* a : operands) (a->read == found->a ? p.a : p.b) = a;
    if (p.a != nullptr && p.b != nullptr && p.b->read == found->b) return p;
  }
  return std::nullopt;
}

GroupAxis& axis(Group& group, SymbolId index) {
  return *std::find_if(group.axes.begin(), group.axes.end(), [&](const GroupAxis& a) { return a.index == index; });
}

// Rows of the box run along the summed index, so that a thread's values lie side by side.
Staging panel(const Site& site, const Access& operand, const Product& p, SymbolId side, int64_t pad) {
  const Read read = *site.arena.get_if<Read>(operand.read);
  std::size_t summed = 0, other = 0;
  for (std::size_t d = 0; d < operand.subscripts.size(); ++d) {
    if (operand.subscripts[d].contains(p.summed)) summed = d;
    if (operand.subscripts[d].contains(side)) other = d;
  }
  const bool across = summed > other;
  return {read.tensor, read.leaf, across ? pad : 0, across};
}

}  // namespace

void add_products(const Site& site, Space& space) {
  const auto p = product_of(site);
  if (!p) return space.refuse("map", "product", "it is no sum of products of two operands over one index");
  if (site.extent(p->row) < 16 || site.extent(p->column) < 16) return space.refuse("map", "product", "fewer than 16 results on a side");
  // A tensor has one box, which another place would widen.
  for (const Access& a : site.accesses) {
    for (const Access* operand : {p->a, p->b}) {
      if (!a.is_store() && a.tensor == operand->tensor && a.subscripts != operand->subscripts)
        return space.refuse("map", "product", "an operand is read at other places too");
    }
  }
  struct Tile {
    int64_t rows, columns;
  };
  for (const Tile tile : {Tile{64, 64}, Tile{128, 64}, Tile{128, 128}}) {
    for (const int64_t depth : {16, 8, 32}) {
      for (const int64_t pad : space.numbers("pad", {4})) {
        Group group = site.bare();
        group.warps = 8;
        axis(group, p->row).factors = {{Level::Warp, 4, 2}, {Level::Lane, 4, 8}, {Level::Register, tile.rows / 16, 1}};
        axis(group, p->column).factors = {{Level::Warp, 2, 1}, {Level::Register, tile.columns / 64, 1}, {Level::Lane, 8, 1}, {Level::Vector, 4, 1}};
        axis(group, p->summed).binding = Binding::Stream;
        axis(group, p->summed).chunk = depth;
        const Width width = site.widest(p->column);
        if (width.elements >= 4) ask_for(site, group, p->column, width, 4);
        group.staged = {panel(site, *p->a, *p, p->row, pad), panel(site, *p->b, *p, p->column, pad)};
        const std::string text = std::to_string(tile.rows) + "x" + std::to_string(tile.columns) + "x" + std::to_string(depth);
        space.add({{"map", "product"}, {"tile", text}, {"pad", std::to_string(pad)}, {"threads", "256"}}, std::move(group),
                  "operands are used by a whole tile of results: staged in shared memory, results in registers");
      }
    }
  }
}

}  // namespace cdsl::deciding
