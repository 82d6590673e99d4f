// Expressions of one arena copied into another.
#pragma once

#include <functional>
#include <unordered_map>

#include "dsl/expr/expr.h"

namespace cdsl {

/// Copies each node once; the copy computes the same over the symbols and buffers that stand for
/// those of `from`. Requires: no Read and no Reduce (they name tables of their function); `from`
/// and `to` are different arenas.
class ExprImport {
 public:
  struct Names {
    std::function<SymbolId(SymbolId)> symbol;
    std::function<BufferId(BufferId)> buffer;
  };
  /// Keeps references to both arenas.
  ExprImport(const ExprArena& from, ExprArena& to, Names names);
  /// An invalid id stays invalid.
  ExprId operator()(ExprId root);

 private:
  ExprId copy(ExprId id);

  const ExprArena& from_;
  ExprArena& to_;
  Names names_;
  std::unordered_map<uint32_t, ExprId> done_;
};

}  // namespace cdsl
