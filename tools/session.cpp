#include "tools/session.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include <fmt/format.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Regex.h>
#include <llvm/Support/raw_ostream.h>

#include "api/files.h"
#include "frontend/render.h"

namespace cdsl::tools {
namespace {

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string json_message(std::string_view severity, std::string_view message) {
  llvm::json::Object object{
      {"severity", std::string(severity)},
      {"code", nullptr},
      {"message", llvm::json::fixUTF8(llvm::StringRef(message.data(), message.size()))},
      {"range", nullptr}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text + "\n";
}

/// Nothing that a terminal would obey: names of files may hold anything.
std::string printable(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

}  // namespace

Session::Session(Settings given, Environment surroundings)
    : settings(std::move(given)),
      environment(std::move(surroundings)),
      color_(!environment.no_color && ::isatty(2) == 1),
      timeline_(settings.timeline.empty() ? nullptr : std::make_unique<runtime::Timeline>()) {
  settings.compile.line_tables = environment.line_tables || settings.run_once;  // one launch is for profilers
}

Source& Session::load(const std::string& path) {
  SourceInput input;
  input.path = path;
  input.import_directories = settings.import_directories;
  input.error_limit = settings.error_limit;
  if (path == "-") {
    input.path = "<stdin>";
    Result<std::string> text = read_file("/dev/stdin");
    input.text = text ? std::move(*text) : std::string();
  }
  const runtime::HostSpan span(timeline(), "parse " + path);
  source_ = load_and_parse(input);
  reported_ = 0;
  return *source_;
}

runtime::DiskCache* Session::cache() const {
  if (!settings.use_cache) return nullptr;
  if (!cache_) {
    cache_ = std::make_unique<runtime::DiskCache>(environment.cache);
    for (const std::string& problem : {environment.cache_problem, cache_->problem()}) {
      if (!problem.empty()) warning(problem);
    }
  }
  return cache_.get();
}

void Session::report_cache() const {
  if (!cache_) return;
  if (const std::string loss = cache_->loss(); !loss.empty()) warning(loss);
}

void Session::say(std::string_view severity, std::string_view message) const {
  if (settings.json) return print_error(json_message(severity, message));
  const std::string_view color = severity == "error"     ? "\x1b[1;31m"
                                 : severity == "warning" ? "\x1b[1;35m"
                                                         : "\x1b[1;36m";
  print_error(color_ ? fmt::format("cuoptc: {}{}:\x1b[0m {}\n", color, severity, printable(message))
                     : fmt::format("cuoptc: {}: {}\n", severity, printable(message)));
}

int Session::usage_error(std::string_view message) const {
  error(message);
  if (!settings.json) print_error("run 'cuoptc --help' for the options\n");
  return kUsage;
}

bool Session::report(const Source& source) {
  const auto& all = source.diagnostics.diagnostics();
  for (; reported_ < all.size(); ++reported_) {
    print_error(settings.json ? render_json(source.files, all[reported_])
                              : render_text(source.files, all[reported_], color_));
  }
  return source.has_errors();
}

void Session::error_at(const Source& source, Code code, SourceRange where,
                       const std::string& message) const {
  Diagnostic diagnostic{code, Severity::Error, where, message, {}, {}};
  print_error(settings.json ? render_json(source.files, diagnostic)
                            : render_text(source.files, diagnostic, color_));
}

void Session::warning_at(const Source& source, SourceRange where,
                         const std::string& message) const {
  const auto [path, line] = source.locate(where);
  warning(where.valid() ? fmt::format("{}:{}: {}", path, line, message) : message);
}

void Session::print_remarks(const Source& source, const Remarks& remarks) const {
  const llvm::Regex fired(settings.remarks), missed(settings.missed_remarks);
  for (const Remark& remark : remarks) {
    const std::string& wanted = remark.fired ? settings.remarks : settings.missed_remarks;
    if (wanted.empty() || !(remark.fired ? fired : missed).match(remark.pass)) continue;
    const auto [path, line] = source.locate(remark.where);
    const std::string text = fmt::format("{} [-Rpass{}={}]", to_string(remark),
                                         remark.fired ? "" : "-missed", remark.pass);
    if (settings.json)
      note(text);
    else
      print_error(printable(remark.where.valid()
                                ? fmt::format("{}:{}: remark: {}\n", path, line, text)
                                : "remark: " + text + "\n"));
  }
}

bool Session::write(const std::string& path, std::string_view contents) const {
  if (!path.empty() && path != "-") {
    const auto failure = write_file(path, contents);
    if (failure) error(failure->message);
    return !failure;
  }
  const bool written =
      std::fwrite(contents.data(), 1, contents.size(), stdout) == contents.size() &&
      std::fflush(stdout) == 0;
  if (!written) error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  return written;
}

}  // namespace cdsl::tools
