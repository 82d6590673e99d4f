// Pointwise statements: loops over the register digits of their axes, vector accesses along the innermost.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/loop/walk.h"
#include "passes/lower/tiles/lane_writer.h"

namespace cdsl::lowering {

using loop::Statement;

void LaneWriter::group(const Group& group) {
  for (const std::vector<Unit>& phase : group.phases) {
    RegisterPoint point;
    std::vector<RegisterLoop> outer = group.loops;
    const bool has_vector = !outer.empty() && outer.back().is_vector;
    if (has_vector) outer.pop_back();
    nest(outer, 0, point, [&] { units(phase, group, point); });
  }
}

void LaneWriter::nest(const std::vector<RegisterLoop>& loops, std::size_t k, RegisterPoint& point,
                      const std::function<void()>& body) {
  if (k == loops.size()) return body();
  const RegisterLoop& loop = loops[k];
  std::vector<ExprId>& digits = point[loop.axis];
  digits.resize(distribution_.register_digits(loop.axis).size());
  const std::string name = arena_.symbol(loop.axis).name + (loop.is_vector ? "v" : "r");
  loop::For& made = builder_.for_(name, i64(0), i64(loop.extent), [&](ExprId index) {
    point[loop.axis][loop.digit] = index;
    nest(loops, k + 1, point, body);
  });
  made.unroll = static_cast<int>(loop.extent);
}

void LaneWriter::units(const std::vector<Unit>& units, const Group& group, RegisterPoint& point) {
  for (const Unit& unit : units) {
    if (unit.kind == Unit::Kind::Load) {
      vector_load(unit, group.loops.back(), point);
    } else if (unit.kind == Unit::Kind::Store) {
      vector_store(unit, group.loops.back(), point);
    } else {
      std::vector<RegisterLoop> inner;
      if (!group.loops.empty() && group.loops.back().is_vector) inner = {group.loops.back()};
      nest(inner, 0, point, [&] {
        for (const Statement* statement : unit.statements) point_statement(*statement, point);
      });
    }
  }
}

// An effect that replicas share is done by the first of them; lane-wise code is executed as written.
void LaneWriter::once(const Statement& statement, const std::function<void()>& body) {
  const auto& node = statement.node;
  const bool effect = std::holds_alternative<loop::Store>(node) || std::holds_alternative<loop::Atomic>(node) ||
                      std::holds_alternative<loop::Report>(node) || std::holds_alternative<loop::CopyAsync>(node) ||
                      std::holds_alternative<loop::VectorStore>(node);
  const auto* store = std::get_if<loop::Store>(&node);
  const bool own = store != nullptr && program_.buffer(store->access.buffer).space == loop::Space::Register;
  if (!effect || own || distribution_.lane_wise(statement)) return body();
  static constexpr loop::Level kBlock[] = {loop::Level::Lane, loop::Level::Warp};
  static constexpr loop::Level kCluster[] = {loop::Level::Lane, loop::Level::Warp, loop::Level::Rank};
  // Shared memory is each block's own.
  const loop::Access* access = loop::access_of(statement);
  const bool shared = access != nullptr && program_.buffer(access->buffer).space == loop::Space::Shared;
  const bool async = std::holds_alternative<loop::CopyAsync>(node);
  const ExprId first = first_of_replicas(distribution_.axes_of(statement),
                                         shared || async ? std::span<const loop::Level>(kBlock) : std::span<const loop::Level>(kCluster));
  if (!first.valid()) return body();
  builder_.if_(first, body);
}

void LaneWriter::point_statement(const Statement& statement, const RegisterPoint& point) {
  builder_.at(statement.where);
  if (const auto* let = std::get_if<loop::Let>(&statement.node)) return define(let->local, at(let->value, point), point);
  if (const auto* var = std::get_if<loop::Var>(&statement.node)) {
    if (buffers_.contains(var->local)) return define(var->local, at(var->value, point), point);
    values_[var->local] = builder_.var(arena_.symbol(var->local).name, at(var->value, point)).ref;
    return;
  }
  if (const auto* assign = std::get_if<loop::Assign>(&statement.node)) {
    const ExprId value = at(assign->value, point);
    if (buffers_.contains(assign->local)) return define(assign->local, value, point);
    const auto found = values_.find(assign->local);
    const SymbolId local = found == values_.end() ? assign->local : arena_.get_if<Symbol>(found->second)->symbol;
    return builder_.assign({local, arena_.symbol_ref(local)}, value);
  }
  if (const auto* branch = std::get_if<loop::If>(&statement.node)) {
    const auto inside = [&](const loop::Block& block) {
      return builder_.nested([&] {
        for (const Statement& inner : block.statements) point_statement(inner, point);
      });
    };
    const ExprId condition = at(branch->condition, point);
    auto then_body = inside(*branch->then_body);
    std::unique_ptr<loop::Block> else_body;
    if (branch->else_body != nullptr) else_body = inside(*branch->else_body);
    return builder_.add_statement({loop::If{condition, std::move(then_body), std::move(else_body)}, statement.where});
  }
  once(statement, [&] {
    std::visit(
        [&](const auto& node) {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_copy_constructible_v<Node>) {
            Statement made{node, statement.where};
            loop::map_expressions(made, [&](ExprId id) { return at(id, point); });
            builder_.add_statement(std::move(made));
          }
        },
        statement.node);
  });
}

// One access of `width` for each run of the vector digit.
void LaneWriter::vector_load(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point) {
  const Statement& statement = *unit.statements[0];
  builder_.at(statement.where);
  const auto& let = std::get<loop::Let>(statement.node);
  const GuardedLoad guarded = *guarded_load(arena_, let.value);
  point[vector.axis].resize(distribution_.register_digits(vector.axis).size());
  for (int64_t start = 0; start < vector.extent; start += unit.width) {
    const auto step = [&](int64_t k) { point[vector.axis][vector.digit] = i64(start + k); };
    const auto load = [&] {
      step(0);
      const Load node = *arena_.get_if<Load>(guarded.load);
      const auto values = builder_.vector_load(arena_.symbol(let.local).name + "_", node.buffer,
                                               at(arena_.args(guarded.load)[0], point), static_cast<int>(unit.width));
      for (int64_t k = 0; k < unit.width; ++k) step(k), define(let.local, values[static_cast<std::size_t>(k)], point);
    };
    if (!guarded.guard.valid()) {
      load();
      continue;
    }
    step(0);
    const ExprId guard = at(guarded.guard, point);
    builder_.if_(guard, load, [&] {
      for (int64_t k = 0; k < unit.width; ++k) step(k), define(let.local, at(guarded.otherwise, point), point);
    });
  }
}

void LaneWriter::vector_store(const Unit& unit, const RegisterLoop& vector, RegisterPoint& point) {
  const Statement& statement = *unit.statements[0];
  builder_.at(statement.where);
  const GuardedStore guarded = *guarded_store(statement);
  point[vector.axis].resize(distribution_.register_digits(vector.axis).size());
  for (int64_t start = 0; start < vector.extent; start += unit.width) {
    const auto step = [&](int64_t k) { point[vector.axis][vector.digit] = i64(start + k); };
    const auto store = [&] {
      std::vector<ExprId> values;
      for (int64_t k = 0; k < unit.width; ++k) step(k), values.push_back(at(guarded.store->value, point));
      step(0);
      builder_.vector_store(guarded.store->access.buffer, at(guarded.store->access.index, point), std::move(values));
    };
    step(0);
    const auto guarded_by = [&] {
      if (!guarded.guard.valid()) return store();
      builder_.if_(at(guarded.guard, point), store);
    };
    const auto* branch = std::get_if<loop::If>(&statement.node);
    once(branch == nullptr ? statement : branch->then_body->statements[0], guarded_by);
  }
}

}  // namespace cdsl::lowering
