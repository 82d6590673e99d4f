// The command line's options as one table, its parser, and the help that is printed from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/settings.h"

namespace cdsl::tools {

/// Commands, as bits of Option::commands.
enum CommandBit : unsigned {
  kCompile = 1,
  kCheck = 2,
  kRun = 4,
  kVerify = 8,
  kInspect = 16,
  kDoctor = 32,
  kExplainError = 64,
  kExplain = 128,
  kBench = 256,
  kCache = 512,
  kLibrary = 1024,
  kLowering = kCompile | kRun | kVerify | kBench | kInspect | kExplain,
  kReading = kLowering | kLibrary | kCheck,
  kAll = kReading | kDoctor | kExplainError | kCache
};

struct Option {
  std::string_view name;   // "--fn", "-o", "-D"
  std::string_view value;  // "NAME"; empty: takes none
  std::string_view group;  // heading in the help
  std::string_view help;
  unsigned commands;
  /// Why the value is wrong, or nothing.
  std::optional<std::string> (*apply)(Settings& settings, std::string_view value);
};

/// In the order of the help; options of a group stand together.
std::span<const Option> all_options();

/// Takes in `words`; the message tells the first mistake. Values follow as `--fn=NAME`, `--fn
/// NAME`, `-DN=1`, `-D N=1`.
std::optional<std::string> parse_options(std::span<const std::string> words, unsigned command,
                                         Settings& settings);

/// The options of a command by group, aligned.
std::string options_help(unsigned command);

}  // namespace cdsl::tools
