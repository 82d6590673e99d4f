/* The standard streams, for archives of isl and GMP that were not compiled for shared libraries: what they call stderr is renamed
 * to these, which lie in the library itself. */
#include <stdio.h>

__attribute__((visibility("hidden"))) FILE *cdsl_stdin, *cdsl_stdout, *cdsl_stderr;

__attribute__((constructor)) static void set_streams(void) {
  cdsl_stdin = stdin;
  cdsl_stdout = stdout;
  cdsl_stderr = stderr;
}
