// The environment of the process. Nothing else in the project reads it.
#pragma once

#include <string>

#include "runtime/library.h"

namespace cdsl {

struct Environment {
  runtime::LibraryHints libraries;  // CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, CONDA_PREFIX, HOME
  std::string temporary_folder;     // TMPDIR, else /tmp
  bool no_color = false;            // NO_COLOR is set, or TERM is dumb
};

Environment read_environment();

}  // namespace cdsl
