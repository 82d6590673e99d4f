#include "passes/decide/space.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "passes/decide/launch.h"
#include "passes/decide/streaming.h"

namespace cdsl::deciding {
namespace {

// The pass that an axis belongs to, in the order in which remarks are printed.
struct AxisName {
  const char *axis, *pass;
};
constexpr AxisName kAxes[] = {{"map", "map"},         {"tile", "tile"},      {"skew", "tile"},     {"pad", "pad"},      {"vector", "vectorize"},
                              {"start", "vectorize"}, {"shares", "reduce"}, {"threads", "launch"}, {"unroll", "index"}, {"guard", "predicate"},
                              {"branch", "predicate"}, {"online", "reduce"}};

// A later option has to be better by this much.
constexpr double kWorthwhile = 0.98;
// How much the case that open rows turn out short counts beside the likely one.
constexpr double kShortRows = 0.5;

// Arms of together more issue slots are selected where somebody asks for it: the model takes lanes as independent, which is the
// worst for a branch, and two long arms side by side spilled (branchy on sm_80 and sm_90a).
constexpr double kMostSelected = 32;

// What an axis is for, in a remark that has no more to say than the figures.
std::string reason_of(const std::string& axis) {
  if (axis == "tile") return "points that a block holds in shared memory at once";
  if (axis == "pad") return "elements between rows of the tile, so that its columns fall into different banks";
  if (axis == "skew") return "rows of the tile that begin where sectors of the stored rows do: none is written by two blocks";
  if (axis == "vector") return "elements of one memory access";
  if (axis == "start") return "where the tiles of a row begin: at the row's first element, or at the vector in which it lies";
  if (axis == "online") return "whether sums of exponentials below a row's maximum are carried in the walk that finds it";
  if (axis == "shares") return "blocks that divide one reduction between them";
  if (axis == "unroll") return "accesses of a thread under way at once";
  return "blocks whose tile lies inside test nothing";
}

double rounded(double us) { return std::round(us * 100) / 100; }

}  // namespace

Space::Space(const Site& site) : site_(site), short_(site.with_short_rows()) {
  const bool any = !site.choices.empty();
  for (const Choice& choice : site.choices)
    if (choice.is_safe) safe_.push_back(choice.select);
  std::sort(safe_.begin(), safe_.end());
  if (any && safe_.empty()) refuse("branch", "select", "an arm reads what only the condition proves inside");
  if (!any) for (const char* choice : {"select", "branch"}) refuse("branch", choice, "the statement has no choice");
  for (const Operations::OfChoice& counts : counted().choices) is_long_ |= counts.slots[0] + counts.slots[1] > kMostSelected;
  if (is_long_) refuse("branch", "select", "two long arms side by side need the registers of both");
}

// With what is safe of its choices selected, and with branches for all.
void Space::add(Choices choices, Group group, std::string reason) {
  if (site_.choices.empty()) return add_option(std::move(choices), std::move(group), std::move(reason));
  for (const bool select : {true, false}) {
    if (select && (safe_.empty() || (is_long_ && asked("branch") != "select"))) continue;
    choices["branch"] = select ? "select" : "branch";
    group.selected = select ? safe_ : std::vector<ExprId>{};
    add_option(choices, group, reason);
  }
}

const Operations& Space::counted() const {
  if (!site_.operations) site_.operations = operations(site_);
  return *site_.operations;
}

void Space::add_option(Choices choices, Group group, std::string reason) {
  Option option{std::move(choices), std::move(group), std::move(reason), {}};
  option.cost = price(*option.group);
  if (const int64_t needed = option.cost.work.shared_bytes; needed > site_.arch.max_shared_block) {
    const std::string why = fmt::format("it needs {} bytes of shared memory, a block of {} has {}", needed, site_.arch.name, site_.arch.max_shared_block);
    for (const auto& [axis, choice] : option.choices) refuse(axis, choice, why);
    return;
  }
  options_.push_back(std::move(option));
}

Cost Space::price(const Group& group) const {
  Cost result = cost(site_, group);
  if (short_) result.score += kShortRows * cost(*short_, group).score;
  return result;
}

// A thread a point of the box, reductions serial.
void Space::add_general() {
  Group group = site_.bare();
  for (GroupAxis& axis : group.axes) {
    if (!site_.is_of_statement(axis.index)) axis.binding = Binding::Stream;
  }
  if (site_.axes.of_statement > 0) {
    GroupAxis& last = group.axes[site_.axes.of_statement - 1];
    last.factors = {{loop::Level::Warp, 8, 1}, {loop::Level::Lane, 32, 1}};
  }
  Option option{{{"map", "general"}}, {}, "a thread a point, reductions serial", price(group)};
  for (const RunningReduction& r : site_.candidate.running) {   // of which each point takes all terms before it
    const double terms = (1.0 + static_cast<double>(site_.extent(r.along))) / 2;
    option.cost.us *= terms;
    option.cost.score *= terms;
  }
  options_.push_back(std::move(option));
}

std::string Space::asked(const std::string& axis) const {
  const auto& overrides = site_.context.schedule.overrides;
  const auto found = overrides.find(site_.name + "." + axis);
  if (found != overrides.end()) return found->second;
  const Schedule& schedule = site_.context.schedule;
  return axis == "threads" && schedule.threads_asked ? std::to_string(schedule.block_threads) : "";
}

std::vector<int64_t> Space::numbers(const std::string& axis, std::vector<int64_t> usual) const {
  const std::string text = asked(axis);
  int64_t value = 0;
  const bool is_number = !text.empty() && std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size();
  if (is_number && value > 0 && std::find(usual.begin(), usual.end(), value) == usual.end()) usual.push_back(value);
  return usual;
}

Bound Space::choose() {
  add_general();
  apply_overrides();
  const Option* best = nullptr;
  for (const Option& option : options_) {             // never empty: the general path is the last
    if (!option.group && best != nullptr) continue;   // and for what nothing else takes
    if (best == nullptr || option.cost.score < best->cost.score * kWorthwhile) best = &option;
  }
  leave_remarks(*best);
  Bound bound{best->group, best->cost.us};
  if (bound.group) {
    decide_launch(site_, best->cost, *bound.group);
    decide_streaming(site_, best->cost, *bound.group);
    if (site_.mirrored > 0) {
      site_.context.remarks.push_back({"mirror", site_.name, true, "shared", "functions of x and of -x share one evaluation, of the smaller tail",
                                       {{"pairs", static_cast<double>(site_.mirrored), ""}}, {}, site_.candidate.stage->where, ""});
    }
  }
  return bound;
}

void Space::apply_overrides() {
  for (const AxisName& name : kAxes) {
    const std::string choice = asked(name.axis);
    if (choice.empty()) continue;
    const auto matches = [&](const Option& option) {
      const auto found = option.choices.find(name.axis);
      return found != option.choices.end() && found->second == choice;
    };
    if (std::none_of(options_.begin(), options_.end(), matches)) {
      if (!site_.context.schedule.overrides.contains(site_.name + "." + name.axis)) {
        const auto is_group = [](const Option& option) { return option.group.has_value(); };
        if (!std::all_of(options_.begin(), options_.end(), is_group)) {
          std::erase_if(options_, is_group);              // of all kernels: the general path can
          return;
        }
        continue;                                         // a key of this statement's own rules that out
      }
      report_impossible(name.axis, choice);
      continue;
    }
    site_.context.settled.insert(site_.name + "." + name.axis);
    std::erase_if(options_, [&](const Option& option) { return !matches(option); });
  }
}

void Space::report_impossible(const std::string& axis, const std::string& choice) {
  std::string why;
  const auto refused = refused_.find({axis, choice});
  if (refused != refused_.end()) why = refused->second;
  std::vector<std::string> possible;
  for (const Option& option : options_) {
    const auto found = option.choices.find(axis);
    if (found != option.choices.end() && std::find(possible.begin(), possible.end(), found->second) == possible.end())
      possible.push_back(found->second);
  }
  if (why.empty()) why = possible.empty() ? "no way of doing it that is left has a " + axis : "no such choice";
  if (possible.empty()) possible.push_back("none, leave it out");
  for (std::size_t k = 0; k < possible.size(); ++k) why += (k == 0 ? "; possible: " : ", ") + possible[k];
  site_.context.impossible[site_.name + "." + axis] = {choice, why};
}

void Space::leave_remarks(const Option& taken) const {
  for (const AxisName& name : kAxes) {
    if (!taken.choices.contains(name.axis)) continue;
    Remark made = remark(name.axis, taken);
    made.pass = name.pass;
    site_.context.remarks.push_back(std::move(made));
  }
}

// Beside the choice, each other value of the axis with the best option that differs in it.
Remark Space::remark(const std::string& axis, const Option& taken) const {
  Remark made;
  made.site = site_.name;
  made.choice = taken.choices.at(axis);
  made.fired = taken.group.has_value();
  made.key = site_.name + "." + axis;
  made.where = site_.candidate.stage->where;
  const auto numbers_of = [&](const Option& option) {
    std::vector<Remark::Number> numbers{{"predicted", rounded(option.cost.us), "us"}};
    double requests = 0, sectors = 0;
    int degree = 0;
    for (const AccessCost& a : option.cost.accesses) {
      if (a.sectors_per_request > 0) requests += a.requests, sectors += a.requests * a.sectors_per_request;
      degree = std::max(degree, a.bank_degree);
    }
    if (axis == "map" && requests > 0) numbers.push_back({"sectors/request", rounded(sectors / requests), ""});
    if (axis == "pad" && degree > 0) numbers.push_back({"bank degree", static_cast<double>(degree), ""});
    if (axis == "threads" && option.group) {
      numbers.push_back({"occupancy", rounded(predict(site_.arch, option.cost.work).occupancy.fraction), ""});
    }
    return numbers;
  };
  made.numbers = numbers_of(taken);
  const Prediction prediction = predict(site_.arch, taken.cost.work);
  if (axis == "map") {
    made.reason = taken.reason + ", bound by " + std::string(name_of(prediction.bound));
  } else if (axis == "threads") {
    made.reason = "blocks are limited by " + std::string(prediction.occupancy.limiter);
  } else if (axis == "branch") {
    explain_branch(taken, made);
  } else {
    made.reason = reason_of(axis);
  }
  std::map<std::string, const Option*> others;
  for (const Option& option : options_) {
    const auto found = option.choices.find(axis);
    if (found == option.choices.end() || found->second == made.choice) continue;
    const auto alike = [&] {
      return std::all_of(taken.choices.begin(), taken.choices.end(), [&](const auto& c) {
        if (c.first == axis) return true;
        const auto there = option.choices.find(c.first);
        return there != option.choices.end() && there->second == c.second;
      });
    };
    if (axis != "map" && !alike()) continue;
    const Option*& best = others[found->second];
    if (best == nullptr || option.cost.score < best->cost.score) best = &option;
  }
  for (const auto& [choice, option] : others) {
    const std::string why = std::isinf(option->cost.us) ? "does not fit" : option->cost.us > taken.cost.us ? "slower" : "no faster";
    made.alternatives.push_back({choice, why, numbers_of(*option)});
  }
  for (const auto& [key, why] : refused_) {
    const bool stands = key.second == made.choice || others.contains(key.second);   // by another mapping
    if (key.first == axis && !stands) made.alternatives.push_back({key.second, why, {}});
  }
  return made;
}

// Of the choice with the most work in its arms.
void Space::explain_branch(const Option& taken, Remark& made) const {
  std::size_t first = 0;
  const auto work = [&](std::size_t k) { return counted().choices[k].slots[0] + counted().choices[k].slots[1]; };
  for (std::size_t k = 1; k < site_.choices.size(); ++k)
    if (work(k) > work(first)) first = k;
  const double a = std::round(counted().choices[first].slots[0]), b = std::round(counted().choices[first].slots[1]);
  made.numbers.insert(made.numbers.begin(), {{"operations of the first arm", a, ""}, {"of the second", b, ""}});
  const std::size_t unsafe = site_.choices.size() - safe_.size();
  Choice choice = site_.choices[first];
  const bool agrees = agreeing_lanes(*taken.group, choice) == kWarpLanes;
  choice.by_place = false;
  const bool same = agreeing_lanes(*taken.group, choice) == kWarpLanes;
  if (made.choice == "select") {
    made.reason = "both arms are computed, and one of their values is selected";
    if (unsafe > 0) made.reason += "; " + std::to_string(unsafe) + " of " + std::to_string(site_.choices.size()) + " choices branch: an arm reads what the condition guards";
  } else if (safe_.empty()) {
    made.reason = "an arm reads what the condition guards: branch";
  } else if (agrees) {
    made.reason = same ? "the condition is the same for a warp: one path" : "neighbours agree on the condition: most warps take one path";
  } else {
    made.reason = is_long_ ? "long arms: lanes that agree skip one, those that disagree take both paths in turn"
                           : "lanes that disagree take both paths in turn";
  }
}

}  // namespace cdsl::deciding
