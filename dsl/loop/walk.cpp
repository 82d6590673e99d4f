#include "dsl/loop/walk.h"

#include <algorithm>
#include <type_traits>

namespace cdsl::loop {
namespace {

// One list of the expressions of every node, for constant and for mutable statements alike.
template <class Visit>
struct Expressions {
  Visit visit;

  void one(auto& id) const {
    if (id.valid()) visit(id);
  }
  void all(auto& ids) const {
    for (auto& id : ids) one(id);
  }
  void place(auto& access) const { one(access.index), one(access.within), one(access.rank); }
  void fragment(auto& fragment) const { one(fragment.base); }
  void combine(auto& how) const { all(how.identity), all(how.combine); }

  template <class Node>
  void operator()(Node& n) const {
    using T = std::remove_const_t<Node>;
    if constexpr (std::is_same_v<T, Let>) {
      one(n.value), one(n.lo), one(n.hi);
    } else if constexpr (std::is_same_v<T, Var> || std::is_same_v<T, Assign> ||
                  std::is_same_v<T, Report>) {
      one(n.value);
    } else if constexpr (std::is_same_v<T, Store>) {
      place(n.access), one(n.value);
    } else if constexpr (std::is_same_v<T, VectorLoad>) {
      place(n.access);
    } else if constexpr (std::is_same_v<T, VectorStore>) {
      place(n.access), all(n.values);
    } else if constexpr (std::is_same_v<T, VectorMove>) {
      place(n.to), place(n.from), one(n.width);
    } else if constexpr (std::is_same_v<T, Atomic>) {
      place(n.access), one(n.value), one(n.expected);
    } else if constexpr (std::is_same_v<T, For>) {
      one(n.lo), one(n.hi), one(n.step);
    } else if constexpr (std::is_same_v<T, While> || std::is_same_v<T, If>) {
      one(n.condition);
    } else if constexpr (std::is_same_v<T, Shuffle>) {
      one(n.value), one(n.lane);
    } else if constexpr (std::is_same_v<T, Vote>) {
      one(n.predicate);
    } else if constexpr (std::is_same_v<T, BarrierInit>) {
      place(n.barrier), one(n.count);
    } else if constexpr (std::is_same_v<T, BarrierArrive>) {
      place(n.barrier), one(n.bytes);
    } else if constexpr (std::is_same_v<T, BarrierWait>) {
      place(n.barrier), one(n.parity);
    } else if constexpr (std::is_same_v<T, CopyAsync>) {
      place(n.to), place(n.from), one(n.condition);
    } else if constexpr (std::is_same_v<T, CopyBulk>) {
      place(n.to), place(n.from), one(n.bytes), place(n.barrier);
    } else if constexpr (std::is_same_v<T, CopyTensor>) {
      place(n.shared), all(n.at), place(n.barrier), one(n.multicast);
    } else if constexpr (std::is_same_v<T, MatrixLoad>) {
      fragment(n.to), place(n.from);
    } else if constexpr (std::is_same_v<T, MatrixStore>) {
      place(n.to), fragment(n.from);
    } else if constexpr (std::is_same_v<T, MatrixMultiply>) {
      fragment(n.d), fragment(n.a), fragment(n.b);
    } else if constexpr (std::is_same_v<T, MatrixAsync>) {
      fragment(n.d), fragment(n.a_fragment), place(n.a.start), place(n.b.start), one(n.accumulate);
    } else if constexpr (std::is_same_v<T, NamedBarrier>) {
      one(n.id);
    } else if constexpr (std::is_same_v<T, TileReduce> || std::is_same_v<T, TileScan>) {
      all(n.values), combine(n.how);
    } else {
      static_assert(std::is_same_v<T, Barrier> || std::is_same_v<T, Fence> || std::is_same_v<T, Comment> ||
                    std::is_same_v<T, CopyCommit> || std::is_same_v<T, CopyWait> || std::is_same_v<T, FenceAsync> ||
                    std::is_same_v<T, MatrixBatch> || std::is_same_v<T, Elect> || std::is_same_v<T, RegisterBudget> ||
                    std::is_same_v<T, TileAxis> || std::is_same_v<T, TileMultiply>);
    }
  }
};

template <class StatementType, class Visit>
void for_each_block_of(StatementType& statement, const Visit& visit) {
  if (auto* loop = std::get_if<For>(&statement.node)) visit(*loop->body);
  if (auto* loop = std::get_if<While>(&statement.node)) visit(*loop->body);
  if (auto* branch = std::get_if<If>(&statement.node)) {
    visit(*branch->then_body);
    if (branch->else_body != nullptr) visit(*branch->else_body);
  }
}

}  // namespace

void for_each_expression(const Statement& statement, const std::function<void(ExprId)>& visit) {
  std::visit(Expressions<std::function<void(ExprId)>>{visit}, statement.node);
}

void map_expressions(Statement& statement, const std::function<ExprId(ExprId)>& map) {
  const auto replace = [&](ExprId& id) { id = map(id); };
  std::visit(Expressions<decltype(replace)>{replace}, statement.node);
}

void for_each_block(const Statement& statement, const std::function<void(const Block&)>& visit) {
  for_each_block_of(statement, visit);
}

void for_each_block(Statement& statement, const std::function<void(Block&)>& visit) {
  for_each_block_of(statement, visit);
}

std::vector<SymbolId> definitions(const Statement& statement) {
  std::vector<SymbolId> result;
  const auto add = [&](SymbolId symbol) {
    if (symbol.valid()) result.push_back(symbol);
  };
  std::visit(
      [&](const auto& n) {
        if constexpr (requires { n.local; } && !std::is_same_v<std::decay_t<decltype(n)>, Assign>) add(n.local);
        if constexpr (requires { n.locals; }) std::for_each(n.locals.begin(), n.locals.end(), add);
        if constexpr (requires { n.result; }) add(n.result);
        if constexpr (requires { n.results; }) std::for_each(n.results.begin(), n.results.end(), add);
        if constexpr (requires { n.totals; }) std::for_each(n.totals.begin(), n.totals.end(), add);
        if constexpr (requires { n.old; }) add(n.old);
        if constexpr (requires { n.index; }) add(n.index);
      },
      statement.node);
  return result;
}

std::vector<SymbolId> accumulators_of(const Statement& statement) {
  const auto* reduce = std::get_if<TileReduce>(&statement.node);
  const auto* scan = std::get_if<TileScan>(&statement.node);
  const Combine* how = reduce != nullptr ? &reduce->how : scan != nullptr ? &scan->how : nullptr;
  if (how == nullptr) return {};
  std::vector<SymbolId> result = how->left;
  result.insert(result.end(), how->right.begin(), how->right.end());
  return result;
}

void for_each_statement(const Block& block, const std::function<void(const Statement&)>& visit) {
  for (const Statement& statement : block.statements) {
    visit(statement);
    for_each_block(statement, [&](const Block& inner) { for_each_statement(inner, visit); });
  }
}

void for_each_access(const Statement& statement, const std::function<void(const Access&)>& visit) {
  const auto one = [&](const Access& access) {
    if (access.buffer.valid()) visit(access);
  };
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (requires { one(n.access); }) one(n.access);
        if constexpr (requires { one(n.to); }) one(n.to);
        if constexpr (requires { one(n.from); }) one(n.from);
        if constexpr (requires { one(n.shared); }) one(n.shared);
        if constexpr (requires { one(n.barrier); }) one(n.barrier);
        if constexpr (std::is_same_v<T, MatrixAsync>) one(n.a.start), one(n.b.start);
      },
      statement.node);
}

void for_each_fragment(const Statement& statement, const std::function<void(const Fragment&)>& visit) {
  const auto one = [&](const Fragment& fragment) {
    if (fragment.buffer.valid()) visit(fragment);
  };
  if (const auto* load = std::get_if<MatrixLoad>(&statement.node)) one(load->to);
  if (const auto* store = std::get_if<MatrixStore>(&statement.node)) one(store->from);
  if (const auto* mma = std::get_if<MatrixMultiply>(&statement.node)) one(mma->d), one(mma->a), one(mma->b);
  if (const auto* mma = std::get_if<MatrixAsync>(&statement.node)) one(mma->d), one(mma->a_fragment);
}

const Access* access_of(const Statement& statement) {
  if (const auto* store = std::get_if<Store>(&statement.node)) return &store->access;
  if (const auto* load = std::get_if<VectorLoad>(&statement.node)) return &load->access;
  if (const auto* store = std::get_if<VectorStore>(&statement.node)) return &store->access;
  if (const auto* move = std::get_if<VectorMove>(&statement.node)) return &move->to;
  if (const auto* atomic = std::get_if<Atomic>(&statement.node)) return &atomic->access;
  return nullptr;
}

}  // namespace cdsl::loop
