// The kernels of one program, loaded in one context and ready to be launched.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dsl/loop/program.h"
#include "runtime/cuda/context.h"
#include "runtime/device.h"

namespace cdsl::runtime {

struct CudaKernel {
  std::string name;
  CudaFunction* function = nullptr;
  unsigned block[3] = {1, 1, 1};
  unsigned cluster[3] = {1, 1, 1};
  unsigned dynamic_bytes = 0;
  int64_t resident = 0;   // blocks that the context's multiprocessors hold at a time, whole clusters
  bool reports = false;   // takes the report records as its last argument
  int registers = 0, local_bytes = 0, static_bytes = 0;

  int64_t threads() const { return int64_t{block[0]} * block[1] * block[2]; }
  int64_t cluster_blocks() const { return int64_t{cluster[0]} * cluster[1] * cluster[2]; }
  LaunchShape shape() const { return {threads(), resident, cluster_blocks()}; }
  /// Asks the driver for a launch, without waiting. `parameters` point to the bytes of each; `all_at_once`: all blocks have to
  /// be resident. Throws Error.
  void launch(const CudaApi& api, int64_t blocks, bool all_at_once, void** parameters, CudaStream* stream) const;
};

class CudaProgram {
 public:
  /// `cubin` holds every kernel of `program`, under the names `symbols`. Requires: `context` is current. Keeps a reference to
  /// the program. Throws Error.
  CudaProgram(std::shared_ptr<const CudaContext> context, const loop::Program& program, std::span<const std::byte> cubin,
              std::span<const std::string> symbols);
  ~CudaProgram();
  CudaProgram(const CudaProgram&) = delete;
  CudaProgram& operator=(const CudaProgram&) = delete;

  const CudaContext& context() const { return *context_; }
  const CudaApi& api() const { return context_->api(); }
  const loop::Program& program() const { return program_; }
  const CudaKernel& kernel(uint32_t index) const { return kernels_[index]; }
  std::vector<const loop::TensorMap*> maps(uint32_t kernel) const;
  /// plan::ReportRecord by site; 0 where the program has no sites.
  CudaPointer reports() const { return reports_; }
  /// What kernels reported since the last call. Requires: they have ended.
  std::vector<SiteReport> take_reports() const;

 private:
  void load(std::span<const std::byte> cubin, std::span<const std::string> symbols);
  CudaKernel load_kernel(const loop::Kernel& kernel, const std::string& symbol) const;
  int64_t resident_blocks(const CudaKernel& kernel) const;
  void unload();

  std::shared_ptr<const CudaContext> context_;
  const loop::Program& program_;
  CudaModule* module_ = nullptr;
  std::vector<CudaKernel> kernels_;
  CudaPointer reports_ = 0;
};

/// Writes the 128 bytes of a CUtensorMap that shows memory at `base` as `view` says. Throws Error.
void encode_tensor_map(const CudaApi& api, void* map, CudaPointer base, ScalarType element, const TensorMapView& view);

}  // namespace cdsl::runtime
