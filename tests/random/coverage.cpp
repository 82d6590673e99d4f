#include "tests/random/coverage.h"

#include <fmt/format.h>

namespace cdsl::random {

void Coverage::add(const std::set<std::string>& constructs, const std::map<std::string, int>& decisions) {
  ++programs_;
  for (const std::string& construct : constructs) {
    ++constructs_[construct];
    for (const auto& [decision, count] : decisions) ++both_[{construct, decision}];
  }
  for (const auto& [decision, count] : decisions) ++decisions_[decision];
}

std::string Coverage::table() const {
  std::string text = "construct\tprograms";
  for (const auto& [decision, count] : decisions_) text += "\t" + decision;
  text += fmt::format("\nall\t{}", programs_);
  for (const auto& [decision, count] : decisions_) text += fmt::format("\t{}", count);
  text += "\n";
  for (const auto& [construct, count] : constructs_) {
    text += fmt::format("{}\t{}", construct, count);
    for (const auto& [decision, all] : decisions_) {
      const auto found = both_.find({construct, decision});
      text += fmt::format("\t{}", found == both_.end() ? 0 : found->second);
    }
    text += "\n";
  }
  return text;
}

}  // namespace cdsl::random
