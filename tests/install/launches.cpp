// Calls a library of machine code on a driver that prints what it is asked for (fake_driver.cpp); launches.check says what that has
// to be. Pointers are numbers here.
#include <cdsl/aot.h>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "kern.h"

namespace {

template <class T>
T* at(std::uintptr_t address) { return reinterpret_cast<T*>(address); }

template <class Call>
void refused(const char* title, const Call& call) {
  std::printf("-- %s\n", title);
  try {
    call();
    std::puts("not refused");
  } catch (const cdsl::Error& error) {
    std::printf("status %d: %s\n", static_cast<int>(error.status()), error.what());
  }
}

void title(const char* text) { std::printf("-- %s\n", text); }

}  // namespace

int main() {
  void* const stream = at<void>(0x55);
  refused("open sim", [] { kern::open("sim"); });
  refused("a first call", [&] {
    kern::saxpy(at<float>(0x100000), at<float>(0x200000), 1.0f, at<float>(0x300000), 4096, stream);
    title("addresses that no vector fits");
    kern::saxpy(at<float>(0x100004), at<float>(0x200000), 1.0f, at<float>(0x300000), 4096, stream);
    title("nothing to do");
    kern::saxpy(nullptr, nullptr, 1.0f, nullptr, 0, stream);
  });
  refused("overlap", [&] { kern::saxpy(at<float>(0x100000), at<float>(0x200000), 1.0f, at<float>(0x200000), 4096, stream); });
  refused("negative", [&] { kern::saxpy(at<float>(0x100000), at<float>(0x200000), 1.0f, at<float>(0x300000), -1, stream); });
  refused("workspace of the stream", [&] {
    std::printf("needs %lld\n", kern::total_workspace_bytes({at<double>(0x100000), at<double>(0x10000000), 1000000}));
    kern::total(at<double>(0x100000), at<double>(0x10000000), 1000000, stream);
    title("workspace of the caller");
    kern::total({at<double>(0x100000), at<double>(0x10000000), 1000000}, stream, at<void>(0x900000));
  });
  refused("constants and reports", [&] {
    kern::weigh(at<float>(0x100000), at<int>(0x200000), at<double>(0x300000), 300, stream);
    kern::synchronize(stream);
  });
  refused("reported once", [&] { kern::synchronize(stream); });
  refused("fills", [&] {
    cdsl::aot::cdsl_fill(at<int>(0x100000), 7, 40, stream);
    cdsl::aot::cdsl_fill(at<double>(0x300000), -std::numeric_limits<double>::infinity(), 16, stream);
  });
  return 0;
}
