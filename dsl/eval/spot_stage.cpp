#include "dsl/eval/spot_stage.h"

#include <algorithm>
#include <limits>
#include <set>

#include "dsl/expr/walk.h"

namespace cdsl::eval {
namespace {

/// Sums and products of symbols and constants: linear in each index, or found out by trying.
bool is_polynomial(const ExprArena& arena, ExprId root) {
  const ExprId roots[] = {root};
  const auto nodes = postorder(arena, roots);
  return std::all_of(nodes.begin(), nodes.end(), [&](ExprId id) {
    if (arena.get_if<Symbol>(id) != nullptr || arena.get_if<Constant>(id) != nullptr) return true;
    const auto* apply = arena.get_if<Apply>(id);
    return apply != nullptr && (apply->op == Op::Add || apply->op == Op::Sub || apply->op == Op::Mul || apply->op == Op::Neg);
  });
}

}  // namespace

SpotStage::SpotStage(const tir::Function& function, const tir::Stage& stage, const tir::Target& target, Mode mode,
                     std::vector<Store>& shapes, const tir::Bindings& bindings, CellSource& source, std::vector<Report>& reports)
    : function_(function), stage_(stage), target_(target), interpreter_(function, mode, shapes, reports), point_(stage.domain.axes.size()) {
  plan();
  Compiler& compiler = interpreter_.compiler();
  for (const Axis& axis : stage.domain.axes) axes_.push_back(compiler.compile(axis));
  for (const ExprId subscript : target.subscripts) subscripts_.push_back(compiler.compile({subscript}));
  if (stage.domain.guard.valid()) guard_ = compiler.compile({stage.domain.guard});
  value_ = compiler.compile({target.value});
  interpreter_.prepare();
  interpreter_.read_from(source);
  for (const auto& [symbol, value] : bindings) interpreter_.set_symbol(symbol, value);
}

// Each index is settled by a subscript in which it alone is still open.
void SpotStage::plan() {
  std::set<SymbolId> open;
  for (const Axis& axis : stage_.domain.axes) open.insert(axis.index);
  for (bool found = true; found && !open.empty();) {
    found = false;
    for (std::size_t k = 0; k < target_.subscripts.size(); ++k) {
      if (!is_polynomial(function_.arena, target_.subscripts[k])) continue;
      std::vector<SymbolId> symbols = free_symbols(function_.arena, target_.subscripts[k]);
      std::erase_if(symbols, [&](SymbolId symbol) { return !open.contains(symbol); });
      if (symbols.size() != 1) continue;
      const auto axis = std::find_if(stage_.domain.axes.begin(), stage_.domain.axes.end(),
                                     [&](const Axis& a) { return a.index == symbols[0]; });
      order_.push_back({static_cast<std::size_t>(axis - stage_.domain.axes.begin()), k});
      open.erase(symbols[0]);
      found = true;
    }
  }
  const bool all_plain = std::all_of(target_.subscripts.begin(), target_.subscripts.end(),
                                     [&](ExprId id) { return is_polynomial(function_.arena, id); });
  if (!open.empty() || !all_plain)
    throw NotAlone("the subscripts of '" + function_.tensor(target_.tensor).name + "' do not tell which point stores an element");
}

bool SpotStage::find_point(std::span<const int64_t> subscripts) {
  for (const Unknown& unknown : order_) {
    set_index(unknown.axis, 0);
    const int64_t base = subscript_at(unknown.subscript);
    set_index(unknown.axis, 1);
    const int64_t step = subscript_at(unknown.subscript) - base, distance = subscripts[unknown.subscript] - base;
    if (step == 0 || distance % step != 0) return false;
    set_index(unknown.axis, point_[unknown.axis] = distance / step);
  }
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    if (subscript_at(k) != subscripts[k]) return false;
  }
  return true;
}

bool SpotStage::is_in_domain() {
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (point_[k] < interpreter_.at(interpreter_.run(axes_[k].lo)[0]).value.i) return false;
    if (point_[k] >= interpreter_.at(interpreter_.run(axes_[k].hi)[0]).value.i) return false;
  }
  return true;
}

std::optional<Number> SpotStage::element(std::span<const int64_t> subscripts) {
  if (!find_point(subscripts) || !is_in_domain()) return std::nullopt;
  bool is_sure = true;
  if (guard_ != kNoCode) {
    const Number holds = interpreter_.at(interpreter_.run(guard_)[0]);
    is_sure = holds.exact();
    if (holds.value.i == 0 && is_sure) return std::nullopt;
  }
  Number number = interpreter_.at(interpreter_.run(value_)[0]);
  if (!is_sure) number.error = std::numeric_limits<double>::infinity();
  return number;
}

}  // namespace cdsl::eval
