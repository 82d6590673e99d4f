#include "dsl/eval/interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/eval/boundary.h"
#include "dsl/support/check.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::eval {
namespace {

constexpr std::size_t kMaxReports = 100;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double distance(const Number& a, const Number& b, ScalarType type) {
  if (is_complex(type)) return std::hypot(a.value.re - b.value.re, a.value.im - b.value.im);
  if (is_float(type)) return same_bits(a.value, b.value) ? 0 : std::fabs(a.value.re - b.value.re);
  return std::fabs(static_cast<double>(a.value.i) - static_cast<double>(b.value.i));
}

}  // namespace

Interpreter::Interpreter(const tir::Function& function, Mode mode, std::vector<Store>& memory, std::vector<Report>& reports)
    : function_(function), mode_(mode), memory_(memory), reports_(reports), compiler_(function) {
  changed_at_.resize(function.arena.symbol_count());
  prepare();
}

void Interpreter::report(SourceRange where, std::string message, bool undefined) {
  if (speculative_ > 0 || reports_.size() >= kMaxReports) return;
  const bool known = std::any_of(reports_.begin(), reports_.end(), [&](const Report& r) { return r.where == where; });
  if (!known) reports_.push_back({where, std::move(message), undefined});
}

Number Interpreter::combine(Op op, ScalarType type, std::span<const Number> args) const {
  if (mode_ == Mode::Wide) return apply_wide(op, type, args);
  Value values[3];
  for (std::size_t k = 0; k < args.size(); ++k) values[k] = args[k].value;
  return {apply(op, type, std::span<const Value>(values, args.size())), 0};
}

const std::vector<Slot>& Interpreter::run(CodeId id) {
  const Code& code = compiler_.code(id);
  for (const Instruction& i : code.instructions) step(i);
  return code.results;
}

void Interpreter::step(const Instruction& i) {
  switch (i.kind) {
    case Instruction::Kind::Constant:
      frame_[i.to] = {i.constant, 0};
      return;
    case Instruction::Kind::Apply: {
      Number args[3];
      for (int k = 0; k < i.arity; ++k) args[k] = frame_[i.args[k]];
      frame_[i.to] = combine(i.op, i.type, std::span<const Number>(args, i.arity));
      return;
    }
    case Instruction::Kind::Cast: {
      const Number from = frame_[i.args[0]];
      frame_[i.to] = mode_ == Mode::Wide ? convert_wide(from, i.type, i.result) : Number{convert(from.value, i.type, i.result), 0};
      return;
    }
    case Instruction::Kind::Select: frame_[i.to] = select(i); return;
    case Instruction::Kind::And: case Instruction::Kind::Or: frame_[i.to] = logical(i); return;
    case Instruction::Kind::Read: frame_[i.to] = read(compiler_.read(i.detail)); return;
    case Instruction::Kind::Memo: frame_[i.to] = remembered(i.detail); return;
    case Instruction::Kind::Reduce: reduce(compiler_.reduce(i.detail)); return;
  }
}

// What was computed on a path that may not be taken made no reports; it is computed again on one that is.
Number Interpreter::remembered(uint32_t detail) {
  const MemoCode& code = compiler_.memo(detail);
  const uint64_t at = memos_[detail].at;
  const bool holds = at >= forgotten_at_ && std::all_of(code.depends.begin(), code.depends.end(),
                                                        [&](Slot symbol) { return changed_at_[symbol] <= at; });
  if (holds && (!memos_[detail].is_silent || speculative_ > 0)) return memos_[detail].value;
  const uint64_t now = clock_;
  const Number value = one_result(code.code);
  memos_[detail] = {value, now, speculative_ > 0};
  return value;
}

// Where rounding may flip the condition, either arm is right: the other arm's distance joins the error.
Number Interpreter::select(const Instruction& i) {
  const Number condition = frame_[i.args[0]];
  const bool yes = condition.value.i != 0;
  Number chosen = one_result(yes ? i.then_code : i.else_code);
  if (condition.exact()) return chosen;
  const Number other = speculate([&] { return one_result(yes ? i.else_code : i.then_code); });
  const double apart = distance(chosen, other, i.result);
  chosen.error = std::isnan(apart) ? kInfinity : std::max(chosen.error, apart + other.error);
  return chosen;
}

Number Interpreter::logical(const Instruction& i) {
  const bool is_and = i.kind == Instruction::Kind::And;
  const Number left = frame_[i.args[0]];
  const bool decides = (left.value.i != 0) != is_and;
  if (decides && left.exact()) return left;
  const Number right = decides ? speculate([&] { return one_result(i.else_code); }) : one_result(i.else_code);
  const bool a = left.value.i != 0, b = right.value.i != 0;
  const bool value = is_and ? a && b : a || b;
  const auto settled = [&](const Number& n) { return n.exact() && (n.value.i != 0) != is_and; };
  const bool sure = (left.exact() && right.exact()) || settled(left) || settled(right);
  return {Value::of_bool(value), sure ? 0.0 : 1.0};
}

Number Interpreter::read(const ReadCode& code) {
  std::vector<int64_t> subscripts(code.subscripts.size());
  double uncertain = 0;
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    subscripts[k] = frame_[code.subscripts[k]].value.i;
    uncertain = std::max(uncertain, frame_[code.subscripts[k]].error);
  }
  Number result = read_at(code, subscripts);
  if (uncertain == 0) return result;
  if (uncertain > 2) return {result.value, kInfinity};
  const ScalarType type = memory_[code.tensor.index()].element().leaves[code.leaf].type;
  for (std::size_t k = 0; k < subscripts.size(); ++k) {          // the neighbours that a rounding error away may be read
    const auto reach = static_cast<int64_t>(frame_[code.subscripts[k]].error);
    for (int64_t shift = -reach; shift <= reach; ++shift) {
      std::vector<int64_t> other = subscripts;
      other[k] += shift;
      const Number there = speculate([&] { return read_at(code, other); });
      result.error = std::max(result.error, distance(result, there, type) + there.error);
    }
  }
  return result;
}

Number Interpreter::read_at(const ReadCode& code, std::span<const int64_t> subscripts) {
  const Store& store = memory_[code.tensor.index()];
  int64_t place[16];
  CDSL_CHECK(subscripts.size() <= std::size(place), "rank of a read");
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    const AxisRule& rule = code.rules[k];
    const int64_t extent = store.extent(code.leaf, k);
    int64_t e = subscripts[k];
    Boundary boundary = rule.boundary;
    if (rule.holes.valid()) {
      const int64_t step = frame_[code.holes[k]].value.i;
      if (step < 1 || e % step != 0) return {};
      e /= step;
      if (boundary == Boundary::None) boundary = Boundary::Zero;
    }
    const auto folded = fold(boundary, e, extent);
    if (!folded) {
      if (boundary == Boundary::Fill) return one_result(code.fills[k]);
      if (boundary == Boundary::None || boundary == Boundary::Unchecked) {
        report(code.where, "index " + std::to_string(e) + " of axis " + std::to_string(k) + " of '" +
                               function_.tensor(code.tensor).name + "' is outside [0, " + std::to_string(extent) + ")");
      }
      return {};
    }
    place[k] = *folded;
  }
  const int64_t cell = store.cell(code.leaf, std::span<const int64_t>(place, subscripts.size()));
  std::optional<Number> element;
  if (source_ != nullptr)
    element = source_->read(code.tensor, code.leaf, std::span<const int64_t>(place, subscripts.size()), cell);
  else if (store.written(cell))
    element = store.get(cell);
  if (!element) {
    std::string which;
    for (std::size_t k = 0; k < subscripts.size(); ++k) which += (k == 0 ? "" : ", ") + std::to_string(place[k]);
    report(code.where, function_.tensor(code.tensor).name + "[" + which + "] is read, which nothing has defined", true);
  }
  return element.value_or(Number{});
}

void Interpreter::for_each_point(const std::vector<AxisCode>& axes, const std::function<void()>& visit) {
  const std::function<void(std::size_t)> descend = [&](std::size_t depth) {
    if (depth == axes.size()) return visit();
    const AxisCode& axis = axes[depth];
    const int64_t lo = one_result(axis.lo).value.i, hi = one_result(axis.hi).value.i;
    for (int64_t i = lo; i < hi; ++i) {
      set(axis.index, {Value::of_int(i), 0});
      if (source_ != nullptr) source_->count_point();
      descend(depth + 1);
    }
  };
  descend(0);
}

}  // namespace cdsl::eval
