// The walk behind `trace`: one warp at a time. Used by trace.cpp and its parts only.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dsl/machine/memory.h"
#include "passes/predict/lanes.h"
#include "passes/predict/trace.h"

namespace cdsl::predicting {

class Tracer {
 public:
  Tracer(const LaunchInput& input, const TraceOptions& options);
  LaunchCount run();

 private:
  struct Place {
    BufferId buffer;
    uint32_t leaf = 0;
    ExprId index, within, rank;
    SourceRange where;
    int elements = 1;              // a lane touches, consecutive
  };
  struct GlobalUse {
    std::size_t row = 0;           // of result_.buffers
    std::vector<bool> read, written;        // sectors
    int64_t low = INT64_MAX, high = INT64_MIN;
    bool anywhere = false;         // by an address that is unknown
    std::vector<int64_t> in_block; // sectors that loads of the current block touched
    double raw = 0, distinct = 0;
  };

  // trace.cpp
  void weigh_expressions();
  void trace_block(int64_t number, double weight);
  void start_warp(int64_t block, int64_t warp);
  int64_t special_value(loop::Special special, int64_t block, int64_t thread) const;
  void end_block(double weight);
  void finish();

  // trace_expression.cpp: of one statement; values stay until it ends
  Lanes value(ExprId root);
  void evaluate_node(ExprId id);
  void evaluate_apply(Op op, ExprId id);
  void evaluate_select(ExprId id);
  void evaluate_logic(Op op, ExprId id);
  Lanes lazy_arm(const Lanes& condition, bool inverted, ExprId id);
  const Lanes& operand(ExprId id) const { return pool_[slots_[id.index()] - 1]; }
  void define(ExprId id, Lanes value);
  void forget(std::size_t mark);
  bool is_costly(ExprId id) const { return costs_[id.index()] >= 64; }
  void count_operation(Op op, ExprId id, bool uniform);

  // trace_memory.cpp
  Lanes load(const Place& place, AccessKind kind);
  void store(const Place& place, AccessKind kind, const Lanes* value = nullptr);
  Place place_of(const loop::Access& access, int elements) const;
  AccessKind kind_of(BufferId buffer, bool is_store, bool is_atomic) const;
  AccessCount& site(const Place& place, AccessKind kind);
  Lanes index_value(const Place& place);
  void request(const Place& place, AccessKind kind);
  bool is_held(const Place& place, const LaneAddresses& address, int width);
  /// Of addresses: as they are; all by a number that depends on data; each by data, drawn.
  enum class Certainty : uint8_t { Exact, Shifted, Drawn };
  void count_known(AccessCount& count, const Place& place, const LaneAddresses& address, uint32_t mask, Certainty certainty);
  void count_drawn(AccessCount& count, const Place& place, const Lanes& index, uint32_t mask);
  void count_unknown(AccessCount& count, const Place& place, uint32_t mask);
  void count_atomic(AccessCount& count, const LaneAddresses* address, uint32_t mask, Certainty certainty);
  void note_footprint(const Place& place, const LaneAddresses& address, uint32_t mask, int width, bool is_store);
  void run(const loop::CopyBulk& n, SourceRange where);
  void run(const loop::CopyTensor& n, SourceRange where);

  // trace_statement.cpp
  void block(const loop::Block& block);
  void statement(const loop::Statement& statement);
  void run(const loop::For& n);
  void rounds_of(const loop::For& n, const Lanes& lo, const Lanes& hi, const Lanes& step);
  void unknown_rounds(const loop::For& n, const Lanes& lo);
  void sampled_rounds(const loop::For& n, int64_t lo, int64_t step, int64_t rounds);
  void run(const loop::While& n);
  void run(const loop::If& n);
  void run(const loop::Shuffle& n);
  void run(const loop::Vote& n);
  void run(const loop::Atomic& n, SourceRange where);
  void run(const loop::CopyAsync& n, SourceRange where);
  void matrix_tiles(const loop::Access& access, int count, bool is_store, SourceRange where);
  void multiply(const loop::MatrixShape& shape, BufferId operand, bool tf32, int warps);
  void wait_for_loads(const loop::Block& block);
  std::vector<SymbolId> assigned_in(const loop::Block& block);
  template <class Body>
  void under(Decision lanes, Body&& body);
  /// What is loaded in it is not at hand after it.
  template <class Body>
  void apart(Body&& body) {
    const std::size_t before = held_.size();
    body();
    for (std::size_t k = before; k < held_.size(); ++k) is_held_.erase(held_[k]);
    held_.resize(before);
  }

  const LaunchInput& input_;
  const loop::Program& program_;
  const ExprArena& arena_;
  const loop::Kernel& kernel_;
  const TraceOptions& options_;
  LaunchCount result_;

  std::vector<int> costs_;               // by expression, as the simulator weighs them
  std::vector<uint32_t> slots_;          // by expression: its place in pool_, plus one; 0: not computed
  std::deque<Lanes> pool_;
  std::vector<ExprId> computed_;
  std::vector<Lanes> symbols_;           // by symbol
  std::unordered_map<uint32_t, uint32_t> scopes_;      // of a Var: lanes that were there when it began
  using SiteKey = std::array<uint32_t, 7>;   // buffer, leaf, kind, file, begin, end, width
  std::map<SiteKey, std::size_t> sites_;
  std::unordered_map<uint32_t, GlobalUse> globals_;    // by buffer
  std::unordered_map<uint32_t, int64_t> shared_offsets_;
  std::unordered_set<uint32_t> tickets_;               // shared buffers that hold what an atomic found
  std::unordered_map<const loop::Block*, bool> loads_; // does it load from global memory, directly?
  std::unordered_map<const loop::Block*, std::vector<SymbolId>> assigned_;
  struct Hot {
    std::unordered_map<int64_t, double> updates;       // by address
    bool spread = false;                 // some address is unknown
    bool drawn = false;                  // some address is known but for a multiple of its own
  };
  std::map<std::size_t, Hot> atomics_;   // by site

  uint32_t live_ = 0, certain_ = 0, possible_ = 0;     // lanes of the warp; of the current statement
  double weight_ = 1;
  bool sampled_ = false;                 // some rounds or blocks were left out
  double spent_ = 0;                     // expressions evaluated
  double barriers_ = 0, waits_ = 0, most_barriers_ = 0, most_waits_ = 0;   // of this warp; of this block
  double longest_waits_ = 0, sum_of_waits_ = 0, blocks_weighed_ = 0;
  double overlap_ = 1;                   // rounds of the innermost loop whose loads are under way together
  double index_share_ = 1;               // of the operations of an index that are left when it is compiled
  double unrolled_ = 1;                  // rounds of all loops around that are unrolled whole
  std::vector<uint64_t> held_;           // loads whose values the compiler still has, by a hash of what they load, in order
  std::unordered_set<uint64_t> is_held_;
  SourceRange where_;                    // of the statement
};

}  // namespace cdsl::predicting
