/* The standard streams, for archives of isl and GMP that were not compiled for shared libraries: what they call stderr is renamed
 * to these, which lie in the library itself. */
#include <stdio.h>

__attribute__((visibility("hidden"))) FILE *own_stdin, *own_stdout, *own_stderr;

__attribute__((constructor)) static void set_streams(void) {
  own_stdin = stdin;
  own_stdout = stdout;
  own_stderr = stderr;
}
