#include "dsl/support/diagnostic.h"

#include <algorithm>
#include <charconv>

#include "dsl/support/check.h"

namespace cdsl {
namespace {

constexpr CodeInfo kCodes[] = {
#define CDSL_DIAGNOSTIC(number, name, severity, title, explanation) \
  {Code::name, Severity::severity, #name, title, explanation},
#include "dsl/support/diagnostic_codes.def"
#undef CDSL_DIAGNOSTIC
};

// How many diagnostics are searched for a repetition, which follows its original closely.
constexpr std::size_t kRemembered = 64;

constexpr bool by_rising_number() {
  for (std::size_t i = 1; i < std::size(kCodes); ++i)
    if (kCodes[i - 1].code >= kCodes[i].code) return false;
  return true;
}
static_assert(by_rising_number(), "codes are listed by rising number, each once");

const CodeInfo* find(std::uint16_t number) {
  auto it = std::lower_bound(std::begin(kCodes), std::end(kCodes), number,
                             [](const CodeInfo& entry, std::uint16_t wanted) {
                               return static_cast<std::uint16_t>(entry.code) < wanted;
                             });
  if (it == std::end(kCodes) || static_cast<std::uint16_t>(it->code) != number) return nullptr;
  return it;
}

}  // namespace

std::span<const CodeInfo> all_codes() {
  return kCodes;
}

const CodeInfo& info(Code code) {
  const CodeInfo* entry = find(static_cast<std::uint16_t>(code));
  CDSL_CHECK(entry != nullptr, "code without an entry in diagnostic_codes.def");
  return *entry;
}

std::string code_text(Code code) {
  std::string digits = std::to_string(static_cast<std::uint16_t>(code));
  return "C" + std::string(4 - std::min<std::size_t>(4, digits.size()), '0') + digits;
}

std::optional<Code> find_code(std::string_view text) {
  if (!text.empty() && (text[0] == 'C' || text[0] == 'c')) text.remove_prefix(1);
  std::uint16_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const CodeInfo* entry = find(number);
  if (entry == nullptr) return std::nullopt;
  return entry->code;
}

Diagnostic& DiagnosticSink::report(Code code, SourceRange range, std::string message) {
  dropped_ = Diagnostic{code, info(code).severity, range, std::move(message), {}, {}};
  if (full_) return dropped_;
  std::size_t looked_at = 0;
  for (auto it = diagnostics_.rbegin(); it != diagnostics_.rend() && looked_at < kRemembered;
       ++it, ++looked_at)
    if (it->code == code && it->range == range && range.valid()) return dropped_;

  if (dropped_.severity == Severity::Error) {
    if (error_limit_ != 0 && error_count_ == error_limit_) {
      full_ = true;
      diagnostics_.push_back({Code::TooManyErrors,
                              Severity::Error,
                              range,
                              "too many errors; the rest is left out",
                              {},
                              {}});
      return dropped_;
    }
    ++error_count_;
  }
  diagnostics_.push_back(std::move(dropped_));
  return diagnostics_.back();
}

void DiagnosticSink::clear() {
  diagnostics_.clear();
  error_count_ = 0;
  full_ = false;
}

}  // namespace cdsl
