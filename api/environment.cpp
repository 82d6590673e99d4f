#include "api/environment.h"

#include <cstdlib>
#include <string_view>

#include "api/byte_size.h"

namespace cdsl {
namespace {

std::string value_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void add_sentence(std::string& text, const std::string& sentence) {
  text += (text.empty() ? "" : "; ") + sentence;
}

void read_cache_folder(Environment& environment) {
  if (const char* folder = std::getenv("CDSL_CACHE_DIR")) {
    environment.cache.folder = folder;  // empty on purpose: no cache
    return;
  }
  // A relative path in XDG_CACHE_HOME is to be ignored (XDG Base Directory Specification 0.8).
  const std::string caches = value_of("XDG_CACHE_HOME"), home = value_of("HOME");
  if (caches.starts_with('/'))
    environment.cache.folder = caches + "/cdsl";
  else if (!home.empty())
    environment.cache.folder = home + "/.cache/cdsl";
  else
    add_sentence(
        environment.cache_problem,
        "no compiled kernel is kept: none of CDSL_CACHE_DIR, XDG_CACHE_HOME and HOME names "
        "a folder for them");
}

void read_cache_size(Environment& environment) {
  const std::string text = value_of("CDSL_CACHE_SIZE");
  if (text.empty()) return;
  if (const auto size = parse_byte_size(text))
    environment.cache.size_bound = *size;
  else
    add_sentence(environment.cache_problem,
                 "CDSL_CACHE_SIZE is '" + text + "', which is no size like 500M or 2G; " +
                     byte_size_text(environment.cache.size_bound) + " is used");
}

void read_read_only_caches(Environment& environment) {
  const std::string list = value_of("CDSL_CACHE_READ_ONLY");
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (const auto folder = rest.substr(0, colon); !folder.empty())
      environment.cache.read_only.emplace_back(folder);
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
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
  read_cache_folder(environment);
  read_cache_size(environment);
  read_read_only_caches(environment);
  environment.line_tables = !value_of("CDSL_LINE_TABLES").empty();
  environment.temporary_folder = value_of("TMPDIR");
  if (environment.temporary_folder.empty()) environment.temporary_folder = "/tmp";
  environment.no_color = !value_of("NO_COLOR").empty() || value_of("TERM") == "dumb";
  return environment;
}

}  // namespace cdsl
