#include "codegen/opening.h"

#include <fmt/format.h>
#include <algorithm>

namespace cdsl::cuda {
namespace {

constexpr std::size_t kMostLines = 200;
constexpr std::size_t kLongestLine = 1000;

// The source as it stands, indented; a very long one is cut.
void quote_source(std::string_view source, Writer& out) {
  std::size_t lines = 0;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = source.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (lines < kMostLines) {
      const bool cut = line.size() > kLongestLine;
      std::string text = line.empty() ? "" : "  " + std::string(line.substr(0, kLongestLine));
      if (cut) text += fmt::format(" ... ({} more characters)", line.size() - kLongestLine);
      std::replace(text.begin(), text.end(), '\r', ' ');
      out.quote(text);
    }
    ++lines;
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  if (lines > kMostLines) out.quote(fmt::format("  ... ({} more lines)", lines - kMostLines));
}

}  // namespace

void print_opening(const tir::Function& function, const Remarks& remarks,
                   const CudaOptions& options, Writer& out) {
  const std::string maker = options.version.empty() ? "cuoptc" : "cuoptc " + options.version;
  std::string from;
  if (options.locate && function.where.valid()) {
    const auto [path, line] = options.locate(function.where);
    from = fmt::format(" from {}:{}", path, line);
  }
  out.comment(fmt::format("{}, made by {} for {}{}{}.", function.name, maker, options.architecture,
                          options.strict ? " (strict)" : "", from));
  out.quote("");
  quote_source(function.source, out);
  if (remarks.empty()) return;
  out.quote("");
  out.quote("Decisions:");
  for (const Remark& remark : remarks) out.comment("- " + to_string(remark));
}

}  // namespace cdsl::cuda
