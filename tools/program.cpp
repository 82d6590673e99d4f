#include "tools/program.h"

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dsl/support/check.h"
#include "dsl/support/suggest.h"
#include "runtime/error.h"
#include "tools/commands.h"
#include "tools/devices.h"
#include "tools/reproducer.h"

namespace cdsl::tools {
namespace {

std::string overview() {
  std::string text =
      "cuoptc turns tensor expressions into CUDA kernels, and proves that they compute the "
      "expression.\n\nusage:\n";
  for (const Command& command : all_commands())
    text += fmt::format("  {}\n      {}\n", command.usage, command.summary);
  text += "\nOptions of plain cuoptc; each command has its own: cuoptc COMMAND --help\n" +
          options_help(kCompile);
  return text +
         "\nExit status: 0 ok, 1 error in the source, 2 usage, 3 no device or toolkit, 4 "
         "verification or expectation failed,\n"
         "70 a bug of cuoptc.\n";
}

std::string help_of(const Command& command) {
  if (command.name.empty()) return overview();
  return fmt::format("usage: {}\n{}\n{}", command.usage, command.summary,
                     options_help(command.bit));
}

/// A first word that is neither a command nor looks like a file: probably a command misspelt.
bool looks_like_command(const std::string& word) {
  std::error_code error;
  return !word.empty() && word[0] != '-' && word.find_first_of("./") == std::string::npos &&
         !std::filesystem::exists(word, error);
}

std::string unknown_command(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& command : all_commands()) {
    if (!command.name.empty()) names.push_back(command.name);
  }
  for (const std::string_view later : {"profile", "tune"}) {
    if (word == later) return fmt::format("'cuoptc {}' is not built yet", word);
  }
  return fmt::format("'{}' is neither a file nor a command{}", word, did_you_mean(word, names));
}

int guarded(const Command& command, Session& session, const std::vector<std::string>& words) {
  try {
    const int status = resolve_native(session);
    if (status != kOk) return status;
    const int result = command.run(session);
    session.report_cache();
    return result;
  } catch (const runtime::Error& error) {
    session.error(error.what());
    return kNoDevice;
  } catch (const std::bad_alloc&) {
    session.error("out of memory");
    return kNoDevice;
  } catch (const std::length_error&) {  // more elements than a container can count
    session.error("out of memory");
    return kNoDevice;
  } catch (const std::exception& error) {
    session.error(fmt::format("a bug of cuoptc: {}", error.what()));
  }
  write_reproducer(session, words);
  return kInternal;
}

}  // namespace

int run_program(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  Settings settings;
  const Command* command = words.empty() ? nullptr : find_command(words[0]);
  const bool is_named = command != nullptr && !command->name.empty();
  if (!is_named) command = find_command("");
  const std::span<const std::string> rest = std::span(words).subspan(is_named ? 1 : 0);
  const auto problem = parse_options(rest, command->bit, settings);

  Session session(std::move(settings), read_environment());
  if (!is_named && !words.empty() && looks_like_command(words[0]))
    return session.usage_error(unknown_command(words[0]));
  if (problem) return session.usage_error(*problem);
  if (!session.settings.axes.empty() && command->bit != kBench)
    return session.usage_error(fmt::format("-D{}: only bench takes several values", session.settings.axes[0].first));
  if (session.settings.help) return session.print(help_of(*command)) ? kOk : kUsage;
  if (session.settings.version)
    return session.print(fmt::format("cuoptc {}\n", kVersion)) ? kOk : kUsage;
  return guarded(*command, session, words);
}

}  // namespace cdsl::tools
