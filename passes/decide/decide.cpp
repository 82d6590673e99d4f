#include "passes/decide/decide.h"

#include <algorithm>
#include <set>

#include "passes/decide/bind.h"
#include "passes/decide/fuse.h"

namespace cdsl {

Decided decide(tir::Function& function, PassContext& context) {
  Decided decided{function, {}};
  std::vector<deciding::Candidate> candidates = deciding::candidates(function);
  std::set<std::size_t> taken;
  // From the last statement to the first: a later one takes in what only it uses.
  for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
    if (taken.contains(candidate->number)) continue;
    const std::string& name = function.tensor(candidate->stores.back().tensor).name;
    const std::string reason = deciding::why_not(function, *candidate->stage, candidate->stores, context.schedule.strict);
    if (!reason.empty()) {
      context.remarks.push_back({"map", name, false, "general", reason, {}, {}, candidate->stage->where});
      continue;
    }
    auto group = deciding::bind(function, *candidate, context);
    if (!group) continue;
    if (group->statements.size() > 1) {
      context.remarks.push_back({"fuse", name, true, "one kernel", "intermediates of one statement are never stored",
                                 {{"statements", static_cast<double>(group->statements.size()), ""}}, {}, candidate->stage->where});
    }
    taken.insert(group->statements.begin(), group->statements.end());
    decided.groups.push_back(std::move(*group));
  }
  std::reverse(decided.groups.begin(), decided.groups.end());
  return decided;
}

}  // namespace cdsl
