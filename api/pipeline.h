// The whole compiler as one function, and its parts for those who stop half-way. The only place
// that knows all passes.
//
//   load -> parse -> analyze -> simplify -> lower -> join variants -> emit
//
// Mistakes of the user end up in Source::diagnostics; bugs of the compiler throw InternalError.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/defines.h"
#include "dsl/loop/program.h"
#include "dsl/machine/architectures.h"
#include "dsl/schedule/schedule.h"
#include "dsl/support/diagnostic.h"
#include "dsl/tensor/tensor_ir.h"
#include "frontend/ast.h"
#include "frontend/source.h"

namespace cdsl {

class Analyzer;

/// Is shown what each pass made, verified: a function, or a program that computes the function where `guards` hold besides its own.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  virtual void made(std::string_view pass, const tir::Function& function) = 0;
  virtual void made(std::string_view pass, const tir::Function& function, const loop::Program& program,
                    std::span<const plan::Guard> guards) = 0;
};

struct CompileOptions {
  std::string architecture{kDefaultArchitecture};
  Defines defines;
  std::map<std::string, std::string> overrides;  // --set KEY=VALUE
  bool simplify = true;                          // false: --O0
  bool decide = true;                            // false: --O0, the general path alone
  bool lanes = true;                             // false: tile form stays as it is
  bool programs_alone = false;                   // accept Loop IR without its function: no launcher
  bool strict = false;
  bool fast_math = false;
  bool line_directives = true;
  bool line_tables = false;              // machine code leads profilers to the source, and is three times as large
  bool check_defines = true;             // report those of -D that no function can use
  double time_limit = 0;                 // seconds for one function; 0: none
  std::vector<std::string> print_after;  // names of passes, or "all"
  std::function<void(std::string_view pass, const std::string& text)> dump;
  std::function<bool(const std::string& name)> stored;  // temporaries that become outputs (api/expose.h)
  std::function<void(std::string_view pass, double milliseconds)> timed;  // called as soon as a pass has ended
  PassObserver* observer = nullptr;      // is shown what each pass made
};

/// A program's files, read and parsed, and everything found wrong with them so far.
struct Source {
  explicit Source(std::size_t error_limit) : diagnostics(error_limit) {}

  SourceManager files;
  DiagnosticSink diagnostics;
  std::uint32_t main_file = kNoFile;
  ast::Program program;
  std::shared_ptr<const Analyzer> analyzer;  // once a function was analyzed

  bool has_errors() const { return diagnostics.has_errors(); }
  /// Path and line of a place.
  std::pair<std::string, int> locate(SourceRange where) const;
};

/// Where a program's text comes from.
struct SourceInput {
  std::string path;
  std::optional<std::string> text;  // instead of the file's contents: standard input
  std::vector<std::string> import_directories;
  std::size_t error_limit = 20;
};

std::unique_ptr<Source> load_and_parse(const SourceInput& input);

/// One function on its way down.
struct Compiled {
  tir::Function function;  // after the passes of Tensor IR
  Schedule schedule;
  Remarks remarks;
  loop::Program program;
  std::set<std::string> answered;  // keys of the schedule that some pass followed, or said why not
  bool from_text = false;     // the program was read, not lowered: it may ask for what no guard says
  bool stands_alone = false;  // `function` has a name only: text of Loop IR without it
};

/// `fn` name analyzed, simplified and lowered; nothing where it has errors.
std::optional<Compiled> compile(Source& source, std::string_view name,
                                const CompileOptions& options);

/// Tensor IR of `fn` name, before any pass; nothing where it has errors.
std::optional<tir::Function> analyze_function(Source& source, std::string_view name,
                                              const CompileOptions& options);

/// The program's items by name, looked up once for all of its functions.
const Analyzer& analyzer_of(Source& source);

/// The CUDA text of a compiled function, or of several in one file.
std::string emit(const Source& source, const Compiled& compiled, const CompileOptions& options);
std::string emit(const Source& source, std::span<const Compiled> units,
                 const CompileOptions& options);

/// Names of the type parameters of `fn` name.
std::vector<std::string> type_parameters(const Source& source, std::string_view name);

/// The functions to compile: `wanted`, or all of the main file. Those that lack a generic type are
/// left out of "all" and named in `skipped`. A name that does not exist, or an empty file, is
/// reported.
std::vector<std::string> functions_to_compile(Source& source, const std::string& wanted,
                                              const CompileOptions& options,
                                              std::vector<std::string>& skipped);

}  // namespace cdsl
