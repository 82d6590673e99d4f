#include "tools/depfile.h"

#include <filesystem>

namespace cdsl::tools {
namespace {

// Make reads spaces, '#' and '$' in names; a line end cannot be written at all and becomes '?'.
std::string escaped(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c == ' ' || c == '#') out += '\\';
    if (c == '$') out += '$';
    out += c == '\n' ? '?' : c;
  }
  return out;
}

}  // namespace

bool write_depfile(const Session& session, const Source& source) {
  const std::string& output = session.settings.output;
  return write_depfile(session, {output.empty() ? "-" : output}, {&source});
}

bool write_depfile(const Session& session, const std::vector<std::string>& targets, const std::vector<const Source*>& sources) {
  const Settings& settings = session.settings;
  std::string text;
  for (const std::string& target : targets) text += (text.empty() ? "" : " ") + escaped(target);
  text += ":";
  for (const Source* source : sources) {
    for (std::uint32_t file = 0; file < source->files.file_count(); ++file)
      text += " \\\n  " + escaped(source->files.name(file));
  }
  const std::string path =
      settings.depfile_path.empty()
          ? std::filesystem::path(settings.output).replace_extension(".d").string()
          : settings.depfile_path;
  return session.write(path, text + "\n");
}

}  // namespace cdsl::tools
