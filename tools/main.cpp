#include "tools/program.h"

int main(int argc, char** argv) {
  return cdsl::tools::run_program(argc, argv);
}
