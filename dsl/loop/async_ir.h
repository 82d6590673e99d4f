// Asynchronous nodes of lane form, and what meets them: clusters, arrival barriers, copies by the copy engine, matrix
// instructions. An *agent* (the copy engine, the matrix unit) acts after the statement that issued it, in an order of its
// own; docs/ir.md, section 2.9, says when its accesses happen and who sees them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dsl/loop/memory.h"

namespace cdsl::loop {

/// An arrival barrier is an element of a shared buffer of u64. `count` arrivals (and all expected bytes) end a phase.
/// One thread initialises it; `FenceAsync::Init` and a barrier come before its first use by others.
struct BarrierInit { Access barrier; ExprId count; };
/// One arrival; in the block `barrier.rank` of the cluster if that is valid. `bytes`, if valid, are expected besides.
struct BarrierArrive { Access barrier; ExprId bytes; };
/// Until the phase of this parity (0, 1, 0, ...) is complete. Acquires. Spins.
struct BarrierWait { Access barrier; ExprId parity; };

/// cp.async: this thread copies `bytes` (4, 8 or 16) from global to shared memory, both aligned to them; zeros where
/// `condition` (may be invalid: true) is false, and then nothing is read.
struct CopyAsync { Access to, from; int bytes = 16; ExprId condition; };
/// Closes this thread's batch of earlier copies: of CopyAsync, or of CopyBulk and CopyTensor towards global memory.
enum class CopyBatch : uint8_t { Async, Bulk };
struct CopyCommit { CopyBatch batch = CopyBatch::Async; };
/// Until at most `pending` batches are open; `read`: it is enough that their sources were read (Bulk).
struct CopyWait { CopyBatch batch = CopyBatch::Async; int pending = 0; bool read = false; };

/// One contiguous run of `bytes` (a multiple of 16, both places aligned to 16) by one thread. To shared memory (from global, or
/// from this block's shared memory to that of block `to.rank`) it completes at `barrier` by bytes; to global memory it belongs
/// to the thread's Bulk batch, and may add to what is there.
struct CopyBulk { Access to, from; ExprId bytes; Access barrier; bool adds = false; };
/// A box of a tensor map, by one thread; `at` are the coordinates of its first element, innermost first. To shared memory
/// (`store` false) it completes at `barrier` by bytes, elements outside are 0 and count in full; with `multicast` (a mask of
/// ranks) it writes the same offset and signals the same barrier in each of those blocks. Stores clip, and belong to the
/// thread's Bulk batch. `map` indexes Program::maps.
struct CopyTensor { uint32_t map = 0; bool store = false; Access shared; std::vector<ExprId> at; Access barrier; ExprId multicast; };

/// Proxy: this thread's earlier writes are seen by agents that start later. Init: BarrierInit is seen by the cluster.
enum class FenceKind : uint8_t { Proxy, Init };
struct FenceAsync { FenceKind kind = FenceKind::Proxy; };

/// Registers of one thread that hold its part of a matrix tile, in the order that the instruction names them: element
/// `base + offsets[k]` of a register buffer (matrix_fragment.h says which element of the tile that is). Elements of 16 and 8
/// bits are packed: those of one 32-bit word are consecutive, and `base` and the first of them multiples of their number.
struct Fragment { BufferId buffer; ExprId base; std::vector<int> offsets; };

/// ldmatrix, stmatrix: `count` (1, 2, 4) tiles of 8 rows of 16 bytes; lane l gives the address of row l % 8 of tile l / 8, and
/// holds 4 bytes of row l / 4 of each. `transposed` (16-bit elements only) exchanges rows and columns of each 8x8 tile.
struct MatrixLoad { int count = 4; bool transposed = false; Fragment to; Access from; };
struct MatrixStore { int count = 4; bool transposed = false; Access to; Fragment from; };

/// m, n, k of a matrix instruction.
struct MatrixShape { int m = 16, n = 8, k = 16; friend bool operator==(const MatrixShape&, const MatrixShape&) = default; };
/// mma.sync: d = a * b + d, by one warp. Types are those of the fragments' buffers; `tf32` reads f32 as tf32, its last 13 bits
/// cut off.
struct MatrixMultiply { MatrixShape shape; Fragment d, a, b; bool tf32 = false; };

/// A matrix in shared memory as wgmma's descriptor says it: swizzle 0, 32, 64 or 128 bytes, byte offsets between core matrices.
/// `transposed`: the contracted index is not the contiguous one.
struct SharedMatrix { Access start; int swizzle = 128; int leading_bytes = 0, stride_bytes = 1024; bool transposed = false; };
/// wgmma: d = a * b (+ d where `accumulate`), issued by a warpgroup; reads shared memory as an agent. `a` is in registers if
/// `a_fragment.buffer` is valid. d may not be touched until a MatrixBatch::Wait covers it.
struct MatrixAsync { MatrixShape shape{64, 256, 16}; Fragment d, a_fragment; SharedMatrix a, b; ExprId accumulate; bool tf32 = false; };
/// Fence: registers that the warpgroup wrote are ready for the matrix unit. Commit closes a batch of MatrixAsync, Wait waits
/// until at most `pending` batches are open.
enum class MatrixBatchKind : uint8_t { Fence, Commit, Wait };
struct MatrixBatch { MatrixBatchKind kind = MatrixBatchKind::Fence; int pending = 0; };

/// Barrier `id` (1 to 15) of `threads` threads of the block: sync waits, arrive does not.
struct NamedBarrier { bool sync = true; ExprId id; int threads = 0; };
/// `local` (bool) is true in one lane of the warp, which runs it as a whole.
struct Elect { SymbolId local; };
/// setmaxnreg, by a warpgroup: a multiple of 8 in 24..256. A raise waits until others gave up enough.
struct RegisterBudget { int registers = 0; bool raises = false; };

/// A tensor map: a box of `box` elements (innermost first) of a tensor of `extents` elements and `strides` bytes (outer axes
/// only), in the plan's buffer. The launcher encodes it; outside elements are 0.
struct TensorMap {
  std::string name;
  uint32_t buffer = 0;                // index into Plan::buffers
  ScalarType type = ScalarType::F32;
  std::vector<ExprId> extents;        // i64, innermost first
  std::vector<ExprId> strides;        // i64 bytes, of axis 1, 2, ...
  std::vector<int> box;
  int swizzle = 0;                    // bytes: 0, 32, 64, 128
};

std::string_view name_of(CopyBatch batch);       // "async", "bulk"
std::string_view name_of(FenceKind kind);        // "proxy", "init"

}  // namespace cdsl::loop
