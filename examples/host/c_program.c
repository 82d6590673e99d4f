/* The same in C: every call that can fail gives a status, and cdsl_last_error() says why. `c_program sim` needs no GPU. */
#include <cdsl/cdsl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char kProgram[] =
    "fn softmax(X: f32[M, N]) -> (Y: f32[M, N]) {\n"
    "  top[i] = max[j](X[i, j]);\n"
    "  den[i] = sum[j](exp(X[i, j] - top[i]));\n"
    "  Y[i, j] = exp(X[i, j] - top[i]) / den[i];\n"
    "}\n";

enum { ROWS = 5, COLUMNS = 33 };

static void check(cdsl_status status) {
  if (status == CDSL_OK) return;
  fprintf(stderr, "%s: %s\n", cdsl_status_name(status), cdsl_last_error());
  exit(status >= CDSL_ERROR_NO_DRIVER && status <= CDSL_ERROR_NO_NVRTC ? 77 : 1);
}

int main(int argc, char** argv) {
  cdsl_runtime_options options = {0};
  options.device = argc > 1 ? argv[1] : "cuda";
  cdsl_runtime* runtime;
  cdsl_module* module;
  cdsl_kernel* softmax;
  check(cdsl_runtime_create(&options, &runtime));
  check(cdsl_module_parse(runtime, kProgram, "softmax.cdsl", NULL, &module));
  check(cdsl_module_kernel(module, "softmax", &softmax));

  float in[ROWS][COLUMNS], out[ROWS][COLUMNS];
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j) in[i][j] = (float)((i * 7 + j * 3) % 11) - 5.0f;
  }
  const int64_t extents[2] = {ROWS, COLUMNS};
  cdsl_buffer *x, *y;
  check(cdsl_buffer_create(softmax, 0, extents, 2, &x));
  check(cdsl_buffer_create(softmax, 1, extents, 2, &y));
  check(cdsl_buffer_upload(x, in, sizeof in));

  const cdsl_argument arguments[2] = {{cdsl_buffer_tensor(x), CDSL_I64, {0}}, {cdsl_buffer_tensor(y), CDSL_I64, {0}}};
  check(cdsl_kernel_launch(softmax, arguments, 2, NULL));
  check(cdsl_synchronize(runtime, NULL));
  check(cdsl_buffer_download(y, out, sizeof out));

  int wrong = 0;
  for (int i = 0; i < ROWS; ++i) {
    double sum = 0;
    for (int j = 0; j < COLUMNS; ++j) sum += exp((double)in[i][j]);
    for (int j = 0; j < COLUMNS; ++j) wrong += fabs(out[i][j] - exp((double)in[i][j]) / sum) > 1e-6;
  }
  printf("softmax: %d of %d wrong\n", wrong, ROWS * COLUMNS);

  cdsl_buffer_destroy(x);
  cdsl_buffer_destroy(y);
  cdsl_kernel_destroy(softmax);
  cdsl_module_destroy(module);
  cdsl_runtime_destroy(runtime);
  return wrong != 0;
}
