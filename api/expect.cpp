// Metrics of `expect` over an Explanation.
#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "api/explain.h"
#include "dsl/schedule/directives.h"
#include "dsl/support/suggest.h"

namespace cdsl {
namespace {

using predicting::Access;
using predicting::KernelPrediction;

constexpr std::array<std::string_view, 6> kRelations = {"==", "!=", "<=", ">=", "<", ">"};

/// "sectors(x)" is sectors, x.
std::pair<std::string_view, std::string_view> split(std::string_view metric) {
  const std::size_t open = metric.find('(');
  if (open == std::string_view::npos) return {metric, {}};
  return {metric.substr(0, open), metric.substr(open + 1, metric.size() - open - 2)};
}

template <class Of>
std::optional<double> greatest(const std::vector<KernelPrediction>& kernels, Of&& of) {
  std::optional<double> most;
  for (const KernelPrediction& kernel : kernels) {
    const auto value = static_cast<double>(of(kernel));
    most = most ? std::max(*most, value) : value;
  }
  return most;
}

/// Over the access sites that `wanted` picks: sum of `top` over sum of `bottom`, both of one access and one launch.
template <class Wanted, class Top, class Bottom>
std::optional<double> ratio(const Explanation& explanation, Wanted&& wanted, Top&& top, Bottom&& bottom) {
  double over = 0, under = 0;
  for (const KernelPrediction& kernel : explanation.prediction.kernels) {
    for (const Access& access : kernel.accesses) {
      if (!wanted(access)) continue;
      over += kernel.launches * top(access);
      under += kernel.launches * bottom(access);
    }
  }
  if (under == 0) return std::nullopt;
  return over / under;
}

std::optional<double> of_kernels(const Explanation& explanation, std::string_view name) {
  const auto& kernels = explanation.prediction.kernels;
  if (name == "kernels") return static_cast<double>(kernels.size());
  if (name == "registers") return greatest(kernels, [](const auto& k) { return k.resources.registers; });
  if (name == "spills") return greatest(kernels, [](const auto& k) { return k.resources.spill_bytes; });
  if (name == "stack") return greatest(kernels, [](const auto& k) { return k.resources.stack_bytes; });
  if (name == "shared_bytes") return greatest(kernels, [](const auto& k) { return k.shared_bytes; });
  const auto least = [&](auto&& of) -> std::optional<double> {
    const auto most = greatest(kernels, [&](const auto& k) { return -of(k); });
    return most ? std::optional<double>(-*most) : std::nullopt;
  };
  if (name == "occupancy") return least([](const auto& k) { return k.prediction.occupancy.fraction; });
  if (name == "tail_efficiency") return least([](const auto& k) { return k.prediction.waves.tail_efficiency; });
  if (name == "waves") return greatest(kernels, [](const auto& k) { return k.prediction.waves.waves; });
  if (name == "bytes") return explanation.prediction.bytes();
  if (name == "flops") return explanation.prediction.flops();
  if (name == "roofline_us") return explanation.prediction.us;
  return std::nullopt;
}

std::optional<double> of_accesses(const Explanation& explanation, std::string_view name, std::string_view tensor) {
  const auto global = [&](const Access& a) { return !predicting::is_shared(a.kind) && (tensor.empty() || a.tensor == tensor); };
  const auto requests = [](const Access& a) { return a.requests; };
  if (name == "sectors") return ratio(explanation, global, [](const Access& a) { return a.sectors; }, requests);
  if (name == "excess_bytes") {
    return ratio(explanation, global, [](const Access& a) { return a.transferred_bytes(); },
                 [](const Access& a) { return a.requested_bytes(); });
  }
  if (name == "width")
    return ratio(explanation, global, [](const Access& a) { return a.width_bytes * a.requests; }, requests);
  if (name == "active_lanes") {
    return ratio(explanation, [](const Access&) { return true; }, [](const Access& a) { return a.lanes; }, requests);
  }
  double degree = 1;                     // nothing in shared memory is free of conflicts
  for (const KernelPrediction& kernel : explanation.prediction.kernels) {
    for (const Access& a : kernel.accesses) {
      const bool named = tensor.empty() || a.tensor == tensor || a.tensor.find(tensor) != std::string::npos;
      if (predicting::is_shared(a.kind) && named) degree = std::max(degree, static_cast<double>(a.bank_degree));
    }
  }
  return degree;
}

struct Behind {
  std::string_view metric;
  std::array<std::string_view, 3> passes;
};
/// Which passes decide what a metric counts, the likeliest first.
constexpr Behind kBehind[] = {
    {"bank_degree", {"pad", "tile", "map"}},      {"sectors", {"layout", "map", "tile"}},
    {"excess_bytes", {"layout", "map", "tile"}},  {"width", {"vectorize", "map", "layout"}},
    {"active_lanes", {"map", "predicate", "launch"}}, {"kernels", {"fuse", "reduce", "lower"}},
    {"spills", {"launch", "tile", "map"}},        {"registers", {"launch", "tile", "map"}},
    {"stack", {"launch", "tile", "map"}},         {"shared_bytes", {"tile", "pad", "map"}},
    {"occupancy", {"launch", "tile", "map"}},     {"waves", {"launch", "tile", "map"}},
    {"tail_efficiency", {"launch", "tile", "map"}}, {"bytes", {"fuse", "layout", "tile"}},
    {"flops", {"fuse", "tile", "simplify"}},      {"roofline_us", {"fuse", "map", "tile"}},
};

}  // namespace

std::optional<double> metric_value(const Explanation& explanation, std::string_view metric) {
  const auto [name, tensor] = split(metric);
  constexpr std::array<std::string_view, 5> kOfAccesses = {"sectors", "excess_bytes", "width", "active_lanes", "bank_degree"};
  if (std::find(kOfAccesses.begin(), kOfAccesses.end(), name) != kOfAccesses.end())
    return of_accesses(explanation, name, tensor);
  return of_kernels(explanation, name);
}

bool is_measured_metric(std::string_view metric) {
  return metric == "spills" || metric == "registers" || metric == "stack" || metric == "occupancy";
}

const Remark* decision_behind(std::string_view metric, const Remarks& remarks) {
  const auto [name, tensor] = split(metric);
  for (const Behind& behind : kBehind) {
    if (behind.metric != name) continue;
    for (const std::string_view pass : behind.passes) {
      const Remark* any = nullptr;
      for (const Remark& remark : remarks) {
        if (remark.pass != pass) continue;
        if (!tensor.empty() && remark.site.find(tensor) != std::string::npos) return &remark;
        if (any == nullptr) any = &remark;
      }
      if (any != nullptr) return any;
    }
  }
  return nullptr;
}

Result<Expectation> parse_expectation(std::string_view text, std::string& function) {
  const auto trimmed = [](std::string_view s) {
    while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == ';')) s.remove_suffix(1);
    return s;
  };
  const std::string whole(text);
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    function = trimmed(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  for (const std::string_view relation : kRelations) {
    const std::size_t at = text.find(relation);
    if (at == std::string_view::npos) continue;
    Expectation result;
    result.metric = trimmed(text.substr(0, at));
    std::erase(result.metric, ' ');
    result.relation = relation;
    const std::string_view number = trimmed(text.substr(at + relation.size()));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), result.value);
    if (error != std::errc() || end != number.data() + number.size() || number.empty())
      return Failure{fmt::format("'{}' compares with '{}', which is no number", whole, number)};
    std::vector<std::string_view> names;
    for (const DirectiveInfo& metric : known_metrics()) names.push_back(metric.name);
    const auto [name, tensor] = split(result.metric);
    const auto info = std::find_if(known_metrics().begin(), known_metrics().end(),
                                   [name = name](const DirectiveInfo& m) { return m.name == name; });
    if (info == known_metrics().end())
      return Failure{fmt::format("no metric is named '{}'{}", name, did_you_mean(std::string(name), names))};
    if (info->needs_target && tensor.empty()) return Failure{fmt::format("'{}' is of one tensor: {}(x)", name, name)};
    return result;
  }
  return Failure{fmt::format("'{}' is not of the form 'METRIC == NUMBER' or 'FN: METRIC == NUMBER'", whole)};
}

bool holds(const Expectation& expectation, double value) {
  const std::string& relation = expectation.relation;
  if (relation == "==") return value == expectation.value;
  if (relation == "!=") return value != expectation.value;
  if (relation == "<") return value < expectation.value;
  if (relation == "<=") return value <= expectation.value;
  if (relation == ">") return value > expectation.value;
  return value >= expectation.value;
}

}  // namespace cdsl
