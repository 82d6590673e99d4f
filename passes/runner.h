// Runs declared passes: measures each, hands its result to whoever asked to see it, and verifies
// it. A pass does none of that itself.
//
//   PassRunner runner({.print_after = {"simplify"}, .dump = show}, context);
//   tir::Function better = runner.run(kSimplify, std::move(function));
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/schedule/group.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/pass.h"

namespace cdsl {

struct RunnerOptions {
  bool verify = true;
  std::vector<std::string> print_after;  // names of passes; "all" for each
  std::function<void(std::string_view pass, const std::string& text)> dump;
  std::function<void(std::string_view pass, double milliseconds)> timed = {};  // called as soon as a pass has ended
  /// Are shown what each pass made, verified.
  std::function<void(std::string_view pass, const tir::Function& function)> made_function = {};
  std::function<void(std::string_view pass, const loop::Program& program)> made_program = {};
};

struct PassRecord {
  std::string_view name;
  double milliseconds = 0;  // of the pass alone
};

class PassRunner {
 public:
  PassRunner(RunnerOptions options, PassContext& context)
      : options_(std::move(options)), context_(context) {}

  /// A result that breaks an invariant of its level is a bug of the pass: InternalError names it
  /// and shows the IR.
  template <class From, class To>
  To run(const Pass<From, To>& pass, From value) {
    const double start = now();
    To result = pass.run(std::forward<From>(value), context_);
    records_.push_back({pass.name, now() - start});
    if (options_.timed) options_.timed(pass.name, records_.back().milliseconds);
    inspect(pass.name, result);
    return result;
  }

  const std::vector<PassRecord>& records() const { return records_; }

 private:
  static double now();  // milliseconds, monotonic
  void inspect(std::string_view pass, const tir::Function& function) const;
  void inspect(std::string_view pass, const loop::Program& program) const;
  void inspect(std::string_view pass, const Decided& decided) const;
  bool is_shown(std::string_view pass) const;

  RunnerOptions options_;
  PassContext& context_;
  std::vector<PassRecord> records_;
};

}  // namespace cdsl
