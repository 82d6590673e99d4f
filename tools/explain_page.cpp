#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "api/linked_text.h"
#include "api/toolkit.h"
#include "dsl/support/check.h"
#include "tools/explain.h"
#include "tools/page/assets.h"

namespace cdsl::tools {
namespace {

using llvm::json::Array;
using llvm::json::Value;

llvm::json::Value text(std::string_view s) {
  return llvm::json::fixUTF8(llvm::StringRef(s.data(), s.size()));
}

/// JSON that may stand in a <script>: no text can end that, or begin a comment.
std::string json(const Value& value) {
  std::string plain, out;
  llvm::raw_string_ostream(plain) << value;
  for (const char c : plain) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

/// Text that may stand in markup.
std::string markup(std::string_view plain) {
  std::string out;
  for (const char c : plain) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

/// The page with its marks replaced, in their order: what replaces one is not searched for the next.
std::string filled(std::string_view page, std::span<const std::pair<std::string_view, std::string>> parts) {
  std::string out;
  for (const auto& [mark, part] : parts) {
    const std::size_t at = page.find(mark);
    CDSL_CHECK(at != std::string_view::npos, fmt::format("the page has no {}", mark));
    out.append(page.substr(0, at)).append(part);
    page.remove_prefix(at + mark.size());
  }
  return out.append(page);
}

/// The JSON of a page, of which texts take what is left below a limit.
class PageData {
 public:
  PageData(const Session& session, const Source& source, std::size_t room) : session_(session), source_(source), room_(room) {}

  std::string run(const std::vector<PageUnit>& units) {
    std::vector<std::string> functions, left_out;
    std::vector<const PageUnit*> shown;
    const std::string files = source_files();
    for (const PageUnit& page_unit : units) {
      std::string facts = facts_of(page_unit);
      if (!takes(facts.size() + kTextsAtLeast)) {
        left_out.push_back(json(text(page_unit.unit.function.name)));
        continue;
      }
      shown.push_back(&page_unit);
      functions.push_back("{\"facts\":" + std::move(facts));
    }
    // Level by level, so that what is cut is PTX first.
    std::vector<std::vector<LinkedLine>> cuda;
    for (std::size_t k = 0; k < shown.size(); ++k) {
      functions[k] += ",\"loop\":" + loop_lines(*shown[k]);
      cuda.push_back(linked_cuda(source_, shown[k]->unit, session_.settings.compile));
    }
    for (std::size_t k = 0; k < shown.size(); ++k) functions[k] += ",\"cuda\":" + lines_of(cuda[k], made_from);
    for (std::size_t k = 0; k < shown.size(); ++k) functions[k] += ",\"ptx\":" + ptx_of(shown[k]->unit, cuda[k]) + "}";
    return fmt::format("{{\"version\":{},\"architecture\":{},\"files\":[{}],\"functions\":[{}],\"left_out\":[{}]}}", json(text(kVersion)),
                       json(text(session_.settings.compile.architecture)), files, fmt::join(functions, ",\n"), fmt::join(left_out, ","));
  }

 private:
  static constexpr std::size_t kTextsAtLeast = 2000;   // of a function: its texts may be cut, but not to nothing

  bool takes(std::size_t bytes) {
    if (bytes > room_) return false;
    room_ -= bytes;
    return true;
  }

  static Array made_from(const LinkedLine& line) {
    Array row{text(line.text)};
    if (line.made_from > 0) row.push_back(line.made_from);
    return row;
  }

  /// [text, file, first line, last line, accesses as [kernel, access], line of the statement].
  Array loop_row(const LinkedLine& line) const {
    Array row{text(line.text)};
    if (!line.where.valid()) return row;
    row.push_back(line.where.file);
    row.push_back(source_.files.line_column(line.where.file, line.where.begin).line);
    row.push_back(source_.files.line_column(line.where.file, std::max(line.where.begin, line.where.end - 1)).line);
    if (line.touches.empty() && line.made_from == 0) return row;
    Array touches;
    for (const LinkedLine::Touch& touch : line.touches)
      touches.push_back(Array{static_cast<int64_t>(touch.kernel), static_cast<int64_t>(touch.access)});
    row.push_back(std::move(touches));
    if (line.made_from > 0) row.push_back(line.made_from);
    return row;
  }

  std::string loop_lines(const PageUnit& page_unit) {
    return lines_of(linked_loop_ir(page_unit.unit.program, page_unit.explanation.prediction),
                    [this](const LinkedLine& line) { return loop_row(line); });
  }

  /// As many as there is room for, but for `spared` bytes.
  std::string lines_of(const std::vector<LinkedLine>& lines, const std::function<Array(const LinkedLine&)>& row_of,
                       std::size_t spared = 0) {
    std::string rows;
    std::size_t shown = 0;
    for (; shown < lines.size(); ++shown) {
      const std::string row = json(row_of(lines[shown]));
      if (room_ < spared + row.size() + 2 || !takes(row.size() + 2)) break;
      rows += (rows.empty() ? "" : ",\n") + row;
    }
    return fmt::format("{{\"lines\":[{}],\"left_out\":{}}}", rows, lines.size() - shown);
  }

  std::string source_files() {
    const std::size_t spared = room_ / 2;   // for what is made of it
    std::string all;
    for (std::uint32_t file = 0; file < source_.files.file_count(); ++file) {
      std::vector<LinkedLine> lines;
      for (std::uint32_t line = 1; line <= source_.files.line_count(file); ++line)
        lines.push_back({std::string(source_.files.text(source_.files.line_range(file, line))), {}, 0, {}});
      all += fmt::format("{}{{\"name\":{},\"text\":{}}}", all.empty() ? "" : ",", json(text(source_.files.name(file))),
                         lines_of(lines, made_from, spared));
    }
    return all;
  }

  std::string facts_of(const PageUnit& page_unit) const {
    auto facts = llvm::json::parse(explanation_json(session_, source_, page_unit.unit, page_unit.explanation));
    if (!facts) {
      llvm::consumeError(facts.takeError());
      return "null";
    }
    return json(*facts);
  }

  std::string ptx_of(const Compiled& unit, const std::vector<LinkedLine>& cuda) {
    const auto none = [](const std::string& why) { return fmt::format("{{\"lines\":[],\"left_out\":0,\"why\":{}}}", json(text(why))); };
    if (!session_.settings.measure) return none("NVRTC was not asked (--estimate)");
    CompileOptions options = session_.settings.compile;
    options.line_tables = true;
    const MachineCode code = compile_text(session_.environment, joined(cuda), unit.function.name + ".cu", options);
    if (!code.toolkit) return none(code.problem);
    if (!code.result.ok) return none("NVRTC rejects the emitted text: " + code.result.error);
    return lines_of(linked_ptx(code.result.ptx), made_from);
  }

  const Session& session_;
  const Source& source_;
  std::size_t room_;
};

}  // namespace

std::string explanation_page(const Session& session, const Source& source, const std::vector<PageUnit>& units) {
  constexpr std::size_t kReserve = 20'000;   // names, and what is written around the lines
  const std::size_t fixed = page_html.size() + page_css.size() + page_js.size() + kReserve;
  const std::string name = source.main_file == kNoFile ? "" : std::string(source.files.name(source.main_file));
  const std::array<std::pair<std::string_view, std::string>, 4> parts = {{
      {"<!--title-->", markup(llvm::json::fixUTF8(name))},
      {"/*style*/", std::string(page_css)},
      {"<!--data-->", PageData(session, source, kLargestPage - fixed).run(units)},
      {"/*script*/", std::string(page_js)},
  }};
  return filled(page_html, parts);
}

}  // namespace cdsl::tools
