// Runs compiled expressions on the evaluator's memory, in wide or strict arithmetic.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dsl/eval/code.h"
#include "dsl/eval/evaluator.h"
#include "dsl/eval/memory.h"

namespace cdsl::eval {

/// Where an interpreter reads elements instead of from its memory, which then only says where they lie.
class CellSource {
 public:
  virtual ~CellSource() = default;
  /// Nothing where no statement has defined the element.
  virtual std::optional<Number> read(TensorId tensor, uint32_t leaf, std::span<const int64_t> subscripts, int64_t cell) = 0;
  /// A point of a reduction is about to be visited.
  virtual void count_point() = 0;
};

class Interpreter {
 public:
  Interpreter(const tir::Function& function, Mode mode, std::vector<Store>& memory, std::vector<Report>& reports);

  void read_from(CellSource& source) { source_ = &source; }
  Compiler& compiler() { return compiler_; }
  /// Room for every slot compiled so far; call after compiling and before running.
  void prepare() {
    frame_.resize(compiler_.slot_count());
    memos_.resize(compiler_.memo_count());
  }
  void set_symbol(SymbolId symbol, const Value& value) { set(static_cast<Slot>(symbol.index()), {value, 0}); }
  /// Memory may have changed: nothing that was remembered holds.
  void forget() { forgotten_at_ = ++clock_; }
  const std::vector<Slot>& run(CodeId code);
  Number at(Slot slot) const { return frame_[slot]; }

  /// Calls `visit` at every point of the axes (from `first` on) in lexicographic order.
  void for_each_point(const std::vector<AxisCode>& axes, const std::function<void()>& visit);

  /// A read of reduced or stored data went wrong at this place; kept once a place, the first 100.
  void report(SourceRange where, std::string message, bool undefined = false);

  /// op on numbers of a type, as the mode rounds.
  Number combine(Op op, ScalarType type, std::span<const Number> args) const;
  Mode mode() const { return mode_; }

 private:
  struct Remembered {
    Number value;
    uint64_t at = 0;                  // on the clock
    bool is_silent = false;           // computed without reports
  };

  /// Symbols change through this alone.
  void set(Slot symbol, const Number& value) {
    frame_[symbol] = value;
    changed_at_[symbol] = ++clock_;
  }
  Number remembered(uint32_t detail);
  void step(const Instruction& i);
  Number select(const Instruction& i);
  Number logical(const Instruction& i);
  Number one_result(CodeId code) { return frame_[run(code)[0]]; }
  /// Runs a path that may not be taken, without reports.
  template <class Run>
  Number speculate(Run run) {
    ++speculative_;
    const Number result = run();
    --speculative_;
    return result;
  }

  Number read(const ReadCode& code);
  Number read_at(const ReadCode& code, std::span<const int64_t> subscripts);
  void reduce(const ReduceCode& code);
  void reduce_sum(const ReduceCode& code);
  void reduce_fold(const ReduceCode& code, Op op, Number start);
  void reduce_count(const ReduceCode& code);
  void reduce_arg(const ReduceCode& code);
  void reduce_user(const ReduceCode& code);
  /// Runs the guard: 1 holds, 0 does not, and whether rounding may flip it.
  struct Guard { bool holds; bool sure; };
  Guard guard(const ReduceCode& code);

  const tir::Function& function_;
  Mode mode_;
  std::vector<Store>& memory_;
  std::vector<Report>& reports_;
  Compiler compiler_;
  CellSource* source_ = nullptr;
  std::vector<Number> frame_;
  std::vector<Remembered> memos_;
  std::vector<uint64_t> changed_at_;  // by symbol
  uint64_t clock_ = 1, forgotten_at_ = 1;
  int speculative_ = 0;               // > 0: on a path that may not be taken; makes no reports
};

}  // namespace cdsl::eval
