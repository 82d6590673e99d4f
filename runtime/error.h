// What goes wrong at run time and is neither the program's nor the compiler's fault: no memory, no
// device, a library that answers with an error. Mistakes in arguments are tir::LaunchError values
// instead.
#pragma once

#include <stdexcept>
#include <string>

namespace cdsl::runtime {

/// Carries the interface that failed ("cuMemAlloc", "simulator"), its own code or name of the
/// error, and the kernel or the compiler's log where there is one.
class Error : public std::runtime_error {
 public:
  Error(std::string api, std::string code, const std::string& message, std::string log = {})
      : std::runtime_error(api + ": " + message + (code.empty() ? "" : " (" + code + ")")),
        api_(std::move(api)),
        code_(std::move(code)),
        log_(std::move(log)) {}

  const std::string& api() const { return api_; }
  const std::string& code() const { return code_; }
  const std::string& log() const { return log_; }

 private:
  std::string api_, code_, log_;
};

}  // namespace cdsl::runtime
