// Reductions of the evaluator: left folds in lexicographic order; sums in wide mode know what any order may give.
#include <cmath>
#include <limits>

#include "dsl/eval/interpreter.h"
#include "dsl/types/float_math.h"

namespace cdsl::eval {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Number number(ScalarType type, double value) {
  if (is_complex(type)) return {Value::of_complex(value, 0), 0};
  return {is_float(type) ? Value::of_float(value) : Value::of_int(static_cast<int64_t>(value)), 0};
}

double magnitude(const Number& n, ScalarType type) {
  if (is_complex(type)) return std::hypot(n.value.re, n.value.im);
  return is_float(type) ? std::fabs(n.value.re) : std::fabs(static_cast<double>(n.value.i));
}

// The value that max (least) or min (greatest) starts from.
Number extreme(ScalarType type, bool least) {
  if (is_float(type)) return number(type, least ? -kInfinity : kInfinity);
  if (type == ScalarType::Bool) return {Value::of_bool(!least), 0};
  const int width = 8 * size_of(type);
  if (is_signed_integer(type)) {
    const int64_t greatest = static_cast<int64_t>((uint64_t{1} << (width - 1)) - 1);
    return {Value::of_int(least ? -greatest - 1 : greatest), 0};
  }
  const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  return {Value::of_int(least ? 0 : static_cast<int64_t>(all)), 0};
}

}  // namespace

Interpreter::Guard Interpreter::guard(const ReduceCode& code) {
  if (code.guard == kNoCode) return {true, true};
  const Number holds = one_result(code.guard);
  return {holds.value.i != 0, holds.exact()};
}

void Interpreter::reduce(const ReduceCode& code) {
  const Reduction& r = *code.reduction;
  const ScalarType type = r.types.empty() ? ScalarType::I64 : r.types[0];
  switch (r.monoid) {
    case Monoid::Sum: return reduce_sum(code);
    case Monoid::Prod: return reduce_fold(code, Op::Mul, number(type, 1));
    case Monoid::Min: return reduce_fold(code, Op::Min, extreme(type, false));
    case Monoid::Max: return reduce_fold(code, Op::Max, extreme(type, true));
    case Monoid::Any: return reduce_fold(code, Op::Or, number(ScalarType::Bool, 0));
    case Monoid::All: return reduce_fold(code, Op::And, number(ScalarType::Bool, 1));
    case Monoid::Count: return reduce_count(code);
    case Monoid::ArgMin: case Monoid::ArgMax: return reduce_arg(code);
    case Monoid::User: return reduce_user(code);
  }
}

void Interpreter::reduce_sum(const ReduceCode& code) {
  const ScalarType type = code.reduction->types[0];
  const bool wide = mode_ == Mode::Wide && !is_integer(type);
  WideSum sum(type, code.roundoff);
  Number total = number(type, 0);
  double doubt = 0;
  for_each_point(code.axes, [&] {
    const Guard g = guard(code);
    if (!g.holds && g.sure) return;
    const Number term = g.holds ? one_result(code.lifted) : speculate([&] { return one_result(code.lifted); });
    if (!g.sure) doubt += magnitude(term, type) + term.error;
    if (!g.holds) return;
    if (wide) {
      sum.add(term);
    } else {
      const Number both[] = {total, term};
      total = combine(Op::Add, type, both);
    }
  });
  Number result = wide ? sum.result() : total;
  result.error += doubt;
  frame_[code.first_result] = result;
}

void Interpreter::reduce_fold(const ReduceCode& code, Op op, Number start) {
  const ScalarType type = code.reduction->types[0];
  Number total = start;
  const bool any_order = mode_ == Mode::Wide && op == Op::Mul && !is_integer(type);
  PartialProducts partial;
  for_each_point(code.axes, [&] {
    const Guard g = guard(code);
    if (!g.holds && g.sure) return;
    const Number term = g.holds ? one_result(code.lifted) : speculate([&] { return one_result(code.lifted); });
    const Number both[] = {total, term};
    const Number with = combine(op, type, both);
    if (any_order) partial.add(magnitude(term, type));
    if (!g.sure) total.error = kInfinity;
    if (g.holds) total = {with.value, g.sure ? with.error : kInfinity};
  });
  if (any_order && partial.may_leave(type)) total.error = kInfinity;
  frame_[code.first_result] = total;
}

void Interpreter::reduce_count(const ReduceCode& code) {
  int64_t count = 0;
  double doubt = 0;
  for_each_point(code.axes, [&] {
    const Guard g = guard(code);
    if (!g.holds && g.sure) return;
    const Number term = g.holds ? one_result(code.lifted) : speculate([&] { return one_result(code.lifted); });
    if (!g.sure || !term.exact()) doubt += 1;
    if (g.holds && term.value.i != 0) ++count;
  });
  frame_[code.first_result] = {Value::of_int(count), doubt};
}

void Interpreter::reduce_arg(const ReduceCode& code) {
  const Reduction& r = *code.reduction;
  const ScalarType type = r.types[0];
  const bool want_max = r.monoid == Monoid::ArgMax;
  const std::size_t rank = code.axes.size();
  // The box of several axes, for flat positions (docs/language.md, 6.6): it depends on no inner index.
  std::vector<int64_t> low(rank), extent(rank);
  if (rank > 1) {
    for (std::size_t k = 0; k < rank; ++k) {
      low[k] = one_result(code.axes[k].lo).value.i;
      extent[k] = std::max<int64_t>(0, one_result(code.axes[k].hi).value.i - low[k]);
    }
  }
  Number best = extreme(type, want_max);
  int64_t position = -1;
  bool doubtful = false, is_nan = false, unknown = false;   // unknown: some term may be anything, NaN too
  double rival_error = 0;
  const auto here = [&] {
    if (rank == 1) return frame_[code.axes[0].index].value.i;
    int64_t flat = 0;
    for (std::size_t k = 0; k < rank; ++k) flat = flat * extent[k] + frame_[code.axes[k].index].value.i - low[k];
    return flat;
  };
  for_each_point(code.axes, [&] {
    const Guard g = guard(code);
    if (!g.sure) doubtful = true;
    if (!g.holds || is_nan) return;
    const Number term = one_result(code.lifted);
    rival_error = std::max(rival_error, term.error);
    unknown |= std::isinf(term.error);
    const bool nan = is_float(type) && std::isnan(term.value.re);
    const Number ordered[] = {want_max ? best : term, want_max ? term : best};
    const Number better = combine(Op::Lt, type, ordered);
    const bool wins = position < 0 || nan || better.value.i != 0;
    if (position >= 0 && !nan && !better.exact()) doubtful = true;
    if (wins) {
      if (position >= 0 && better.exact() && !nan && better.value.i != 0 && best.error == 0 && term.error == 0) doubtful = false;
      best = term;
      position = here();
      is_nan = nan;
    }
  });
  if (position < 0) report(r.where, std::string(name_of(r.monoid)) + " over no element");
  doubtful |= unknown;
  frame_[code.first_result] = {best.value, doubtful ? std::max(best.error, rival_error) : best.error};
  frame_[code.first_result + 1] = {Value::of_int(position), unknown || (doubtful && !is_nan) ? kInfinity : 0};
}

void Interpreter::reduce_user(const ReduceCode& code) {
  const std::size_t parts = code.reduction->types.size();
  std::vector<Number> total(parts);
  const std::vector<Slot> identity = run(code.identity);
  for (std::size_t k = 0; k < parts; ++k) total[k] = frame_[identity[k]];
  bool doubtful = false;
  for_each_point(code.axes, [&] {
    const Guard g = guard(code);
    if (!g.sure) doubtful = true;
    if (!g.holds) return;
    const std::vector<Slot>& terms = run(code.lifted);
    for (std::size_t k = 0; k < parts; ++k) set(code.right[k], frame_[terms[k]]);
    for (std::size_t k = 0; k < parts; ++k) set(code.left[k], total[k]);
    const std::vector<Slot>& combined = run(code.combine);
    for (std::size_t k = 0; k < parts; ++k) total[k] = frame_[combined[k]];
  });
  for (std::size_t k = 0; k < parts; ++k) {
    if (doubtful) total[k].error = kInfinity;
    frame_[code.first_result + static_cast<Slot>(k)] = total[k];
  }
}

}  // namespace cdsl::eval
