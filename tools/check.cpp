#include "frontend/analyze.h"
#include "tools/commands.h"

namespace cdsl::tools {

int check_command(Session& session) {
  const Settings& settings = session.settings;
  if (settings.positional.empty()) return session.usage_error("check needs a file");
  bool failed = false;
  for (const std::string& path : settings.positional) {
    Source& source = session.load(path);
    if (!source.has_errors()) {
      if (settings.positional.size() == 1)
        check_defines(settings.compile.defines, source.program, source.diagnostics);
      const AnalyzeOptions analysis{settings.compile.defines.sizes, settings.compile.defines.types,
                                    settings.compile.strict};
      if (settings.function.empty()) {
        check_program(source.program, source.files, analysis, source.diagnostics);
      } else {
        std::vector<std::string> skipped;
        for (const std::string& name :
             functions_to_compile(source, settings.function, settings.compile, skipped)) {
          analyze_function(source, name, settings.compile);
        }
      }
    }
    failed |= session.report(source);
  }
  return failed ? kSourceError : kOk;
}

}  // namespace cdsl::tools
