#include "api/linked_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "codegen/cuda.h"
#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"

namespace cdsl {
namespace {

template <class Visit>
void for_lines(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::optional<int> leading_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

enum class Use { Load, Store, Atomic, Any };

Use use_of(predicting::AccessKind kind) {
  return static_cast<Use>(static_cast<int>(kind) % 3);   // shared ones follow in the same order
}

/// What a statement does to the places that it names itself.
Use use_of(const loop::Statement& statement) {
  const auto& node = statement.node;
  if (std::holds_alternative<loop::Atomic>(node)) return Use::Atomic;
  if (std::holds_alternative<loop::Store>(node) || std::holds_alternative<loop::VectorStore>(node) || std::holds_alternative<loop::MatrixStore>(node))
    return Use::Store;
  return std::holds_alternative<loop::VectorLoad>(node) || std::holds_alternative<loop::MatrixLoad>(node) ? Use::Load : Use::Any;
}

/// A place in memory that a statement names, as the predictor knows it.
struct Named {
  BufferId buffer;
  SourceRange where;
  Use use = Use::Any;

  bool is(const predicting::Access& access) const {
    return buffer == access.buffer && where == access.where && (use == Use::Any || use == use_of(access.kind));
  }
};

std::vector<Named> places_of(const loop::Program& program, const loop::Statement& statement) {
  std::vector<Named> places;
  const auto add = [&](BufferId buffer, SourceRange where, Use use) {
    places.push_back({buffer, where.valid() ? where : statement.where, use});
  };
  loop::for_each_access(statement, [&](const loop::Access& access) { add(access.buffer, access.where, use_of(statement)); });
  std::vector<ExprId> roots;
  loop::for_each_expression(statement, [&](ExprId id) { roots.push_back(id); });
  for (const ExprId id : postorder(program.arena, roots)) {
    if (const auto* load = program.arena.get_if<Load>(id)) add(load->buffer, program.arena.where(id), Use::Load);
  }
  return places;
}

/// By line of Loop IR, that on which its statement stands, from 1: the last of those that name parts of it. 0: of no statement.
std::vector<int> lines_of_statements(const std::vector<loop::TextLine>& rows) {
  std::vector<int> lines(rows.size());
  for (std::size_t k = rows.size(); k-- > 0;) {
    if (rows[k].statement == nullptr) continue;
    const bool goes_on = k + 1 < rows.size() && rows[k + 1].statement == rows[k].statement;
    lines[k] = goes_on ? lines[k + 1] : static_cast<int>(k) + 1;
  }
  return lines;
}

/// The number in `#line NUMBER "statement"`, 0 for the emitted file itself; nothing of another line.
std::optional<int> statement_number(std::string_view row) {
  constexpr std::string_view kWord = "#line ";
  if (!row.starts_with(kWord)) return std::nullopt;
  row.remove_prefix(kWord.size());
  const bool own = !row.ends_with(fmt::format(" \"{}\"", kStatementFile));
  return own ? 0 : leading_number(row).value_or(0);
}

/// Is it the end of a block, which belongs to no statement inside?
bool closes(std::string_view row) {
  const std::size_t first = row.find_first_not_of(' ');
  return first == std::string_view::npos || row[first] == '}';
}

/// `.loc` directives of PTX, each a line and column of CUDA, or of a helper called there.
class Locations {
 public:
  /// False where `row` is none.
  bool take(std::string_view row) {
    constexpr std::string_view kWord = ".loc";
    constexpr std::string_view kInlined = "inlined_at ";
    if (!row.starts_with(kWord)) return false;
    Place here = place(row.substr(kWord.size()));
    if (const std::size_t at = row.find(kInlined); at != std::string_view::npos) {
      const Place caller = outermost(place(row.substr(at + kInlined.size())));
      callers_.push_back({here, caller});
      here = caller;
    }
    line_ = here.line;
    return true;
  }
  int line() const { return line_; }
  void leave() { line_ = 0; }

 private:
  struct Place {
    int line = 0, column = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// "1 24 3, ...": file, line, column.
  static Place place(std::string_view text) {
    int numbers[3] = {};
    for (int& number : numbers) {
      text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
      number = leading_number(text).value_or(0);
      text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
    }
    return {numbers[1], numbers[2]};
  }
  /// Callers that were inlined themselves lead further out.
  Place outermost(Place inner) const {
    const auto found = std::find_if(callers_.rbegin(), callers_.rend(), [&](const auto& known) { return known.first == inner; });
    return found == callers_.rend() ? inner : found->second;
  }

  std::vector<std::pair<Place, Place>> callers_;   // of inlined places, outermost
  int line_ = 0;
};

}  // namespace

std::vector<LinkedLine> linked_loop_ir(const loop::Program& program, const predicting::FunctionPrediction& prediction) {
  std::vector<LinkedLine> lines;
  std::vector<loop::TextLine> rows = loop::to_lines(program);
  const std::vector<int> main_lines = lines_of_statements(rows);
  for (loop::TextLine& row : rows) {
    const auto number = static_cast<int>(lines.size()) + 1;
    const int main_line = main_lines[lines.size()];
    LinkedLine& line = lines.emplace_back(LinkedLine{std::move(row.text), row.where, main_line == number ? 0 : main_line, {}});
    if (row.statement == nullptr || main_line != number) continue;
    const std::vector<Named> places = places_of(program, *row.statement);
    for (std::size_t k = 0; k < prediction.kernels.size(); ++k) {
      const predicting::KernelPrediction& kernel = prediction.kernels[k];
      if (static_cast<int>(kernel.kernel) != row.kernel) continue;
      for (std::size_t a = 0; a < kernel.accesses.size(); ++a) {
        const predicting::Access& access = kernel.accesses[a];
        const bool here = std::any_of(places.begin(), places.end(), [&](const Named& named) { return named.is(access); });
        if (here) line.touches.push_back({k, a});
      }
    }
  }
  return lines;
}

std::vector<LinkedLine> linked_cuda(const Source& source, const Compiled& compiled, const CompileOptions& options) {
  std::unordered_map<const loop::Statement*, int> numbers;
  const std::vector<loop::TextLine> rows = loop::to_lines(compiled.program);
  const std::vector<int> main_lines = lines_of_statements(rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].statement != nullptr) numbers[rows[k].statement] = main_lines[k];
  }
  CudaOptions cuda;
  cuda.architecture = options.architecture;
  cuda.strict = options.strict;
  cuda.launcher = !compiled.stands_alone;
  cuda.locate = [&source](SourceRange where) { return source.locate(where); };
  cuda.number = [&numbers](const loop::Statement& statement) { return numbers.at(&statement); };
  std::vector<LinkedLine> lines;
  int made_from = 0;
  for_lines(emit_cuda(compiled.function, compiled.program, compiled.remarks, cuda), [&](std::string_view row) {
    if (const auto statement = statement_number(row))
      made_from = *statement;
    else
      lines.push_back({std::string(row), {}, closes(row) ? 0 : made_from, {}});
  });
  return lines;
}

std::vector<LinkedLine> linked_ptx(std::string_view ptx) {
  std::vector<LinkedLine> lines;
  Locations locations;
  bool ended = false;
  for_lines(ptx, [&](std::string_view row) {
    const std::string_view word = row.substr(std::min(row.find_first_not_of(" \t"), row.size()));
    ended = ended || word.starts_with(".section") || word.starts_with(".file");
    if (ended || locations.take(word)) return;
    if (word.empty() && (lines.empty() || lines.back().text.empty())) return;
    if (row.starts_with("//") || row.starts_with('.')) locations.leave();   // between kernels
    const bool instruction = row.starts_with('\t') && !word.starts_with('.');
    lines.push_back({std::string(row), {}, instruction ? locations.line() : 0, {}});
    if (row.starts_with('}')) locations.leave();
  });
  while (!lines.empty() && lines.back().text.empty()) lines.pop_back();
  return lines;
}

std::string joined(const std::vector<LinkedLine>& lines) {
  std::string text;
  for (const LinkedLine& line : lines) text += line.text + "\n";
  return text;
}

}  // namespace cdsl
