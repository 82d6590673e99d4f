#include "tools/options.h"

#include <fmt/format.h>

#include "dsl/support/suggest.h"
#include "tools/commands.h"

namespace cdsl::tools {
namespace {

bool takes_value(const Option& option) {
  return !option.value.empty();
}

// -DN=1 and -ofile: one letter, then the value at once.
bool joins_value(const Option& option) {
  return option.name.size() == 2 && option.name[0] == '-' && takes_value(option);
}

// As the help shows a value: -DN=1, -o FILE, --fn=NAME, -Rpass=REGEX.
std::string_view separator(const Option& option) {
  if (option.name == "-D") return "";
  return joins_value(option) || option.name == "-MF" ? " " : "=";
}

struct Match {
  const Option* option = nullptr;
  std::optional<std::string_view> value;
};

Match find_option(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  for (const Option& option : all_options()) {
    if (option.name == word) return {&option, {}};
    if (equals != std::string_view::npos && option.name == name && !joins_value(option))
      return {&option, word.substr(equals + 1)};
  }
  for (const Option& option : all_options()) {
    if (joins_value(option) && word.starts_with(option.name))
      return {&option, word.substr(option.name.size())};
  }
  return {};
}

std::string unknown(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Option& option : all_options()) names.push_back(option.name);
  const std::string_view name = word.substr(0, word.find('='));
  return fmt::format("unknown option '{}'{}", word, did_you_mean(name, names));
}

}  // namespace

std::optional<std::string> parse_options(std::span<const std::string> words, unsigned command,
                                         Settings& settings) {
  bool only_files = false;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (only_files || word.empty() || word[0] != '-' || word == "-") {
      settings.positional.push_back(word);
      continue;
    }
    if (word == "--") {
      only_files = true;
      continue;
    }
    const Match match = find_option(word);
    if (match.option == nullptr) return unknown(word);
    const Option& option = *match.option;
    if ((option.commands & command) == 0)
      return fmt::format("'{}' is no option of this command; it belongs to {}", option.name,
                         commands_of(option.commands));
    std::string_view value;
    if (takes_value(option)) {
      if (match.value) {
        value = *match.value;
      } else if (k + 1 < words.size()) {
        value = words[++k];
      } else {
        return fmt::format("'{}' needs a value: {}", option.name, option.value);
      }
    } else if (match.value) {
      return fmt::format("'{}' takes no value", option.name);
    }
    if (auto problem = option.apply(settings, value))
      return fmt::format("{}: {}", option.name, *problem);
  }
  return std::nullopt;
}

std::string options_help(unsigned command) {
  constexpr std::size_t kColumn = 30;
  std::string text, group;
  for (const Option& option : all_options()) {
    if ((option.commands & command) == 0) continue;
    if (option.group != group) {
      group = option.group;
      text += fmt::format("\n{}:\n", group);
    }
    std::string left = fmt::format("  {}", option.name);
    if (takes_value(option)) left += std::string(separator(option)) + std::string(option.value);
    if (left.size() + 2 > kColumn) {
      text += left + "\n";
      left.clear();
    }
    text += fmt::format("{:<{}}{}\n", left, kColumn, option.help);
  }
  return text;
}

}  // namespace cdsl::tools
