// The door for mistakes of the user: located messages, collected as values.
//
// A code is stable across versions and explained by `cuoptc explain-error`; the table is
// dsl/support/diagnostic_codes.def. Nothing here prints (frontend/render.h does).
//   sink.report(Code::UnknownName, range, "no tensor is named 'x'").fix(range, "X").note(decl,
//   "...");
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/support/source.h"

namespace cdsl {

enum class Severity : std::uint8_t { Warning, Error };

enum class Code : std::uint16_t {
#define CDSL_DIAGNOSTIC(number, name, severity, title, explanation) name = number,
#include "dsl/support/diagnostic_codes.def"
#undef CDSL_DIAGNOSTIC
};

struct CodeInfo {
  Code code;
  Severity severity;             // what DiagnosticSink::report gives it
  std::string_view name;         // the enumerator
  std::string_view title;        // one line, no full stop
  std::string_view explanation;  // several lines: why, a wrong example, the mended one
};

// Every code, by rising number.
std::span<const CodeInfo> all_codes();
const CodeInfo& info(Code code);
// "C0123"
std::string code_text(Code code);
// Reads "C0123", "c123" or "123"; nullopt where no such code exists.
std::optional<Code> find_code(std::string_view text);

struct Note {
  SourceRange range;  // may be invalid: a remark without a place
  std::string message;
};

// Replace the range (insert where it is empty) to mend the error.
struct FixIt {
  SourceRange range;
  std::string replacement;
};

struct Diagnostic {
  Code code;
  Severity severity = Severity::Error;
  SourceRange range;
  std::string message;
  std::vector<Note> notes;
  std::vector<FixIt> fix_its;

  Diagnostic& note(SourceRange where, std::string text) {
    notes.push_back({where, std::move(text)});
    return *this;
  }
  Diagnostic& fix(SourceRange where, std::string replacement) {
    fix_its.push_back({where, std::move(replacement)});
    return *this;
  }
};

// Collects diagnostics in the order of their reports. Past the limit of errors it adds one
// "too many errors" and drops the rest. The same code at the same place is kept once, unless much
// was reported in between.
class DiagnosticSink {
 public:
  explicit DiagnosticSink(std::size_t error_limit = 20) : error_limit_(error_limit) {}

  // The reference stays good for the life of the sink; what was dropped goes to a scratch value.
  Diagnostic& report(Code code, SourceRange range, std::string message);

  bool has_errors() const { return error_count_ != 0; }
  std::size_t error_count() const { return error_count_; }
  // True once "too many errors" was added: whoever finds errors may stop looking.
  bool full() const { return full_; }
  const std::deque<Diagnostic>& diagnostics() const { return diagnostics_; }
  void clear();

 private:
  std::size_t error_limit_;
  std::size_t error_count_ = 0;
  bool full_ = false;
  std::deque<Diagnostic> diagnostics_;
  Diagnostic dropped_{};
};

}  // namespace cdsl
