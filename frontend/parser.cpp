#include "frontend/parser.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "frontend/parser_impl.h"

namespace cdsl {
namespace {

// Loads and parses files depth first, imported before importer, without recursion.
class ProgramLoader {
 public:
  ProgramLoader(SourceManager& sources, DiagnosticSink& sink, std::uint32_t max_expressions)
      : sources_(sources), sink_(sink), max_expressions_(max_expressions) {}

  ast::Program run(std::uint32_t root) {
    open(root);
    while (!stack_.empty()) step();
    return std::move(program_);
  }

 private:
  struct OpenFile {
    std::uint32_t file;
    std::vector<ast::Item> items;
    std::size_t next = 0;  // the item to look at for an import
    SourceRange import;    // of the file being imported now
  };

  void open(std::uint32_t file) {
    started_.push_back(file);
    OpenFile entry{file, {}, 0, {}};
    if (sources_.check_text(file, sink_)) {
      TokenList tokens = lex(sources_, file, sink_);
      entry.items = Parser(sources_, tokens, program_.exprs, sink_, max_expressions_).items();
    }
    stack_.push_back(std::move(entry));
  }

  // Opens the next import of the file on top, or closes that file.
  void step() {
    OpenFile& top = stack_.back();
    while (top.next < top.items.size() && !sink_.full()) {
      auto* import = std::get_if<ast::ImportDecl>(&top.items[top.next++].node);
      if (import == nullptr) continue;
      import->file = sources_.load_import(import->path, import->path_range, sink_);
      if (import->file == kNoFile || is_circle(import->file, import->path_range)) continue;
      if (std::ranges::find(started_, import->file) != started_.end()) continue;
      top.import = import->path_range;
      open(import->file);
      return;
    }
    std::move(top.items.begin(), top.items.end(), std::back_inserter(program_.items));
    stack_.pop_back();
  }

  bool is_circle(std::uint32_t file, SourceRange where) {
    auto first = std::ranges::find(stack_, file, &OpenFile::file);
    if (first == stack_.end()) return false;
    Diagnostic& report =
        sink_.report(Code::ImportCycle, where,
                     fmt::format("'{}' imports itself in a circle", sources_.name(file)));
    for (; first + 1 != stack_.end(); ++first)
      report.note(first->import,
                  fmt::format("'{}' is imported here", sources_.name((first + 1)->file)));
    return true;
  }

  SourceManager& sources_;
  DiagnosticSink& sink_;
  std::uint32_t max_expressions_;
  ast::Program program_;
  std::vector<OpenFile> stack_;
  std::vector<std::uint32_t> started_;
};

}  // namespace

ast::Program parse_program(SourceManager& sources, std::uint32_t file, DiagnosticSink& sink,
                           std::uint32_t max_expressions) {
  return ProgramLoader(sources, sink, max_expressions).run(file);
}

}  // namespace cdsl
