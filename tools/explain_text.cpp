#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "dsl/machine/latency.h"
#include "dsl/machine/memory.h"
#include "dsl/machine/occupancy.h"
#include "tools/explain.h"

namespace cdsl::tools {
namespace {

using predicting::Access;
using predicting::KernelPrediction;
using predicting::Traffic;

constexpr std::size_t kWidest = 30;      // of source text in a table

std::string scaled(double value, double unit, std::string_view suffix) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t k = 0;
  while (value >= unit * 0.9995 && k + 1 < kPrefixes.size()) {
    value /= unit;
    ++k;
  }
  const std::string number = k == 0 || value >= 99.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  const std::string end = fmt::format("{}{}", kPrefixes[k], suffix);
  return end.empty() ? number : number + " " + end;
}

/// 12, 4.5, 0.25.
std::string number(double value) {
  return fmt::format("{:.4g}", std::round(value * 100) / 100);
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.size() <= kWidest ? text : text.substr(0, kWidest - 3) + "...";
}

class TextReport {
 public:
  TextReport(const Session& session, const Source& source, const Compiled& unit, const Explanation& explanation)
      : source_(source),
        unit_(unit),
        explanation_(explanation),
        arch_(*find_architecture(session.settings.compile.architecture)) {}

  std::string run() {
    header();
    for (const KernelPrediction& kernel : explanation_.prediction.kernels) report(kernel);
    decisions();
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  void header() {
    const auto& prediction = explanation_.prediction;
    std::string sizes;
    for (const auto& [name, value] : explanation_.sizes) sizes += fmt::format(" {}={}", name, value);
    line("{} on {} ({}):{}", unit_.function.name, arch_.name, arch_.part, sizes.empty() ? " any size" : sizes);
    if (unit_.program.plan.variants.size() > 1) line("variant {} of {} runs", prediction.variant, unit_.program.plan.variants.size());
    if (!prediction.assumed.empty()) line("if {}", fmt::join(prediction.assumed, ", "));
    std::string moved;
    if (prediction.fill_bytes > 0) moved += fmt::format(", {} filled", bytes_text(prediction.fill_bytes));
    if (prediction.copy_bytes > 0) moved += fmt::format(", {} copied", bytes_text(prediction.copy_bytes));
    line("one call: {} us predicted, {} to and from memory, {}{}", number(prediction.us), bytes_text(prediction.bytes()),
         scaled(prediction.flops(), 1000, "FLOP"), moved);
    if (!explanation_.measured) line("registers and spills are guessed ({})", explanation_.not_measured);
  }

  void report(const KernelPrediction& kernel) {
    const auto [path, at] = source_.locate(kernel.where);
    line("");
    line("kernel {}{}{}", kernel.name, at > 0 ? fmt::format(", line {}", at) : "",
         kernel.launches > 1 ? fmt::format(", {} launches a call", number(kernel.launches)) : "");
    memory(kernel);
    occupancy_of(kernel);
    time(kernel);
  }

  void memory(const KernelPrediction& kernel) {
    for (const Traffic& traffic : kernel.traffic) traffic_of(traffic);
    std::vector<std::array<std::string, 8>> rows;
    rows.push_back({"line", "access", "of", "width", "sectors/request", "bank degree", "lanes", "requests"});
    bool data = false;
    for (const Access& a : kernel.accesses) {
      const auto [path, at] = source_.locate(a.where);
      const bool shared = predicting::is_shared(a.kind);
      const std::string of = one_line(access_text(source_, a));
      std::string kind(predicting::name_of(a.kind));
      std::replace(kind.begin(), kind.end(), '_', ' ');
      const std::string mark = a.data_dependent ? "~" : "";
      data = data || a.data_dependent;
      rows.push_back({at > 0 ? std::to_string(at) : "-", kind, of, fmt::format("{} B", a.width_bytes),
                      shared ? "-" : fmt::format("{}{} (ideal {})", mark, number(a.sectors_per_request()), number(a.ideal_per_request())),
                      shared ? fmt::format("{}{}", mark, a.bank_degree) +
                                   (a.conflicts() > 1.005 ? fmt::format(" ({} wavefronts/request)", number(a.wavefronts / a.requests)) : "")
                             : "-",
                      mark + number(a.active_lanes()), mark + count_text(a.requests)});
    }
    table(rows);
    if (data) line("    ~ depends on data: lanes that may be active count, unknown addresses spread over their tensor");
    line("  spills: {} B a thread{}{}", kernel.resources.spill_bytes, kernel.resources.measured ? "" : " (guessed)",
         kernel.resources.stack_bytes > 0 ? fmt::format(", stack {} B", kernel.resources.stack_bytes) : "");
  }

  void traffic_of(const Traffic& t) {
    std::string text;
    if (t.read_bytes > 0) {
      text += fmt::format("reads {} in sectors", bytes_text(t.read_bytes));
      if (t.l2_read_bytes < 0.995 * t.read_bytes) text += fmt::format(", {} past the L1", bytes_text(t.l2_read_bytes));
      text += fmt::format(", {} different", bytes_text(t.unique_read_bytes));
      if (t.unique_read_bytes > 0) text += fmt::format(": each read {} times", number(t.read_bytes / t.unique_read_bytes));
    }
    if (t.written_bytes > 0) {
      text += fmt::format("{}writes {}", text.empty() ? "" : "; ", bytes_text(t.written_bytes));
      if (t.unique_written_bytes < 0.995 * t.written_bytes) text += fmt::format(", {} different", bytes_text(t.unique_written_bytes));
    }
    if (!text.empty()) line("  {}: {}", t.tensor, text);
  }

  template <std::size_t Columns>
  void table(const std::vector<std::array<std::string, Columns>>& rows) {
    if (rows.size() < 2) return;
    std::array<std::size_t, Columns> width{};
    for (const auto& row : rows) {
      for (std::size_t k = 0; k < Columns; ++k) width[k] = std::max(width[k], row[k].size());
    }
    for (const auto& row : rows) {
      std::string cells;
      for (std::size_t k = 0; k < Columns; ++k) cells += fmt::format("  {:<{}}", row[k], width[k]);
      cells.erase(cells.find_last_not_of(' ') + 1);
      line("  {}", cells);
    }
  }

  void occupancy_of(const KernelPrediction& kernel) {
    const Occupancy& o = kernel.prediction.occupancy;
    const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    line("  occupancy: {:.0f} %, {} of {} warps, limited by {}; {} registers a thread{}, {} of shared memory a block of {}",
         100 * o.fraction, o.warps, arch_.max_warps, o.limiter, kernel.resources.registers,
         kernel.resources.measured ? "" : " (guessed)", bytes_text(static_cast<double>(kernel.shared_bytes)), threads);
    if (const int idle = idle_lanes(threads); idle > 0)
      line("  warning: a block of {} threads leaves {} lanes of its last warp idle", threads, idle);
  }

  void time(const KernelPrediction& kernel) {
    const Prediction& p = kernel.prediction;
    line("  grid: {} blocks, {}", number(kernel.grid), kernel.grid_rule);
    line("  waves: {}, tail efficiency {:.0f} %", number(p.waves.waves), 100 * p.waves.tail_efficiency);
    std::string roofs;
    std::vector<std::pair<double, std::string_view>> slowest;
    for (std::size_t k = 0; k < kBounds; ++k) {
      if (p.roofs[k] > 0) slowest.emplace_back(p.roofs[k], cdsl::name_of(static_cast<Bound>(k)));
    }
    std::sort(slowest.rbegin(), slowest.rend());
    for (std::size_t k = 0; k < slowest.size() && k < 5; ++k)
      roofs += fmt::format("{}{} {}", k == 0 ? "" : ", ", slowest[k].second, number(slowest[k].first));
    line("  time: {} us{}, bound by {} (us: {})", number(p.us), kernel.launches > 1 ? " of all launches" : "",
         cdsl::name_of(p.bound), roofs);
    const double loads = kernel.l2_bytes + kernel.work.shared_wavefronts * kLineBytes;
    line("  work: {}{}{}{}", scaled(kernel.flops, 1000, "FLOP"),
         loads > 0 && kernel.flops > 0 ? fmt::format(", {} a byte of memory", number(kernel.flops / std::max(1.0, kernel.dram_bytes))) : "",
         kernel.barriers > 0 ? fmt::format(", {} barriers a block", number(kernel.barriers)) : "",
         kernel.atomics > 0 ? fmt::format(", {} atomic updates", count_text(kernel.atomics)) : "");
  }

  void decisions() {
    if (unit_.remarks.empty()) return;
    line("");
    line("decisions");
    for (const Remark& remark : unit_.remarks) {
      const auto [path, at] = source_.locate(remark.where);
      line("  {}{}", at > 0 ? fmt::format("line {}: ", at) : "", to_string(remark));
      if (!remark.choice.empty()) {
        line("    {} {}{}", remark.fired ? "chosen:" : "kept:", remark.choice,
             remark.key.empty() ? "" : fmt::format("   ({})", setting(remark.key, remark.choice)));
      }
      for (const Remark::Alternative& other : remark.alternatives) {
        std::string numbers;
        for (const Remark::Number& n : other.numbers)
          numbers += fmt::format("{}{} {:g}{}", numbers.empty() ? "" : ", ", n.name, n.value, n.unit.empty() ? "" : " " + n.unit);
        line("    instead: {}{}{}{}", remark.key.empty() ? other.choice : setting(remark.key, other.choice),
             numbers.empty() ? "" : " (" + numbers + ")", other.why_not.empty() ? "" : ": ", other.why_not);
      }
    }
  }

  const Source& source_;
  const Compiled& unit_;
  const Explanation& explanation_;
  const Architecture& arch_;
  std::string text_;
};

}  // namespace

std::string bytes_text(double bytes) {
  return scaled(bytes, 1000, "B");
}

std::string count_text(double count) {
  return scaled(count, 1000, "");
}

SourceRange access_range(const Source& source, const Access& access) {
  if (!access.where.valid()) return {};
  std::string_view text = source.files.text(access.where);
  if (access.kind != predicting::AccessKind::Load) {
    // The left side of a statement.
    const std::size_t close = text.find(']');
    text = close == std::string_view::npos ? std::string_view{} : text.substr(0, close + 1);
  }
  if (is_shared(access.kind) || !text.starts_with(access.tensor)) return {};
  return {access.where.file, access.where.begin, access.where.begin + static_cast<std::uint32_t>(text.size())};
}

std::string access_text(const Source& source, const Access& access) {
  const SourceRange range = access_range(source, access);
  if (is_shared(access.kind)) return access.tensor;
  const std::string text = range.valid() ? std::string(source.files.text(range)) : access.tensor;
  const bool names_field = access.field.empty() || text.find("." + access.field) != std::string::npos;
  return names_field ? text : text + "." + access.field;
}

std::string explanation_text(const Session& session, const Source& source, const Compiled& unit,
                             const Explanation& explanation) {
  return TextReport(session, source, unit, explanation).run();
}

}  // namespace cdsl::tools
