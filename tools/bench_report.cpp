#include "tools/bench_report.h"

#include <fmt/format.h>
#include <llvm/Support/raw_ostream.h>

namespace cdsl::tools {
namespace {

using llvm::json::Object;
using runtime::Samples;

/// "12.5 MB", "2 GFLOP": three or four digits and a power of 1000.
std::string scaled(double value, std::string_view unit) {
  constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t k = 0;
  for (; value >= 1000 && k + 1 < std::size(kPrefixes); ++k) value /= 1000;
  return fmt::format("{:.4g} {}{}", value, kPrefixes[k], unit);
}

std::string sizes_of(const BenchRow& row) {
  std::string text;
  for (const auto& [name, type] : row.types) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, name_of(type));
  for (const auto& [name, value] : row.benchmark.sizes) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string json_text(std::string_view s) { return llvm::json::fixUTF8(llvm::StringRef(s.data(), s.size())); }

/// A field of CSV: quoted where it would be read as several.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

struct BenchReport::Figures {
  double least = 0, tenth = 0, median = 0, ninetieth = 0, noise = 0;   // microseconds; noise of the median
  double gigabytes = 0, of_memory = 0;                                 // a second; percent of the ceiling, 0 without one
  double gigaflop = 0, of_math = 0;
};

BenchReport::BenchReport(const Session& session, std::optional<runtime::Ceilings> ceilings)
    : session_(session), ceilings_(ceilings) {}

BenchReport::Figures BenchReport::figures(const Samples& samples, const Benchmark& benchmark) const {
  Figures f{samples.quantile(0), samples.quantile(0.1), samples.quantile(0.5), samples.quantile(0.9), 100 * samples.noise()};
  f.gigabytes = benchmark.gigabytes_per_second(f.median);
  f.gigaflop = benchmark.gigaflop_per_second(f.median);
  if (!ceilings_ || !(f.median > 0)) return f;
  const double seconds = f.median / 1e6, wide = benchmark.work.flop64;
  f.of_memory = 100e9 * f.gigabytes / ceilings_->bytes_per_second;
  f.of_math = 100 * ((benchmark.work.flop - wide) / ceilings_->flop32_per_second + wide / ceilings_->flop64_per_second) / seconds;
  return f;
}

bool BenchReport::add(const BenchRow& row) {
  const Settings& settings = session_.settings;
  if (settings.json_report) {
    rows_.push_back(json(row));
    return true;
  }
  const bool is_text = !settings.csv_report && !settings.md_report;
  std::string out;
  if (is_text && !has_head_ && ceilings_) {
    out = fmt::format("{} reaches {}, {} in f32 and {} in f64\n", row.benchmark.device, scaled(ceilings_->bytes_per_second, "B/s"),
                      scaled(ceilings_->flop32_per_second, "FLOP/s"), scaled(ceilings_->flop64_per_second, "FLOP/s"));
  }
  out += is_text ? text(row) : table(row, settings.csv_report);
  has_head_ = true;
  return session_.print(out);
}

bool BenchReport::finish() {
  if (!session_.settings.json_report) return true;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(rows_)));
  return session_.print(text);
}

std::string BenchReport::text(const BenchRow& row) const {
  const Benchmark& b = row.benchmark;
  const std::string sizes = sizes_of(row);
  std::string text = fmt::format("{} {}{}{}, variant {}, on {}: reads {}, writes {}", row.file, row.function, sizes.empty() ? "" : " ",
                                 sizes, b.variant, b.device, scaled(static_cast<double>(b.read_bytes), "B"),
                                 scaled(static_cast<double>(b.written_bytes), "B"));
  if (b.work.flop > 0) text += fmt::format(", {}{}", b.work.hangs_on_data ? "about " : "", scaled(b.work.flop, "FLOP"));
  if (!b.timed) return text + "; launched, not timed\n";
  if (b.timing.clock_mhz > 0) text += fmt::format("; at {:.0f} MHz", b.timing.clock_mhz);
  text += fmt::format("\n  {:<4}  {:>7}  {:>9}  {:>9}  {:>9}  {:>9}  {:>6}  {:>8}  {:>6}  {:>9}  {:>6}\n", "L2", "samples", "min us",
                      "10% us", "median us", "90% us", "noise", "GB/s", "of max", "GFLOP/s", "of max");
  for (const auto& [state, samples] : {std::pair{"cold", &b.timing.cold}, std::pair{"hot", &b.timing.hot}}) {
    const Figures f = figures(*samples, b);
    text += fmt::format("  {:<4}  {:>7}  {:>9.2f}  {:>9.2f}  {:>9.2f}  {:>9.2f}  {:>5.1f}%  {:>8.1f}  {:>5.0f}%  {:>9.1f}  {:>5.0f}%\n",
                        state, samples->count(), f.least, f.tenth, f.median, f.ninetieth, f.noise, f.gigabytes, f.of_memory,
                        f.gigaflop, f.of_math);
  }
  return text;
}

/// Two lines, after the head where they are the first.
std::string BenchReport::table(const BenchRow& row, bool is_csv) {
  const Benchmark& b = row.benchmark;
  const auto line = [&](const std::vector<std::string>& cells) {
    return is_csv ? fmt::format("{}\n", fmt::join(cells, ",")) : fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  const auto text = [&](const std::string& s) { return is_csv ? field(s) : s; };
  std::string out;
  if (!has_head_) {
    const std::vector<std::string> head = {"file", "function", "sizes", "device", "variant", "l2", "samples", "min_us", "p10_us", "median_us",
                                           "p90_us", "noise_percent", "gb_per_s", "percent_of_memory", "gflop_per_s", "percent_of_math",
                                           "read_bytes", "written_bytes", "flop", "clock_mhz"};
    out = line(head);
    if (!is_csv) out += line(std::vector<std::string>(head.size(), "---"));
  }
  if (!b.timed) return out;
  for (const auto& [state, samples] : {std::pair{"cold", &b.timing.cold}, std::pair{"hot", &b.timing.hot}}) {
    const Figures f = figures(*samples, b);
    std::vector<std::string> cells = {text(row.file), text(row.function), text(sizes_of(row)), text(b.device), text(b.variant), state,
                                      std::to_string(samples->count())};
    for (const double value : {f.least, f.tenth, f.median, f.ninetieth, f.noise, f.gigabytes, f.of_memory, f.gigaflop, f.of_math})
      cells.push_back(fmt::format("{:.2f}", value));
    for (const int64_t bytes : {b.read_bytes, b.written_bytes}) cells.push_back(std::to_string(bytes));
    for (const double value : {b.work.flop, b.timing.clock_mhz}) cells.push_back(fmt::format("{:.0f}", value));
    out += line(cells);
  }
  return out;
}

Object BenchReport::json(const Samples& samples, const Benchmark& benchmark) const {
  const Figures f = figures(samples, benchmark);
  Object object{{"samples", static_cast<int64_t>(samples.count())},
                {"min_us", f.least},
                {"p10_us", f.tenth},
                {"median_us", f.median},
                {"p90_us", f.ninetieth},
                {"noise_percent", f.noise},
                {"gb_per_s", f.gigabytes},
                {"gflop_per_s", f.gigaflop}};
  if (!ceilings_) return object;
  object["percent_of_memory"] = f.of_memory;
  object["percent_of_math"] = f.of_math;
  return object;
}

Object BenchReport::json(const BenchRow& row) const {
  const Benchmark& b = row.benchmark;
  Object sizes, types;
  for (const auto& [name, value] : b.sizes) sizes[json_text(name)] = value;
  for (const auto& [name, type] : row.types) types[json_text(name)] = json_text(name_of(type));
  Object object{{"file", json_text(row.file)},
                {"function", json_text(row.function)},
                {"device", json_text(b.device)},
                {"variant", json_text(b.variant)},
                {"types", std::move(types)},
                {"sizes", std::move(sizes)},
                {"read_bytes", b.read_bytes},
                {"written_bytes", b.written_bytes},
                {"flop", b.work.flop}};
  if (!b.timed) return object;
  object["clock_mhz"] = b.timing.clock_mhz;
  object["cold"] = json(b.timing.cold, b);
  object["hot"] = json(b.timing.hot, b);
  if (!ceilings_) return object;
  object["ceilings"] = Object{{"gb_per_s", ceilings_->bytes_per_second / 1e9},
                              {"gflop32_per_s", ceilings_->flop32_per_second / 1e9},
                              {"gflop64_per_s", ceilings_->flop64_per_second / 1e9}};
  return object;
}

}  // namespace cdsl::tools
