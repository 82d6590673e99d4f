// Loop IR: how. In lane form a kernel is the program of one thread: a body of statements over expressions of the program's
// arena, run by every thread of a grid. Tile form (tile_ir.h) is lane form with distributed values, and lowers to it.
// docs/ir.md specifies both; `verify` (loop/program.h) checks them.
//
// Expressions (dsl/expr) hold pure arithmetic, registers (Symbol of kind Local, Index, Special) and Loads. A statement
// evaluates its expressions before it acts; Select and && || are lazy, so a Load in an arm happens only where it is chosen.
// Within one statement a node is evaluated once; expressions are trees but for cheap leaves (lowering names shared values
// by Let), so that text is linear in the size of the IR.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dsl/loop/async_ir.h"
#include "dsl/loop/memory.h"
#include "dsl/loop/tile_ir.h"

namespace cdsl::loop {

/// threadIdx.x and its kind, as symbols of kind Special (i32) that `Program` holds.
enum class Special : uint8_t {
  ThreadX, ThreadY, ThreadZ, BlockX, BlockY, BlockZ, BlockDimX, BlockDimY, BlockDimZ, GridDimX, GridDimY, GridDimZ, Lane, Warp,
  Rank                                           // of the block in its cluster
};
inline constexpr int kSpecialCount = 15;
std::string_view name_of(Special special);       // "thread.x", ..., "lane", "warp", "cluster.rank"

struct Block;

/// An immutable register: `local` is the value from here to the end of the block. lo <= value < hi where these are valid: what
/// is known of it and cannot be seen in it.
struct Let { SymbolId local; ExprId value; ExprId lo = {}, hi = {}; };
/// A mutable register and its first value; Assign changes it. Tile form: `over` are axes that it is distributed over besides
/// those of its first value.
struct Var { SymbolId local; ExprId value; std::vector<SymbolId> over = {}; };
struct Assign { SymbolId local; ExprId value; };

struct Store { Access access; ExprId value; };

/// `width` consecutive elements of a scalar buffer, aligned to width * size: index is of the first. Or as many leaves of one
/// record that lie side by side, from the access's own on.
struct VectorLoad { std::vector<SymbolId> locals; Access access; };
struct VectorStore { Access access; std::vector<ExprId> values; };
/// The same between memory and `width` neighbours of a Register buffer, whichever of the two is `to`. Integers of 1 and 2 bytes
/// may be loaded into whole words of a u32 buffer, the first in the lowest bits: a packed move.
struct VectorMove { Access to, from; ExprId width; };   // width: a constant, in elements of memory
inline bool is_packed(ScalarType memory, ScalarType registers, int64_t width) {
  return registers == ScalarType::U32 && is_integer(memory) && size_of(memory) < 4 && width * size_of(memory) % 4 == 0;
}

enum class AtomicOp : uint8_t { Add, Mul, Min, Max, And, Or, Xor, Exchange, CompareExchange };
enum class Order : uint8_t { Relaxed, Acquire, Release, AcquireRelease };
enum class Scope : uint8_t { Block, Cluster, Device, System };
/// One atomic update; `old` (may be invalid) receives the value before it. The general path uses Add, Mul, Min, Max (with
/// the language's NaN rule) on i32, u32, i64, u64, f32, f64, Add on c64, c128 (each component by itself), And, Or, Xor on
/// integers of 4 and 8 bytes; what the hardware lacks codegen prints as a helper with a compare-and-swap loop.
struct Atomic {
  AtomicOp op;
  Access access;
  ExprId value;
  ExprId expected;                    // CompareExchange
  SymbolId old;
  Order order = Order::Relaxed;
  Scope scope = Scope::Device;
};

/// `for index from lo while (step > 0 ? index < hi : index > hi) step step`. The bounds are evaluated once, at entry.
struct For {
  SymbolId index;                     // i32 or i64; lo, hi and step have its type
  ExprId lo, hi, step;
  std::unique_ptr<Block> body;
  int unroll = 0;                     // 0: the compiler's choice, 1: none, n: by n
  std::string note;                   // a comment for the reader: "grid-stride"
};

struct While { ExprId condition; std::unique_ptr<Block> body; };
struct If { ExprId condition; std::unique_ptr<Block> then_body, else_body; };   // else_body may be null

enum class BarrierScope : uint8_t { Warp, Block, Cluster };
/// Every (live) thread of the scope arrives before any leaves; memory before is visible after.
struct Barrier { BarrierScope scope = BarrierScope::Block; };
struct Fence { Scope scope = Scope::Device; };

enum class ShuffleKind : uint8_t { Index, Up, Down, Xor };
struct Shuffle { ShuffleKind kind; SymbolId result; ExprId value; ExprId lane; uint32_t mask = 0xffffffffu; };

enum class VoteKind : uint8_t { Any, All, Ballot };
struct Vote { VoteKind kind; SymbolId result; ExprId predicate; uint32_t mask = 0xffffffffu; };

/// A run-time report (an index outside its tensor, an empty arg-reduction): the first of a launch is kept with the line,
/// the index and the value. Never stops the kernel. `site` indexes Program::sites.
struct Report { uint32_t site; ExprId value; };

/// A comment line in the emitted text.
struct Comment { std::string text; };

/// Spellings of the text: "add", "compare_exchange"; "acq_rel"; "device"; "block"; "down"; "ballot".
std::string_view name_of(AtomicOp op);
std::string_view name_of(Order order);
std::string_view name_of(Scope scope);
std::string_view name_of(BarrierScope scope);
std::string_view name_of(ShuffleKind kind);
std::string_view name_of(VoteKind kind);

struct Statement {
  std::variant<Let, Var, Assign, Store, VectorLoad, VectorStore, VectorMove, Atomic, For, While, If, Barrier, Fence, Shuffle, Vote,
               Report, Comment,
               // asynchronous nodes (async_ir.h)
               BarrierInit, BarrierArrive, BarrierWait, CopyAsync, CopyCommit, CopyWait, CopyBulk, CopyTensor, FenceAsync,
               MatrixLoad, MatrixStore, MatrixMultiply, MatrixAsync, MatrixBatch, NamedBarrier, Elect, RegisterBudget,
               // tile form (tile_ir.h)
               TileAxis, TileReduce, TileScan, TileMultiply>
      node;
  SourceRange where;
};

struct Block {
  std::vector<Statement> statements;
};

/// What the launch guarantees, for proofs: `of` divides a size; a global buffer begins at a multiple of `bytes`.
struct Multiple { SymbolId symbol; int64_t of = 1; };
struct Alignment { BufferId buffer; int64_t bytes = 1; };

struct Kernel {
  std::string name;                   // unique in the program, made safe for CUDA by codegen
  std::vector<BufferId> buffers;      // Global ones are parameters in this order; then Shared and Register ones
  std::vector<SymbolId> scalars;      // by-value parameters: sizes, strides, scalars, loop counters, in order
  std::vector<uint32_t> maps;         // tensor maps (Program::maps), parameters after the scalars
  std::vector<Multiple> multiples;
  std::vector<Alignment> alignments;
  std::vector<BufferId> streamed;     // Global, only read: each element once, so loads may tell the caches; no change of meaning
  int block[3] = {256, 1, 1};
  int cluster[3] = {1, 1, 1};
  int resident = 0;                   // blocks of a multiprocessor that its registers have to allow; 0: the compiler's choice
  Block body;
  std::string note;                   // what it computes, for the comment above it
  SourceRange where;
};

}  // namespace cdsl::loop
