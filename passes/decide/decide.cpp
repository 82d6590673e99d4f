#include "passes/decide/decide.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/decide/bind.h"
#include "passes/decide/carry.h"
#include "passes/decide/fuse.h"
#include "passes/decide/names.h"
#include "passes/decide/scatter.h"

namespace cdsl {

namespace {

using deciding::Bound;
using deciding::Candidate;

// Of more statements than this the intermediates alone are worth a kernel.
constexpr std::size_t kMostPriced = 32;
// Each takes some 10 ms to compare its mappings. What stands before so many goes the general path, so that compiling thousands
// of statements ends while somebody waits.
constexpr std::size_t kMostDecided = 96;
// Every mapping is priced by the stride of every access along every index.
constexpr std::size_t kMostStrides = 1 << 16;

class Deciding {
 public:
  Deciding(DecideInput input, PassContext& context)
      : function_(input.function), assume_(input.assume), context_(context), sizes_(function_),
        candidates_(deciding::candidates(function_, context)) {}

  Decided run() {
    Decided decided{function_, {}};
    std::set<std::size_t> taken;
    std::map<std::size_t, const Candidate*> fused;
    Remarks names;
    const std::size_t first = context_.remarks.size();
    // From the last statement to the first: a later one takes in what only it uses.
    for (std::size_t k = candidates_.fused.size(); k-- > 0;) {
      if (taken.contains(candidates_.fused[k].number)) continue;
      is_full_ = decided.groups.size() >= kMostDecided;
      const Candidate& candidate = !is_full_ && pays(k) ? candidates_.fused[k] : candidates_.alone[k];
      Bound bound = bind(candidate, context_);
      if (!bound.group) continue;
      if (candidate.is_fused()) fused[candidate.number] = &candidate;
      taken.insert(bound.group->statements.begin(), bound.group->statements.end());
      decided.groups.push_back(std::move(*bound.group));
    }
    deciding::name_statements(function_, fused, sizes_, names);
    context_.remarks.insert(context_.remarks.begin() + static_cast<std::ptrdiff_t>(first), names.begin(), names.end());
    std::reverse(decided.groups.begin(), decided.groups.end());
    decided.scatters = deciding::private_bins(function_, sizes_, assume_.vectors, context_);
    return decided;
  }

 private:
  std::string name_of(const Candidate& candidate) const { return function_.tensor(candidate.stores.back().tensor).name; }

  Bound bind(const Candidate& given, PassContext& context) {
    Candidate candidate = given;
    std::string reason = is_full_ ? "the function has more than " + std::to_string(kMostDecided) + " kernels to decide about" : carry(candidate, context);
    if (reason.empty()) reason = deciding::why_not(function_, *candidate.stage, candidate.stores, context.schedule.strict);
    if (reason.empty()) {
      const deciding::Site site(function_, candidate, sizes_, context, assume_);
      if (sums_across(site)) reason = "another reduction goes along an index of the rows";
      else if (site.accesses.size() * site.axes.axes.size() <= kMostStrides) return deciding::bind(site);
      else reason = "it has too many reads over too many indices to compare mappings";
    }
    const std::string key = name_of(candidate) + ".map";
    context.remarks.push_back({"map", name_of(candidate), false, "general", reason, {}, {}, candidate.stage->where, key});
    const auto asked = context.schedule.overrides.find(key);
    if (asked == context.schedule.overrides.end()) return {};
    if (asked->second == "general") context.settled.insert(key);
    else context.impossible[key] = {asked->second, reason + "; possible: general"};
    return {};
  }

  // A row that carries something is one point of the other indices to its block or warp, which then cannot reduce over them.
  static bool sums_across(const deciding::Site& site) {
    if (site.candidate.running.empty()) return false;
    const auto& axes = site.axes.axes;
    return std::any_of(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(site.axes.of_statement),
                       [&](const Axis& axis) { return axis.index != site.candidate.running[0].along && site.is_reduced(axis.index); });
  }

  // What runs along an axis is carried, unless an override wants each element to add up all before it.
  std::string carry(Candidate& candidate, const PassContext& context) {
    const auto asked = context.schedule.overrides.find(name_of(candidate) + ".scan");
    if (asked != context.schedule.overrides.end() && asked->second == "whole") return "";
    return deciding::carry(function_, candidate);
  }

  // Predicted alone, with no word about it; of what goes the general path, nothing is known.
  std::optional<double> price(const Candidate& candidate) {
    Remarks unsaid;
    PassContext quiet{context_.schedule, unsaid};
    const Bound bound = bind(candidate, quiet);
    return bound.group ? std::optional(bound.us) : std::nullopt;
  }

  // Does one kernel take less time than a kernel a statement, with intermediates stored and read?
  bool pays(std::size_t k) {
    const Candidate& fused = candidates_.fused[k];
    if (!fused.is_fused()) return true;
    const auto together = price(fused);
    double apart = 0;
    bool known = together.has_value() && fused.statements.size() <= kMostPriced;
    for (std::size_t number : fused.statements) {
      if (!known) break;
      const auto alone = std::lower_bound(candidates_.alone.begin(), candidates_.alone.end(), number,
                                          [](const Candidate& c, std::size_t n) { return c.number < n; });
      const auto each = price(*alone);
      known = each.has_value();
      apart += each.value_or(0);
    }
    const std::string key = name_of(fused) + ".fuse";
    const auto asked = context_.schedule.overrides.find(key);
    bool fires = fused.asked || (together && (!known || *together <= apart));
    if (asked != context_.schedule.overrides.end()) {
      if (asked->second == "apart" || (asked->second == "together" && together)) {
        fires = asked->second == "together";
        context_.settled.insert(key);
      } else {
        context_.impossible[key] = {asked->second, asked->second == "together" ? "the statements cannot share a kernel; possible: apart" : "no such choice; possible: together, apart"};
      }
    }
    Remark remark{"fuse", name_of(fused), fires, fires ? "together" : "apart", {}, {}, {}, fused.stage->where, key};
    remark.numbers.push_back({"statements", static_cast<double>(fused.statements.size()), ""});
    remark.reason = fires ? "one kernel, whose intermediates are never stored" : "a kernel a statement takes less time";
    if (together) (fires ? remark.numbers : remark.alternatives.emplace_back(Remark::Alternative{"together", "slower", {}}).numbers).push_back({"predicted", *together, "us"});
    if (known) (fires ? remark.alternatives.emplace_back(Remark::Alternative{"apart", "slower", {}}).numbers : remark.numbers).push_back({"predicted", apart, "us"});
    context_.remarks.push_back(std::move(remark));
    return fires;
  }

  tir::Function& function_;
  Assumptions assume_;
  PassContext& context_;
  deciding::SizeValues sizes_;
  deciding::Candidates candidates_;
  bool is_full_ = false;
};

}  // namespace

Decided decide(DecideInput input, PassContext& context) { return Deciding(input, context).run(); }

}  // namespace cdsl
