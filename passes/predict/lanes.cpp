#include "passes/predict/lanes.h"

#include <algorithm>
#include <optional>

#include "dsl/types/arithmetic.h"

namespace cdsl::predicting {
namespace {

constexpr std::size_t kMostOperands = 3;
constexpr int64_t kMostModulus = int64_t{1} << 32;

bool is_plain_integer(ScalarType type) {
  return type == ScalarType::I32 || type == ScalarType::I64;
}

int64_t wrapped(int64_t value, ScalarType type) {
  return type == ScalarType::I32 ? static_cast<int32_t>(value) : value;
}

/// The operators that addresses are made of, without the detour over spans of Values.
bool quick(Op op, ScalarType type, const Value& a, const Value& b, Value& out) {
  const auto x = static_cast<uint64_t>(a.i), y = static_cast<uint64_t>(b.i);
  switch (op) {
    case Op::Add: out = Value::of_int(wrapped(static_cast<int64_t>(x + y), type)); return true;
    case Op::Sub: out = Value::of_int(wrapped(static_cast<int64_t>(x - y), type)); return true;
    case Op::Mul: out = Value::of_int(wrapped(static_cast<int64_t>(x * y), type)); return true;
    case Op::Lt: out = Value::of_bool(a.i < b.i); return true;
    case Op::Le: out = Value::of_bool(a.i <= b.i); return true;
    case Op::Gt: out = Value::of_bool(a.i > b.i); return true;
    case Op::Ge: out = Value::of_bool(a.i >= b.i); return true;
    case Op::Eq: out = Value::of_bool(a.i == b.i); return true;
    case Op::Ne: out = Value::of_bool(a.i != b.i); return true;
    default: return false;
  }
}

Value compute(Op op, ScalarType operand, ScalarType type, std::span<const Value> args) {
  if (op == Op::Cast) return convert(args[0], operand, type);
  Value out;
  if (args.size() == 2 && is_plain_integer(operand) && quick(op, operand, args[0], args[1], out))
    return out;
  return cdsl::apply(op, operand, args);
}

/// Sums and casts keep the number that all lanes share; a product with a number that all lanes agree on scales it.
bool keeps_shift(Op op, ScalarType operand, ScalarType type, std::span<const Lanes* const> args) {
  if (!is_integer(operand) || !is_integer(type)) return false;
  const auto shifted = [&](std::size_t k) { return args[k]->kind == Lanes::Kind::Shifted; };
  const auto known = [&](std::size_t k) { return args[k]->is_known(~uint32_t{0}); };
  if (op == Op::Cast) return true;
  if (op == Op::Add || op == Op::Sub) return (shifted(0) || known(0)) && (shifted(1) || known(1));
  if (op != Op::Mul) return false;
  return (shifted(0) && known(1) && args[1]->uniform) || (shifted(1) && known(0) && args[0]->uniform);
}

Lanes lane_by_lane(Op op, ScalarType operand, ScalarType type, std::span<const Lanes* const> args) {
  Lanes result;
  result.uniform = std::all_of(args.begin(), args.end(), [](const Lanes* a) { return a->uniform; });
  std::array<Value, kMostOperands> values;
  for (int lane = 0; lane < (result.uniform ? 1 : kWarpLanes); ++lane) {
    uint32_t bit = result.uniform ? ~uint32_t{0} : uint32_t{1} << lane;
    bool is_known = true;
    for (std::size_t k = 0; k < args.size(); ++k) {
      is_known = is_known && (args[k]->known >> lane & 1) != 0;
      values[k] = args[k]->at(lane);
    }
    if (!is_known) continue;
    result.value[static_cast<std::size_t>(lane)] =
        compute(op, operand, type, std::span(values.data(), args.size()));
    result.known |= bit;
  }
  return result;
}

/// The greatest power of two of which every lane is known to hold `at(l)` plus a multiple.
int64_t modulus_of(const Lanes& lanes) {
  if (lanes.kind == Lanes::Kind::Residue) return lanes.modulus;
  return lanes.is_known(~uint32_t{0}) ? kMostModulus : 1;
}

/// Sums and bits of what is known modulo a power of two are known modulo the smaller one; a product with a number that all lanes
/// agree on is known modulo more.
Lanes residues(Op op, ScalarType operand, ScalarType type, std::span<const Lanes* const> args) {
  if (!is_integer(operand) || !is_integer(type)) return Lanes::unknown();
  const Lanes &a = *args[0], &b = *args.back();
  const auto factor = [](const Lanes& lanes) -> std::optional<int64_t> {
    return lanes.is_known(~uint32_t{0}) && lanes.uniform ? std::optional(lanes.value[0].i) : std::nullopt;
  };
  int64_t modulus = std::min(modulus_of(a), modulus_of(b));
  switch (op) {
    case Op::Cast: modulus = std::min(modulus, int64_t{1} << std::min(32, 8 * size_of(type))); break;
    case Op::Add: case Op::Sub: case Op::And: case Op::Or: case Op::Xor: break;
    case Op::Mul: case Op::Shl: {
      const bool shifts = op == Op::Shl;
      const auto of_a = shifts ? std::nullopt : factor(a), of_b = factor(b);
      if (!of_a && !of_b) return Lanes::unknown();
      const int64_t by = of_b.value_or(of_a.value_or(1));
      const int64_t scale = shifts ? int64_t{1} << std::clamp<int64_t>(by, 0, 31) : by & -by;
      modulus = std::min(kMostModulus, modulus_of(of_b ? a : b) * std::clamp<int64_t>(scale, 1, kMostModulus / modulus_of(of_b ? a : b)));
      break;
    }
    default: return Lanes::unknown();
  }
  if (modulus <= 1) return Lanes::unknown();
  Lanes result = Lanes::unknown();
  result.kind = Lanes::Kind::Residue;
  result.modulus = modulus;
  result.known = ~uint32_t{0};
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const Value operands[] = {modulus_of(a) > 1 ? a.at(lane) : Value::of_int(0), modulus_of(b) > 1 ? b.at(lane) : Value::of_int(0)};
    const Value value = compute(op, operand, type, std::span(operands, args.size()));
    result.value[static_cast<std::size_t>(lane)] = Value::of_int(value.i & (modulus - 1));
  }
  return result;
}

Lanes select(std::span<const Lanes* const> args) {
  const Lanes &condition = *args[0], &yes = *args[1], &no = *args[2];
  if (condition.uniform && condition.known == ~uint32_t{0} && condition.kind == Lanes::Kind::Known)
    return condition.value[0].i != 0 ? yes : no;
  if (yes.is_same() && no.is_same() && condition.is_same()) return Lanes::unknown_but_same();
  Lanes result;
  result.uniform = false;
  if (condition.kind != Lanes::Kind::Known) return result;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((condition.known >> lane & 1) == 0) continue;
    const Lanes& chosen = condition.at(lane).i != 0 ? yes : no;
    if (chosen.kind != Lanes::Kind::Known || (chosen.known >> lane & 1) == 0) continue;
    result.value[static_cast<std::size_t>(lane)] = chosen.at(lane);
    result.known |= uint32_t{1} << lane;
  }
  return result;
}

/// A lane that decides alone: false of &&, true of ||.
Lanes logic(Op op, std::span<const Lanes* const> args) {
  const bool decides = op == Op::LogicalOr;
  Lanes result;
  result.uniform = args[0]->uniform && args[1]->uniform;
  for (int lane = 0; lane < (result.uniform ? 1 : kWarpLanes); ++lane) {
    int known = 0;
    bool decided = false;
    for (const Lanes* arg : args) {
      if (arg->kind != Lanes::Kind::Known || (arg->known >> lane & 1) == 0) continue;
      ++known;
      decided = decided || (arg->at(lane).i != 0) == decides;
    }
    if (known != 2 && !decided) continue;
    result.value[static_cast<std::size_t>(lane)] = Value::of_bool(decided ? decides : !decides);
    result.known |= result.uniform ? ~uint32_t{0} : uint32_t{1} << lane;
  }
  if (result.known == 0 && args[0]->is_same() && args[1]->is_same()) return Lanes::unknown_but_same();
  return result;
}

}  // namespace

Lanes Lanes::of(Value value) {
  Lanes lanes;
  lanes.known = ~uint32_t{0};
  lanes.value[0] = value;
  return lanes;
}

Lanes Lanes::unknown() {
  Lanes lanes;
  lanes.uniform = false;
  return lanes;
}

Lanes Lanes::unknown_but_same() {
  Lanes lanes;
  lanes.kind = Kind::Shifted;
  lanes.known = ~uint32_t{0};
  lanes.value[0] = Value::of_int(0);
  return lanes;
}

Lanes apply(Op op, ScalarType operand, ScalarType type, std::span<const Lanes* const> args) {
  const bool ticket = std::any_of(args.begin(), args.end(), [](const Lanes* a) { return a->ticket; });
  const auto any = [&](Lanes::Kind kind) {
    return std::any_of(args.begin(), args.end(), [&](const Lanes* a) { return a->kind == kind; });
  };
  Lanes result = Lanes::unknown();
  if (op == Op::Select) {
    result = select(args);
  } else if (op == Op::LogicalAnd || op == Op::LogicalOr) {
    result = logic(op, args);
  } else if (is_complex(operand) || is_complex(type)) {
    result = Lanes::unknown();
  } else if (any(Lanes::Kind::Residue)) {
    result = residues(op, operand, type, args);
  } else if (!any(Lanes::Kind::Shifted)) {
    const bool some = std::all_of(args.begin(), args.end(), [](const Lanes* a) { return a->known != 0; });
    result = some ? lane_by_lane(op, operand, type, args) : residues(op, operand, type, args);
  } else if (keeps_shift(op, operand, type, args)) {
    result = lane_by_lane(op, operand, op == Op::Cast ? ScalarType::I64 : type, args);
    result.kind = Lanes::Kind::Shifted;
  } else if (std::all_of(args.begin(), args.end(), [](const Lanes* a) { return a->is_same(); })) {
    result = Lanes::unknown_but_same();
  }
  result.ticket = ticket;
  return result;
}

Decision decide(const Lanes& condition, uint32_t certain, uint32_t possible) {
  Decision decision;
  if (condition.kind != Lanes::Kind::Known) {
    decision.possible = possible;
    return decision;
  }
  uint32_t yes = 0;
  if (condition.uniform) {
    yes = condition.value[0].i != 0 ? ~uint32_t{0} : 0;
  } else {
    for (int lane = 0; lane < kWarpLanes; ++lane)
      yes |= condition.value[static_cast<std::size_t>(lane)].i != 0 ? uint32_t{1} << lane : 0;
  }
  decision.certain = certain & condition.known & yes;
  decision.possible = possible & (~condition.known | yes);
  return decision;
}

void assign(Lanes& target, const Lanes& next, uint32_t certain, uint32_t possible) {
  if (certain == ~uint32_t{0}) {
    target = next;
    return;
  }
  const bool both_same = target.is_same() && next.is_same();
  if (both_same && target.kind == Lanes::Kind::Known && next.kind == Lanes::Kind::Known &&
      target.value[0].i == next.value[0].i)
    return;
  Lanes merged;
  merged.uniform = false;
  merged.ticket = target.ticket || next.ticket;
  merged.known = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const uint32_t bit = uint32_t{1} << lane;
    const Lanes& from = (possible & bit) != 0 ? next : target;
    if (from.kind != Lanes::Kind::Known || (from.known & bit) == 0) continue;
    const bool open = (possible & ~certain & bit) != 0;
    if (open && ((target.known & bit) == 0 || target.kind != Lanes::Kind::Known ||
                 target.at(lane).i != next.at(lane).i))
      continue;
    merged.value[static_cast<std::size_t>(lane)] = from.at(lane);
    merged.known |= bit;
  }
  target = merged;
}

}  // namespace cdsl::predicting
