// Emitted text of many functions, compiled as C++ in a few builds, and run on the machine (machine.h) as devices.
//
// Compiling is what takes time; a process of the compiler serves about fifty kernels. What is compiled is the text that NVRTC would
// get, but for: the bodies of helpers that hold PTX (twins.h), and the line that declares dynamic shared memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "api/pipeline.h"
#include "library.h"
#include "machine.h"
#include "runtime/device.h"

namespace cdsl::emulation {

struct BatchOptions {
  std::string compiler = {};  // empty: the g++ that CMake found
  std::vector<std::string> flags = {};  // more of them
  std::size_t kernels_a_build = 50;
  int jobs = 2;  // compilers at a time
  uint64_t step_limit = Options{}.step_limit;  // of a launch
};

class Batch {
 public:
  explicit Batch(BatchOptions options = {});
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// A unit; its number. Keeps a reference to `compiled`, which has to outlive the batch. Emits the text at once.
  std::size_t add(const Source& source, const Compiled& compiled, const CompileOptions& options);
  /// The same with a text of your own for the kernels of `program`: a mutant.
  std::size_t add_text(const loop::Program& program, std::string text, std::string architecture);
  /// The text of a unit, as emitted.
  const std::string& text(std::size_t unit) const { return units_[unit].text; }
  std::size_t size() const { return units_.size(); }
  /// Why a unit cannot run: PTX without a twin, or what the compiler said of it; empty where it can.
  const std::string& problem(std::size_t unit) const { return units_[unit].problem; }

  /// Compiles all units that are not compiled yet.
  void build();
  /// Seconds of all compilers so far.
  double compile_seconds() const { return seconds_; }

  /// A fresh device that holds the kernels of a unit. `small`: one that needs the grid-stride loop soon. Requires: built, and
  /// without a problem. The batch outlives it.
  std::unique_ptr<runtime::Device> device(std::size_t unit, bool small, uint64_t seed) const;

 private:
  struct Unit {
    const loop::Program* program;
    std::string architecture, text, problem;
    std::shared_ptr<Library> library = {};
  };
  struct Build;

  std::string unit_source(std::size_t unit) const;
  std::vector<std::string> command(const Build& build) const;
  void start(Build& build);
  void finish(Build& build);

  BatchOptions options_;
  std::filesystem::path folder_;
  std::vector<Unit> units_;
  std::size_t built_ = 0;
  double seconds_ = 0;
};

}  // namespace cdsl::emulation
