// What goes wrong at run time and is neither the program's nor the compiler's fault: no memory, no
// device, a library that answers with an error. Mistakes in arguments are tir::LaunchError values
// instead.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace cdsl::runtime {

enum class ErrorKind : uint8_t {
  NoDriver,           // libcuda is not installed
  DriverTooOld,       // it lacks functions, or refuses machine code that is newer than it
  NoDevice,           // a driver, but no GPU that can be used
  UnsupportedDevice,  // an architecture that we or NVRTC do not know
  NoNvrtc,            // libnvrtc is not installed
  Compile,            // NVRTC refused a text
  OutOfMemory,
  Refused,            // a call was refused; the context lives on
  DeviceFault         // a kernel faulted or the device is lost: the context is dead
};

/// Carries the interface that failed ("cuMemAlloc", "simulator"), its own code or name of the
/// error, and the kernel or the compiler's log where there is one.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string api, std::string code, const std::string& message, std::string log = {})
      : std::runtime_error(api + ": " + message + (code.empty() ? "" : " (" + code + ")")),
        kind_(kind),
        api_(std::move(api)),
        code_(std::move(code)),
        log_(std::move(log)) {}
  Error(std::string api, std::string code, const std::string& message, std::string log = {})
      : Error(ErrorKind::Refused, std::move(api), std::move(code), message, std::move(log)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& api() const { return api_; }
  const std::string& code() const { return code_; }
  const std::string& log() const { return log_; }

 private:
  ErrorKind kind_;
  std::string api_, code_, log_;
};

}  // namespace cdsl::runtime
