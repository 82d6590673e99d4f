// A failure of the embedded runtime that is neither the driver's nor a bug: mistakes in a program or in a call.
#pragma once

#include <stdexcept>
#include <string>

#include "cdsl/cdsl.h"

namespace cdsl::jit {

class JitFailure : public std::runtime_error {
 public:
  JitFailure(cdsl_status status, const std::string& message, std::string kernel = {})
      : std::runtime_error(message), status_(status), kernel_(std::move(kernel)) {}
  cdsl_status status() const { return status_; }
  const std::string& kernel() const { return kernel_; }

 private:
  cdsl_status status_;
  std::string kernel_;
};

}  // namespace cdsl::jit
