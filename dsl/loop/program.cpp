#include "dsl/loop/program.h"

#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

template <class Enum, std::size_t N>
std::string_view spelling(const std::string_view (&names)[N], Enum value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

std::string_view name_of(AtomicOp op) {
  static constexpr std::string_view kNames[] = {
      "add", "mul", "min", "max", "and", "or", "xor", "exchange", "compare_exchange"};
  return spelling(kNames, op);
}

std::string_view name_of(Order order) {
  static constexpr std::string_view kNames[] = {"relaxed", "acquire", "release", "acq_rel"};
  return spelling(kNames, order);
}

std::string_view name_of(Scope scope) {
  static constexpr std::string_view kNames[] = {"block", "cluster", "device", "system"};
  return spelling(kNames, scope);
}

std::string_view name_of(BarrierScope scope) {
  static constexpr std::string_view kNames[] = {"warp", "block", "cluster"};
  return spelling(kNames, scope);
}

std::string_view name_of(ShuffleKind kind) {
  static constexpr std::string_view kNames[] = {"index", "up", "down", "xor"};
  return spelling(kNames, kind);
}

std::string_view name_of(VoteKind kind) {
  static constexpr std::string_view kNames[] = {"any", "all", "ballot"};
  return spelling(kNames, kind);
}

std::string_view name_of(ReportSite::Kind kind) {
  static constexpr std::string_view kNames[] = {"read_outside", "write_outside", "scatter_outside",
                                                "empty_arg", "count_overflow"};
  return spelling(kNames, kind);
}

std::string_view name_of(Special special) {
  static constexpr std::string_view kNames[kSpecialCount] = {
      "thread.x",   "thread.y",    "thread.z",    "block.x",     "block.y",
      "block.z",    "block_dim.x", "block_dim.y", "block_dim.z", "grid_dim.x",
      "grid_dim.y", "grid_dim.z",  "lane",        "warp",        "cluster.rank"};
  return spelling(kNames, special);
}

std::string_view name_of(CopyBatch batch) {
  static constexpr std::string_view kNames[] = {"async", "bulk"};
  return spelling(kNames, batch);
}

std::string_view name_of(FenceKind kind) {
  static constexpr std::string_view kNames[] = {"proxy", "init"};
  return spelling(kNames, kind);
}

std::string_view name_of(Level level) {
  static constexpr std::string_view kNames[] = {"reg", "vec", "lane", "warp", "rank"};
  return spelling(kNames, level);
}

Program Program::over(const ExprArena& base, std::string name) {
  Program program;
  program.name = std::move(name);
  program.arena = base;
  for (int s = 0; s < kSpecialCount; ++s) {
    std::string spelling(name_of(static_cast<Special>(s)));
    program.specials[static_cast<std::size_t>(s)] =
        program.arena.add_symbol(std::move(spelling), SymbolKind::Special, ScalarType::I32);
  }
  return program;
}

bool is_tile_form(const Kernel& kernel) {
  bool found = false;
  for_each_statement(kernel.body, [&](const Statement& statement) {
    found |= std::holds_alternative<TileAxis>(statement.node) || std::holds_alternative<TileReduce>(statement.node) ||
             std::holds_alternative<TileScan>(statement.node) || std::holds_alternative<TileMultiply>(statement.node);
  });
  return found;
}

}  // namespace cdsl::loop
