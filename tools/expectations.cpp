#include "tools/expectations.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace cdsl::tools {
namespace {

/// The value of a metric over all kernels, the worst one where the language says so.
std::optional<double> measured(std::string_view metric, const std::vector<KernelReport>& reports) {
  const auto greatest = [&](auto value) {
    double most = 0;
    for (const KernelReport& report : reports)
      most = std::max(most, static_cast<double>(value(report)));
    return most;
  };
  if (metric == "kernels") return static_cast<double>(reports.size());
  if (metric == "registers")
    return greatest([](const KernelReport& r) { return r.resources.registers; });
  if (metric == "stack")
    return greatest([](const KernelReport& r) { return r.resources.stack_bytes; });
  if (metric == "shared_bytes")
    return greatest([](const KernelReport& r) { return r.resources.shared_bytes; });
  if (metric == "spills") {
    return greatest([](const KernelReport& r) {
      return r.resources.spill_store_bytes + r.resources.spill_load_bytes;
    });
  }
  if (metric == "occupancy") {
    double least = 1;
    for (const KernelReport& report : reports) least = std::min(least, report.occupancy.fraction);
    return least;
  }
  return std::nullopt;
}

/// The function's own, and those of --expect that are for it.
std::vector<Expectation> all_expectations(const Session& session, const Compiled& unit) {
  std::vector<Expectation> all = unit.function.expectations;
  for (const std::string& text : session.settings.expectations) {
    std::string function;
    const auto parsed = parse_expectation(text, function);
    if (parsed && (function.empty() || function == unit.function.name)) all.push_back(*parsed);
  }
  return all;
}

void print_failure(const Session& session, const Source& source, const Compiled& unit, const Expectation& expectation,
                   double value, bool guessed) {
  const auto [path, line] = source.locate(expectation.where);
  const std::string place = expectation.where.valid() ? fmt::format("{}:{}", path, line) : "--expect " + unit.function.name;
  session.error(fmt::format("{}: expectation failed: {} {} {}, but it is {:.4g}{}", place, expectation.metric,
                            expectation.relation, expectation.value, value, guessed ? " (guessed)" : ""));
  const Remark* behind = decision_behind(expectation.metric, unit.remarks);
  if (behind == nullptr) return;
  std::string change;
  if (!behind->key.empty()) {
    change = fmt::format("; change it by --set {}=...", behind->key);
    for (const Remark::Alternative& other : behind->alternatives) {
      change = fmt::format("; change it by {}", setting(behind->key, other.choice));
      break;
    }
  }
  session.note(fmt::format("the decision behind it is {}{}", to_string(*behind), change));
}

}  // namespace

bool expectations_hold(const Session& session, const Source& source, const Compiled& unit,
                       const Explanation& explanation, bool measured) {
  bool all = true;
  for (const Expectation& expectation : all_expectations(session, unit)) {
    if (!measured && is_measured_metric(expectation.metric)) continue;
    const auto value = metric_value(explanation, expectation.metric);
    if (!value) {
      session.warning(fmt::format("'{}' has no value for {}: no kernel touches it", expectation.metric, unit.function.name));
      continue;
    }
    if (holds(expectation, *value)) continue;
    all = false;
    print_failure(session, source, unit, expectation, *value,
                  is_measured_metric(expectation.metric) && !explanation.measured);
  }
  return all;
}

bool expectations_hold(const Session& session, const Source& source, const Compiled& unit,
                       const std::vector<KernelReport>& reports) {
  bool all = true;
  for (const Expectation& expectation : all_expectations(session, unit)) {
    const auto value = measured(expectation.metric, reports);
    if (!value || holds(expectation, *value)) continue;
    all = false;
    print_failure(session, source, unit, expectation, *value, false);
  }
  return all;
}

bool expectations_hold(const Session& session, const Source& source, const Compiled& unit) {
  const std::vector<Expectation> wanted = all_expectations(session, unit);
  const bool asked = !session.settings.expectations.empty();
  const bool any = std::any_of(wanted.begin(), wanted.end(), [&](const Expectation& e) {
    return asked || !is_measured_metric(e.metric);
  });
  if (!any) return true;
  const bool measures = asked && session.settings.measure;
  const auto explanation = explain(session.environment, source, unit, session.settings.compile,
                                   {measures, measures ? session.cache() : nullptr});
  if (!explanation) {
    if (asked) session.warning("expectations were not checked: " + explanation.message());
    return true;
  }
  return expectations_hold(session, source, unit, *explanation, asked);
}

}  // namespace cdsl::tools
