// A pass is declared: a name, a one-line summary and a function from one level to the next. The
// runner (passes/runner.h) names, times, dumps and re-verifies each, so that no pass does.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "dsl/schedule/remark.h"
#include "dsl/schedule/schedule.h"

namespace cdsl {

/// What a pass may read and leave besides its value.
struct PassContext {
  const Schedule& schedule;
  Remarks& remarks;
  /// By key of the schedule: what was asked for and why it cannot be; and keys that some pass followed.
  std::map<std::string, std::pair<std::string, std::string>> impossible = {};
  std::set<std::string> settled = {};
};

template <class From, class To>
struct Pass {
  std::string_view name;  // its flag, file and test share this stem
  std::string_view summary;
  To (*run)(From value, PassContext& context);
};

}  // namespace cdsl
