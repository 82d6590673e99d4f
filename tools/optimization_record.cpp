#include "tools/optimization_record.h"

#include <fmt/format.h>

namespace cdsl::tools {
namespace {

/// A YAML scalar in single quotes.
std::string yaml_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n')
      out += ' ';
    else if (c == '\'')
      out += "''";
    else
      out += c;
  }
  return out + "'";
}

/// An identifier: what viewers group by.
std::string name_of_choice(const Remark& remark) {
  std::string name = remark.choice.empty() ? remark.pass : remark.choice;
  for (char& c : name) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    if (!good) c = '_';
  }
  return name;
}

std::string document(const Source& source, const std::string& function, const Remark& remark) {
  std::string text = fmt::format("--- !{}\nPass:            {}\nName:            {}\n", remark.fired ? "Passed" : "Missed",
                                 yaml_quoted(remark.pass), yaml_quoted(name_of_choice(remark)));
  if (remark.where.valid()) {
    const auto place = source.files.line_column(remark.where.file, remark.where.begin);
    text += fmt::format("DebugLoc:        {{ File: {}, Line: {}, Column: {} }}\n",
                        yaml_quoted(source.locate(remark.where).first), place.line, place.column);
  }
  text += fmt::format("Function:        {}\nArgs:\n  - Site:            {}\n  - Reason:          {}\n", yaml_quoted(function),
                      yaml_quoted(remark.site), yaml_quoted(remark.reason));
  if (!remark.choice.empty()) text += fmt::format("  - Choice:          {}\n", yaml_quoted(remark.choice));
  if (!remark.key.empty()) text += fmt::format("  - Set:             {}\n", yaml_quoted(remark.key));
  for (const Remark::Number& n : remark.numbers)
    text += fmt::format("  - {}: {}\n", yaml_quoted(n.name), yaml_quoted(fmt::format("{:g}{}{}", n.value, n.unit.empty() ? "" : " ", n.unit)));
  for (const Remark::Alternative& other : remark.alternatives)
    text += fmt::format("  - Alternative:     {}\n", yaml_quoted(other.why_not.empty() ? other.choice : other.choice + ": " + other.why_not));
  return text + "...\n";
}

}  // namespace

bool write_optimization_record(const Session& session, const Source& source, const std::vector<Compiled>& units) {
  const std::string& path = session.settings.optimization_record;
  if (path.empty()) return true;
  std::string text;
  for (const Compiled& unit : units) {
    for (const Remark& remark : unit.remarks) text += document(source, unit.function.name, remark);
  }
  return session.write(path, text);
}

}  // namespace cdsl::tools
