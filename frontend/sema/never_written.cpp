#include "frontend/sema/never_written.h"

#include <algorithm>

namespace cdsl::sema {
namespace {

// Definitions of the name in the blocks of the source that enclose the statement and follow it.
int definitions_in(const ast::Block& block, const std::string& name) {
  int count = 0;
  for (const ast::Stmt& statement : block.statements) {
    if (const auto* definition = std::get_if<ast::Definition>(&statement.node)) {
      for (const ast::Target& target : definition->targets)
        count += target.name.text == name ? 1 : 0;
    } else if (const auto* repeat = std::get_if<ast::Repeat>(&statement.node)) {
      count += definitions_in(repeat->body, name);
    } else if (const auto* along = std::get_if<ast::Along>(&statement.node)) {
      count += definitions_in(along->body, name);
    }
  }
  return count;
}

// Is the element read one that only a later iteration defines? Loops are compared from the outside
// in.
bool is_surely_later(Analysis& a, const OwnRead& read, const DefinedPart& part) {
  ExprArena& arena = a.arena();
  for (const LoopFrame& loop : a.loops) {
    const ExprId index = arena.symbol_ref(loop.axis.index);
    const auto found = std::find(part.subscripts.begin(), part.subscripts.end(), index);
    if (found == part.subscripts.end()) return false;
    const ExprId place = read.subscripts[static_cast<std::size_t>(found - part.subscripts.begin())];
    if (place == index) continue;
    const ExprId later = arena.apply(loop.descending ? Op::Lt : Op::Gt, {place, index});
    return a.prover().holds(read.points, later) == Verdict::Proved &&
           a.prover().holds(read.points, arena.boolean(false)) != Verdict::Proved;
  }
  return false;
}

}  // namespace

void note_own_read(Analysis& a, const TensorSymbol& symbol, const std::vector<ExprId>& subscripts,
                   SourceRange at) {
  const bool is_own =
      std::find(a.defining.begin(), a.defining.end(), symbol.name) != a.defining.end();
  if (!is_own || a.loops.empty() || symbol.is_overwritable()) return;
  a.own_reads.push_back({&symbol, subscripts, a.points, at});
}

void check_iteration(Analysis& a, const TensorSymbol& symbol, const std::vector<ExprId>& subscripts,
                     SourceRange at) {
  if (symbol.kind != TensorKind::Intermediate || symbol.loop_depth == 0 || symbol.is_overwritable())
    return;
  if (symbol.parts.size() != 1 || symbol.loop_depth > a.loops.size()) return;
  const DefinedPart& part = symbol.parts[0];
  const LoopFrame& loop = a.loops[symbol.loop_depth - 1];
  const ExprId index = a.arena().symbol_ref(loop.axis.index);
  for (std::size_t axis = 0; axis < subscripts.size(); ++axis) {
    if (part.subscripts[axis] != index || subscripts[axis] == index || !symbol.lo.empty()) continue;
    const bool in_repeat = loop.kind == tir::Loop::Kind::Repeat;
    a.report(in_repeat ? Code::NeverWritten : Code::NeedsTmp, at,
             in_repeat ? "'" + symbol.name + "' starts undefined in each step"
                       : "'" + symbol.name +
                             "' is read by another iteration than the one that defines it")
        .note(loop.where, "declare it before the loop: tmp " + symbol.name + ": type[extents];");
    return;
  }
}

void check_own_reads(Analysis& a, const TensorSymbol& symbol, const DefinedPart& part) {
  if (a.own_reads.empty() || !symbol.parts.empty() || part.is_vouched) return;
  if (a.source_block == nullptr || definitions_in(*a.source_block, symbol.name) != 1) return;
  for (const OwnRead& read : a.own_reads) {
    if (read.symbol != &symbol || !is_surely_later(a, read, part)) continue;
    a.report(Code::NeverWritten, read.at,
             "this element of '" + symbol.name +
                 "' is written by a later iteration, never before it is read")
        .note(a.loops.back().where, "iterations run in this order");
  }
}

}  // namespace cdsl::sema
