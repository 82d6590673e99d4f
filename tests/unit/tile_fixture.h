// Kernels of tile form as text: read, verified, turned into lane form, verified again, and run on the simulator under
// several schedules, with races and unwritten reads looked for.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/sim/simulator.h"
#include "frontend/ir_reader/ir_reader.h"
#include "passes/lower/tiles/to_lanes.h"

namespace cdsl {

class TileTest : public ::testing::Test {
 protected:
  using Bytes = std::vector<std::byte>;
  struct Argument {
    bool is_buffer = true, is_written = true;
    Bytes bytes = {};
    Value value = {};
  };

  template <class T>
  static Argument input(const std::vector<T>& values) {
    Argument argument;
    argument.bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(argument.bytes.data(), values.data(), argument.bytes.size());
    return argument;
  }
  template <class T>
  static Argument output(int64_t count) {
    return {true, false, Bytes(static_cast<std::size_t>(count) * sizeof(T)), {}};
  }
  static Argument size(int64_t value) { return {false, true, {}, Value::of_int(value)}; }

  /// `body` of one kernel `k`, whose first line ends in the shape of its block.
  static std::string program(const std::string& kernel) {
    return "program test;\n\nkernel k" + kernel + "\n\nplan {\n}\n";
  }

  static loop::Program read(const std::string& text) {
    SourceManager sources;
    DiagnosticSink sink;
    auto programs = read_loop_ir(sources, sources.add("tile.lir", text), sink);
    for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << d.message << "\n" << text;
    return programs ? std::move(programs->front().program) : loop::Program::over({}, "none");
  }

  /// The lane form of the text, which is kept for messages and questions.
  const std::string& lower(const std::string& text) {
    Schedule schedule;
    Remarks remarks;
    PassContext context{schedule, remarks};
    program_ = to_lanes(read(text), context);
    lanes = loop::to_string(program_);
    for (const std::string& error : loop::verify(program_)) ADD_FAILURE() << error << "\n" << lanes;
    EXPECT_FALSE(program_.kernels.empty() || loop::is_tile_form(program_.kernels[0]));
    return lanes;
  }

  /// Runs the kernel for each of `seeds` schedules; all leave the same bytes.
  void run(const std::string& text, const std::vector<Argument>& arguments, int64_t blocks_x = 1, int64_t blocks_y = 1,
           int seeds = 4) {
    lower(text);
    if (HasFailure()) return;
    outputs.clear();
    for (int seed = 1; seed <= seeds && !HasFailure(); ++seed) {
      const std::vector<Bytes> left = run_once(arguments, blocks_x, blocks_y, static_cast<uint64_t>(seed));
      EXPECT_TRUE(seed == 1 || left == outputs) << "seed " << seed << " gives other results\n" << lanes;
      outputs = left;
    }
  }

  template <class T>
  std::vector<T> result(std::size_t argument) const {
    std::vector<T> values(outputs.empty() ? 0 : outputs[argument].size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), outputs[argument].data(), outputs[argument].size());
    return values;
  }

  /// Whole numbers, so that sums are exact in any order.
  static std::vector<float> numbers(int64_t count, unsigned seed = 7) {
    std::mt19937 random(seed);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& v : values) v = static_cast<float>(static_cast<int>(random() % 17) - 8);
    return values;
  }

  bool has(const std::string& words) const { return lanes.find(words) != std::string::npos; }

  std::string lanes;
  std::vector<Bytes> outputs;          // a buffer an argument, empty for scalars

 private:
  std::vector<Bytes> run_once(const std::vector<Argument>& arguments, int64_t x, int64_t y, uint64_t seed) {
    sim::Memory memory;
    std::vector<sim::Argument> given;
    for (const Argument& a : arguments) {
      if (!a.is_buffer) {
        given.push_back({false, 0, 0, a.value});
        continue;
      }
      const auto bytes = static_cast<int64_t>(a.bytes.size());
      const uint32_t handle = memory.allocate("argument", bytes);
      std::copy(a.bytes.begin(), a.bytes.end(), memory.data(handle));
      if (a.is_written) memory.mark_written(handle, 0, bytes);
      given.push_back({true, handle, 0, {}});
    }
    sim::Options options;
    options.seed = seed;
    sim::Simulator simulator(program_, memory, options);
    const int64_t grid[3] = {x, y, 1};
    simulator.launch(0, grid, given);
    for (const sim::Fault& fault : simulator.result().faults)
      ADD_FAILURE() << sim::name_of(fault.kind) << ": " << fault.message << "\n" << lanes;
    std::vector<Bytes> left;
    for (const sim::Argument& a : given) {
      const std::size_t bytes = a.is_buffer ? static_cast<std::size_t>(memory.size(a.handle)) : 0;
      left.emplace_back(a.is_buffer ? Bytes(memory.data(a.handle), memory.data(a.handle) + bytes) : Bytes{});
    }
    return left;
  }

  loop::Program program_ = loop::Program::over({}, "none");
};

}  // namespace cdsl
