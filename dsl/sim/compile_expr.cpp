#include <algorithm>

#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"
#include "dsl/sim/access.h"
#include "dsl/sim/alu.h"
#include "dsl/sim/compiler.h"
#include "dsl/sim/control.h"
#include "dsl/support/check.h"

namespace cdsl::sim {

// An ascending sweep visits operands first.
void Compiler::weigh_expressions() {
  costs_.resize(arena_.size());
  for (std::size_t k = 0; k < arena_.size(); ++k) {
    const ExprId id(k);
    int cost = arena_.get_if<Load>(id) != nullptr ? kLazyCost : 0;
    if (const auto* apply = arena_.get_if<Apply>(id)) cost = info(apply->op).cost;
    for (ExprId arg : arena_.args(id)) cost += costs_[arg.index()];
    costs_[k] = std::min(cost, kLazyCost);
  }
}

void Compiler::begin_statement(const loop::Statement& statement) {
  statement_ = &statement;
  uses_.clear();
  std::vector<ExprId> roots;
  loop::for_each_expression(statement, [&](ExprId id) { roots.push_back(id); });
  for (ExprId id : roots) ++uses_[id.value];
  for (ExprId id : postorder(arena_, roots)) {
    for (ExprId arg : arena_.args(id)) ++uses_[arg.value];
  }
}

void Compiler::end_statement() {
  forget(0);
}

void Compiler::forget(std::size_t mark) {
  while (computed_.size() > mark) {
    const auto found = values_.find(computed_.back().value);
    computed_.pop_back();
    if (found == values_.end()) continue;
    if (found->second.owned) registers_.release(found->second.slot);
    values_.erase(found);
  }
}

void Compiler::define(ExprId id, Value value) {
  values_[id.value] = value;
  computed_.push_back(id);
}

Slot Compiler::result(ExprId id, bool uniform) {
  const Slot slot = registers_.allocate(arena_.type(id), uniform);
  define(id, {slot, true});
  return slot;
}

// Shared values last until the statement ends: another user may stand in a part that is evaluated
// later.
void Compiler::drop(ExprId id) {
  const auto found = values_.find(id.value);
  if (found == values_.end() || !found->second.owned || uses_.at(id.value) != 1) return;
  registers_.release(found->second.slot);
  values_.erase(found);
}

bool Compiler::leaf(ExprId id) {
  if (arena_.get_if<Constant>(id) != nullptr) {
    define(id, {constants_.at(id.value), false});
    return true;
  }
  if (const auto* symbol = arena_.get_if<Symbol>(id)) {
    define(id, {symbols_.at(symbol->symbol.value), false});
    return true;
  }
  return false;
}

// Operands whose evaluation hangs on no condition.
std::vector<ExprId> Compiler::eager_operands(ExprId id) const {
  const auto args = arena_.args(id);
  std::vector<ExprId> eager;
  const auto* apply = arena_.get_if<Apply>(id);
  const bool lazy = apply != nullptr && (apply->op == Op::Select || apply->op == Op::LogicalAnd ||
                                         apply->op == Op::LogicalOr);
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (k == 0 || !lazy || !is_costly(args[k])) eager.push_back(args[k]);
  }
  return eager;
}

Slot Compiler::value(ExprId root) {
  std::vector<std::pair<ExprId, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [id, ready] = stack.back();
    stack.pop_back();
    if (values_.contains(id.value)) continue;
    if (ready) {
      emit_node(id);
    } else if (!leaf(id)) {
      stack.push_back({id, true});
      const auto operands = eager_operands(id);
      for (auto arg = operands.rbegin(); arg != operands.rend(); ++arg)
        stack.push_back({*arg, false});
    }
  }
  return operand(root);
}

Slot Compiler::keep(ExprId root) {
  const Slot slot = value(root);
  if (variables_.contains(slot.offset)) {
    const Slot copy = registers_.allocate(slot.type, false);
    emit(move_handler(slot.type, false), copy.offset, slot.offset);
    block_slots_.push_back(copy);
    return copy;
  }
  // A temporary moves from the statement to the block; what is none outlives the block already.
  if (take(slot, 0)) block_slots_.push_back(slot);
  return slot;
}

bool Compiler::take(const Slot& slot, std::size_t mark) {
  for (std::size_t k = mark; k < computed_.size(); ++k) {
    const auto found = values_.find(computed_[k].value);
    if (found == values_.end() || !found->second.owned || found->second.slot.offset != slot.offset)
      continue;
    found->second.owned = false;
    return true;
  }
  return false;
}

Slot Compiler::varying(const Slot& slot) {
  if (!slot.uniform || slot.shape() == Shape::Mask) return slot;
  const Slot wide = registers_.allocate(slot.type, false);
  emit(broadcast_handler(slot.type), wide.offset, slot.offset);
  return wide;
}

void Compiler::emit_node(ExprId id) {
  if (const auto* load = arena_.get_if<Load>(id)) return emit_load(*load, id);
  const auto* apply = arena_.get_if<Apply>(id);
  CDSL_CHECK(apply != nullptr, "a node of Tensor IR in a kernel");
  if (apply->op == Op::Select) return emit_select(id);
  if (apply->op == Op::LogicalAnd || apply->op == Op::LogicalOr) return emit_logic(apply->op, id);
  emit_apply(apply->op, id);
}

void Compiler::emit_apply(Op op, ExprId id) {
  const auto args = arena_.args(id);
  const ScalarType operand_type = arena_.type(args[0]);
  bool uniform = true;
  for (ExprId arg : args) uniform &= operand(arg).uniform;

  if (op == Op::Cast && is_same_register(operand_type, arena_.type(id))) {
    // The same slot under another type; a temporary changes hands.
    Value same = values_.at(args[0].value);
    same.slot.type = arena_.type(id);
    if (same.owned && uses_.at(args[0].value) == 1)
      values_.at(args[0].value).owned = false;
    else
      same.owned = false;
    return define(id, same);
  }
  const Slot out = result(id, uniform);
  const Slot& a = operand(args[0]);
  Handler handler = nullptr;
  if (op == Op::Cast)
    handler = cast_handler(operand_type, out.type, uniform);
  else if (args.size() == 1)
    handler = unary_handler(op, operand_type, uniform);
  else if (args.size() == 2)
    handler = binary_handler(op, operand_type, a.uniform, operand(args[1]).uniform);
  if (handler != nullptr) {
    emit(handler, out.offset, a.offset, args.size() > 1 ? operand(args[1]).offset : 0);
  } else {
    GenericApply use{op, operand_type, out, {}};
    for (ExprId arg : args) use.args.push_back(operand(arg));
    code_.applies.push_back(std::move(use));
    emit(apply_generic, 0, 0, 0, 0, code_.applies.size() - 1);
  }
  for (ExprId arg : args) drop(arg);
}

void Compiler::emit_load(const Load& load, ExprId id) {
  const auto args = arena_.args(id);
  const Slot out = result(id, false);
  SourceRange where = arena_.where(id);
  if (!where.valid()) where = statement_->where;
  Place place =
      place_of(load.buffer, load.leaf, args[0], args.size() > 1 ? args[1] : ExprId{}, where);
  place.values = {out};
  const auto [site, is_new] = load_sites_.try_emplace(id.value, 0);
  if (is_new) site->second = add_site(place);
  place.counters = site->second;
  code_.buffers[place.buffer].is_loaded = true;
  emit(sim::load, 0, 0, 0, 0, add_place(std::move(place)));
  for (ExprId arg : args) drop(arg);
}

Compiler::Value Compiler::lazy_arm(const Slot& condition, bool inverted, ExprId id) {
  const std::size_t enter = emit(enter_arm, 0, condition.offset, 0, 0, inverted ? 1 : 0);
  open_frame();
  const std::size_t mark = computed_.size();
  const Slot slot = value(id);
  Value arm{varying(slot), true};
  if (arm.slot.offset == slot.offset) arm.owned = take(slot, mark);
  forget(mark);
  emit(leave);
  close_frame();
  jump(enter, here());
  return arm;
}

void Compiler::emit_select(ExprId id) {
  const auto args = arena_.args(id);
  const Slot condition = operand(args[0]);
  const bool is_lazy[] = {false, is_costly(args[1]), is_costly(args[2])};
  Value arms[3];
  bool uniform = condition.uniform;
  for (std::size_t k : {1, 2}) {
    arms[k] = is_lazy[k] ? lazy_arm(condition, k == 2, args[k]) : Value{operand(args[k]), false};
    uniform &= !is_lazy[k] && arms[k].slot.uniform;
  }
  const Slot out = result(id, uniform);
  if (uniform) {
    code_.applies.push_back({Op::Select, out.type, out, {condition, arms[1].slot, arms[2].slot}});
    emit(apply_generic, 0, 0, 0, 0, code_.applies.size() - 1);
  } else {
    for (std::size_t k : {1, 2}) {
      const Slot wide = varying(arms[k].slot);
      if (wide.offset != arms[k].slot.offset) arms[k] = {wide, true};
    }
    emit(select_handler(out.type), out.offset, condition.offset, arms[1].slot.offset,
         arms[2].slot.offset);
  }
  for (std::size_t k : {1, 2}) {
    if (arms[k].owned) registers_.release(arms[k].slot);
    if (!is_lazy[k]) drop(args[k]);
  }
  drop(args[0]);
}

void Compiler::emit_logic(Op op, ExprId id) {
  const auto args = arena_.args(id);
  if (!is_costly(args[1])) return emit_apply(op, id);
  const Slot left = operand(args[0]);
  const Value right = lazy_arm(left, op == Op::LogicalOr, args[1]);
  const Slot out = result(id, false);
  emit(binary_handler(op, ScalarType::Bool, false, false), out.offset, left.offset,
       right.slot.offset);
  if (right.owned) registers_.release(right.slot);
  drop(args[0]);
}

}  // namespace cdsl::sim
