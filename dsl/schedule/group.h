// Statements that share a kernel, and how their points are shared out: what `decide` chose and `lower` carries out, as plain
// data. Every axis of the group has one binding; every staged tensor one tile in shared memory; nothing here says what kind
// of kernel it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/loop/tile_ir.h"
#include "dsl/schedule/scatter.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl {

/// Where the values of an axis are.
enum class Binding : uint8_t {
  Grid,          // tiles of it are shared out over blocks
  Resident,      // all of it within the block's tile: the launch guarantees that it fits
  Stream         // the block walks over it, `chunk` tiles a round
};

/// A walk over no more than so many constants goes over the taps of a filter: the inside unrolls it.
inline constexpr int64_t kMostTaps = 16;

/// Rows of a tensor that may begin between two vectors of it: tiles then begin at the vector in which the row's first element lies,
/// and what stands before that element is left out like what stands behind the last.
struct RowStart {
  TensorId tensor;
  uint32_t leaf = 0;
  std::vector<ExprId> subscripts;        // of a point of the row, over the group's indices
  int64_t vector = 1;                    // elements of one access
};

struct GroupAxis {
  SymbolId index;                        // of the function; the same in all statements of the group
  ExprId lo, hi;                         // over sizes
  Binding binding = Binding::Grid;
  std::vector<loop::Factor> factors;     // of the tile, outermost first; none: one value
  int64_t low = 0, high = 0;             // Grid, where edges are split: of the inside, tiles keep so far from the ends
  int64_t ends = 0;                      // Grid, where edges are split: reads of the inside go so far beyond the ends, into other rows
  int64_t chunk = 1;                     // Stream: tiles of one round, taken one after another (unrolled)
  int64_t skew = 1;                      // Grid: tiles begin where a sector of so many elements of the first store does, fewer points back
  std::optional<RowStart> start = {};    // Stream, Resident: where tiles begin; nothing: at lo

  int64_t tile() const {
    int64_t extent = 1;
    for (const loop::Factor& factor : factors) extent *= factor.extent;
    return extent;
  }
};

/// The box that a tile of the group reads of a tensor is copied to shared memory first.
struct Staging {
  TensorId tensor;
  uint32_t leaf = 0;
  int64_t pad = 0;                       // elements that are left out after every so many rows of the box
  bool transposed = false;               // the box is held with its last two axes exchanged
  int64_t every = 1;                     // rows
  int64_t vector = 1;                    // elements of one access that fills it; divides its rows and the pad
};

/// A size that must be a multiple of a number for the group to run: rows then begin where vectors may.
struct SizeMultiple {
  SymbolId size;
  int64_t of = 1;
};

/// A running reduction: at each point its terms are combined along an axis of the statement, up to the point. It is a Reduce
/// without axes, whose one term is that of the point itself.
struct RunningReduction {
  ReductionId id;
  SymbolId along;
  bool exclusive = false;                // without the point itself
  ExprId limit;                          // only below it the term may be evaluated; invalid: at all points
};

/// A sum of exponentials below a row's maximum, `sum[j](exp(c * (x[j] - top)))`: it is carried along in the walk that finds the maximum,
/// and rescaled where that grows.
struct OnlineSum {
  ReductionId top, sum;
  SymbolId gap;                          // of a term to the maximum
  ExprId exponential;                    // of the gap
};

struct Group {
  std::string name;                      // after its last store
  std::vector<std::size_t> statements;   // the stages it stands for, counted in the order of the text
  std::vector<GroupAxis> axes;
  std::vector<tir::Target> stores;       // values over the axes' indices, intermediates written out
  std::vector<ExprId> conditions;        // of each store; invalid: none
  std::vector<Staging> staged;
  std::vector<ExprId> selected;          // choices (Select) whose arms are both evaluated, ascending; others branch
  int warps = 8;
  int resident = 0;                      // blocks of a multiprocessor that its registers have to allow; 0: the compiler's choice
  int shares = 1;                        // blocks that divide the walk over `shared` between them; the last to end combines
  SymbolId shared;
  std::vector<RunningReduction> running; // all along one axis
  std::vector<OnlineSum> online;         // of the row that is walked over
  bool parts = false;                    // that axis is on the grid: totals of its tiles first, then what stands before each, then all
  bool rounds = false;                   // that axis is on the grid, and blocks that all run at once take its tiles in rounds
  bool across = false;                   // totals of one tile lie side by side and are many
  bool flat = false;                     // the axes are one box, counted as one axis: the last of `axes`, whose index is new
  int64_t raster = 1;                    // tiles of the last two grid axes are taken in bands of so many rows, a column after the other
  int64_t bands = 1;                     // so many tiles of the last grid axis are taken first, then as many beside them
  bool persistent = false;               // blocks that all run at once take several tiles each
  bool split_edge = false;               // blocks whose tile lies inside run without tests
  int64_t alignment = 1;                 // bytes that the parameters in `aligned` must be aligned to
  std::vector<TensorId> aligned;
  std::vector<TensorId> streamed;        // read once each element, by a kernel that also writes: loads ask the L2 to keep their lines longest
  std::vector<SizeMultiple> multiples;
  std::vector<ExprId> guards;            // further conditions over sizes under which it runs
  SourceRange where;
};

/// A function with what was decided; statements of which nothing was go the general path. The function's arena holds the
/// expressions of the groups.
struct Decided {
  const tir::Function& function;
  std::vector<Group> groups;
  std::vector<PrivateBins> scatters = {};

  bool empty() const { return groups.empty() && scatters.empty(); }
};

/// "Y: i grid; j resident warp 8 * reg 4 * lane 32 * vec 4" and so on, a line a group or scatter.
std::string to_string(const Decided& decided);

}  // namespace cdsl
