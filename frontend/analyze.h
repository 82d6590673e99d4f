// Semantic analysis: an AST module becomes Tensor IR, one function at a time. All that the language
// promises to check at compile time is checked here; what depends on sizes becomes launch checks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/support/diagnostic.h"
#include "dsl/tensor/tensor_ir.h"
#include "frontend/ast.h"
#include "frontend/source.h"

namespace cdsl {

struct AnalyzeOptions {
  std::map<std::string, std::int64_t> sizes;  // -DN=4096; names that are no size are ignored
  std::map<std::string, ScalarType> types;    // -DT=bf16
  bool strict = false;
  bool assume_facts = false;  // prove with all facts of `where`, not with `require`d ones alone
};

// Names of the `fn`s of the file that was compiled, in source order; those of imported files are
// left out.
std::vector<std::string> function_names(const ast::Program& program);

// A program whose top-level items are known by name, for analyzing several of its functions.
class Analyzer {
 public:
  // Names that are declared twice, and structs that cannot be laid out, are reported to `sink` once;
  // every later analysis then fails.
  Analyzer(const ast::Program& program, const SourceManager& sources, DiagnosticSink& sink);
  ~Analyzer();
  Analyzer(const Analyzer&) = delete;
  Analyzer& operator=(const Analyzer&) = delete;

  // As the free function.
  std::optional<tir::Function> analyze(std::string_view name, const AnalyzeOptions& options,
                                       DiagnosticSink& sink) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The function `name`, instantiated; nothing when it has errors (all reported to `sink`). The text
// of Function::source comes from `sources`.
std::optional<tir::Function> analyze(const ast::Program& program, const SourceManager& sources,
                                     std::string_view name, const AnalyzeOptions& options,
                                     DiagnosticSink& sink);

// Checks everything that needs no choice of types: every fn without type parameters (or whose types
// the options give) is analyzed, every schedule and expectation checked.
void check_program(const ast::Program& program, const SourceManager& sources,
                   const AnalyzeOptions& options, DiagnosticSink& sink);

}  // namespace cdsl
