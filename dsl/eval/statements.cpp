#include "dsl/eval/statements.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dsl/expr/walk.h"

namespace cdsl::eval {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<ExprId> roots_of(const tir::Target& target) {
  std::vector<ExprId> roots = target.subscripts;
  roots.push_back(target.value);
  return roots;
}

// Does computing the statement read a tensor that it writes?
bool reads_its_targets(const tir::Function& function, const tir::Stage& stage) {
  std::vector<ExprId> roots;
  for (const tir::Target& target : stage.targets) {
    for (ExprId root : roots_of(target)) roots.push_back(root);
  }
  for (const Axis& axis : stage.domain.axes) {
    roots.push_back(axis.lo);
    roots.push_back(axis.hi);
  }
  if (stage.domain.guard.valid()) roots.push_back(stage.domain.guard);
  const auto order = postorder(function.arena, roots);
  return std::any_of(order.begin(), order.end(), [&](ExprId id) {
    const auto* read = function.arena.get_if<Read>(id);
    return read != nullptr && std::any_of(stage.targets.begin(), stage.targets.end(),
                                          [&](const tir::Target& t) { return t.tensor == read->tensor; });
  });
}

}  // namespace

StatementRunner::StatementRunner(const tir::Function& function, Interpreter& interpreter, std::vector<Store>& memory)
    : function_(function), interpreter_(interpreter), memory_(memory) {}

void StatementRunner::run(const tir::Block& block) {
  for (const tir::Statement& statement : block.statements) {
    interpreter_.forget();
    std::visit([&](const auto& s) { run(s); }, statement);
  }
}

StatementRunner::Compiled& StatementRunner::compiled(const void* statement, const std::function<void(Compiled&)>& compile) {
  const auto [found, is_new] = cache_.try_emplace(statement);
  if (is_new) {
    compile(found->second);
    interpreter_.prepare();
  }
  return found->second;
}

void StatementRunner::compile_domain(const tir::Domain& domain, Compiled& out) {
  Compiler& compiler = interpreter_.compiler();
  for (const Axis& axis : domain.axes) out.axes.push_back(compiler.compile(axis));
  if (domain.guard.valid()) out.guard = compiler.compile({domain.guard});
}

bool StatementRunner::guarded(const Compiled& code, bool& sure) {
  sure = true;
  if (code.guard == kNoCode) return true;
  const Number holds = interpreter_.at(interpreter_.run(code.guard)[0]);
  sure = holds.exact();
  return holds.value.i != 0;
}

int64_t StatementRunner::cell_of(const tir::Target& target, const std::vector<Slot>& slots, std::size_t first, double& doubt) {
  const Store& store = memory_[target.tensor.index()];
  std::vector<int64_t> subscripts;
  for (std::size_t k = 0; k < target.subscripts.size(); ++k) {
    const Number at = interpreter_.at(slots[first + k]);
    doubt = std::max(doubt, at.error);
    const int64_t extent = store.extent(target.leaf, k);
    if (at.value.i < 0 || at.value.i >= extent) {
      interpreter_.report(target.where, "index " + std::to_string(at.value.i) + " of axis " + std::to_string(k) + " of '" +
                                            function_.tensor(target.tensor).name + "' is outside [0, " +
                                            std::to_string(extent) + "): nothing is written");
      return -1;
    }
    subscripts.push_back(at.value.i);
  }
  return store.cell(target.leaf, subscripts);
}

void StatementRunner::run(const tir::Stage& stage) {
  const Compiled& code = compiled(&stage, [&](Compiled& out) {
    compile_domain(stage.domain, out);
    std::vector<ExprId> roots;
    for (const tir::Target& target : stage.targets) {
      for (ExprId root : roots_of(target)) roots.push_back(root);
    }
    out.values = interpreter_.compiler().compile(roots);
  });
  const bool waits = reads_its_targets(function_, stage);
  std::vector<Pending> pending;
  interpreter_.for_each_point(code.axes, [&] {
    bool sure = true;
    const bool holds = guarded(code, sure);
    if (!holds && sure) return;
    const std::vector<Slot>& slots = interpreter_.run(code.values);
    std::size_t first = 0;
    for (const tir::Target& target : stage.targets) {
      double doubt = 0;
      const int64_t cell = cell_of(target, slots, first, doubt);
      Number number = interpreter_.at(slots[first + target.subscripts.size()]);
      first += target.subscripts.size() + 1;
      if (cell < 0) continue;
      Store& store = memory_[target.tensor.index()];
      if (doubt > 0 || !sure) number.error = kInfinity;
      if (!holds) number = {store.get(cell).value, kInfinity};
      if (waits) {
        pending.push_back({target.tensor, cell, number});
      } else {
        store.set(cell, number);
      }
    }
  });
  for (const Pending& p : pending) memory_[p.tensor.index()].set(p.cell, p.number);
}

void StatementRunner::run(const tir::Scatter& scatter) {
  const tir::Target& target = scatter.target;
  const Compiled& code = compiled(&scatter, [&](Compiled& out) {
    compile_domain(scatter.domain, out);
    out.values = interpreter_.compiler().compile(roots_of(target));
  });
  Store& store = memory_[target.tensor.index()];
  const ScalarType type = store.element().leaves[target.leaf].type;
  std::vector<Pending> updates;
  std::vector<int64_t> doubtful;                            // cells that an uncertain subscript may have meant
  interpreter_.for_each_point(code.axes, [&] {
    bool sure = true;
    if (!guarded(code, sure) && sure) return;
    const std::vector<Slot>& slots = interpreter_.run(code.values);
    double doubt = sure ? 0 : 1;
    const int64_t cell = cell_of(target, slots, 0, doubt);
    if (cell < 0) return;
    updates.push_back({target.tensor, cell, interpreter_.at(slots[target.subscripts.size()])});
    if (doubt == 0) return;
    const auto reach = doubt > 2 ? store.cell_count() : static_cast<int64_t>(doubt);
    for (int64_t at = std::max<int64_t>(0, cell - reach); at <= std::min(store.cell_count() - 1, cell + reach); ++at) {
      doubtful.push_back(at);
    }
  });

  const bool any_order = interpreter_.mode() == Mode::Wide && scatter.op == tir::ScatterOp::Add && !is_integer(type);
  if (any_order) {
    std::map<int64_t, WideSum> sums;
    for (const Pending& update : updates) {
      const auto [found, is_new] = sums.try_emplace(update.cell, type, unit_roundoff(type));
      if (is_new) found->second.add(store.get(update.cell));
      found->second.add(update.number);
    }
    for (const auto& [cell, sum] : sums) store.set(cell, sum.result());
  } else {
    for (const Pending& update : updates) {
      const Number both[] = {store.get(update.cell), update.number};
      store.set(update.cell, interpreter_.combine(tir::operator_of(scatter.op), type, both));
    }
  }
  for (int64_t cell : doubtful) store.set(cell, {store.get(cell).value, kInfinity});
}

void StatementRunner::run(const tir::Loop& loop) {
  const Compiled code = compiled(&loop, [&](Compiled& out) {
    Compiler& compiler = interpreter_.compiler();
    out.lo = compiler.compile({loop.lo});
    out.hi = compiler.compile({loop.hi});
    if (loop.until.valid()) out.until = compiler.compile({loop.until});
  });
  const auto value = [&](CodeId id) {
    interpreter_.forget();
    return interpreter_.at(interpreter_.run(id)[0]);
  };
  const int64_t lo = value(code.lo).value.i, hi = value(code.hi).value.i;
  const uint64_t steps = lo < hi ? static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo) : 0;   // may exceed i64
  bool doubtful = false;
  for (uint64_t step = 0; step < steps; ++step) {
    const uint64_t at = loop.descending ? static_cast<uint64_t>(hi) - 1 - step : static_cast<uint64_t>(lo) + step;
    interpreter_.set_symbol(loop.index, Value::of_int(static_cast<int64_t>(at)));
    run(*loop.body);
    if (code.until == kNoCode) continue;
    const Number stop = value(code.until);
    doubtful |= !stop.exact();
    if (stop.value.i != 0) break;
  }
  if (!doubtful) return;
  for (TensorId state : loop.states) {                      // the number of steps is uncertain
    Store& store = memory_[state.index()];
    for (int64_t cell = 0; cell < store.cell_count(); ++cell) store.set(cell, {store.get(cell).value, kInfinity});
  }
}

}  // namespace cdsl::eval
