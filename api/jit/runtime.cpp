#include "api/jit/runtime.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/environment.h"
#include "api/jit/failure.h"
#include "api/toolkit.h"
#include "runtime/error.h"
#include "runtime/executor.h"

namespace cdsl::jit {

using runtime::CudaContext;
using runtime::Error;
using runtime::ErrorKind;

JitRuntime::JitRuntime(const Options& options) : simulated_(options.simulated) {
  if (simulated_) return;
  Environment environment = read_environment();
  line_tables_ = environment.line_tables;
  if (options.cache_folder) environment.cache.folder = *options.cache_folder;
  runtime::CudaApi::load();
  std::string why;
  nvrtc_ = runtime::Nvrtc::load(environment.libraries, &why);
  if (!nvrtc_) throw Error(ErrorKind::NoNvrtc, "NVRTC", "", why);
  cache_ = std::make_unique<runtime::DiskCache>(std::move(environment.cache));
}

std::vector<std::byte> JitRuntime::compile(const std::string& text, const std::string& name, CompileOptions options) {
  options.line_tables = line_tables_;
  MachineCode code = compile_text(*nvrtc_, text, name, options, cache_.get());
  if (!code.toolkit) throw Error(ErrorKind::UnsupportedDevice, "NVRTC", "", code.problem);
  if (!code.result.ok) throw Error(ErrorKind::Compile, "NVRTC", code.result.error, "refused the text of '" + name + "'", code.result.log);
  return std::move(code.result.cubin);
}

JitRuntime::~JitRuntime() = default;

std::shared_ptr<const CudaContext> JitRuntime::context() {
  const std::lock_guard lock(mutex_);
  for (const auto& context : contexts_) {
    if (context->is_current()) return context;
  }
  contexts_.push_back(CudaContext::of_thread());
  return contexts_.back();
}

std::string JitRuntime::architecture() {
  if (simulated_) return std::string(kDefaultArchitecture);
  const auto here = context();
  const Architecture* found = find_architecture(fmt::format("sm_{}{}", here->major(), here->minor()));
  if (found == nullptr || !found->can_emit) {
    throw Error(ErrorKind::UnsupportedDevice, "cdsl", "",
                fmt::format("{} has compute capability {}.{}, which is not supported", here->name(), here->major(), here->minor()));
  }
  return std::string(found->name);
}

void JitRuntime::watch(std::weak_ptr<runtime::CudaProgram> loaded, std::vector<loop::ReportSite> sites,
                       std::shared_ptr<const Source> source) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [](const Watched& watched) { return watched.loaded.expired(); });
  watched_.push_back({std::move(loaded), std::move(sites), std::move(source)});
}

void JitRuntime::keep(std::string report) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(report));
}

std::vector<std::string> JitRuntime::take_reports() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> lines = std::move(kept_);
  kept_.clear();
  for (const Watched& watched : watched_) {
    const auto loaded = watched.loaded.lock();
    if (!loaded || !loaded->context().is_current()) continue;
    for (const runtime::SiteReport& report : loaded->take_reports()) {
      const loop::ReportSite& site = watched.sites[report.site];
      const auto [path, line] = watched.source->locate(site.where);
      lines.push_back(fmt::format("{}:{}: kernel '{}': {}{}", path, line, site.kernel, runtime::describe(site, report.value),
                                  report.count > 1 ? fmt::format(" ({} times)", report.count) : ""));
    }
  }
  return lines;
}

void JitRuntime::synchronize(void* stream) {
  if (!simulated_) {
    const auto here = context();
    here->api().check(here->api().stream_synchronize(static_cast<runtime::CudaStream*>(stream)), "cuStreamSynchronize",
                      "work before this point faulted");
  }
  const std::vector<std::string> reports = take_reports();
  if (!reports.empty()) throw JitFailure(CDSL_ERROR_CHECK, fmt::format("{}", fmt::join(reports, "\n")));
}

}  // namespace cdsl::jit
