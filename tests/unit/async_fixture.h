// Kernels with asynchronous nodes, run on the simulator under several seeds.
#pragma once

#include "sim_fixture.h"

namespace cdsl::sim {

class AsyncTest : public SimTest {
 protected:
  static constexpr ScalarType U64 = ScalarType::U64, F16 = ScalarType::F16, BF16 = ScalarType::BF16;

  explicit AsyncTest() : b(program, "k") { b.kernel().block[0] = 32; }

  static ExprId i32(loop::Builder& b, int64_t value) { return b.integer(value, I32); }
  ExprId i32(int64_t value) { return i32(b, value); }
  ExprId i64(int64_t value) { return b.integer(value); }
  ExprId is(ExprId a, ExprId v) { return b.apply(Op::Eq, {a, v}); }
  ExprId first_thread() { return is(b.special(loop::Special::ThreadX), i32(0)); }
  ExprId lane() { return b.cast(b.special(loop::Special::Lane), I64); }

  /// One thread initialises barrier `index` of `barriers`; the block sees it.
  void init(BufferId barriers, int64_t index, int64_t count) {
    b.if_(first_thread(), [&] {
      b.issue(loop::BarrierInit{b.access(barriers, i64(index)), i32(count)});
      b.issue(loop::FenceAsync{loop::FenceKind::Init});
    });
    b.barrier();
  }

  /// Runs once for each of several seeds on fresh memory; `check` looks at each result.
  template <class Make, class Check>
  void run_seeds(Make&& arguments, Check&& check, int64_t blocks = 1) {
    const uint32_t kernel = b.finish();
    for (const std::string& error : loop::verify(program)) ADD_FAILURE() << error;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      memory = Memory();
      options.seed = seed;
      const std::vector<Argument> list = arguments();
      simulator = std::make_unique<Simulator>(program, memory, options);
      const int64_t grid[3] = {blocks, 1, 1};
      simulator->launch(kernel, grid, list);
      check(list);
    }
  }
  /// Does some seed find a fault of the kind, and none of another?
  template <class Make>
  bool some_seed_finds(Fault::Kind kind, Make&& arguments, int64_t blocks = 1) {
    bool found = false;
    run_seeds(std::forward<Make>(arguments), [&](const auto&) {
      for (const Fault& fault : simulator->result().faults) {
        found |= fault.kind == kind;
        last_message = fault.message;
      }
    }, blocks);
    return found;
  }
  static std::vector<float> numbers(std::size_t count, float first = 0) {
    std::vector<float> out(count);
    for (std::size_t k = 0; k < count; ++k) out[k] = first + static_cast<float>(k);
    return out;
  }

  loop::Builder b;
  std::string last_message;
};

}  // namespace cdsl::sim
