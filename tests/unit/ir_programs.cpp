#include "ir_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace cdsl::test {
namespace {

std::vector<std::string> program_paths() {
  std::vector<std::string> paths;
  for (const char* folder : {"/tests/programs", "/examples"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(CDSL_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".cdsl") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::string messages(const DiagnosticSink& sink) {
  std::string text;
  for (const Diagnostic& d : sink.diagnostics()) text += code_text(d.code) + " " + d.message + "\n";
  return text;
}

void for_each_function(const std::function<void(Source& source, const std::string& name)>& visit) {
  for (const std::string& path : program_paths()) {
    const auto source = load_and_parse({path, {}, {}, 20});
    ASSERT_FALSE(source->has_errors()) << path << messages(source->diagnostics);
    std::vector<std::string> skipped;
    for (const std::string& name : functions_to_compile(*source, "", {}, skipped)) {
      SCOPED_TRACE(path + " " + name);
      visit(*source, name);
    }
  }
}

}  // namespace cdsl::test
