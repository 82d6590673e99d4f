// What a command line asks for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/pipeline.h"
#include "runtime/timing.h"

namespace cdsl::tools {

/// The process's answer, by kind (DESIGN, "The command line").
enum Exit : int {
  kOk = 0,
  kSourceError = 1,
  kUsage = 2,
  kNoDevice = 3,
  kMismatch = 4,  // verification or expectation failed
  kInternal = 70
};

struct Settings {
  std::vector<std::string> positional;
  CompileOptions compile;
  bool architecture_given = false;  // --arch
  std::vector<std::string> architectures;  // all that --arch named, for a library
  std::vector<std::string> import_directories;
  std::size_t error_limit = 20;
  std::string function;  // --fn
  std::string emit = "cu";
  std::string output;                   // -o; "" and "-": standard output
  bool depfile = false;                 // -MD
  std::string depfile_path;             // -MF
  std::string remarks, missed_remarks;  // -Rpass, -Rpass-missed: regular expressions
  bool json = false;                    // --error-format=json
  bool help = false, version = false;

  std::vector<std::string> inputs;  // --in NAME=VALUE
  std::optional<uint64_t> random;   // --random SEED
  std::string out_dir;
  std::vector<std::string> dumps;   // --dump NAME
  bool trap_nan = false;            // --trap-nan
  std::string device = "auto";
  std::vector<int64_t> sizes;  // --sizes
  uint64_t seed = 1;
  std::optional<double> most_steps;     // verify --most-steps
  std::string data = "usual";           // verify --data
  int64_t spots = 1000;                 // verify --spots
  bool each_pass = false;               // verify --each-pass
  runtime::TimingOptions timing;        // --min-time, --samples, --max-noise, --max-time
  /// Sizes, types or scalars with several values, in the order of the command line: bench takes every combination.
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  bool run_once = false;                // bench: one launch, nothing is timed
  std::string timeline;                 // --timeline
  bool json_report = false;             // --json
  bool csv_report = false, md_report = false;
  std::string page;                     // explain --html; "-": standard output
  bool ranges = false;                  // explain --ranges
  bool measure = true;                  // explain asks NVRTC; --estimate does not
  std::vector<std::string> expectations;  // --expect
  bool use_cache = true;                // --no-cache
  int64_t cache_size = -1;              // cache prune --size; -1: that of the environment
  std::string optimization_record;      // --save-opt-record
  std::string library_name;             // --name
  bool embed_text = false;              // --jit
  bool specialize = false;  // sizes of -D are constants of the kernels
};

}  // namespace cdsl::tools
