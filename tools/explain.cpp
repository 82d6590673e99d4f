#include "tools/explain.h"

#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/expectations.h"
#include "tools/optimization_record.h"
#include "tools/units.h"

namespace cdsl::tools {
namespace {

class ExplainCommand {
 public:
  explicit ExplainCommand(Session& session) : session_(session), settings_(session.settings) {}

  int run() {
    for (const std::string& path : settings_.positional) explain_file(path);
    if (!settings_.page.empty() && !settings_.json_report) return status_;
    if (settings_.json_report) text_ = reports_.size() == 1 ? reports_[0] + "\n" : fmt::format("[\n{}\n]\n", fmt::join(reports_, ",\n"));
    if (status_ != kOk && text_.empty()) return status_;
    if (settings_.json_report && reports_.empty()) return status_;
    return session_.write(settings_.output, text_) ? status_ : kUsage;
  }

 private:
  void explain_file(const std::string& path) {
    Source& source = session_.load(path);
    const auto units = compile_units(session_, source);
    if (!units) {
      status_ = kSourceError;
      return;
    }
    for (const Compiled& unit : *units) explain_unit(source, unit);
    if (!page_units_.empty() && !session_.write(settings_.page, explanation_page(session_, source, page_units_))) status_ = kUsage;
    page_units_.clear();
    if (!write_optimization_record(session_, source, *units)) status_ = kUsage;
  }

  void explain_unit(const Source& source, const Compiled& unit) {
    if (settings_.ranges) {
      text_ += ranges_text(source, unit.function);
      return;
    }
    auto explanation =
        explain(session_.environment, source, unit, settings_.compile,
                {settings_.measure, settings_.measure ? session_.cache() : nullptr});
    if (!explanation) {
      session_.error(explanation.message());
      status_ = kUsage;
      return;
    }
    if (!explanation->warning.empty()) session_.warning(explanation->warning);
    if (settings_.json_report)
      reports_.push_back(explanation_json(session_, source, unit, *explanation));
    else if (settings_.page.empty())
      text_ += (text_.empty() ? "" : "\n") + explanation_text(session_, source, unit, *explanation);
    if (!expectations_hold(session_, source, unit, *explanation, true) && status_ == kOk) status_ = kMismatch;
    if (!settings_.page.empty()) page_units_.push_back({unit, std::move(*explanation)});
  }

  Session& session_;
  const Settings& settings_;
  std::string text_;
  std::vector<std::string> reports_;
  std::vector<PageUnit> page_units_;   // of the current file
  int status_ = kOk;
};

}  // namespace

int explain_command(Session& session) {
  if (session.settings.positional.empty()) return session.usage_error("explain needs a file");
  const Settings& settings = session.settings;
  if (!settings.page.empty() && settings.positional.size() > 1) return session.usage_error("--html makes a page of one file");
  if (!settings.page.empty() && settings.ranges) return session.usage_error("--html and --ranges exclude each other");
  if (settings.page == "-" && settings.json_report && (settings.output.empty() || settings.output == "-"))
    return session.usage_error("--html=- and --json both write to standard output: give one of them a file");
  return ExplainCommand(session).run();
}

}  // namespace cdsl::tools
