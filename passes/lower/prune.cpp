#include "passes/lower/prune.h"

#include <algorithm>
#include <unordered_set>

#include "dsl/loop/walk.h"

namespace cdsl::lowering {
namespace {

class Uses {
 public:
  explicit Uses(const loop::Program& program) : arena_(program.arena) {}

  // Readers stand behind what they read, so that one sweep from the end sees every reader first.
  void find(const loop::Kernel& kernel) {
    std::vector<const loop::Statement*> order;
    loop::for_each_statement(kernel.body,
                             [&](const loop::Statement& statement) { order.push_back(&statement); });
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const auto* let = std::get_if<loop::Let>(&(*at)->node);
      if (let != nullptr && !reads(let->local)) continue;
      loop::for_each_expression(**at, [&](ExprId root) { mark(root); });
      if (const loop::Access* access = loop::access_of(**at)) buffers_.insert(access->buffer.value);
    }
  }

  bool reads(SymbolId symbol) const { return symbols_.contains(symbol.value); }
  bool touches(BufferId buffer) const { return buffers_.contains(buffer.value); }

 private:
  void mark(ExprId root) {
    std::vector<ExprId> pending{root};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (!seen_.insert(id.value).second) continue;
      if (const auto* symbol = arena_.get_if<Symbol>(id)) symbols_.insert(symbol->symbol.value);
      if (const auto* load = arena_.get_if<Load>(id)) buffers_.insert(load->buffer.value);
      const auto args = arena_.args(id);
      pending.insert(pending.end(), args.begin(), args.end());
    }
  }

  const ExprArena& arena_;
  std::unordered_set<uint32_t> seen_, symbols_, buffers_;
};

void remove_lets(loop::Block& block, const Uses& uses) {
  std::erase_if(block.statements, [&](const loop::Statement& statement) {
    const auto* let = std::get_if<loop::Let>(&statement.node);
    return let != nullptr && !uses.reads(let->local);
  });
  for (loop::Statement& statement : block.statements) {
    if (auto* loop = std::get_if<loop::For>(&statement.node)) {
      remove_lets(*loop->body, uses);
    } else if (auto* rounds = std::get_if<loop::While>(&statement.node)) {
      remove_lets(*rounds->body, uses);
    } else if (auto* choice = std::get_if<loop::If>(&statement.node)) {
      remove_lets(*choice->then_body, uses);
      if (choice->else_body) remove_lets(*choice->else_body, uses);
    }
  }
}

}  // namespace

void prune(loop::Program& program, loop::Kernel& kernel) {
  Uses uses(program);
  uses.find(kernel);
  remove_lets(kernel.body, uses);
  std::erase_if(kernel.buffers, [&](BufferId id) {
    return program.buffer(id).space == loop::Space::Global && !uses.touches(id);
  });
  std::erase_if(kernel.scalars, [&](SymbolId symbol) { return !uses.reads(symbol); });
  std::erase_if(kernel.multiples, [&](const loop::Multiple& fact) { return !uses.reads(fact.symbol); });
  std::erase_if(kernel.alignments, [&](const loop::Alignment& fact) { return !uses.touches(fact.buffer); });
  std::erase_if(kernel.streamed, [&](BufferId id) { return !uses.touches(id); });
}

}  // namespace cdsl::lowering
