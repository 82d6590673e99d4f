#include "passes/lower/tiles/lane_writer.h"

#include "dsl/loop/walk.h"
#include "passes/lower/tiles/inline_indices.h"
#include "passes/lower/tiles/to_lanes.h"

namespace cdsl::lowering {

using loop::Statement;

LaneWriter::LaneWriter(loop::Program& program, const loop::Kernel& kernel, const loop::Block& body)
    : program_(program),
      arena_(program.arena),
      kernel_(kernel),
      body_(body),
      distribution_(program, kernel),
      plan_(program, kernel, distribution_),
      builder_(program, kernel.name) {}

loop::Kernel LaneWriter::run() {
  loop::Kernel& made = builder_.kernel();
  made.buffers = kernel_.buffers;
  made.scalars = kernel_.scalars;
  made.maps = kernel_.maps;
  made.multiples = kernel_.multiples;
  made.alignments = kernel_.alignments;
  std::copy(std::begin(kernel_.block), std::end(kernel_.block), made.block);
  std::copy(std::begin(kernel_.cluster), std::end(kernel_.cluster), made.cluster);
  made.note = kernel_.note;
  made.where = kernel_.where;
  for (BufferId id : kernel_.buffers) builder_.reserve(program_.buffer(id).name);
  for (SymbolId id : kernel_.scalars) builder_.reserve(arena_.symbol(id).name);
  // Names that statements keep: those of values that are not distributed.
  loop::for_each_statement(body_, [&](const Statement& s) {
    for (SymbolId symbol : loop::definitions(s))
      if (distribution_.axes_of(symbol).empty() && !distribution_.is_axis(symbol)) builder_.reserve(arena_.symbol(symbol).name);
  });
  for (SymbolId symbol : plan_.buffered()) {
    const SymbolInfo info = arena_.symbol(symbol);
    buffers_[symbol] = builder_.registers(info.name, scalar_record(info.type), distribution_.registers_of(symbol));
  }
  block(body_);
  builder_.finish();
  loop::Kernel result = std::move(program_.kernels.back());
  program_.kernels.pop_back();
  return result;
}

void LaneWriter::block(const loop::Block& block) {
  for (const Piece& piece : plan_.pieces(block)) {
    if (piece.statement != nullptr)
      statement(*piece.statement);
    else
      group(piece.group);
  }
}

void LaneWriter::statement(const Statement& s) {
  builder_.at(s.where);
  if (const auto* axis = std::get_if<loop::TileAxis>(&s.node)) return write(*axis);
  if (const auto* reduce = std::get_if<loop::TileReduce>(&s.node)) return write(*reduce, s);
  if (const auto* scan = std::get_if<loop::TileScan>(&s.node)) return write(*scan, s);
  if (const auto* multiply = std::get_if<loop::TileMultiply>(&s.node)) return write(*multiply);
  if (const auto* loop = std::get_if<loop::For>(&s.node)) {
    loops_around_.push_back(loop->body.get());
    auto body = builder_.nested([&] { block(*loop->body); });
    loops_around_.pop_back();
    builder_.at(s.where);
    const RegisterPoint none;
    builder_.add_statement({loop::For{loop->index, at(loop->lo, none), at(loop->hi, none), at(loop->step, none),
                                      std::move(body), loop->unroll, loop->note},
                            s.where});
    return;
  }
  if (const auto* loop = std::get_if<loop::While>(&s.node)) {
    loops_around_.push_back(loop->body.get());
    auto body = builder_.nested([&] { block(*loop->body); });
    loops_around_.pop_back();
    builder_.add_statement({loop::While{at(loop->condition, {}), std::move(body)}, s.where});
    return;
  }
  if (const auto* branch = std::get_if<loop::If>(&s.node)) {
    auto then_body = builder_.nested([&] { block(*branch->then_body); });
    std::unique_ptr<loop::Block> else_body;
    if (branch->else_body != nullptr) else_body = builder_.nested([&] { block(*branch->else_body); });
    builder_.add_statement({loop::If{at(branch->condition, {}), std::move(then_body), std::move(else_body)}, s.where});
    return;
  }
  once(s, [&] { copy(s); });
}

// A statement without axes keeps its registers.
void LaneWriter::copy(const Statement& s) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_copy_constructible_v<Node>) {
          Statement made{node, s.where};
          loop::map_expressions(made, [&](ExprId id) { return at(id, {}); });
          builder_.add_statement(std::move(made));
        }
      },
      s.node);
}

void LaneWriter::write(const loop::TileAxis& axis) {
  const ExprId part = thread_part(axis.index);
  if (arena_.constant_value(part) != nullptr) return;
  const bool whole = distribution_.registers_of(std::span(&axis.index, 1)) == 1;
  const std::string name = arena_.symbol(axis.index).name;
  thread_parts_[axis.index] = builder_.let(whole ? name : name + "_first", part);
}

}  // namespace cdsl::lowering

namespace cdsl {

loop::Program to_lanes(loop::Program program, PassContext&) {
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    if (!loop::is_tile_form(program.kernels[k])) continue;
    // The old kernel stays where its statements are while the new one is written.
    auto old = std::make_unique<loop::Kernel>(std::move(program.kernels[k]));
    lowering::inline_indices(program, *old);
    loop::Kernel made = lowering::LaneWriter(program, *old, old->body).run();
    program.kernels[k] = std::move(made);
  }
  program.plan.arena = program.arena;
  return program;
}

}  // namespace cdsl
