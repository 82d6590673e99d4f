// Statements of Tensor IR on the evaluator's memory, in source order; each reads all it needs before it writes.
#pragma once

#include <map>

#include "dsl/eval/interpreter.h"

namespace cdsl::eval {

class StatementRunner {
 public:
  StatementRunner(const tir::Function& function, Interpreter& interpreter, std::vector<Store>& memory);
  void run(const tir::Block& block);

 private:
  struct Compiled {
    std::vector<AxisCode> axes;
    CodeId guard = kNoCode;
    CodeId values = kNoCode;            // results: subscripts, then the value, target by target
    CodeId lo = kNoCode, hi = kNoCode, until = kNoCode;
  };
  struct Pending {
    TensorId tensor;
    int64_t cell;
    Number number;
  };

  void run(const tir::Stage& stage);
  void run(const tir::Scatter& scatter);
  void run(const tir::Loop& loop);
  Compiled& compiled(const void* statement, const std::function<void(Compiled&)>& compile);
  void compile_domain(const tir::Domain& domain, Compiled& out);
  bool guarded(const Compiled& code, bool& sure);
  /// Cell of a target whose subscripts lie in `slots`, or -1 when it is outside (reported).
  int64_t cell_of(const tir::Target& target, const std::vector<Slot>& slots, std::size_t first, double& doubt);

  const tir::Function& function_;
  Interpreter& interpreter_;
  std::vector<Store>& memory_;
  std::map<const void*, Compiled> cache_;
};

}  // namespace cdsl::eval
