// Traversal of scalar expressions, written once. Nothing here recurses on operands, so that sums of 100,000 terms are
// fine; nested reductions recurse, and the frontend bounds their depth.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dsl/expr/expr.h"

namespace cdsl {

/// Operands of `id`: args, and for a Reduce the expressions of its reduction (bounds, guard, lifted terms, identity,
/// combine). Fill values and hole sizes of a Read's rules are included.
void for_each_child(const ExprArena& arena, ExprId id, const std::function<void(ExprId)>& visit);

/// Every node reachable from `roots`, operands before users, each once.
std::vector<ExprId> postorder(const ExprArena& arena, std::span<const ExprId> roots);

/// Rebuilds `roots` bottom-up. `replace(id)` may give a replacement for a node, taken as is; otherwise the node is rebuilt
/// from its rewritten operands (unchanged operands give the same id), then `finish`, if any, may improve the rebuilt node.
/// A reduction whose parts change becomes a new reduction with the same index symbols.
class Rewriter {
 public:
  using Replace = std::function<std::optional<ExprId>(ExprId)>;
  using Finish = std::function<ExprId(ExprId)>;
  Rewriter(ExprArena& arena, Replace replace, Finish finish = {});
  ExprId operator()(ExprId root);

 private:
  ExprId rebuild(ExprId id);
  ReductionId rebuild(ReductionId id);

  ExprArena& arena_;
  Replace replace_;
  Finish finish_;
  std::unordered_map<uint32_t, ExprId> done_;
  std::unordered_map<uint32_t, ReductionId> reductions_done_;
};

/// `root` with symbols replaced by expressions. Indices that a reduction inside binds are its own: they are not replaced, and get
/// another symbol where what is put in would be bound by them.
ExprId substitute(ExprArena& arena, ExprId root, const std::unordered_map<SymbolId, ExprId>& with);

/// Symbols that occur free in `root` (indices bound by a reduction inside are not free).
std::vector<SymbolId> free_symbols(const ExprArena& arena, ExprId root);

/// Does a Read of `tensor` occur in `root`?
bool reads_tensor(const ExprArena& arena, ExprId root, TensorId tensor);

}  // namespace cdsl
