// Diagnostics as text. llvm::SMDiagnostic draws no caret under a line that is not ASCII and none of
// the mended lines, so the drawing is done here; the width of characters on screen comes from LLVM.
#include "frontend/render.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <llvm/Support/Unicode.h>

#include "frontend/utf8.h"

namespace cdsl {
namespace {

constexpr std::size_t kLongestLine = 120;  // columns of source shown
constexpr std::size_t kBeforeCaret = 60;   // of a cropped line
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

enum class Paint { Error, Warning, Note, Caret, Fix, Bold };

std::string painted(std::string_view text, Paint paint, bool color) {
  if (!color) return std::string(text);
  constexpr std::string_view codes[] = {"1;31", "1;35", "1;36", "1;32", "32", "1"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<int>(paint)], text);
}

// One character as shown: tabs as a space, what has no picture as a replacement.
struct Cell {
  std::string text;
  std::size_t width = 1;
  std::size_t byte = 0;  // its place in the line
};

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t at = 0; at < line.size();) {
    Utf8Char c = decode_utf8(line, at);
    std::size_t bytes = std::max(1u, c.bytes);
    Cell cell{std::string(line.substr(at, bytes)), 1, at};
    int width = c.bytes == 0 ? -1 : llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(cell.text));
    if (cell.text == "\t")
      cell.text = " ";
    else if (width < 0)
      cell.text = kReplacement;
    else
      cell.width = static_cast<std::size_t>(width);
    cells.push_back(std::move(cell));
    at += bytes;
  }
  return cells;
}

// Messages and names of files are made safe the same way.
std::string safe(std::string_view text) {
  std::string out;
  for (const Cell& cell : cells_of(text)) out += cell.text;
  return out;
}

// The line with `^~~~` below it; [begin, end) are bytes of the line.
std::string draw(std::string_view line, std::size_t begin, std::size_t end, bool color) {
  // Of a line of megabytes only the neighbourhood is looked at.
  std::size_t from = begin > 4 * kBeforeCaret ? begin - 4 * kBeforeCaret : 0;
  while (from > 0 && (static_cast<unsigned char>(line[from]) & 0xC0u) == 0x80u) --from;
  line = line.substr(from, 12 * kLongestLine);
  std::vector<Cell> cells = cells_of(line);
  begin -= from;
  end = std::max(end - from, begin + 1);
  std::size_t caret = 0;
  while (caret < cells.size() && cells[caret].byte + cells[caret].text.size() <= begin &&
         (caret + 1 == cells.size() || cells[caret + 1].byte <= begin))
    ++caret;
  bool crop_left = from > 0 || (cells.size() > kLongestLine && caret > kBeforeCaret);
  std::size_t first = crop_left && caret > kBeforeCaret ? caret - kBeforeCaret : 0;
  std::size_t last = std::min(cells.size(), first + kLongestLine);

  std::string text = crop_left ? "  ..." : "  ";
  std::string marks(text.size(), ' ');
  for (std::size_t i = first; i < last; ++i) {
    text += cells[i].text;
    if (i < caret)
      marks.append(cells[i].width, ' ');
    else if (i == caret)
      marks += '^' + std::string(std::max<std::size_t>(1, cells[i].width) - 1, '~');
    else if (cells[i].byte < end)
      marks.append(cells[i].width, '~');
  }
  if (caret >= last) marks += '^';
  if (last < cells.size()) text += "...";
  return text + "\n" + painted(marks, Paint::Caret, color) + "\n";
}

std::string place(const SourceManager& sources, SourceRange range) {
  if (!range.valid()) return {};
  LineColumn at = sources.line_column(range.file, range.begin);
  return fmt::format("{}:{}:{}: ", safe(sources.name(range.file)), at.line, at.column);
}

std::string source_line(const SourceManager& sources, SourceRange range, bool color) {
  if (!range.valid()) return {};
  SourceRange line =
      sources.line_range(range.file, sources.line_column(range.file, range.begin).line);
  std::size_t begin = std::min(range.begin, line.end) - line.begin;
  std::size_t end = std::min(std::max(range.end, range.begin), line.end) - line.begin;
  return draw(sources.text(line), begin, std::max(begin, end), color);
}

// The mended line, where all fix-its lie on one line that is short enough to show.
std::optional<std::string> mended_line(const SourceManager& sources, std::vector<FixIt> fixes) {
  SourceRange first = fixes.front().range;
  std::uint32_t number = sources.line_column(first.file, first.begin).line;
  SourceRange line = sources.line_range(first.file, number);
  std::string text(sources.text(line));
  if (text.size() > 2 * kLongestLine) return std::nullopt;
  std::ranges::stable_sort(
      fixes, [](const FixIt& a, const FixIt& b) { return a.range.begin > b.range.begin; });
  std::uint32_t previous = line.end;
  for (const FixIt& fix : fixes) {
    bool inside =
        fix.range.file == line.file && fix.range.begin >= line.begin && fix.range.end <= previous;
    if (!inside || fix.replacement.find('\n') != std::string::npos) return std::nullopt;
    text.replace(fix.range.begin - line.begin, fix.range.end - fix.range.begin, fix.replacement);
    previous = fix.range.begin;
  }
  return text;
}

std::string render_fixes(const SourceManager& sources, const std::vector<FixIt>& fixes,
                         bool color) {
  if (fixes.empty() || !fixes.front().range.valid()) return {};
  std::string label = painted("fix:", Paint::Fix, color);
  if (std::optional<std::string> line = mended_line(sources, fixes)) {
    std::size_t indent = std::min(line->find_first_not_of(" \t"), line->size());
    return fmt::format("  {} {}\n", label, safe(line->substr(indent)));
  }
  std::string out;
  for (const FixIt& fix : fixes) {
    if (!fix.range.valid()) continue;
    LineColumn at = sources.line_column(fix.range.file, fix.range.begin);
    std::string_view verb = fix.replacement.empty()            ? "delete"
                            : fix.range.begin == fix.range.end ? "insert"
                                                               : "replace by";
    out += fmt::format("  {} at {}:{} {} {}\n", label, at.line, at.column, verb,
                       safe(fix.replacement.empty() ? sources.text(fix.range) : fix.replacement));
  }
  return out;
}

}  // namespace

std::string render_text(const SourceManager& sources, const Diagnostic& diagnostic, bool color) {
  bool is_error = diagnostic.severity == Severity::Error;
  std::string out = painted(place(sources, diagnostic.range), Paint::Bold, color);
  out +=
      painted(is_error ? "error: " : "warning: ", is_error ? Paint::Error : Paint::Warning, color);
  out += fmt::format("{} [{}]\n", safe(diagnostic.message), code_text(diagnostic.code));
  out += source_line(sources, diagnostic.range, color);
  out += render_fixes(sources, diagnostic.fix_its, color);
  for (const Note& note : diagnostic.notes) {
    out += painted(place(sources, note.range), Paint::Bold, color);
    out += fmt::format("{}{}\n", painted("note: ", Paint::Note, color), safe(note.message));
    out += source_line(sources, note.range, color);
  }
  return out;
}

std::string render_text(const SourceManager& sources, const DiagnosticSink& sink, bool color) {
  std::string out;
  for (const Diagnostic& diagnostic : sink.diagnostics())
    out += render_text(sources, diagnostic, color);
  return out;
}

std::string explain(Code code) {
  const CodeInfo& entry = info(code);
  return fmt::format("{}: {}{}\n\n{}\n", code_text(code),
                     entry.severity == Severity::Warning ? "(warning) " : "", entry.title,
                     entry.explanation);
}

}  // namespace cdsl
