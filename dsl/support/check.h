// The door for bugs of the compiler: a check that fails throws InternalError.
//
// Never use it for a mistake of the user; that is a Diagnostic (dsl/support/diagnostic.h).
//   CDSL_CHECK(rank < 8, "rank of " + name);     the message is built only when the check fails
//   CDSL_UNREACHABLE("a form that the verifier has ruled out");
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cdsl {

class InternalError : public std::logic_error {
 public:
  InternalError(std::string_view file, int line, std::string_view message)
      : std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " +
                         std::string(message)),
        file_(file),
        line_(line),
        message_(message) {}

  const std::string& file() const { return file_; }
  int line() const { return line_; }
  const std::string& message() const { return message_; }

 private:
  std::string file_;
  int line_;
  std::string message_;
};

[[noreturn]] inline void fail_check(const char* file, int line, std::string_view condition,
                                    const std::string& message) {
  std::string text(condition);
  if (!message.empty()) text += (text.empty() ? "" : ": ") + message;
  throw InternalError(file, line, text);
}

}  // namespace cdsl

#define CDSL_CHECK(condition, ...)                                                    \
  do {                                                                                \
    if (!(condition)) [[unlikely]]                                                    \
      ::cdsl::fail_check(__FILE__, __LINE__, #condition, ::std::string(__VA_ARGS__)); \
  } while (false)

#define CDSL_UNREACHABLE(...) \
  ::cdsl::fail_check(__FILE__, __LINE__, "unreachable", ::std::string(__VA_ARGS__))
