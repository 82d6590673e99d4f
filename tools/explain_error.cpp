#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "frontend/render.h"
#include "tools/commands.h"

namespace cdsl::tools {

int explain_error_command(Session& session) {
  if (session.settings.positional.empty())
    return session.usage_error("explain-error needs a code, for instance C0402");
  for (const std::string& text : session.settings.positional) {
    const auto code = find_code(text);
    if (!code) {
      std::vector<std::string> names;
      for (const CodeInfo& row : all_codes()) names.push_back(code_text(row.code));
      const std::vector<std::string_view> views(names.begin(), names.end());
      return session.usage_error(
          fmt::format("there is no code '{}'{}", text, did_you_mean(text, views)));
    }
    std::string explanation = explain(*code);
    if (!explanation.ends_with('\n')) explanation += '\n';
    if (!session.print(explanation)) return kUsage;
  }
  return kOk;
}

}  // namespace cdsl::tools
