// A candidate with what is known about it: the input of every decision.
#pragma once

#include <optional>
#include <unordered_map>
#include <string>
#include <vector>

#include "dsl/machine/architectures.h"
#include "passes/decide/decide.h"
#include "passes/decide/fuse.h"
#include "passes/decide/operations.h"
#include "passes/recognize/accesses.h"
#include "passes/recognize/canonical.h"
#include "passes/recognize/choices.h"
#include "passes/recognize/sizes.h"

namespace cdsl::deciding {

/// How many elements one access may take along an index, and what must hold at a launch for it.
struct Width {
  int64_t elements = 1;
  std::vector<SizeMultiple> multiples;
  std::string why;                        // not more
};

class Site {
 public:
  Site(tir::Function& function, const Candidate& candidate, const SizeValues& sizes, PassContext& context,
       const Assumptions& assume);

  tir::Function& function;
  ExprArena& arena;
  const Candidate& candidate;
  SizeValues sizes;
  PassContext& context;
  Assumptions assume;
  const Architecture& arch;
  std::string name;                       // of the group, as keys know it
  std::vector<tir::Target> stores;        // values over `axes`
  int mirrored = 0;                       // pairs of functions that share an evaluation (mirror.h)
  Axes axes;
  std::vector<Access> accesses;           // the stores first
  std::vector<Choice> choices;

  /// The same, should the open lengths of what is reduced turn out short; nothing where none is open.
  std::optional<Site> with_short_rows() const;
  /// Every axis on the grid, a value a block.
  Group bare() const;
  const Axis& axis(SymbolId index) const;
  std::string name_of(SymbolId index) const { return arena.symbol(index).name; }
  std::optional<int64_t> known_extent(SymbolId index) const;
  int64_t extent(SymbolId index) const;   // likely
  bool is_reduced(SymbolId index) const { return axes.is_reduced(index); }
  bool is_of_statement(SymbolId index) const;
  /// Bytes that one step of `index` moves the access by.
  int64_t stride(const Access& access, SymbolId index) const;
  int64_t elements_of(TensorId tensor) const;   // likely
  /// All subscripts are indices or constants.
  bool is_bare(const Access& access) const;
  /// The widest access along `index` that some read or store may take.
  Width widest(SymbolId index) const;
  /// How far below and above `index` some read of the site goes along it: of a stencil its radius.
  struct Reach {
    int64_t low = 0, high = 0;
  };
  Reach reach(SymbolId index) const;
  /// The axis beside that of rows along `index`, where all that is read beyond the ends of such a row lies in the rows beside and is
  /// not used: of a filter that counts zeros outside, or does nothing there.
  SymbolId beside_rows(SymbolId index) const;
  /// Does the read go along `index` within such a reach, and are neighbours side by side?
  bool is_windowed(const Access& access, SymbolId index) const;
  /// May vectors along `index` be used for this access, where rows are multiples of the width?
  bool is_aligned(const Access& access, SymbolId index) const;
  /// Whatever the group: counted by the first `cost` of the site.
  mutable std::optional<Operations> operations;
  /// How often the values along `index` are gone through: once a reduction, and once for the stores along it.
  int passes_over(SymbolId index) const;
  /// Is it reduced for each term of a reduction over other indices?
  bool is_reduced_inside(SymbolId index) const;

 private:
  std::optional<ExprId> row_length(const Access& access) const;
  std::optional<Reach> window(const Access& access, std::size_t d, SymbolId index) const;

  std::unordered_map<SymbolId, std::size_t> position_;  // of an index in `axes`
  mutable std::optional<std::unordered_map<SymbolId, int>> passes_;  // of all indices, once one was asked for
};

}  // namespace cdsl::deciding
