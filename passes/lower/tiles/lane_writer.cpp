#include "passes/lower/tiles/lane_writer.h"

#include <algorithm>

#include "dsl/loop/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/tiles/inline_indices.h"
#include "passes/lower/tiles/to_lanes.h"

namespace cdsl::lowering {

using loop::Statement;

LaneWriter::LaneWriter(loop::Program& program, const loop::Kernel& kernel)
    : scope_(program, kernel), builder_(scope_.builder()), places_(scope_) {}

loop::Kernel LaneWriter::run() {
  const loop::Kernel& from = scope_.kernel();
  loop::Kernel& made = builder_.kernel();
  made.buffers.insert(made.buffers.begin(), from.buffers.begin(), from.buffers.end());
  made.scalars = from.scalars;
  made.maps = from.maps;
  made.multiples = from.multiples;
  made.alignments = from.alignments;
  made.streamed = from.streamed;
  std::copy(std::begin(from.block), std::end(from.block), made.block);
  std::copy(std::begin(from.cluster), std::end(from.cluster), made.cluster);
  made.resident = from.resident;
  made.note = from.note;
  made.where = from.where;
  RegisterPoint point;
  block(from.body, point);
  loop::Program& program = builder_.program();
  builder_.finish();
  loop::Kernel result = std::move(program.kernels.back());
  program.kernels.pop_back();
  return result;
}

void LaneWriter::block(const loop::Block& block, RegisterPoint& point) {
  for (const Piece& piece : scope_.plan().pieces(block)) {
    if (piece.statement != nullptr)
      statement(*piece.statement, point);
    else
      group(piece.group, point);
  }
}

std::unique_ptr<loop::Block> LaneWriter::nested(const loop::Block& inner, RegisterPoint& point) {
  return builder_.nested([&] { block(inner, point); });
}

std::unique_ptr<loop::Block> LaneWriter::loop_body(const loop::Block& inner, RegisterPoint& point) {
  loops_around_.push_back(&inner);
  auto body = nested(inner, point);
  loops_around_.pop_back();
  return body;
}

void LaneWriter::statement(const Statement& s, RegisterPoint& point) {
  builder_.at(s.where);
  const auto& node = s.node;
  if (const auto* axis = std::get_if<loop::TileAxis>(&node)) return scope_.declare(*axis, scope_.distribution().warps_of(s));
  if (std::holds_alternative<loop::For>(node) || std::holds_alternative<loop::While>(node) ||
      std::holds_alternative<loop::If>(node))
    return control(s, point);
  if (std::holds_alternative<loop::TileReduce>(node) || std::holds_alternative<loop::TileScan>(node) ||
      std::holds_alternative<loop::TileMultiply>(node))
    return collective(s);
  once(s, [&] {
    if (scope_.distribution().axes_of(s).empty() || !definition(s, point)) copy(s, point);
  });
}

void LaneWriter::collective(const Statement& s) {
  const loop::Block* around = loops_around_.empty() ? nullptr : loops_around_.back();
  if (const auto* reduce = std::get_if<loop::TileReduce>(&s.node)) return write_reduce(scope_, places_, *reduce, s, around);
  if (const auto* scan = std::get_if<loop::TileScan>(&s.node)) return write_scan(scope_, places_, *scan, s, around);
  write_multiply(scope_, std::get<loop::TileMultiply>(s.node));
}

void LaneWriter::control(const Statement& s, RegisterPoint& point) {
  if (const auto* loop = std::get_if<loop::For>(&s.node)) {
    const ExprId lo = scope_.at(loop->lo, point), hi = scope_.at(loop->hi, point), step = scope_.at(loop->step, point);
    auto body = loop_body(*loop->body, point);
    return builder_.add_statement({loop::For{loop->index, lo, hi, step, std::move(body), loop->unroll, loop->note}, s.where});
  }
  if (const auto* loop = std::get_if<loop::While>(&s.node)) {
    const ExprId condition = scope_.at(loop->condition, point);
    return builder_.add_statement({loop::While{condition, loop_body(*loop->body, point)}, s.where});
  }
  const auto& branch = std::get<loop::If>(s.node);
  const ExprId condition = scope_.at(branch.condition, point);
  auto then_body = nested(*branch.then_body, point);
  std::unique_ptr<loop::Block> else_body;
  if (branch.else_body != nullptr) else_body = nested(*branch.else_body, point);
  builder_.add_statement({loop::If{condition, std::move(then_body), std::move(else_body)}, s.where});
}

bool LaneWriter::is_shared_effect(const Statement& s) const {
  const auto& node = s.node;
  const bool is_effect = std::holds_alternative<loop::Store>(node) || std::holds_alternative<loop::VectorStore>(node) ||
                         std::holds_alternative<loop::Atomic>(node) || std::holds_alternative<loop::Report>(node) ||
                         std::holds_alternative<loop::CopyAsync>(node);
  const auto* store = std::get_if<loop::Store>(&node);
  const bool is_own = store != nullptr && scope_.program().buffer(store->access.buffer).space == loop::Space::Register;
  return is_effect && !is_own && !scope_.distribution().lane_wise(s);
}

void LaneWriter::once(const Statement& s, const std::function<void()>& body) {
  if (!is_shared_effect(s)) return body();
  const loop::Distribution& d = scope_.distribution();
  const ExprId first = scope_.first_of_replicas(scope_.thread_digits(d.axes_of(s)), d.warps_of(s));
  if (!first.valid()) return body();
  builder_.if_(first, body);
}

void LaneWriter::copy(const Statement& s, const RegisterPoint& point) {
  std::visit(
      [&](const auto& node) {
        if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(node)>>) {
          Statement made{node, s.where};
          loop::map_expressions(made, [&](ExprId id) { return scope_.at(id, point); });
          builder_.add_statement(std::move(made));
        } else {
          CDSL_UNREACHABLE("a statement with blocks is not copied");
        }
      },
      s.node);
}

}  // namespace cdsl::lowering

namespace cdsl {

loop::Program to_lanes(loop::Program program, PassContext&) {
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    if (!loop::is_tile_form(program.kernels[k])) continue;
    // The old kernel stays where its statements are while the new one is written.
    auto old = std::make_unique<loop::Kernel>(std::move(program.kernels[k]));
    lowering::inline_indices(program, *old);
    loop::Kernel made = lowering::LaneWriter(program, *old).run();
    program.kernels[k] = std::move(made);
  }
  program.plan.arena = program.arena;
  return program;
}

}  // namespace cdsl
