// Programs and memory for tests of the embedded runtime on the fake GPU.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cdsl/cdsl.hpp"
#include "fake/fake_cuda.h"

namespace embed {

inline constexpr const char* kSaxpy = "fn saxpy(a: f32, x: f32[N], y: f32[N]) -> (r: f32[N]) { r[i] = a * x[i] + y[i]; }\n";

/// Control functions of the fake driver, which the library loads as any other.
template <class Function>
Function* control(const char* name) {
  static void* driver = dlopen("libcuda.so.1", RTLD_LAZY);
  auto* found = driver == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(driver, name));
  if (found == nullptr) ADD_FAILURE() << "the fake driver lacks " << name;
  return found;
}
inline fake::State state() {
  fake::State copy;
  control<void(fake::State*)>("fake_state")(&copy);
  return copy;
}
inline void fail(const char* function, int code) { control<void(const char*, int)>("fake_fail")(function, code); }
inline void make_current(int context, int device = 0) { control<void(int, int)>("fake_make_current")(context, device); }

/// Memory that is aligned as an allocation of the device.
template <class T>
class Memory {
 public:
  explicit Memory(std::size_t count) : bytes_(count * sizeof(T) + 256) {}
  T* data(std::size_t offset = 0) {
    const auto start = reinterpret_cast<std::uintptr_t>(bytes_.data());
    return reinterpret_cast<T*>((start + 255) / 256 * 256) + offset;
  }

 private:
  std::vector<unsigned char> bytes_;
};

class Embedded : public testing::Test {
 protected:
  Embedded() {
    control<void()>("fake_reset")();
    make_current(0);
  }
  cdsl::Runtime runtime{{"cuda", ""}};
};

/// What a call throws: its status and its words.
template <class Call>
std::pair<cdsl_status, std::string> failure_of(const Call& call) {
  try {
    call();
  } catch (const cdsl::Error& error) {
    return {error.status(), error.what()};
  }
  return {CDSL_OK, ""};
}

inline void* stream(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

}  // namespace embed
