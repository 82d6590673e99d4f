#include "passes/predict/registers.h"

#include <algorithm>
#include <unordered_map>

#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"

namespace cdsl::predicting {
namespace {

constexpr int kAlways = 10, kAddress = 2, kUnit = 8, kMost = 255;

int words(ScalarType type) {
  return type == ScalarType::Bool ? 0 : std::max(1, size_of(type) / 4);
}

class Liveness {
 public:
  Liveness(const loop::Program& program, const loop::Kernel& kernel) : program_(program), arena_(program.arena) {
    for (const BufferId id : kernel.buffers) {
      const loop::Buffer& buffer = program.buffer(id);
      if (buffer.space == loop::Space::Register)
        always_ += static_cast<int>(std::min<int64_t>(buffer.count * ((buffer.element.size + 3) / 4), 4 * kMost));
      if (buffer.space == loop::Space::Global) always_ += kAddress;
    }
    walk(kernel.body);
  }

  int most() {
    std::vector<int> change(static_cast<std::size_t>(clock_) + 2);
    for (const auto& [symbol, range] : ranges_) {
      const int size = words(arena_.symbol(SymbolId(symbol)).type);
      change[static_cast<std::size_t>(range.from)] += size;
      change[static_cast<std::size_t>(range.to) + 1] -= size;
    }
    int live = 0, most = 0;
    for (std::size_t k = 0; k < change.size(); ++k) {
      live += change[k];
      most = std::max(most, live + (k < needs_.size() ? needs_[k] : 0));
    }
    return always_ + most;
  }

 private:
  struct Range {
    int from = 0, to = 0;
    int depth = 0;               // of loops, where it is defined
  };

  // Registers that an expression needs beside the ones it reads.
  int need(ExprId root) {
    std::unordered_map<uint32_t, int> needs;
    for (const ExprId id : postorder(arena_, std::span(&root, 1))) {
      if (arena_.constant_value(id) != nullptr || arena_.get_if<Symbol>(id) != nullptr) {
        needs[id.value] = 0;
        continue;
      }
      std::vector<int> of_args;
      for (const ExprId arg : arena_.args(id)) of_args.push_back(needs[arg.value]);
      std::sort(of_args.rbegin(), of_args.rend());
      int most = words(arena_.type(id));
      for (std::size_t k = 0; k < of_args.size(); ++k) most = std::max(most, of_args[k] + static_cast<int>(k));
      needs[id.value] = most;
    }
    return needs[root.value];
  }

  void use(SymbolId symbol) {
    const auto found = ranges_.find(symbol.value);
    if (found == ranges_.end()) return;
    found->second.to = std::max(found->second.to, clock_);
    // Alive until the end of the outermost loop that it was defined outside of.
    for (std::size_t k = static_cast<std::size_t>(found->second.depth); k < loops_.size(); ++k) {
      loops_[k].push_back(symbol.value);
      break;
    }
  }

  void walk(const loop::Block& block) {
    for (const loop::Statement& s : block.statements) {
      ++clock_;
      needs_.resize(static_cast<std::size_t>(clock_) + 1);
      std::vector<ExprId> roots;
      loop::for_each_expression(s, [&](ExprId id) { roots.push_back(id); });
      int most = 0;
      for (const ExprId root : roots) {
        most = std::max(most, need(root));
        for (const SymbolId symbol : free_symbols(arena_, root)) use(symbol);
      }
      needs_.back() = most;
      for (const SymbolId symbol : loop::definitions(s))
        ranges_[symbol.value] = {clock_, clock_, static_cast<int>(loops_.size())};
      const bool loops = std::holds_alternative<loop::For>(s.node) || std::holds_alternative<loop::While>(s.node);
      if (const auto* n = std::get_if<loop::For>(&s.node)) {
        ranges_[n->index.value].depth = static_cast<int>(loops_.size());
        for (const ExprId bound : {n->hi, n->step}) {
          for (const SymbolId symbol : free_symbols(arena_, bound)) kept_.push_back(symbol);
        }
      }
      if (loops) loops_.emplace_back();
      loop::for_each_block(s, [&](const loop::Block& inner) { walk(inner); });
      if (!loops) continue;
      for (const uint32_t symbol : loops_.back()) ranges_[symbol].to = clock_;
      if (const auto* n = std::get_if<loop::For>(&s.node)) ranges_[n->index.value].to = clock_;
      loops_.pop_back();
      for (const SymbolId symbol : kept_) use(symbol);
      kept_.clear();
    }
  }

  const loop::Program& program_;
  const ExprArena& arena_;
  std::unordered_map<uint32_t, Range> ranges_;       // by symbol, in statements
  std::vector<std::vector<uint32_t>> loops_;         // open ones, and what has to live to their ends
  std::vector<SymbolId> kept_;
  std::vector<int> needs_;
  int clock_ = 0, always_ = kAlways;
};

// Unrolled to the last round: its loads are under way with those around it.
bool is_whole(const ExprArena& arena, const loop::For& loop) {
  const Value* lo = arena.constant_value(loop.lo);
  const Value* hi = arena.constant_value(loop.hi);
  return lo != nullptr && hi != nullptr && loop.unroll > 1 && hi->i - lo->i <= loop.unroll;
}

double loaded(const loop::Program& program, const loop::Block& block, double unroll, double& most) {
  const auto is_global = [&](BufferId id) { return program.buffer(id).space == loop::Space::Global; };
  double bytes = 0;
  for (const loop::Statement& s : block.statements) {
    std::vector<ExprId> roots;
    loop::for_each_expression(s, [&](ExprId id) { roots.push_back(id); });
    for (const ExprId id : postorder(program.arena, roots)) {
      const auto* load = program.arena.get_if<Load>(id);
      if (load != nullptr && is_global(load->buffer)) bytes += size_of(program.arena.type(id));
    }
    if (const auto* n = std::get_if<loop::VectorLoad>(&s.node); n != nullptr && is_global(n->access.buffer)) {
      const Leaf& leaf = program.buffer(n->access.buffer).element.leaves[n->access.leaf];
      bytes += static_cast<double>(n->locals.size()) * size_of(leaf.type);
    }
    if (const auto* n = std::get_if<loop::VectorMove>(&s.node); n != nullptr && is_global(n->from.buffer)) {
      const Leaf& leaf = program.buffer(n->from.buffer).element.leaves[n->from.leaf];
      bytes += static_cast<double>(program.arena.constant_value(n->width)->i) * size_of(leaf.type);
    }
    if (const auto* n = std::get_if<loop::CopyAsync>(&s.node)) bytes += n->bytes;
    const auto* loop = std::get_if<loop::For>(&s.node);
    const double inner = loop != nullptr ? std::max(1, loop->unroll) : 1;
    loop::for_each_block(s, [&](const loop::Block& body) {
      const double here = loaded(program, body, inner, most);
      if (std::holds_alternative<loop::If>(s.node)) bytes += here;
      if (loop != nullptr && is_whole(program.arena, *loop)) bytes += here * inner;
    });
  }
  most = std::max(most, bytes * unroll);
  return bytes;
}

}  // namespace

RegisterEstimate estimate_registers(const loop::Program& program, const loop::Kernel& kernel) {
  const int most = Liveness(program, kernel).most();
  const int rounded = (most + kUnit - 1) / kUnit * kUnit;
  const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  const int fits = std::min(kMost, 65536 / std::max(1, threads * std::max(1, kernel.resident)) / kUnit * kUnit);
  return {std::clamp(rounded, 16, fits), int64_t{4} * std::max(0, most - fits)};
}

double bytes_in_flight(const loop::Program& program, const loop::Kernel& kernel) {
  double most = 0;
  loaded(program, kernel.body, 1, most);
  return std::clamp(most, 4.0, 256.0);
}

}  // namespace cdsl::predicting
