#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "library/handles.h"
#include "api/jit/failure.h"
#include "runtime/error.h"
#include "api/version.h"

namespace cdsl::c {
namespace {

struct Failure {
  cdsl_status status = CDSL_OK;
  std::string message, api, api_code, kernel, log;
};
thread_local Failure last;

cdsl_status status_of(runtime::ErrorKind kind) {
  switch (kind) {
    case runtime::ErrorKind::NoDriver: return CDSL_ERROR_NO_DRIVER;
    case runtime::ErrorKind::DriverTooOld: return CDSL_ERROR_DRIVER_TOO_OLD;
    case runtime::ErrorKind::NoDevice: return CDSL_ERROR_NO_DEVICE;
    case runtime::ErrorKind::UnsupportedDevice: return CDSL_ERROR_UNSUPPORTED_DEVICE;
    case runtime::ErrorKind::NoNvrtc: return CDSL_ERROR_NO_NVRTC;
    case runtime::ErrorKind::Compile: return CDSL_ERROR_COMPILE;
    case runtime::ErrorKind::OutOfMemory: return CDSL_ERROR_OUT_OF_MEMORY;
    case runtime::ErrorKind::Refused: return CDSL_ERROR_LAUNCH;
    case runtime::ErrorKind::DeviceFault: return CDSL_ERROR_DEVICE_FAULT;
  }
  return CDSL_ERROR_INTERNAL;
}

}  // namespace

cdsl_status remember(cdsl_status status, const std::string& message) {
  last = {status, message, {}, {}, {}, {}};
  return status;
}

cdsl_status remember_failure() {
  try {
    throw;
  } catch (const jit::JitFailure& failure) {
    last = {failure.status(), failure.what(), {}, {}, failure.kernel(), {}};
  } catch (const runtime::Error& error) {
    last = {status_of(error.kind()), error.what(), error.api(), error.code(), {}, error.log()};
  } catch (const std::bad_alloc&) {
    last = {CDSL_ERROR_OUT_OF_MEMORY, "out of memory", {}, {}, {}, {}};
  } catch (const std::length_error&) {  // more elements than a container can count
    last = {CDSL_ERROR_OUT_OF_MEMORY, "out of memory", {}, {}, {}, {}};
  } catch (const std::exception& error) {
    last = {CDSL_ERROR_INTERNAL, std::string("a bug of cdsl: ") + error.what(), {}, {}, {}, {}};
  } catch (...) {
    last = {CDSL_ERROR_INTERNAL, "a bug of cdsl", {}, {}, {}, {}};
  }
  return last.status;
}

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw jit::JitFailure(CDSL_ERROR_ARGUMENT, std::string(what) + " is null");
}

char* copied(const std::string& text) {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) throw std::bad_alloc();
  std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

}  // namespace cdsl::c

extern "C" {

const char* cdsl_last_error(void) { return cdsl::c::last.message.c_str(); }

void cdsl_last_error_details(cdsl_error* out) {
  const auto& last = cdsl::c::last;
  if (out == nullptr) return;
  *out = {last.status, last.message.c_str(), last.api.c_str(), last.api_code.c_str(), last.kernel.c_str(), last.log.c_str()};
}

const char* cdsl_status_name(cdsl_status status) {
  switch (status) {
    case CDSL_OK: return "CDSL_OK";
    case CDSL_ERROR_SOURCE: return "CDSL_ERROR_SOURCE";
    case CDSL_ERROR_ARGUMENT: return "CDSL_ERROR_ARGUMENT";
    case CDSL_ERROR_NO_DRIVER: return "CDSL_ERROR_NO_DRIVER";
    case CDSL_ERROR_DRIVER_TOO_OLD: return "CDSL_ERROR_DRIVER_TOO_OLD";
    case CDSL_ERROR_NO_DEVICE: return "CDSL_ERROR_NO_DEVICE";
    case CDSL_ERROR_UNSUPPORTED_DEVICE: return "CDSL_ERROR_UNSUPPORTED_DEVICE";
    case CDSL_ERROR_NO_NVRTC: return "CDSL_ERROR_NO_NVRTC";
    case CDSL_ERROR_COMPILE: return "CDSL_ERROR_COMPILE";
    case CDSL_ERROR_OUT_OF_MEMORY: return "CDSL_ERROR_OUT_OF_MEMORY";
    case CDSL_ERROR_LAUNCH: return "CDSL_ERROR_LAUNCH";
    case CDSL_ERROR_CHECK: return "CDSL_ERROR_CHECK";
    case CDSL_ERROR_DEVICE_FAULT: return "CDSL_ERROR_DEVICE_FAULT";
    case CDSL_ERROR_INTERNAL: return "CDSL_ERROR_INTERNAL";
  }
  return "";
}

const char* cdsl_version(void) { return cdsl::kVersion.data(); }

void cdsl_string_destroy(char* text) { std::free(text); }

}  // extern "C"
