// Makes a runtime and launches once; prints the name of the status, what was said, and the milliseconds until then.

#include <chrono>
#include <cstdio>
#include <vector>

#include "cdsl/cdsl.hpp"

int main() {
  const auto begin = std::chrono::steady_clock::now();
  cdsl_status status = CDSL_OK;
  std::string words;
  try {
    cdsl::Runtime runtime;
    cdsl::Kernel kernel = runtime.parse("fn twice(x: f32[N]) -> (y: f32[N]) { y[i] = 2 * x[i]; }").kernel();
    alignas(256) static float x[64], y[64];
    kernel.launch(nullptr, cdsl::tensor(x, {64}), cdsl::tensor(y, {64}));
    runtime.synchronize();
  } catch (const cdsl::Error& error) {
    status = error.status();
    words = error.what() + (error.log().empty() ? "" : " | " + error.log());
  }
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  std::printf("%s %.0f %s\n", cdsl_status_name(status), taken.count(), words.c_str());
}
