// What kind of statement this is, in the words of the field: what a reader of the program would call it, with the facts that
// such a name leaves open. A statement may be several things at once: a contraction whose operand is read through a window is a
// convolution, a softmax is three row reductions and a map.
//
// Nothing is decided here, and nothing that a name says has to be proved again: decisions may read the facts, lowering may not.
// Example: `C[m, n] = gelu(sum[k](A[m, k] * B[k, n]))` is one Contraction: rows m, columns n, contracted k, epilogue gelu.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "passes/recognize/subject.h"

namespace cdsl::deciding {

/// A subscript `stride * index + step * along + ...` of a read in a reduction over `along`.
struct Window {
  TensorId tensor;
  SymbolId index, along;
  int64_t stride = 1, step = 1;           // elements; where `open`, likely ones
  ExprId stride_size, step_size;          // what `index` and `along` are multiplied by, where that is no constant
  std::optional<int64_t> length;          // values of `along`, where known
};
struct SlidingWindow { std::vector<Window> windows; Monoid monoid; };

/// A reduction of products of two operands that reduced indices move together, where each is used again along an index that moves
/// the other alone.
struct Contraction {
  ReductionId reduction;
  std::vector<SymbolId> batch, rows, columns, contracted;   // the store's contiguous index is among the columns, if anywhere
  ExprId a, b;                            // reads that rows, columns move; invalid: the operand is computed
  std::size_t operands = 2;
  std::string semiring;                   // "": sums of products; else "min-plus" and so on
  bool general = false;                   // the operands meet in something else than a product
  bool masked = false;                    // some terms are left out
  std::vector<std::string> prologue, epilogue;   // functions on operands, on the result
  std::vector<TensorId> epilogue_reads;
  std::vector<Window> windows;            // not empty: a convolution
  bool is_product() const { return !rows.empty() && !columns.empty(); }
};

/// One tensor, read at two indices of one axis: each element meets each other one.
struct AllPairs {
  TensorId tensor;
  SymbolId one, other;
  bool reduced = false;                   // over `other`
};

/// A reduction over what lies before (or after) a statement's index.
struct Scan {
  struct Along {
    SymbolId index, reduced;
    bool reverse = false;                 // from the index on
    int64_t beyond = 0;                   // elements past the index that belong to it, itself among them: 1 inclusive, 0 exclusive
  };
  std::vector<Along> along;
  Monoid monoid;
  TensorId source;
};

struct ReductionShape {
  enum class By : uint8_t { Row, Column, Full, Other };   // the source is contiguous along a reduced index, along one of the statement
  By by = By::Other;
  Monoid monoid;
  std::vector<SymbolId> over;
  TensorId source;                        // the largest; invalid: nothing is read
  bool triangular = false;                // a range hangs on a statement's index
  bool ragged = false;                    // a range hangs on data
};

/// Updates at places that data (or an index map) chooses.
struct Updates {
  TensorId target;
  std::optional<tir::ScatterOp> op;       // nothing: `=`
  bool by_data = false;
  std::optional<int64_t> bins;            // a histogram of so many: the target is small, and the same is added everywhere
};

/// `along` loop: what it carries from one iteration to later ones.
struct Recurrence {
  struct Carried {
    TensorId tensor;
    std::optional<int64_t> distance;      // in iterations, the greatest; nothing: any
  };
  SymbolId along;
  bool descending = false;
  std::vector<Carried> carried;
  bool linear = false;                    // new values are linear in the carried ones
};
struct Iteration {
  SymbolId step;
  std::vector<TensorId> states;
  bool until = false;
};

/// Reads of one tensor at several constant offsets from the statement's point.
struct Stencil {
  struct Along { SymbolId index; int64_t least = 0, greatest = 0; };
  TensorId tensor;
  std::size_t points = 0;
  std::vector<Along> along;
  int64_t radius() const;
};
struct Gather { TensorId tensor; std::vector<TensorId> by; };
/// Indices stand in another order in memory than in the store.
struct Permute {
  TensorId tensor;
  std::vector<SymbolId> from, to;         // outermost first
  bool turns = false;                     // another index is contiguous
};
/// A read at places that the indices compute: `x[2 * i]`, `x[i + 1]`, `x[i, i]`.
struct Reindex { ExprId read; };
struct Broadcast { TensorId tensor; std::vector<SymbolId> along; };
struct Pointwise { std::vector<SymbolId> over; std::vector<std::string> functions; bool after_reductions = false; };

using Pattern = std::variant<Contraction, AllPairs, Scan, ReductionShape, SlidingWindow, Updates, Recurrence, Iteration, Stencil,
                             Gather, Permute, Reindex, Pointwise, Broadcast>;
/// The one that names the statement first; never empty.
using Patterns = std::vector<Pattern>;

Patterns recognize(const Subject& subject, const tir::Scatter* scatter = nullptr);
Patterns recognize(const tir::Function& function, const tir::Loop& loop, const SizeValues& sizes);

/// The parts, for decisions that ask for one only.
std::optional<Contraction> contraction(const Subject& subject, ReductionId reduction);
void add_reductions(const Subject& subject, Patterns& found);
void add_pairs(const Subject& subject, Patterns& found);
void add_maps(const Subject& subject, Patterns& found);

/// Names of the operators under `roots`: functions, or where there are none the arithmetic; each once, never what stands in
/// subscripts or reductions, and no casts.
std::vector<std::string> operator_names(const ExprArena& arena, std::span<const ExprId> roots);

}  // namespace cdsl::deciding
