// Where the indices of a statement or reduction occur as subscripts: the bare reads that give an
// index its range (docs/language.md 3.2), seen through `let`s and `def`s, before anything is
// evaluated.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "frontend/sema/analysis.h"

namespace cdsl::sema {

struct BareRead {
  ExprId lo, hi;
  SourceRange at;
};
// An index inside a larger subscript, for proposing a range.
struct CompoundRead {
  ast::ExprId subscript;
  ExprId lo, hi;
};
struct IndexReads {
  std::vector<BareRead> bare;
  std::vector<std::pair<std::string, SourceRange>>
      unknown;  // subscripts of names that mean nothing
  std::vector<CompoundRead> compound;
};

using ReadsByIndex = std::map<std::string, IndexReads, std::less<>>;
ReadsByIndex collect_reads(Analysis& a, std::span<const ast::ExprId> roots);

}  // namespace cdsl::sema
