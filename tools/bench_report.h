// What bench found, as text, JSON, CSV or Markdown.
#pragma once

#include <string>

#include <llvm/Support/JSON.h>

#include "api/bench.h"
#include "runtime/cuda/ceilings.h"
#include "tools/session.h"

namespace cdsl::tools {

struct BenchRow {
  std::string file, function;
  std::map<std::string, ScalarType> types;
  Benchmark benchmark;
};

/// Prints each row as it comes, JSON at the end.
class BenchReport {
 public:
  /// Keeps a reference to the session. `ceilings`: of the device, where they were measured.
  BenchReport(const Session& session, std::optional<runtime::Ceilings> ceilings);

  /// False, with a message, where it cannot be printed.
  bool add(const BenchRow& row);
  bool finish();

 private:
  std::string text(const BenchRow& row) const;
  std::string table(const BenchRow& row, bool is_csv);
  llvm::json::Object json(const BenchRow& row) const;
  struct Figures;
  Figures figures(const runtime::Samples& samples, const Benchmark& benchmark) const;
  llvm::json::Object json(const runtime::Samples& samples, const Benchmark& benchmark) const;

  const Session& session_;
  std::optional<runtime::Ceilings> ceilings_;
  llvm::json::Array rows_;
  bool has_head_ = false;   // text, CSV and Markdown begin with one
};

}  // namespace cdsl::tools
