// SourceManager::check_text: which bytes may stand in a source file.
#include <fmt/format.h>

#include "frontend/source.h"
#include "frontend/utf8.h"

namespace cdsl {
namespace {

constexpr int kReportsAFile = 5;
constexpr char32_t kBomCharacter = 0xFEFF;

// What is wrong with a character, if anything.
struct Fault {
  Code code;
  std::string message;
};

bool fault_at(std::string_view text, std::size_t at, Utf8Char c, Fault& fault) {
  if (c.bytes == 0) {
    auto byte = static_cast<unsigned char>(text[at]);
    fault = {Code::InvalidUtf8, fmt::format("byte 0x{:02X} is not valid UTF-8 here", byte)};
    return true;
  }
  if (c.value == 0) {
    fault = {Code::NulByte, "NUL byte in source text"};
    return true;
  }
  if (c.value == kBomCharacter) {
    fault = {Code::MisplacedBom, "byte order mark inside the text"};
    return true;
  }
  if (c.value == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) {
    fault = {Code::ControlCharacter, "carriage return without a line feed"};
    return true;
  }
  bool is_space = c.value == '\t' || c.value == '\n' || c.value == '\r';
  if ((c.value < 0x20 && !is_space) || (c.value >= 0x7F && c.value < 0xA0)) {
    fault = {Code::ControlCharacter, fmt::format("control character U+{:04X} in source text",
                                                 static_cast<unsigned>(c.value))};
    return true;
  }
  return false;
}

}  // namespace

bool SourceManager::check_text(std::uint32_t file, DiagnosticSink& sink) const {
  const std::string& text = files_[file].text;
  int reports = 0;
  if (files_[file].too_large) {
    sink.report(Code::FileTooLarge, {file, 0, 0},
                fmt::format("'{}' is longer than {} bytes", files_[file].name, kMaxFileBytes));
    return false;
  }
  Code last = Code::TooManyErrors;
  std::size_t last_end = 0;
  for (std::size_t at = 0; at < text.size() && reports < kReportsAFile;) {
    // Nearly every byte is plain ASCII.
    auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7F) {
      ++at;
      continue;
    }
    Utf8Char c = decode_utf8(text, at);
    std::size_t end = at + (c.bytes == 0 ? 1 : c.bytes);
    Fault fault;
    if (fault_at(text, at, c, fault)) {
      bool goes_on = reports > 0 && fault.code == last && at == last_end;
      if (!goes_on) {
        SourceRange range{file, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end)};
        sink.report(fault.code, range, std::move(fault.message));
        ++reports;
      }
      last = fault.code;
      last_end = end;
    }
    at = end;
  }
  return reports == 0;
}

}  // namespace cdsl
