#include "tools/embedded_text.h"

namespace cdsl::tools {
namespace {

std::string without_imports(const Source& source, std::uint32_t file) {
  std::string text(source.files.text(file));
  for (const ast::Item& item : source.program.items) {
    if (item.range.file != file || !std::holds_alternative<ast::ImportDecl>(item.node)) continue;
    for (std::uint32_t at = item.range.begin; at < item.range.end; ++at) {
      if (text[at] != '\n') text[at] = ' ';
    }
  }
  return text;
}

}  // namespace

std::string embedded_text(const Source& source) {
  std::string text = without_imports(source, source.main_file);
  for (std::uint32_t file = 0; file < source.files.file_count(); ++file) {
    if (file != source.main_file) text += "\n" + without_imports(source, file);
  }
  return text;
}

}  // namespace cdsl::tools
