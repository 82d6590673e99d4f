// predict: what a call of a lowered function would do and take, for given sizes, with no GPU and nothing run.
//
// Requires: a verified program in lane form, whatever made it; values of all sizes, and of the scalars that decide how much
// is done (others may be missing). Ensures: each access site of each launch of the variant that would run is counted
// (trace.h says how exactly), and dsl/machine predicts each kernel from the counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/machine/predict.h"
#include "dsl/tensor/bind.h"
#include "dsl/tensor/tensor_ir.h"
#include "passes/predict/trace.h"

namespace cdsl::predicting {

/// What a kernel takes of a multiprocessor, as ptxas says or as registers.h guesses.
struct Resources {
  int registers = 32;
  int64_t spill_bytes = 0, stack_bytes = 0;    // a thread
  bool measured = false;
};

struct PredictOptions {
  const Architecture* architecture = nullptr;  // not null
  int multiprocessors = 0;                     // 0: of the architecture's part
  std::vector<Resources> resources;            // by kernel of the program; those that are missing are guessed
  double budget = 3e5;                         // TraceOptions::budget, of each launch
  bool as_written = false;                     // TraceOptions::as_written
};

/// One access site, with the names that the user knows.
struct Access : AccessCount {
  std::string tensor;              // of the function, or of the shared buffer
  std::string field;               // leaf of a record: "pos"; "" for a scalar element
  double sectors_per_request() const { return requests == 0 ? 0 : sectors / requests; }
  double ideal_per_request() const { return requests == 0 ? 0 : ideal_sectors / requests; }
  double active_lanes() const { return requests == 0 ? 0 : lanes / requests; }
  double requested_bytes() const { return lanes * width_bytes; }
  double transferred_bytes() const;     // global: whole sectors; shared: whole wavefronts of 128 bytes
  /// Shared memory: wavefronts over those without conflicts.
  double conflicts() const { return ideal_wavefronts == 0 ? 1 : wavefronts / ideal_wavefronts; }
};

/// Bytes of one tensor that a kernel touches.
struct Traffic {
  std::string tensor;
  double read_bytes = 0, written_bytes = 0;    // that requests transfer
  double l2_read_bytes = 0;                    // of them, those that miss the L1
  double unique_read_bytes = 0, unique_written_bytes = 0;
};

struct KernelPrediction {
  uint32_t kernel = 0;             // of the program
  std::string name;
  int block[3] = {1, 1, 1};
  int cluster = 1;
  double grid = 0;                 // blocks, mean over launches
  std::string grid_rule;
  double launches = 0;             // in one call
  Resources resources;
  int64_t shared_bytes = 0;
  std::vector<Access> accesses;    // per launch, means over launches
  std::vector<Traffic> traffic;
  double flops = 0;                // per launch, as all below
  double dram_bytes = 0, l2_bytes = 0;
  double barriers = 0, atomics = 0;
  bool exact = true;
  KernelWork work;
  Prediction prediction;           // .us is of all launches
  SourceRange where;
};

struct FunctionPrediction {
  std::vector<std::string> missing;      // sizes and scalars without which nothing can be said; then all else is empty
  std::string variant;
  std::vector<std::string> assumed;      // guards that were taken to hold: alignment, no overlap
  std::vector<KernelPrediction> kernels; // in the order of their first launch
  double fill_bytes = 0, copy_bytes = 0; // of memsets and copies of the plan
  double us = 0;

  double bytes() const;            // DRAM traffic of the call
  double flops() const;
};

/// Sizes and scalars that `predict` would miss.
std::vector<std::string> missing_values(const tir::Function& function, const loop::Program& program,
                                        const tir::Bindings& bindings);

/// `bindings` gives the values of sizes and scalars that are known.
FunctionPrediction predict(const tir::Function& function, const loop::Program& program,
                           const tir::Bindings& bindings, const PredictOptions& options);

}  // namespace cdsl::predicting
