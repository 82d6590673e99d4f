// The legal ways to carry out a candidate, as a product of axes: each option says what it chose on each axis of the schedule
// ("map", "tile", "skew", "vector", "start", "pad", "threads", "shares", "unroll", "guard", "branch", "online"), and is priced whole by one model. An override fixes
// an axis; what is left, the cheapest is taken, and each axis leaves a remark with the best that its other values would give.
#pragma once

#include <map>

#include "passes/decide/bind.h"
#include "passes/decide/cost.h"

namespace cdsl::deciding {

using Choices = std::map<std::string, std::string>;   // by axis

struct Option {
  Choices choices;
  std::optional<Group> group;             // nothing: the general path
  std::string reason;                     // for its "map"
  Cost cost;
};

class Space {
 public:
  explicit Space(const Site& site);

  const Site& site() const { return site_; }
  /// Where the site has choices, an option for each way to carry them out.
  void add(Choices choices, Group group, std::string reason);
  void add_general();
  /// Why a value of an axis is no option; the first reason stands.
  void refuse(const std::string& axis, const std::string& choice, std::string why) {
    refused_.try_emplace({axis, choice}, std::move(why));
  }
  /// What an override asks for on an axis: "" where nothing does.
  std::string asked(const std::string& axis) const;
  /// Values to try on an axis: `usual`, and what an override asks for.
  std::vector<int64_t> numbers(const std::string& axis, std::vector<int64_t> usual) const;
  bool empty() const { return options_.empty(); }

  /// The option taken, with remarks on why; nothing: the general path.
  Bound choose();

 private:
  struct Line;                            // of an axis: one of its values
  void add_option(Choices choices, Group group, std::string reason);
  void apply_overrides();
  void report_impossible(const std::string& axis, const std::string& choice);
  void leave_remarks(const Option& taken) const;
  Remark remark(const std::string& axis, const Option& taken) const;
  void explain_branch(const Option& taken, Remark& remark) const;

  Cost price(const Group& group) const;
  const Operations& counted() const;

  const Site& site_;
  std::optional<Site> short_;             // what is chosen has to bear short rows too
  std::vector<ExprId> safe_;              // choices whose arms may both be evaluated
  bool is_long_ = false;                  // an arm of some choice is too much work to be computed for nothing
  std::vector<Option> options_;
  std::map<std::pair<std::string, std::string>, std::string> refused_;
};

}  // namespace cdsl::deciding
