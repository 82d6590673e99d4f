// Combination in the order of the points, digit by digit from the innermost: after each digit, the blocks of points that
// the digits so far number are done. Keeps, in arrays of registers,
//
//   totals   of each block; the same in all threads that hold points of it
//   sums     (scans) of each point, what comes before it in its block, with or without itself
#pragma once

#include "passes/lower/tiles/collective.h"

namespace cdsl::lowering {

enum class Sums : uint8_t { None, Inclusive, Exclusive };

class OrderedFold {
 public:
  OrderedFold(LaneScope& scope, MeetingPlaces& places, Collective c, Sums sums = Sums::None);
  /// Each point by itself.
  void begin(const std::vector<ExprId>& values);
  void run(const loop::Statement& statement, const loop::Block* loop);
  void define_sums(const std::vector<SymbolId>& results);
  void define_totals(const std::vector<SymbolId>& results);

 private:
  using Values = std::vector<ExprId>;
  void over_registers(const AxisDigit& digit);
  void over_lanes(const AxisDigit& digit);
  void over_places(const AxisDigit& digit);
  void before_and_all(Exchange& exchange);
  /// All sums of the block at hand take what comes before it.
  void add_prefix(const Values& prefix);
  void set(const AxisDigit& digit, ExprId value);
  void rewind();
  ExprId index() { return scope_.register_index(axes_, point_); }
  Values load(const std::vector<BufferId>& from, ExprId index);
  void store(const std::vector<BufferId>& to, ExprId index, const Values& values);

  LaneScope& scope_;
  MeetingPlaces& places_;
  Collective c_;
  Sums kind_;
  std::vector<SymbolId> axes_;         // of the arrays
  std::vector<BufferId> sums_, totals_;
  std::vector<AxisDigit> done_;        // register digits inside the blocks at hand, outermost first
  RegisterPoint point_;
};

}  // namespace cdsl::lowering
