// A kernel in the making: its builder, the memory and scalars that it has asked for, and the names
// that are taken.
//
// Guarantees: a buffer or scalar becomes a parameter when it is first used, and `finish` gives the
// launch whose arguments match; a buffer that no statement wrote is read-only.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dsl/loop/builder.h"
#include "passes/lower/memory.h"

namespace cdsl::lowering {

class KernelScope {
 public:
  KernelScope(Memory& memory, std::string name, const std::vector<SymbolId>& counters);

  loop::Builder& builder() { return builder_; }
  ExprArena& arena() { return memory_.arena(); }
  const ExprArena& arena() const { return memory_.program().arena; }
  Memory& memory() { return memory_; }
  const tir::Function& function() const { return memory_.function(); }

  /// The kernel's view of a buffer of the plan. `written`: this kernel stores to it.
  BufferId buffer(Storage& storage, uint32_t part, bool written);
  BufferId buffer(uint32_t plan_buffer, RecordType element, bool written);
  /// Which buffer of the plan a parameter of the kernel is.
  uint32_t plan_buffer(BufferId id) const;
  /// A size, by-value parameter or loop counter of the plan; a size given at compile time is its
  /// value.
  ExprId scalar(SymbolId symbol);
  /// A parameter that the plan computes.
  ExprId computed(SymbolId parameter, ExprId value);
  /// A site that reports from this kernel.
  uint32_t add_site(loop::ReportSite::Kind kind, std::string what, SourceRange where);

  /// `hint`, or `hint_2` where that is taken by a register in scope, a buffer or a possible
  /// parameter.
  std::string fresh(std::string_view hint);
  std::size_t names_taken() const { return taken_in_order_.size(); }
  void release_names(std::size_t count);

  /// Ends the kernel; the launch has its arguments.
  plan::Launch finish(plan::Grid grid, SourceRange where);

 private:
  Memory& memory_;
  loop::Builder builder_;
  std::unordered_map<uint32_t, BufferId> buffers_;  // by plan buffer
  std::vector<std::pair<BufferId, uint32_t>> in_order_;
  std::unordered_set<uint32_t> written_;
  std::vector<std::pair<SymbolId, ExprId>> scalars_;  // in the order of the kernel's parameters
  std::unordered_set<uint32_t> scalar_known_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> taken_in_order_;
  std::unordered_map<std::string, int> next_suffix_;  // where to look for a free name
};

}  // namespace cdsl::lowering
