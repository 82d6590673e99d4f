// Expressions of one statement: evaluated in the simulator's order, so that a load counts as often as it does there.
#include <bit>

#include "dsl/expr/normal_exponent.h"
#include "dsl/support/check.h"
#include "passes/predict/tracer.h"

namespace cdsl::predicting {

Lanes Tracer::value(ExprId root) {
  std::vector<std::pair<ExprId, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [id, ready] = stack.back();
    stack.pop_back();
    if (slots_[id.index()] != 0) continue;
    if (ready) {
      evaluate_node(id);
    } else if (const Value* constant = arena_.constant_value(id)) {
      define(id, Lanes::of(*constant));
    } else if (const auto* symbol = arena_.get_if<Symbol>(id)) {
      define(id, symbols_[symbol->symbol.index()]);
    } else if (arena_.get_if<Load>(id) != nullptr) {
      evaluate_node(id);                  // which evaluates its index as one
    } else {
      stack.push_back({id, true});
      const auto args = arena_.args(id);
      const auto* apply = arena_.get_if<Apply>(id);
      const bool lazy = apply != nullptr && (apply->op == Op::Select || apply->op == Op::LogicalAnd ||
                                             apply->op == Op::LogicalOr);
      for (std::size_t k = args.size(); k-- > 0;) {
        if (k == 0 || !lazy || !is_costly(args[k])) stack.push_back({args[k], false});
      }
    }
  }
  return operand(root);
}

void Tracer::define(ExprId id, Lanes value) {
  pool_.push_back(std::move(value));
  computed_.push_back(id);
  slots_[id.index()] = static_cast<uint32_t>(pool_.size());
}

void Tracer::forget(std::size_t mark) {
  while (computed_.size() > mark) {
    slots_[computed_.back().index()] = 0;
    computed_.pop_back();
    pool_.pop_back();
  }
}

void Tracer::evaluate_node(ExprId id) {
  spent_ += 1;
  if (const auto* read = arena_.get_if<Load>(id)) {
    const auto args = arena_.args(id);
    Place place{read->buffer, read->leaf, args[0], args.size() > 1 ? args[1] : ExprId{}, {}, arena_.where(id), 1};
    if (!place.where.valid()) place.where = where_;
    return define(id, load(place, kind_of(read->buffer, false, false)));
  }
  const auto* apply = arena_.get_if<Apply>(id);
  CDSL_CHECK(apply != nullptr, "a node of Tensor IR in a kernel");
  if (apply->op == Op::Select) return evaluate_select(id);
  if (apply->op == Op::LogicalAnd || apply->op == Op::LogicalOr) return evaluate_logic(apply->op, id);
  evaluate_apply(apply->op, id);
}

void Tracer::evaluate_apply(Op op, ExprId id) {
  const auto args = arena_.args(id);
  std::array<const Lanes*, 4> operands{};
  for (std::size_t k = 0; k < args.size(); ++k) operands[k] = &operand(args[k]);
  const ScalarType type = arena_.type(args[op == Op::Select ? 1 : 0]);
  Lanes result = apply(op, type, arena_.type(id), std::span(operands.data(), args.size()));
  count_operation(op, id, result.uniform);
  define(id, std::move(result));
}

Lanes Tracer::lazy_arm(const Lanes& condition, bool inverted, ExprId id) {
  Decision decision = decide(condition, certain_, possible_);
  if (inverted) decision = {certain_ & ~decision.possible, possible_ & ~decision.certain};
  if (decision.possible == 0) return Lanes::unknown();
  const uint32_t certain = certain_, possible = possible_;
  certain_ = decision.certain;
  possible_ = decision.possible;
  const std::size_t mark = computed_.size();
  Lanes result = value(id);
  forget(mark);
  certain_ = certain;
  possible_ = possible;
  return result;
}

void Tracer::evaluate_select(ExprId id) {
  const auto args = arena_.args(id);
  const Lanes condition = operand(args[0]);
  Lanes arms[3];
  for (std::size_t k : {1, 2})
    arms[k] = is_costly(args[k]) ? lazy_arm(condition, k == 2, args[k]) : operand(args[k]);
  const Lanes* const operands[] = {&condition, &arms[1], &arms[2]};
  Lanes result = apply(Op::Select, arena_.type(id), arena_.type(id), operands);
  count_operation(Op::Select, id, result.uniform);
  define(id, std::move(result));
}

void Tracer::evaluate_logic(Op op, ExprId id) {
  const auto args = arena_.args(id);
  if (!is_costly(args[1])) return evaluate_apply(op, id);
  const Lanes left = operand(args[0]);
  const Lanes right = lazy_arm(left, op == Op::LogicalOr, args[1]);
  const Lanes* const operands[] = {&left, &right};
  Lanes result = apply(op, ScalarType::Bool, ScalarType::Bool, operands);
  count_operation(op, id, result.uniform);
  define(id, std::move(result));
}

namespace {

constexpr int kDividesByPower = 3, kDividesByConstant = 5;   // a shift and what rounds; a multiplication, shifts, what rounds

/// Instructions of an operator on integers. The compiler knows what it divides by where that is a constant.
int integer_cost(const ExprArena& arena, Op op, std::span<const ExprId> args) {
  const bool divides = op == Op::Div || op == Op::Rem || op == Op::FloorDiv || op == Op::FloorMod;
  const Value* by = divides ? arena.constant_value(args[1]) : nullptr;
  if (by == nullptr || by->i <= 0) return info(op).cost;
  if ((by->i & (by->i - 1)) != 0) return kDividesByConstant;
  return is_signed_integer(arena.type(args[0])) && op != Op::FloorDiv && op != Op::FloorMod ? kDividesByPower : 1;
}

bool is_arithmetic(OpClass op_class) {
  return op_class == OpClass::Numeric || op_class == OpClass::FloatMath || op_class == OpClass::Complex ||
         op_class == OpClass::FloatInt;
}

}  // namespace

// A multiply that feeds a sum is part of it. What all lanes share runs beside the lanes' own work, and costs nothing here.
void Tracer::count_operation(Op op, ExprId id, bool uniform) {
  const auto args = arena_.args(id);
  const ScalarType type = arena_.type(id), operand = arena_.type(args[op == Op::Select ? 1 : 0]);
  const double active = weight_ * std::popcount(possible_), issued = weight_ * kWarpLanes;
  const auto add = [&](Unit unit, double count) { result_.lane_ops[static_cast<std::size_t>(unit)] += count * issued * index_share_; };
  const bool floating = (is_float(operand) || is_complex(operand)) && type != ScalarType::Bool;
  const int parts = is_complex(operand) ? 2 : 1;
  if (floating && is_arithmetic(info(op).op_class) && info(op).cost > 0) {
    const bool product = is_complex(operand) && op == Op::Mul;
    result_.flops += active * (op == Op::Fma ? 2 : product ? 6 : op == Op::Neg || op == Op::Abs ? 0 : parts);
  }
  if (op == Op::Cast) {
    const bool converts = is_storage_only(operand) || is_storage_only(type) || is_float(operand) != is_float(type) ||
                          (is_float(type) && operand != type);
    if (converts) add(Unit::Convert, 1);
    return;
  }
  if (floating) {
    const bool wide = operand == ScalarType::F64 || operand == ScalarType::C128;
    const Unit unit = wide ? Unit::Fp64 : Unit::Fp32;
    double cost = info(op).cost * parts;
    if (op == Op::Add || op == Op::Sub) {
      for (const ExprId arg : args) {
        if (!arena_.is_apply(arg, Op::Mul)) continue;
        cost = 0;
        break;
      }
    }
    const bool special = !wide && info(op).cost >= 4;
    if (special) add(Unit::Sfu, 1);
    if (!is_normal_exp2(arena_, id)) add(unit, special ? cost - 1 : cost);
    return;
  }
  const bool folded = (op == Op::Add || op == Op::Sub) && (arena_.constant_value(args[0]) != nullptr ||
                                                          arena_.constant_value(args[1]) != nullptr);
  if (!uniform && !folded) add(Unit::Int, integer_cost(arena_, op, args));
}

}  // namespace cdsl::predicting
