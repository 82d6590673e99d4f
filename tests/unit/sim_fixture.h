// Builds a kernel by hand, runs it on the simulator, gives back memory, faults and counters.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "dsl/loop/builder.h"
#include "dsl/sim/simulator.h"

namespace cdsl::sim {

class SimTest : public ::testing::Test {
 protected:
  static constexpr ScalarType F32 = ScalarType::F32, I32 = ScalarType::I32, I64 = ScalarType::I64;

  template <class T>
  Argument input(const std::vector<T>& values) {
    const auto bytes = static_cast<int64_t>(values.size() * sizeof(T));
    const uint32_t handle = memory.allocate("in", bytes);
    std::memcpy(memory.data(handle), values.data(), static_cast<std::size_t>(bytes));
    memory.mark_written(handle, 0, bytes);
    return {true, handle, 0, {}};
  }
  template <class T>
  Argument output(std::size_t count) {
    return {true, memory.allocate("out", static_cast<int64_t>(count * sizeof(T))), 0, {}};
  }
  template <class T>
  std::vector<T> values(const Argument& argument) {
    std::vector<T> out(static_cast<std::size_t>(memory.size(argument.handle)) / sizeof(T));
    std::memcpy(out.data(), memory.data(argument.handle), out.size() * sizeof(T));
    return out;
  }
  static Argument scalar(int64_t value) { return {false, 0, 0, Value::of_int(value)}; }
  static Argument real(double value) { return {false, 0, 0, Value::of_float(value)}; }

  /// Finishes the kernel, checks it, and launches it once.
  const Result& run(loop::Builder& b, std::vector<Argument> arguments, int64_t blocks = 1) {
    const uint32_t kernel = b.finish();
    for (const std::string& error : loop::verify(program)) ADD_FAILURE() << error;
    simulator = std::make_unique<Simulator>(program, memory, options);
    const int64_t grid[3] = {blocks, 1, 1};
    simulator->launch(kernel, grid, arguments);
    return simulator->result();
  }
  void expect_clean() {
    for (const Fault& fault : simulator->result().faults)
      ADD_FAILURE() << name_of(fault.kind) << ": " << fault.message;
  }
  /// Faults of the last run, kinds only.
  std::vector<Fault::Kind> kinds() {
    std::vector<Fault::Kind> out;
    for (const Fault& fault : simulator->result().faults) out.push_back(fault.kind);
    return out;
  }
  using Kinds = std::vector<Fault::Kind>;

  static ExprId thread(loop::Builder& b) { return b.special64(loop::Special::ThreadX); }
  /// block.x * block_dim.x + thread.x
  static ExprId global_thread(loop::Builder& b) {
    return b.add(b.mul(b.special64(loop::Special::BlockX), b.special64(loop::Special::BlockDimX)),
                 thread(b));
  }

  loop::Program program = loop::Program::over({}, "test");
  Memory memory;
  Options options;
  std::unique_ptr<Simulator> simulator;
};

}  // namespace cdsl::sim
