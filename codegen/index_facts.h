// What is known of integer values where an expression is printed: how large they get, their sign,
// and whether they are made of indices and sizes alone. It decides where plain `+ * / %` mean what
// the language says, so that most index arithmetic is printed as a person would write it.
//
// Grounds: a size or index is below 2^40 in magnitude (no device holds a longer tensor); sizes are
// never negative (a launch check); lowering proves that 32-bit index arithmetic, and the address of
// every access, stay in range.
#pragma once

#include <unordered_map>
#include <vector>

#include "dsl/expr/expr.h"
#include "dsl/loop/program.h"

namespace cdsl::cuda {

struct ValueFacts {
  bool index = false;  // made of indices, sizes and constants alone
  bool nonnegative = false;
  int bits = 64;  // magnitude <= 2^bits
};

class IndexFacts {
 public:
  explicit IndexFacts(const ExprArena& arena) : arena_(arena) {}

  /// A register that holds `value` for good.
  void define(SymbolId symbol, ExprId value);
  /// The same where it is known to be an index in [lo, hi).
  void define_within(SymbolId symbol, ExprId value, ExprId lo, ExprId hi);
  /// A loop index that counts from `lo` by `step`, below `hi` where that is up.
  void define_loop(SymbolId index, ExprId lo, ExprId hi, ExprId step);

  const ValueFacts& of(ExprId id);
  /// Can the C++ operator overflow? `address`: the node is part of an address, see above.
  bool is_plain(ExprId id, bool address);
  bool nonnegative(ExprId id) { return of(id).nonnegative; }
  bool positive(ExprId id) const;

  /// What is assumed from here on is forgotten at `forget(mark)`.
  std::size_t mark() const { return positive_.size(); }
  void forget(std::size_t mark) { positive_.resize(mark); }
  /// `id` > 0: then so are the factors of a product.
  void assume_positive(ExprId id);
  /// A condition holds: what is greater than something not negative is positive.
  void assume(ExprId condition);

 private:
  ValueFacts compute(ExprId id) const;
  ValueFacts of_symbol(SymbolId symbol) const;
  ValueFacts of_apply(Op op, ExprId id) const;
  bool is_nonnegative_product(ExprId id);
  bool is_known(ExprId id) const { return facts_.contains(id); }
  // Nothing where nobody asked before.
  ValueFacts known(ExprId id) const;

  const ExprArena& arena_;
  std::unordered_map<ExprId, ValueFacts> facts_;  // of a kernel's expressions, few in a program
  std::unordered_map<SymbolId, ValueFacts> symbols_;
  std::unordered_map<SymbolId, ExprId> values_;
  std::vector<ExprId> positive_;
};

}  // namespace cdsl::cuda
