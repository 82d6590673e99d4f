#include "passes/lower/kernel_scope.h"

#include <algorithm>

#include "passes/lower/prune.h"

namespace cdsl::lowering {

KernelScope::KernelScope(Memory& memory, std::string name, const std::vector<SymbolId>& counters)
    : memory_(memory), builder_(memory.program(), std::move(name)) {
  for (SymbolId counter : counters) taken_.insert(arena().symbol(counter).name);
}

BufferId KernelScope::buffer(Storage& storage, uint32_t part, bool written) {
  return buffer(memory_.buffer(storage, part), storage.parts[part].element, written);
}

BufferId KernelScope::buffer(uint32_t plan_buffer, RecordType element, bool written) {
  auto [found, is_new] = buffers_.try_emplace(plan_buffer);
  if (is_new) {
    found->second =
        builder_.global(memory_.program().plan.buffers[plan_buffer].name, std::move(element));
    in_order_.push_back({found->second, plan_buffer});
  }
  if (written) written_.insert(found->second.value);
  return found->second;
}

uint32_t KernelScope::plan_buffer(BufferId id) const {
  for (const auto& [buffer, plan_buffer] : in_order_)
    if (buffer == id) return plan_buffer;
  return kNoBuffer;
}

ExprId KernelScope::scalar(SymbolId symbol) {
  for (const tir::Size& size : function().sizes) {
    if (size.symbol == symbol && size.known) return arena().integer(*size.known);
  }
  return computed(symbol, arena().symbol_ref(symbol));
}

ExprId KernelScope::computed(SymbolId parameter, ExprId value) {
  if (scalar_known_.insert(parameter.value).second) scalars_.push_back({parameter, value});
  return builder_.parameter(parameter);
}

uint32_t KernelScope::add_site(loop::ReportSite::Kind kind, std::string what, SourceRange where) {
  auto& sites = memory_.program().sites;
  sites.push_back({kind, std::move(what), builder_.kernel().name, where});
  return static_cast<uint32_t>(sites.size() - 1);
}

std::string KernelScope::fresh(std::string_view hint) {
  const std::string base = identifier(hint);
  std::string name = base;
  int& next = next_suffix_[base];
  if (!taken_.contains(base)) next = 2;
  while (memory_.is_name(name) || !taken_.insert(name).second)
    name = base + "_" + std::to_string(next++);
  memory_.avoid(name);
  taken_in_order_.push_back(name);
  return name;
}

void KernelScope::release_names(std::size_t count) {
  for (std::size_t k = count; k < taken_in_order_.size(); ++k) taken_.erase(taken_in_order_[k]);
  taken_in_order_.resize(count);
}

plan::Launch KernelScope::finish(plan::Grid grid, SourceRange where) {
  loop::Kernel& kernel = builder_.kernel();
  prune(memory_.program(), kernel);
  const auto kept = [](const auto& list, auto id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  plan::Launch launch;
  launch.grid = grid;
  launch.where = where;
  for (const auto& [id, plan_buffer] : in_order_) {
    if (!kept(kernel.buffers, id)) continue;
    memory_.program().buffers[id.index()].read_only = !written_.contains(id.value);
    launch.arguments.push_back({plan::BufferRef{plan_buffer}});
  }
  for (const auto& [symbol, value] : scalars_) {
    if (kept(kernel.scalars, symbol)) launch.arguments.push_back({value});
  }
  launch.kernel = builder_.finish();
  return launch;
}

}  // namespace cdsl::lowering
