#include "dsl/loop/rename.h"

#include <type_traits>

#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

// Symbols, buffers, sites and maps of every node; its expressions are renamed by map_expressions.
struct Names {
  const Renaming& with;

  void one(SymbolId& symbol) const {
    if (symbol.valid()) symbol = with.symbol(symbol);
  }
  void one(BufferId& buffer) const {
    if (buffer.valid()) buffer = with.buffer(buffer);
  }
  void one(Access& access) const { one(access.buffer); }
  void one(Fragment& fragment) const { one(fragment.buffer); }
  void one(SharedMatrix& matrix) const { one(matrix.start); }
  void one(std::vector<SymbolId>& symbols) const {
    for (SymbolId& symbol : symbols) one(symbol);
  }
  void one(Combine& how) const { all(how.left, how.right); }
  void all(auto&... parts) const { (one(parts), ...); }

  template <class T>
  void operator()(T& n) const {
    if constexpr (std::is_same_v<T, Let> || std::is_same_v<T, Assign> || std::is_same_v<T, Elect>) {
      one(n.local);
    } else if constexpr (std::is_same_v<T, Var>) {
      all(n.local, n.over);
    } else if constexpr (std::is_same_v<T, Store> || std::is_same_v<T, VectorStore>) {
      one(n.access);
    } else if constexpr (std::is_same_v<T, VectorLoad>) {
      all(n.locals, n.access);
    } else if constexpr (std::is_same_v<T, Atomic>) {
      all(n.access, n.old);
    } else if constexpr (std::is_same_v<T, For> || std::is_same_v<T, TileAxis>) {
      one(n.index);
    } else if constexpr (std::is_same_v<T, Shuffle> || std::is_same_v<T, Vote>) {
      one(n.result);
    } else if constexpr (std::is_same_v<T, Report>) {
      n.site = with.site(n.site);
    } else if constexpr (std::is_same_v<T, BarrierInit> || std::is_same_v<T, BarrierArrive> ||
                         std::is_same_v<T, BarrierWait>) {
      one(n.barrier);
    } else if constexpr (std::is_same_v<T, VectorMove> || std::is_same_v<T, CopyAsync> || std::is_same_v<T, MatrixLoad> ||
                         std::is_same_v<T, MatrixStore>) {
      all(n.to, n.from);
    } else if constexpr (std::is_same_v<T, CopyBulk>) {
      all(n.to, n.from, n.barrier);
    } else if constexpr (std::is_same_v<T, CopyTensor>) {
      n.map = with.map(n.map);
      all(n.shared, n.barrier);
    } else if constexpr (std::is_same_v<T, MatrixMultiply> || std::is_same_v<T, TileMultiply>) {
      all(n.d, n.a, n.b);
    } else if constexpr (std::is_same_v<T, MatrixAsync>) {
      all(n.d, n.a_fragment, n.a, n.b);
    } else if constexpr (std::is_same_v<T, TileReduce>) {
      all(n.how, n.results, n.axes);
    } else if constexpr (std::is_same_v<T, TileScan>) {
      all(n.how, n.results, n.totals, n.axis);
    } else {
      static_assert(std::is_same_v<T, While> || std::is_same_v<T, If> ||
                    std::is_same_v<T, Barrier> || std::is_same_v<T, Fence> ||
                    std::is_same_v<T, Comment> || std::is_same_v<T, CopyCommit> ||
                    std::is_same_v<T, CopyWait> || std::is_same_v<T, FenceAsync> ||
                    std::is_same_v<T, MatrixBatch> || std::is_same_v<T, NamedBarrier> ||
                    std::is_same_v<T, RegisterBudget>);
    }
  }
};

}  // namespace

void rename(Block& block, const Renaming& with) {
  for (Statement& statement : block.statements) {
    map_expressions(statement, with.expression);
    std::visit(Names{with}, statement.node);
    for_each_block(statement, [&](Block& inner) { rename(inner, with); });
  }
}

}  // namespace cdsl::loop
