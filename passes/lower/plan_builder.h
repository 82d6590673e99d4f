// The plan in the making: launches, host loops and their stop flags, in order.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "passes/lower/expression.h"

namespace cdsl::lowering {

class PlanBuilder {
 public:
  explicit PlanBuilder(Memory& memory) : memory_(memory), steps_{&memory.program().plan.general().steps} {}
  PlanBuilder(const PlanBuilder&) = delete;
  PlanBuilder& operator=(const PlanBuilder&) = delete;

  struct KernelInfo {
    std::string name;  // after the function's; made unique
    std::string note;
    int threads = 256;
    SourceRange where;
  };
  /// A kernel and its launch. Inside stoppable loops the body runs only while no flag is set.
  void launch(const KernelInfo& info, plan::Grid grid, const std::function<void(Lowerer&)>& body);

  /// All bytes 0.
  void clear(uint32_t buffer) { add({plan::Fill{{buffer}, {std::byte{0}}}}); }

  /// Steps that `body` adds, once for each value of the loop's index. A kernel of one thread tests
  /// `until` after each step.
  void loop(const tir::Loop& loop, const std::function<void()>& body);

  /// One block of one thread.
  plan::Grid one_block() const { return {{}, memory_.arena().integer(1)}; }

 private:
  std::string unique(const std::string& name);
  void add(plan::Step step) { steps_.back()->push_back(std::move(step)); }
  void add_stop_test(const tir::Loop& loop, uint32_t flag);

  Memory& memory_;
  std::vector<std::vector<plan::Step>*> steps_;
  std::vector<SymbolId> counters_;  // of the enclosing loops
  std::vector<uint32_t> flags_;     // of the enclosing stoppable loops
  std::map<std::string, int> names_;
};

}  // namespace cdsl::lowering
