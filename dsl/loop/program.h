// A lowered function: kernels in Loop IR and the plan that launches them. Owns the arena that all of them share (a copy of
// the function's, extended).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dsl/loop/loop_ir.h"
#include "dsl/plan/plan.h"

namespace cdsl::loop {

/// A place in the source that can report at run time.
struct ReportSite {
  enum class Kind : uint8_t { ReadOutside, WriteOutside, ScatterOutside, EmptyArg, CountOverflow };
  Kind kind;
  std::string what;                   // "x[target[n]], axis 1 of x"
  std::string kernel;
  SourceRange where;
};

std::string_view name_of(ReportSite::Kind kind);   // "read_outside"

struct Program {
  std::string name;
  ExprArena arena;
  std::array<SymbolId, kSpecialCount> specials;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<ReportSite> sites;
  std::vector<TensorMap> maps;
  plan::Plan plan;

  const Buffer& buffer(BufferId id) const { return buffers[id.index()]; }
  SymbolId special(Special s) const { return specials[static_cast<std::size_t>(s)]; }
  /// A program whose arena is a copy of `base`, with the special symbols added.
  static Program over(const ExprArena& base, std::string name);
};

/// Does a kernel have axes or collectives of tile form?
bool is_tile_form(const Kernel& kernel);

/// Broken invariants of its form, in words; empty when well formed.
std::vector<std::string> verify(const Program& program);

/// Text of the program (kernels and plan), docs/ir.md gives the grammar; frontend reads it back.
std::string to_string(const Program& program);

/// A line of that text: of `statement` (null: of none, or of its closing) in `kernel` (-1: of none).
struct TextLine {
  std::string text;
  SourceRange where;
  const Statement* statement = nullptr;
  int kernel = -1;
};
std::vector<TextLine> to_lines(const Program& program);

}  // namespace cdsl::loop
