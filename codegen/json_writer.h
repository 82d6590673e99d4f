// Writes JSON, indented by two, strings escaped. Keys come out in the order in which they are
// written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace cdsl::cuda {

class JsonWriter {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_list() { open('['); }
  void close_list() { close(']'); }
  void key(std::string_view name);
  void text(std::string_view value);
  void integer(int64_t value);
  void boolean(bool value);

  void field(std::string_view name, std::string_view value) { key(name), text(value); }
  void field(std::string_view name, const char* value) { field(name, std::string_view(value)); }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void field(std::string_view name, Integer value) {
    key(name);
    if constexpr (std::is_same_v<Integer, bool>) {
      boolean(value);
    } else {
      integer(static_cast<int64_t>(value));
    }
  }
  template <class Body>
  void list(std::string_view name, Body&& body) {
    key(name);
    open_list();
    body();
    close_list();
  }
  template <class Body>
  void object(Body&& body) {
    open_object();
    body();
    close_object();
  }

  std::string take() { return std::move(out_) + "\n"; }

 private:
  void open(char bracket);
  void close(char bracket);
  void before_value();
  void new_line();

  std::string out_;
  int depth_ = 0;
  bool first_ = true;  // nothing stands in the innermost bracket yet
  bool after_key_ = false;
};

}  // namespace cdsl::cuda
