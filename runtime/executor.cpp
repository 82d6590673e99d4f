#include "runtime/executor.h"

#include "dsl/support/check.h"
#include "runtime/prepared_call.h"

namespace cdsl::runtime {

std::string describe(const loop::ReportSite& site, int64_t value) {
  const std::string index = site.what + ": index " + std::to_string(value);
  switch (site.kind) {
    case loop::ReportSite::Kind::ReadOutside: return index + " lies outside, read as 0";
    case loop::ReportSite::Kind::WriteOutside: return index + " lies outside, nothing was written";
    case loop::ReportSite::Kind::ScatterOutside:
      return index + " lies outside, the update was dropped";
    case loop::ReportSite::Kind::EmptyArg:
      return site.what + ": nothing to choose from, the position is -1";
    case loop::ReportSite::Kind::CountOverflow:
      return site.what + ": " + std::to_string(value) + " does not fit its type";
  }
  CDSL_UNREACHABLE("kind of a report");
}

std::string describe(const Fault& fault) {
  return fault.kind + (fault.kernel.empty() ? "" : " in kernel " + fault.kernel) + ": " + fault.message;
}

Execution execute(const tir::Function& function, const plan::Plan& plan,
                  const std::vector<loop::ReportSite>& sites, const Arguments& arguments,
                  Device& device, const ExecuteOptions& options) {
  Execution execution;
  PreparedCall call(function, plan, arguments, device, options);
  execution.errors = call.errors();
  if (!execution.errors.empty()) return execution;
  execution.variant = call.variant();
  if (execution.variant == plan.variants.size()) return execution;
  call.run();

  for (const SiteReport& report : device.take_reports()) {
    CDSL_CHECK(report.site < sites.size(), "a report of a site that does not exist");
    const loop::ReportSite& site = sites[report.site];
    execution.reports.push_back(
        {site.kernel, describe(site, report.value), site.where, report.value, report.count});
  }
  execution.faults = device.take_faults();
  execution.outputs = call.download();
  return execution;
}

}  // namespace cdsl::runtime
