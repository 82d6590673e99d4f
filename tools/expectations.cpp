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

bool holds(double value, std::string_view relation, double bound) {
  if (relation == "==") return value == bound;
  if (relation == "!=") return value != bound;
  if (relation == "<") return value < bound;
  if (relation == "<=") return value <= bound;
  if (relation == ">") return value > bound;
  return value >= bound;
}

}  // namespace

bool expectations_hold(const Session& session, const Source& source, const Compiled& unit,
                       const std::vector<KernelReport>& reports) {
  bool all = true;
  for (const Expectation& expectation : unit.function.expectations) {
    const auto value = measured(expectation.metric, reports);
    if (!value || holds(*value, expectation.relation, expectation.value)) continue;
    all = false;
    const auto [path, line] = source.locate(expectation.where);
    session.error(fmt::format("{}:{}: expectation failed: {} {} {}, but it is {:.4g}", path, line,
                              expectation.metric, expectation.relation, expectation.value, *value));
  }
  return all;
}

}  // namespace cdsl::tools
