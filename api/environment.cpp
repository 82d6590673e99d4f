#include "api/environment.h"

#include <cstdlib>
#include <string_view>

namespace cdsl {
namespace {

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Environment read_environment() {
  Environment environment;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (std::string root = value_of(name); !root.empty())
      environment.libraries.cuda_roots.push_back(std::move(root));
  }
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (std::string prefix = value_of(name); !prefix.empty())
      environment.libraries.python_prefixes.push_back(std::move(prefix));
  }
  if (const std::string home = value_of("HOME"); !home.empty()) {
    environment.libraries.python_prefixes.push_back(home + "/.local");
  }
  environment.temporary_folder = value_of("TMPDIR");
  if (environment.temporary_folder.empty()) environment.temporary_folder = "/tmp";
  environment.no_color = !value_of("NO_COLOR").empty() || value_of("TERM") == "dumb";
  return environment;
}

}  // namespace cdsl
