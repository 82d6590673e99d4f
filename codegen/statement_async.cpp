// Asynchronous copies, arrival barriers and roles of warps.
#include <fmt/format.h>

#include "codegen/matrix_text.h"
#include "codegen/statement.h"
#include "codegen/types.h"
#include "dsl/support/check.h"

namespace cdsl::cuda {

std::string StatementPrinter::helper(std::string_view name) {
  return c_.prelude.use(name, ScalarType::Bool);
}

std::string StatementPrinter::call(const std::string& name,
                                   const std::vector<std::string>& arguments) {
  std::string list;
  for (const std::string& argument : arguments)
    list += (list.empty() ? "" : std::string(",") + kBreak) + argument;
  return fmt::format("{}({});", name, list);
}

/// The address of a place in this block's memory.
std::string StatementPrinter::address(const loop::Access& access) {
  CDSL_CHECK(!access.rank.valid(), "a place of another block where an instruction takes its own");
  return "&" + element(access);
}

/// The same place of this block, whatever block it names.
std::string StatementPrinter::local_address(loop::Access access) {
  access.rank = {};
  return address(access);
}

std::string StatementPrinter::rank(const loop::Access& access) {
  return value(access.rank);
}

void StatementPrinter::print(const loop::BarrierInit& n) {
  out_.line(call(helper("barrier_init"), {address(n.barrier), value(n.count)}));
}

void StatementPrinter::print(const loop::BarrierArrive& n) {
  std::vector<std::string> arguments{local_address(n.barrier)};
  if (n.barrier.rank.valid()) arguments.push_back(rank(n.barrier));
  if (n.bytes.valid()) arguments.push_back(value(n.bytes));
  const std::string name = n.bytes.valid() ? "barrier_expect" : "barrier_arrive";
  out_.line(call(helper(n.barrier.rank.valid() ? name + "_at" : name), arguments));
}

void StatementPrinter::print(const loop::BarrierWait& n) {
  out_.line(call(helper("barrier_wait"), {address(n.barrier), value(n.parity)}));
}

void StatementPrinter::print(const loop::CopyAsync& n) {
  const bool always = !n.condition.valid();
  std::vector<std::string> arguments{address(n.to), address(n.from)};
  if (!always) arguments.push_back(value(n.condition));
  out_.line(call(fmt::format("{}<{}>", helper(always ? "copy_async" : "copy_async_when"), n.bytes),
                 arguments));
}

void StatementPrinter::print(const loop::CopyCommit& n) {
  out_.line(helper(n.batch == loop::CopyBatch::Async ? "commit_async" : "commit_bulk") + "();");
}

void StatementPrinter::print(const loop::CopyWait& n) {
  const char* name = n.batch == loop::CopyBatch::Async ? "wait_async"
                     : n.read                          ? "wait_bulk_read"
                                                       : "wait_bulk";
  out_.line(fmt::format("{}<{}>();", helper(name), n.pending));
}

void StatementPrinter::print(const loop::CopyBulk& n) {
  const std::string bytes = value(n.bytes), from = address(n.from);
  if (n.to.rank.valid()) {
    out_.line(call(helper("copy_bulk_at"),
                   {local_address(n.to), rank(n.to), from, bytes, local_address(n.barrier)}));
  } else if (n.barrier.buffer.valid()) {
    out_.line(call(helper("copy_bulk"), {address(n.to), from, bytes, address(n.barrier)}));
  } else if (n.adds) {
    out_.line(call(define(add_bulk_text(leaf_type(n.to))), {address(n.to), from, bytes}));
  } else {
    out_.line(call(helper("store_bulk"), {address(n.to), from, bytes}));
  }
}

void StatementPrinter::print(const loop::CopyTensor& n) {
  helper("TensorMap");
  const std::string map = "&" + c_.maps[n.map];
  std::vector<std::string> arguments{address(n.shared), map};
  if (n.store) std::swap(arguments[0], arguments[1]);
  if (!n.store) arguments.push_back(address(n.barrier));
  const bool multicast = n.multicast.valid();
  if (multicast) arguments.push_back("(unsigned short)" + value(n.multicast, {kUnary}));
  for (const ExprId coordinate : n.at) arguments.push_back(coordinate_text(coordinate));
  const int axes = static_cast<int>(n.at.size());
  out_.line(
      call(define(n.store ? store_box_text(axes) : copy_box_text(axes, multicast)), arguments));
}

/// Coordinates are 32-bit.
std::string StatementPrinter::coordinate_text(ExprId id) {
  if (c_.program.arena.type(id) == ScalarType::I32 ||
      c_.program.arena.constant_value(id) != nullptr)
    return value(id);
  return "(int)" + value(id, {kUnary});
}

void StatementPrinter::print(const loop::FenceAsync& n) {
  out_.line(helper(n.kind == loop::FenceKind::Proxy ? "fence_proxy" : "fence_init") + "();");
}

void StatementPrinter::print(const loop::NamedBarrier& n) {
  out_.line(call(helper(n.sync ? "barrier_sync" : "barrier_pass"),
                 {value(n.id), std::to_string(n.threads)}));
}

void StatementPrinter::print(const loop::Elect& n) {
  const std::string text = helper("elect_one") + "()";
  out_.line(fmt::format("const bool {} = {};", declare(n.local), text));
}

void StatementPrinter::print(const loop::RegisterBudget& n) {
  out_.line(fmt::format("{}<{}>();", helper(n.raises ? "raise_registers" : "lower_registers"),
                        n.registers));
}

}  // namespace cdsl::cuda
