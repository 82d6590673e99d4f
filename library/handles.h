// What the handles of the C interface hold, and the one place where exceptions become status codes.
#pragma once

#include <memory>
#include <string>

#include "api/jit/buffer.h"
#include "api/jit/kernel.h"
#include "api/jit/module.h"
#include "api/jit/runtime.h"
#include "cdsl/cdsl.h"

struct cdsl_runtime {
  std::shared_ptr<cdsl::jit::JitRuntime> it;
};
struct cdsl_module {
  std::shared_ptr<cdsl::jit::JitModule> it;
};
struct cdsl_kernel {
  std::shared_ptr<cdsl::jit::JitKernel> it;
};
struct cdsl_buffer {
  std::unique_ptr<cdsl::jit::JitBuffer> it;
};

namespace cdsl::c {

/// Remembers the exception in flight as this thread's last failure; its status.
cdsl_status remember_failure();
cdsl_status remember(cdsl_status status, const std::string& message);

/// Runs `body`; CDSL_OK where nothing was thrown.
template <class Body>
cdsl_status guarded(const Body& body) noexcept {
  try {
    body();
    return CDSL_OK;
  } catch (...) {
    return remember_failure();
  }
}

/// Throws JitFailure where a pointer that has to be given is null.
void require(const void* pointer, const char* what);

/// A string of the caller's, to be freed by cdsl_string_destroy.
char* copied(const std::string& text);

}  // namespace cdsl::c
