// What reduce and scan share: who meets where, how partial results travel between lanes, warps and blocks of a cluster.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "passes/lower/tiles/combine.h"
#include "passes/lower/tiles/lane_scope.h"

namespace cdsl::lowering {

/// Barriers of the warps that run a collective. Groups of warps that run different programs have one each, numbered from
/// the top; those that the kernel names itself are left alone.
class MeetingPlaces {
 public:
  explicit MeetingPlaces(LaneScope& scope);
  void meet(loop::WarpSet warps);

 private:
  LaneScope& scope_;
  std::map<uint32_t, int> numbers_;   // by WarpSet::mask
  std::set<int64_t> taken_;
};

/// A reduce or scan under way.
struct Collective {
  const loop::Combine& how;
  loop::WarpSet warps;
  std::vector<SymbolId> kept;         // axes of the values that are not combined over
  std::vector<AxisDigit> pending;     // digits still to be combined over, outermost first
  std::vector<ScalarType> types;      // of the results
  std::string name;

  Collective(LaneScope& scope, const loop::Combine& how, const loop::Statement& statement,
             const std::vector<SymbolId>& results, const std::vector<SymbolId>& over);
  bool has_pending(loop::Level level) const;
  /// Takes the digits of one level out of `pending`.
  std::vector<AxisDigit> take(loop::Level level);
  /// Loops over the registers of the kept axes, then over pending ones.
  std::vector<RegisterLoop> loops(LaneScope& scope) const;
  /// The values at a point, as what is combined.
  std::vector<ExprId> terms(LaneScope& scope, const std::vector<ExprId>& values, const RegisterPoint& point) const;
};

/// `a` before `b`; names what is used more than once.
std::vector<ExprId> combine(LaneScope& scope, const loop::Combine& how, std::vector<ExprId> a, std::vector<ExprId> b,
                            Positions positions = Positions::Any);
std::vector<ExprId> named(LaneScope& scope, std::vector<ExprId> values, const std::string& name);

/// `value` combined over a digit of lanes, the same in all of them.
std::vector<ExprId> over_lanes(LaneScope& scope, const Collective& c, const loop::Digit& digit, std::vector<ExprId> value);

/// The values of all lanes of a warp by one vote, where the result is of that kind: any, all, and how many. Nothing: by shuffles.
std::optional<ExprId> by_vote(LaneScope& scope, const Collective& c, const std::vector<AxisDigit>& lanes, ExprId value);

/// Partial results of digits on warps or on ranks meet in shared memory.
class Exchange {
 public:
  /// `digits` are of one level and no longer pending.
  Exchange(LaneScope& scope, const Collective& c, std::vector<AxisDigit> digits);
  int64_t parts() const { return parts_; }
  /// This thread's place among the parts.
  ExprId mine();
  /// By one of the threads that hold the value.
  void put(const std::vector<ExprId>& value, const RegisterPoint& point);
  void meet(MeetingPlaces& places);
  /// Where the parts for a point are, and one of them.
  ExprId base(const RegisterPoint& point);
  std::vector<ExprId> part(ExprId base, ExprId number);
  /// All parts combined.
  std::vector<ExprId> gather(const RegisterPoint& point);
  /// No block ends, or writes again, while another may still read.
  void leave();

 private:
  bool is_remote() const { return level_ == loop::Level::Rank; }
  bool by_lanes() const;
  ExprId slot(ExprId base, ExprId number);
  ExprId rank_of(ExprId number);

  LaneScope& scope_;
  const Collective& c_;
  std::vector<AxisDigit> digits_, outer_;   // outer_: what tells the points of a part apart, lanes last
  loop::Level level_;
  int64_t parts_ = 1, points_ = 1;
  std::vector<BufferId> scratch_;
};

/// Barriers before a collective that `exchanges` through shared memory once: another barrier in the same round of the loop
/// around keeps its scratch safe from the next round's writes; where there is none, one more.
void protect_scratch(LaneScope& scope, MeetingPlaces& places, const Collective& c, const loop::Statement& statement,
                     const loop::Block* loop);

void write_reduce(LaneScope& scope, MeetingPlaces& places, const loop::TileReduce& reduce, const loop::Statement& statement,
                  const loop::Block* loop);
void write_scan(LaneScope& scope, MeetingPlaces& places, const loop::TileScan& scan, const loop::Statement& statement,
                const loop::Block* loop);
void write_multiply(LaneScope& scope, const loop::TileMultiply& multiply);

}  // namespace cdsl::lowering
