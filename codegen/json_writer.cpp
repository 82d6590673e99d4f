#include "codegen/json_writer.h"

#include <fmt/format.h>

namespace cdsl::cuda {

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(static_cast<std::size_t>(2 * depth_), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!first_) out_ += ',';
  if (depth_ > 0) new_line();
  first_ = false;
}

void JsonWriter::open(char bracket) {
  before_value();
  out_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) new_line();
  out_ += bracket;
  first_ = false;
}

void JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  before_value();
  out_ += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out_ += c;
    }
  }
  out_ += '"';
}

void JsonWriter::integer(int64_t value) {
  before_value();
  out_ += std::to_string(value);
}

void JsonWriter::boolean(bool value) {
  before_value();
  out_ += value ? "true" : "false";
}

}  // namespace cdsl::cuda
