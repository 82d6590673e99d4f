#include "api/npy_header.h"

#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace cdsl {
namespace {

constexpr int64_t kMaxElementBytes = int64_t{1} << 31;
constexpr std::size_t kMaxRank = 64,
                      kMaxDepth = 16;  // NumPy's own limit of axes; nested structured types

/// Reads the subset of Python literals that NumPy writes: {'descr': ..., 'fortran_order': False,
/// 'shape': (2, 3), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  std::optional<std::string> parse(NpyHeader& header) {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (ok() && !accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        header.element_bytes = type("", 0, header.leaves, 0);
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = tuple();
      } else {
        fail(fmt::format("unexpected key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (ok() && at_ != text_.size()) fail("text after the closing brace");
    if (ok() && !(has_descr && has_order && has_shape))
      fail("'descr', 'fortran_order' or 'shape' is missing");
    return error_;
  }

 private:
  bool ok() const { return !error_; }
  void fail(std::string what) {
    if (!error_) error_ = std::move(what);
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (!ok() || peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (ok() && !accept(c)) fail(fmt::format("'{}' is missing at byte {}", c, at_));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') {
      fail(fmt::format("a string is missing at byte {}", at_));
      return {};
    }
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) {
      fail("a string is not closed");
      return {};
    }
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    if (value.find('\\') != std::string::npos) fail("escapes in names are not supported");
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    fail("'fortran_order' is neither True nor False");
    return false;
  }

  int64_t integer() {
    skip_space();
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) {
      fail(fmt::format("an extent at byte {} is no integer of at least 0", at_));
      return 0;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    accept('L');  // Python 2 wrote longs this way
    return value;
  }

  /// (2, 3), (4,), () or a bare 4.
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    if (!accept('(')) return {integer()};
    while (ok() && !accept(')')) {
      values.push_back(integer());
      if (values.size() > kMaxRank) fail(fmt::format("more than {} axes", kMaxRank));
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  /// Adds the leaves of a type; returns its bytes.
  int64_t type(const std::string& path, int64_t offset, std::vector<NpyLeaf>& leaves,
               std::size_t depth) {
    if (depth > kMaxDepth) fail("structured types are nested too deeply");
    if (!ok()) return 0;
    if (peek() != '[') return scalar(path, offset, leaves);
    expect('[');
    int64_t bytes = 0;
    while (ok() && !accept(']')) {
      bytes += field(path, offset + bytes, leaves, depth);
      if (bytes > kMaxElementBytes) fail("the element is too large");
      if (!accept(',')) {
        expect(']');
        break;
      }
    }
    return bytes;
  }

  /// ('name', type) or ('name', type, (3,)); a name may be a pair of title and name.
  int64_t field(const std::string& path, int64_t offset, std::vector<NpyLeaf>& leaves,
                std::size_t depth) {
    expect('(');
    std::string name;
    if (accept('(')) {
      string();
      expect(',');
      name = string();
      expect(')');
    } else {
      name = string();
    }
    expect(',');
    std::vector<NpyLeaf> inner;
    int64_t bytes = type(path.empty() ? name : path + "." + name, offset, inner, depth + 1);
    if (accept(',') && peek() != ')') {
      const std::vector<int64_t> extents = tuple();
      int64_t count = 1;
      for (int64_t extent : extents) {
        if (extent > kMaxElementBytes || (count *= extent) > kMaxElementBytes) {
          fail("a sub-array is too large");
          return 0;
        }
      }
      if (inner.size() > 1)
        fail(fmt::format("field '{}' is an array of structures, which no record holds", name));
      if (!inner.empty())
        inner[0].extents.insert(inner[0].extents.end(), extents.begin(), extents.end());
      if (count != 0 && bytes > kMaxElementBytes / count) {
        fail("the element is too large");
        return 0;
      }
      bytes *= count;
    }
    expect(')');
    if (!name.empty())
      leaves.insert(leaves.end(), inner.begin(), inner.end());  // a nameless field is padding
    return bytes;
  }

  /// '<f4', '|u1', '>c16'
  int64_t scalar(const std::string& path, int64_t offset, std::vector<NpyLeaf>& leaves) {
    const std::string text = string();
    if (!ok()) return 0;
    NpyLeaf leaf;
    leaf.path = path;
    leaf.offset = offset;
    std::size_t at = 0;
    if (!text.empty() && std::string_view("<>|=").find(text[0]) != std::string_view::npos) leaf.swapped = text[at++] == '>';
    if (at < text.size()) leaf.kind = text[at++];
    const auto [end, error] =
        std::from_chars(text.data() + at, text.data() + text.size(), leaf.bytes);
    if (at == text.size() || error != std::errc() || end != text.data() + text.size() ||
        leaf.bytes < 0 || leaf.bytes > kMaxElementBytes) {
      fail(fmt::format("'{}' is no element type", text));
      return 0;
    }
    if (std::string_view("fiucbV").find(leaf.kind) == std::string_view::npos)
      fail(fmt::format("elements of type '{}' cannot be passed", text));
    leaves.push_back(leaf);
    return leaf.bytes;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> error_;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view contents) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (!contents.starts_with(kMagic)) return Failure{"it is no .npy file"};
  if (contents.size() < 10) return Failure{"the file ends inside its header"};
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(contents[at]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return Failure{fmt::format("version {} of .npy is not known", version)};
  std::size_t start = 10, length = byte(8) | byte(9) << 8;
  if (version > 1) {
    if (contents.size() < 12) return Failure{"the file ends inside its header"};
    length |= byte(10) << 16 | byte(11) << 24;
    start = 12;
  }
  if (length > contents.size() - start) {
    return Failure{fmt::format("its header claims {} bytes, the file has {}", length,
                               contents.size() - start)};
  }
  NpyHeader header;
  if (auto error = HeaderParser(contents.substr(start, length)).parse(header))
    return Failure{"malformed header: " + *error};
  header.data_offset = start + length;
  return header;
}

}  // namespace cdsl
