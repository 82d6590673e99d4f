#include "fuzz/compile_text.h"

#include <optional>
#include <utility>
#include <vector>

#include "dsl/machine/architectures.h"
#include "frontend/render.h"
#include "fuzz/target.h"

namespace cdsl::fuzz {
namespace {

constexpr double kTimeLimit = 1;    // seconds of one function: the compiler's own way to end

}  // namespace

CompileOptions options_of(unsigned bits) {
  CompileOptions options;
  options.check_defines = false;
  options.time_limit = kTimeLimit;
  options.decide = options.simplify = (bits & 1) == 0;
  options.strict = (bits & 2) != 0;
  options.fast_math = (bits & 4) != 0;
  if ((bits & 8) != 0) options.architecture = "sm_80";
  const std::int64_t sizes[] = {0, 1, 7, 1000};
  if ((bits & 16) != 0) {
    for (const char* name : {"N", "M", "K", "H", "W"}) options.defines.sizes[name] = sizes[bits >> 6 & 3];
  }
  if ((bits & 32) != 0) options.defines.types["T"] = ScalarType::BF16;
  return options;
}

void compile_text(const std::string& name, std::string text, const CompileOptions& options) {
  SourceInput input;
  input.path = name;
  input.text = std::move(text);
  const auto source = load_and_parse(input);
  if (!source->has_errors()) {
    std::vector<std::string> skipped;
    std::vector<Compiled> units;
    for (const std::string& function : functions_to_compile(*source, "", options, skipped)) {
      if (auto unit = compile(*source, function, options)) units.push_back(std::move(*unit));
      if (source->diagnostics.full()) break;
    }
    if (!source->has_errors()) must(!emit(*source, units, options).empty());
  }
  must(source->diagnostics.diagnostics().empty() || !render_text(source->files, source->diagnostics).empty());
}

}  // namespace cdsl::fuzz
