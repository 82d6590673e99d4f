// Lays out emitted text: indentation, lines of at most 100 columns, comments that cannot be broken
// out of.
#pragma once

#include <string>
#include <string_view>

namespace cdsl::cuda {

/// Stands for a space at which a long line may be broken. Printers put it after an operator or a
/// comma.
inline constexpr char kBreak = '\x1f';
/// The same, preferred over others on its level of parentheses: between the parts of a choice, a
/// condition or a loop.
inline constexpr char kOuterBreak = '\x1d';

/// A line that stands for `#line` of the emitted file itself, after lines that were attributed to
/// the source.
inline constexpr const char* kOwnLine = "\x1e";

/// Replaces the kOwnLine lines of a whole file, which is called `name`.
std::string with_own_lines(std::string_view text, std::string_view name);

/// Text of the user made safe for a `//` comment: one line a line, no control bytes, nothing that
/// joins the next line (a backslash at the end, a trigraph for one) and nothing that reorders what
/// a reader sees (bidirectional controls).
std::string comment_safe(std::string_view line);

/// `text` as a C string literal, quotes included.
std::string string_literal(std::string_view text);

/// Breaks `text` at kBreak marks so that lines fit; marks that are not used become spaces.
/// Continuation lines are indented by four more. Prefers the outermost parenthesis level. Linear in
/// the length of the text.
std::string fold_line(std::string_view text, int indent);

class Writer {
 public:
  /// One logical line at the current indentation.
  void line(std::string_view text);
  void blank();
  /// Text that is laid out already, at the current indentation, line by line.
  void block(std::string_view text);
  /// `// ` lines, wrapped at words.
  void comment(std::string_view text);
  /// `// ` lines as they stand, for program text.
  void quote(std::string_view text);
  /// A preprocessor line, at column 0.
  void directive(std::string_view text);
  /// `if (condition) statement`, on one line where that fits.
  void guarded(const std::string& condition, const std::string& statement);
  void open(std::string_view head);  // "head {"
  void close(std::string_view tail = "}");
  void indent() { ++depth_; }
  void dedent() { --depth_; }

  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
};

}  // namespace cdsl::cuda
