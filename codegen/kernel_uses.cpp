#include "codegen/kernel_uses.h"

#include <set>
#include <string>

#include "dsl/loop/walk.h"

namespace cdsl::cuda {
namespace {

class Sweep {
 public:
  explicit Sweep(const loop::Program& program)
      : arena_(program.arena), seen_(arena_.size()), seen_address_(arena_.size()) {
    uses_.read.resize(arena_.symbol_count());
    uses_.in_address.resize(arena_.symbol_count());
    uses_.loaded.resize(program.buffers.size());
  }

  KernelUses run(const loop::Kernel& kernel) {
    loop::for_each_statement(kernel.body,
                             [&](const loop::Statement& statement) { visit(statement); });
    // A register that an address is made of hands that on to what it holds; definitions stand
    // before uses.
    for (auto let = lets_.rbegin(); let != lets_.rend(); ++let) {
      if (uses_.in_address[(*let)->local.index()]) mark_address((*let)->value);
    }
    return std::move(uses_);
  }

 private:
  void visit(const loop::Statement& statement) {
    loop::for_each_expression(statement, [&](ExprId id) { mark(id); });
    loop::for_each_access(statement, [&](const loop::Access& access) {
      mark_address(access.index);
      if (access.within.valid()) mark_address(access.within);
    });
    if (const auto* loop = std::get_if<loop::For>(&statement.node)) {
      for (ExprId bound : {loop->lo, loop->hi, loop->step}) mark_address(bound);
    }
    if (const auto* load = std::get_if<loop::VectorLoad>(&statement.node)) uses_.loaded[load->access.buffer.index()] = true;
    if (const auto* move = std::get_if<loop::VectorMove>(&statement.node)) uses_.loaded[move->from.buffer.index()] = true;
    if (const auto* let = std::get_if<loop::Let>(&statement.node)) lets_.push_back(let);
    uses_.reports |= std::holds_alternative<loop::Report>(statement.node);
    uses_.synchronizes |= std::holds_alternative<loop::Barrier>(statement.node) ||
                          std::holds_alternative<loop::Fence>(statement.node) ||
                          std::holds_alternative<loop::While>(statement.node) ||
                          std::holds_alternative<loop::BarrierWait>(statement.node) ||
                          std::holds_alternative<loop::CopyWait>(statement.node) ||
                          std::holds_alternative<loop::NamedBarrier>(statement.node);
    uses_.budgets |= std::holds_alternative<loop::RegisterBudget>(statement.node);
  }

  void mark(ExprId root) {
    std::vector<ExprId> pending{root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (seen_[id.index()]) continue;
      seen_[id.index()] = true;
      if (const Symbol* symbol = arena_.get_if<Symbol>(id))
        uses_.read[symbol->symbol.index()] = true;
      if (const std::string& name = arena_.constant_name(id); !name.empty() && names_.insert({name, arena_.constant_value(id)->i}).second)
        uses_.constants.push_back(id);
      const auto args = arena_.args(id);
      pending.insert(pending.end(), args.begin(), args.end());
      if (const Load* load = arena_.get_if<Load>(id)) {
        uses_.loaded[load->buffer.index()] = true;
        for (ExprId arg : args) mark_address(arg);
      }
    }
  }

  void mark_address(ExprId root) {
    std::vector<ExprId> pending{root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (seen_address_[id.index()]) continue;
      seen_address_[id.index()] = true;
      if (const Symbol* symbol = arena_.get_if<Symbol>(id))
        uses_.in_address[symbol->symbol.index()] = true;
      const Apply* apply = arena_.get_if<Apply>(id);
      const bool linear = apply != nullptr &&
                          (apply->op == Op::Add || apply->op == Op::Sub || apply->op == Op::Mul ||
                           apply->op == Op::Neg || apply->op == Op::Cast || apply->op == Op::Min ||
                           apply->op == Op::Max);
      if (!linear) continue;
      const auto args = arena_.args(id);
      pending.insert(pending.end(), args.begin(), args.end());
    }
  }

  const ExprArena& arena_;
  std::vector<bool> seen_, seen_address_;
  std::vector<const loop::Let*> lets_;
  std::set<std::pair<std::string, int64_t>> names_;
  KernelUses uses_;
};

}  // namespace

KernelUses uses_of(const loop::Program& program, const loop::Kernel& kernel) {
  return Sweep(program).run(kernel);
}

}  // namespace cdsl::cuda
