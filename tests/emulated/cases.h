// The rows of tests/run/cases.tsv as calls of `verify` on executed text.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/pipeline.h"
#include "api/verify.h"

namespace cdsl::emulation {

using Sizes = std::map<std::string, int64_t>;

/// A file with its type parameter settled, and what to run it at.
struct Case {
  std::string file;
  std::optional<std::string> type;       // "T=f16"
  std::vector<std::string> given = {};   // "a=2.5"
  std::vector<Sizes> sizes = {};
};

std::vector<Case> read_cases(const std::string& path);

/// One function of a case: compiled, and its meaning.
struct CaseFunction {
  std::string title;
  Source* source;
  CompileOptions options;
  tir::Function reference;
  Compiled compiled;
  Arguments given;
  std::vector<Sizes> sizes;
};

/// All functions of the file of a case. What is wrong with it is thrown as std::runtime_error.
std::vector<std::unique_ptr<CaseFunction>> functions_of(const Case& one, Source& source, const CompileOptions& options);

}  // namespace cdsl::emulation
