#include "tools/reproducer.h"

#include <functional>

#include <fmt/format.h>

#include "api/files.h"

namespace cdsl::tools {

void write_reproducer(const Session& session, const std::vector<std::string>& words) {
  std::string text = fmt::format("cuoptc {}\n\narguments:\n", kVersion);
  for (const std::string& word : words) text += fmt::format("  {}\n", word);
  if (const Source* source = session.source()) {
    for (std::uint32_t file = 0; file < source->files.file_count(); ++file) {
      text += fmt::format("\n---- {} ----\n{}", source->files.name(file), source->files.text(file));
    }
  }
  // Named by its contents: the same bug met twice leaves one file.
  const std::string path =
      fmt::format("{}/cuoptc-bug-{:016x}.txt", session.environment.temporary_folder,
                  static_cast<uint64_t>(std::hash<std::string>()(text)));
  if (const auto failure = write_file(path, text)) {
    session.note("no reproducer was written: " + failure->message);
  } else {
    session.note(
        fmt::format("please report it with {}, which holds the command line and the source", path));
  }
}

}  // namespace cdsl::tools
