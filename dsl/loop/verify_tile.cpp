#include "dsl/loop/verify_tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dsl/loop/distribution.h"
#include "dsl/loop/tile_rules.h"
#include "dsl/loop/walk.h"

namespace cdsl::loop {
namespace {

template <class Node, class... Some>
constexpr bool kIsOneOf = (std::is_same_v<Node, Some> || ...);

/// May the node be done once for every point of its axes?
template <class Node>
constexpr bool kPointwise = kIsOneOf<Node, Let, Var, Assign, Store, VectorLoad, VectorStore, Atomic, If, CopyAsync, Report>;
template <class Node>
constexpr bool kCollective = kIsOneOf<Node, TileReduce, TileScan, TileMultiply>;
/// May the node stand in a distributed If? It is either pointwise or has no effect across threads.
template <class Node>
constexpr bool kAllowedInIf = kPointwise<Node> || kIsOneOf<Node, TileAxis, For, While, Comment, Fence>;

/// What stands around a statement.
struct Around {
  bool distributed = false;           // an If whose condition has axes
  bool lane_wise = false;             // an If, While or For that some threads of a role run only
};

class TileVerifier {
 public:
  TileVerifier(const Program& program, const Kernel& kernel, std::vector<std::string>& errors)
      : program_(program), kernel_(kernel), errors_(errors) {}

  void run() {
    const std::size_t before = errors_.size();
    check_axes(program_, kernel_, [&](const std::string& what) { fail(what); });
    if (errors_.size() != before) return;
    distribution_.emplace(program_, kernel_);
    check_block(kernel_.body, {});
  }

 private:
  void fail(const std::string& what) { errors_.push_back("kernel " + kernel_.name + ": " + what); }
  const std::string& name(SymbolId s) const { return program_.arena.symbol(s).name; }
  const Distribution& d() const { return *distribution_; }

  std::string names(std::span<const SymbolId> axes) const {
    std::string out;
    for (SymbolId axis : axes) out += (out.empty() ? "" : ", ") + name(axis);
    return "(" + out + ")";
  }

  void check_block(const Block& block, Around around) {
    for (const Statement& statement : block.statements) {
      std::visit([&](const auto& node) { check_statement(statement, node, around); }, statement.node);
      Around inner = around;
      inner.lane_wise |= d().lane_wise(statement);
      const auto* branch = std::get_if<If>(&statement.node);
      inner.distributed |= branch != nullptr && !d().axes_of(branch->condition).empty();
      for_each_block(statement, [&](const Block& body) { check_block(body, inner); });
    }
  }

  template <class Node>
  void check_statement(const Statement& statement, const Node& node, Around around) {
    if (around.distributed && !kAllowedInIf<Node>)
      return fail("a distributed if holds a statement that is not pointwise");
    if constexpr (kIsOneOf<Node, For, While>) return check_loop(statement);
    const auto axes = d().axes_of(statement);
    if (!kPointwise<Node> && !kCollective<Node>) {
      for_each_expression(statement, [&](ExprId id) {
        if (!d().axes_of(id).empty())
          fail(fmt::format("a statement that is not pointwise mentions axes {}", names(d().axes_of(id))));
      });
    }
    // Operands of a matrix instruction share lanes on purpose; each is well held where it is defined.
    if (!kIsOneOf<Node, TileMultiply>) check_digits(axes);
    check_warps(statement, axes);
    if constexpr (kCollective<Node>) check_collective(statement, axes, around);
    check(statement, node);
  }

  void check_loop(const Statement& statement) {
    for_each_expression(statement, [&](ExprId id) {
      if (!d().axes_of(id).empty()) fail("the bounds of a loop, or its condition, are distributed");
    });
  }

  // The digits of all axes of a statement name different places.
  void check_digits(std::span<const SymbolId> axes) {
    for (Level level : {Level::Lane, Level::Warp, Level::Rank}) {
      if (digits_overlap(d(), axes, level))
        fail(fmt::format("axes {} share {} digits in one statement", names(axes), name_of(level)));
    }
  }

  // The warps that run a statement are those that its axes count.
  void check_warps(const Statement& statement, std::span<const SymbolId> axes) {
    const WarpSet warps = d().warps_of(statement);
    for (SymbolId axis : axes) {
      const int64_t span = place_span(d(), std::span(&axis, 1), Level::Warp);
      if (span == 1) continue;
      const int64_t first = d().first_warp(axis);
      if (!warps.contiguous() || warps.first() != first || span > warps.count()) {
        fail(fmt::format("axis {} counts warps {} to {}, but a statement over it is run by {} warps from {}",
                         name(axis), first, first + span - 1, warps.count(), warps.first()));
      }
    }
  }

  /// Do several threads hold the same point of `axes`?
  bool replicated(const Statement& statement, std::span<const SymbolId> axes) const {
    const int64_t warps = d().warps_of(statement).count();
    return !d().unnamed(axes, Level::Lane, 32).empty() || !d().unnamed(axes, Level::Warp, warps).empty();
  }

  void check_collective(const Statement& statement, std::span<const SymbolId> axes, Around around) {
    if (around.lane_wise) fail("a collective stands where not all threads of its role come");
    if (d().lane_wise(statement) && !around.lane_wise && replicated(statement, axes))
      fail("a collective of values that differ between threads of one point");
    const WarpSet warps = d().warps_of(statement);
    const int64_t span = place_span(d(), axes, Level::Warp);
    if (span > 1 && warps.count() % span != 0)
      fail(fmt::format("a collective over {} warps is run by {}, no multiple of it", span, warps.count()));
    const int64_t all = int64_t{kernel_.block[0]} * kernel_.block[1] * kernel_.block[2] / 32;
    if (place_span(d(), axes, Level::Rank) > 1 && warps.count() != all)
      fail("a collective over the ranks of a cluster is run by all warps");
  }

  void check(const Statement& statement, const Assign& n) {
    const auto target = d().axes_of(n.local), axes = d().axes_of(statement);
    if (!std::equal(target.begin(), target.end(), axes.begin(), axes.end())) {
      fail(fmt::format("an assignment over {} to {}, a var over {}", names(axes), name(n.local), names(target)));
    }
  }

  void check(const Statement&, const Var& n) {
    for (SymbolId axis : n.over) {
      if (!d().is_axis(axis)) fail(fmt::format("var {} is over {}, no axis", name(n.local), name(axis)));
    }
  }

  void check(const Statement& statement, const Atomic& n) {
    if (n.old.valid() && !d().lane_wise(statement) && replicated(statement, d().axes_of(statement)))
      fail(fmt::format("{} is the result of an atomic that one thread of several does", name(n.old)));
  }

  void check(const Statement& statement, const Barrier& n) {
    const WarpSet warps = d().warps_of(statement), all = {~0u >> (32 - kernel_warps())};
    if (n.scope != BarrierScope::Warp && warps != all) fail("a barrier of the block inside a role");
  }

  void check(const Statement&, const TileReduce& n) {
    check_reduce(d(), program_.arena, n, [&](const std::string& what) { fail(what); });
  }
  void check(const Statement&, const TileScan& n) {
    check_scan(d(), program_.arena, n, [&](const std::string& what) { fail(what); });
  }
  void check(const Statement&, const TileMultiply& n) {
    check_multiply(d(), program_.arena, n, [&](const std::string& what) { fail(what); });
  }
  template <class Node>
  void check(const Statement&, const Node&) {}

  int kernel_warps() const { return kernel_.block[0] * kernel_.block[1] * kernel_.block[2] / 32; }

  const Program& program_;
  const Kernel& kernel_;
  std::vector<std::string>& errors_;
  std::optional<Distribution> distribution_;
};

}  // namespace

void verify_tile(const Program& program, const Kernel& kernel, std::vector<std::string>& errors) {
  TileVerifier(program, kernel, errors).run();
}

}  // namespace cdsl::loop
