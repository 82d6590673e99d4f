#include "tests/random/setups.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cdsl::random {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

CompileOptions Setup::options() const {
  CompileOptions options;
  for (const std::string& flag : flags) {
    if (flag == "--O0") options.simplify = options.decide = false;
    if (flag == "--strict") options.strict = true;
    if (flag == "--specialize") options.defines.sizes = sizes;
    if (flag.starts_with("--arch=")) options.architecture = flag.substr(7);
    if (flag.starts_with("--set=")) {
      const std::size_t equals = flag.find('=', 6);
      options.overrides[flag.substr(6, equals - 6)] = flag.substr(equals + 1);
    }
  }
  return options;
}

std::string Setup::text() const {
  std::string text = fmt::format("{}", fmt::join(flags, " "));
  for (const auto& [name, value] : sizes) text += fmt::format(" -D{}={}", name, value);
  return text;
}

Setup Setup::from(const std::string& text) {
  Setup setup;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t equals = word.find('=');
    if (word.starts_with("-D")) setup.sizes[word.substr(2, equals - 2)] = std::stoll(word.substr(equals + 1));
    else if (!word.empty()) setup.flags.push_back(word);
  }
  return setup;
}

Setup another_way(const std::map<std::string, int64_t>& sizes, bool simulated, Rng& rng) {
  Setup setup;
  setup.sizes = sizes;
  static const std::vector<std::vector<std::string>> ways = {{"--O0"}, {"--strict"}, {"--specialize"}, {"--specialize", "--strict"},
                                                            {"--arch=sm_80"}, {"--arch=sm_120a", "--specialize"}, {"--specialize", "--O0"}};
  setup.flags = rng.pick(ways);
  // Another architecture's text does not run here, and functions such as exp are the device's own, which round as they like.
  if (!simulated) std::erase_if(setup.flags, [](const std::string& flag) { return flag.starts_with("--arch") || flag == "--strict"; });
  for (auto& [name, value] : setup.sizes)
    if (rng.chance(50)) value = std::min<int64_t>(value, rng.of({0, 1, 2, 3, 7, 16, 31, 33}));
  return setup;
}

Setup overridden(const std::map<std::string, int64_t>& sizes, const Remarks& remarks, int tries, Rng& rng) {
  std::map<std::string, std::vector<std::string>> choices;
  for (const Remark& remark : remarks) {
    if (remark.key.empty()) continue;
    std::vector<std::string>& known = choices[remark.key];
    for (const Remark::Alternative& other : remark.alternatives)
      if (!other.numbers.empty() || remark.pass == "layout" || remark.pass == "scan") known.push_back(other.choice);
    if (known.empty()) known.push_back(remark.choice);
  }
  Setup setup;
  setup.sizes = sizes;
  if (choices.empty()) {
    setup.flags = {tries == 0 ? "--set=threads=96" : "--strict"};
    return setup;
  }
  std::vector<std::string> keys;
  for (const auto& [key, values] : choices) keys.push_back(key);
  const int most = tries == 3 ? 1 : std::max(1, static_cast<int>(keys.size()) >> tries);
  for (int k = 1 + rng.below(most); k > 0; --k) {
    const std::string key = rng.pick(keys);
    const std::string flag = fmt::format("--set={}={}", key, rng.pick(choices[key]));
    std::erase_if(setup.flags, [&](const std::string& old) { return old.starts_with("--set=" + key + "="); });
    setup.flags.push_back(flag);
  }
  if (rng.chance(20)) setup.flags.push_back("--specialize");
  if (rng.chance(10)) setup.flags.push_back(fmt::format("--set=threads={}", rng.of({32, 64, 96, 128, 512, 1024})));
  return setup;
}

bool is_refused_override(const Source& source, const Setup& setup) {
  for (const Diagnostic& diagnostic : source.diagnostics.diagnostics()) {
    if (diagnostic.severity != Severity::Error) continue;
    bool named = false;
    for (const std::string& flag : setup.flags)
      if (flag.starts_with("--set=")) named |= diagnostic.message.find(flag.substr(6)) != std::string::npos;
    if (!named) return false;
  }
  return true;
}

}  // namespace cdsl::random
