// The embedded runtime: devices, NVRTC and the cache of compiled kernels, shared by all modules of a process. Thread-safe.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/pipeline.h"
#include "dsl/machine/architectures.h"
#include "runtime/cache/disk_cache.h"
#include "runtime/cuda/program.h"
#include "runtime/nvrtc.h"

namespace cdsl::jit {

class JitRuntime {
 public:
  struct Options {
    bool simulated = false;                       // device "sim"
    std::optional<std::string> cache_folder;      // instead of the environment's; "": no cache
  };
  /// Throws runtime::Error where a driver, a device or NVRTC is missing.
  explicit JitRuntime(const Options& options);
  ~JitRuntime();

  bool is_simulated() const { return simulated_; }
  /// Machine code of emitted text, out of the cache where it is. Throws runtime::Error.
  std::vector<std::byte> compile(const std::string& text, const std::string& name, CompileOptions options);

  /// The context of this thread. The object is the same for every call in one context.
  std::shared_ptr<const runtime::CudaContext> context();
  /// "sm_90a" for the device of this thread's context. Throws runtime::Error where we do not know it.
  std::string architecture();

  /// Reports of these kernels are asked for by `synchronize`, as long as they are loaded.
  void watch(std::weak_ptr<runtime::CudaProgram> loaded, std::vector<loop::ReportSite> sites, std::shared_ptr<const Source> source);
  /// For devices without streams: reports that a launch left at once.
  void keep(std::string report);
  /// Waits for the stream; throws JitFailure (CDSL_ERROR_CHECK) where kernels reported.
  void synchronize(void* stream);

 private:
  struct Watched {
    std::weak_ptr<runtime::CudaProgram> loaded;
    std::vector<loop::ReportSite> sites;
    std::shared_ptr<const Source> source;
  };
  std::vector<std::string> take_reports();

  bool simulated_;
  bool line_tables_ = false;
  std::unique_ptr<runtime::Nvrtc> nvrtc_;          // none for "sim"
  std::unique_ptr<runtime::DiskCache> cache_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<const runtime::CudaContext>> contexts_;
  std::vector<Watched> watched_;
  std::vector<std::string> kept_;
};

}  // namespace cdsl::jit
