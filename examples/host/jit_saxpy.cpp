// A kernel from text to result. `jit_saxpy sim` runs it without a GPU.
#include <cdsl/cdsl.hpp>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) try {
  cdsl::Runtime runtime({argc > 1 ? argv[1] : "cuda", nullptr});
  cdsl::Kernel saxpy = runtime.parse("fn saxpy(x: f32[N], y: f32[N], a: f32) -> (r: f32[N]) { r[i] = a * x[i] + y[i]; }").kernel();
  std::vector<float> x(1000, 2.0f), y(1000, 1.0f), r(1000);
  cdsl::Buffer xs = saxpy.buffer("x", {1000}), ys = saxpy.buffer("y", {1000}), rs = saxpy.buffer("r", {1000});
  xs.upload(x);
  ys.upload(y);
  saxpy.launch(nullptr, xs, ys, 3.0f, rs);
  runtime.synchronize();
  rs.download(r);
  std::printf("3 * 2 + 1 = %g\n", r[999]);
  return r[0] == 7.0f && r[999] == 7.0f ? 0 : 1;
} catch (const cdsl::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.status() >= CDSL_ERROR_NO_DRIVER && error.status() <= CDSL_ERROR_NO_NVRTC ? 77 : 1;
}
