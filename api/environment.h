// The environment of the process. Nothing else in the project reads it.
#pragma once

#include <string>

#include "runtime/cache/disk_cache.h"
#include "runtime/library.h"

namespace cdsl {

struct Environment {
  runtime::LibraryHints libraries;  // CUDA_HOME, CUDA_PATH, VIRTUAL_ENV, CONDA_PREFIX, HOME
  // CDSL_CACHE_DIR (empty: no cache), else $XDG_CACHE_HOME/cdsl, else $HOME/.cache/cdsl;
  // CDSL_CACHE_SIZE (bytes, or with K, M or G); CDSL_CACHE_READ_ONLY (folders, parted by colons)
  runtime::CacheOptions cache;
  bool line_tables = false;      // CDSL_LINE_TABLES is set
  std::string cache_problem;     // what is wrong with these variables; empty where nothing is
  std::string temporary_folder;  // TMPDIR, else /tmp
  bool no_color = false;         // NO_COLOR is set, or TERM is dumb
};

Environment read_environment();

}  // namespace cdsl
