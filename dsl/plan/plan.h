// A Plan: what the host does for one call, as plain data that the runtime executes, codegen prints as a launcher, and the
// contract writes as JSON. Integer expressions over sizes (an arena of the plan's own, i64) give every extent.
//
// A plan holds at most four variants: ways to compute the same, each with guards on sizes and addresses. A call runs the
// first whose guards all hold; the last has none.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dsl/expr/expr.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::plan {

/// Memory that steps name: a part (layout) of a parameter, or workspace.
struct Buffer {
  enum class Kind : uint8_t { Parameter, Workspace, Constant };
  std::string name;
  Kind kind = Kind::Workspace;
  TensorId tensor;                    // Parameter: of the function; invalid otherwise
  uint32_t part = 0;                  // Parameter: which part of its layout
  ExprId bytes;                       // i64
  std::vector<std::byte> contents;    // Constant
};

struct BufferRef { uint32_t buffer = 0; };

/// How many threads a kernel wants: the launcher fills the device up to `items` or `tiles` (as its occupancy admits), or
/// starts exactly `blocks`. One of the three is valid. Of a kernel in clusters, whole clusters.
struct Grid {
  ExprId items;                       // grid-stride over this many items, one a thread
  ExprId blocks;                      // exactly this many blocks
  ExprId tiles = {};                  // persistent blocks over this many tiles, one a block at a time
  bool resident = false;              // all blocks have to run at once; the launch fails where they cannot
};

struct Argument { std::variant<BufferRef, ExprId> value; };   // an expression has the type of the kernel's parameter

struct Launch {
  uint32_t kernel = 0;                // index into Program::kernels
  Grid grid;
  std::vector<Argument> arguments;    // buffers, then scalars, as the kernel lists them
  std::vector<BufferRef> mapped = {}; // what its tensor maps show, as the kernel lists them
  SourceRange where;
};

/// Fills a buffer with one element's bytes.
struct Fill { BufferRef buffer; std::vector<std::byte> pattern; };
struct Copy { BufferRef to, from; ExprId bytes; };

struct Step;
/// Steps once for each value of `index`, which arguments may use. With `stop`, kernels inside read that flag (a u8) and do
/// nothing once it is set: the host need not look.
struct Loop {
  SymbolId index;
  ExprId lo, hi;
  bool descending = false;
  int stop = -1;                      // buffer index of the flag, -1: none
  std::vector<Step> steps;
};

struct Step { std::variant<Launch, Fill, Copy, Loop> what; };

/// An i64 symbol that the argument's view gives at launch, for expressions of the plan: the actual extent of an axis
/// declared `1|M`, or the stride in elements of an axis of a `strided` parameter.
struct ViewSymbol {
  enum class Kind : uint8_t { Extent, Stride };
  SymbolId symbol;
  Kind kind = Kind::Extent;
  TensorId tensor;
  uint32_t axis = 0;
};

/// A guard: a bool expression over sizes, scalars and views.
struct Holds { ExprId condition; };
/// A guard: the address of a parameter's buffer is a multiple of `bytes`, a power of two.
struct Aligned { BufferRef buffer; int64_t bytes = 1; };
/// A guard: no two of these parameters' buffers share a byte.
struct NoAlias { std::vector<BufferRef> buffers; };

using Guard = std::variant<Holds, Aligned, NoAlias>;

/// What a call runs where all guards hold. Of the plan's workspace it needs what its steps name.
struct Variant {
  std::string name = "general";       // an identifier, unique in the plan
  std::vector<Guard> guards;
  std::vector<Step> steps;
};

inline constexpr std::size_t kMaxVariants = 4;

struct Plan {
  ExprArena arena;                    // the program's arena at the end of lowering, so ids agree with the kernels'
  std::vector<Buffer> buffers;
  std::vector<ViewSymbol> views;
  std::vector<Variant> variants = std::vector<Variant>(1);   // never empty

  Variant& general() { return variants.back(); }
  const Variant& general() const { return variants.back(); }
};

}  // namespace cdsl::plan
