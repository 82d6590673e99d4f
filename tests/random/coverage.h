// Which constructs of the language met which decisions of the compiler, so that holes are seen.
#pragma once

#include <map>
#include <set>
#include <string>

namespace cdsl::random {

class Coverage {
 public:
  void add(const std::set<std::string>& constructs, const std::map<std::string, int>& decisions);
  /// A line a construct, a column a decision, how many programs have both; tab-separated.
  std::string table() const;
  int programs() const { return programs_; }

 private:
  int programs_ = 0;
  std::map<std::string, int> constructs_, decisions_;
  std::map<std::pair<std::string, std::string>, int> both_;
};

}  // namespace cdsl::random
