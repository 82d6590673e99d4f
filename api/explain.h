// What a compiled function would do at given sizes: predictions of every kernel and access, resources as ptxas measures them
// where NVRTC is found, and the value of each metric that `expect` knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/environment.h"
#include "api/pipeline.h"
#include "api/result.h"
#include "passes/predict/predict.h"
#include "runtime/cache/disk_cache.h"

namespace cdsl {

struct ExplainOptions {
  bool measure = true;             // ask NVRTC for registers and spills, where it is found
  runtime::DiskCache* cache = nullptr;  // of what NVRTC compiled before
};

struct Explanation {
  predicting::FunctionPrediction prediction;
  std::map<std::string, int64_t> sizes;    // that it holds for, by name
  bool measured = false;           // registers, spills and stack are ptxas's
  std::string not_measured;        // why not
  std::string warning;             // where NVRTC rejected the text
};

/// Sizes come from -D, else from `sizes` lines of the schedule. The failure names the sizes and scalars that are missing, or
/// says why no launch is legal at these.
Result<Explanation> explain(const Environment& environment, const Source& source, const Compiled& compiled,
                            const CompileOptions& options, const ExplainOptions& how = {});

/// The value of a metric of docs/language.md, section 11: "spills", "sectors(x)". Nothing where no kernel touches x.
std::optional<double> metric_value(const Explanation& explanation, std::string_view metric);

/// Is the metric one that only ptxas knows for certain?
bool is_measured_metric(std::string_view metric);

/// The decision that a metric hangs on most, among `remarks`; null where none is known.
const Remark* decision_behind(std::string_view metric, const Remarks& remarks);

/// "`spills == 0`" as `--expect` takes it, with or without "NAME:" before it. The failure says what is wrong with the text.
Result<Expectation> parse_expectation(std::string_view text, std::string& function);

bool holds(const Expectation& expectation, double value);

}  // namespace cdsl
