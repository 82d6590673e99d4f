// Tile form: what a block does, before it is said which thread does it. Tile form is lane form with *axes*. An axis is an
// index of constant extent that is split into factors, each bound to a level of the machine; a symbol whose value mentions an
// axis is *distributed* over it: it has a value for every point, held by the threads that the factors name. A statement
// on distributed symbols is done once for every point of its axes. docs/ir.md, section 2.8, is the specification.
//
//   axis j = warp 8 * reg 4 * lane 32 * vec 4;                     4,096 columns, one row a block
//   let x: f32 = (if j < n { X[row * n + j] } else { -inf });      16 registers a thread
//   let (top: f32) = reduce max over (j) (x);                      registers, shuffles, shared memory
//
// `tiles::to_lanes` (passes/lower/tiles) turns it into lane form: one rule a node, whatever kernel it stands in.
#pragma once

#include <vector>

#include "dsl/loop/async_ir.h"
#include "dsl/loop/memory.h"

namespace cdsl::loop {

/// Who takes the values of a factor. Register: one thread, one after another (unrolled). Vector: the same, and accesses that
/// are contiguous and aligned along it are one. Rank: the block's place in its cluster.
enum class Level : uint8_t { Register, Vector, Lane, Warp, Rank };

/// One digit of an axis: `extent` values. On Lane, Warp and Rank the digit is (place / stride) mod extent.
struct Factor { Level level = Level::Register; int64_t extent = 1; int64_t stride = 1; };

/// `index` (i64) is the mixed-radix number of the digits, outermost first; it runs over their product. Warps count from
/// `first_warp`. Visible to the end of the block of statements.
struct TileAxis { SymbolId index; std::vector<Factor> factors; int64_t first_warp = 0; };

/// How partial results combine (as in Reduction). ArgMin, ArgMax: two values, (value, position). User: `combine` over the
/// symbols `left` and `right`, in the order of the axes unless `commutative`.
struct Combine {
  Monoid monoid = Monoid::Sum;
  std::vector<ExprId> identity, combine;
  std::vector<SymbolId> left, right;
  bool commutative = true;
};

/// `results` are `values` combined over `axes`: distributed over the other axes of the values, equal in all threads that are
/// told apart by `axes` alone. The identity stands for points left out by a Select. A point of control where all threads of the
/// block (or of `warps` from the axes' first) meet.
struct TileReduce { Combine how; std::vector<SymbolId> results; std::vector<ExprId> values; std::vector<SymbolId> axes; };
/// Running combination along `axis`; `totals` (may be empty) are the combination of all.
struct TileScan { Combine how; std::vector<SymbolId> results, totals; std::vector<ExprId> values; SymbolId axis; bool exclusive = false; };
/// d += a * b by warp matrix instructions: d a Var over (m, n), a over (m, k), b over (k, n), each in axes of the factors
/// that the instruction asks for.
struct TileMultiply { MatrixShape shape; SymbolId d, a, b; bool tf32 = false; };

std::string_view name_of(Level level);   // "reg", "vec", "lane", "warp", "rank"

}  // namespace cdsl::loop
