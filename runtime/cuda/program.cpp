#include "runtime/cuda/program.h"

#include <algorithm>

#include "dsl/loop/shared_layout.h"
#include "dsl/loop/walk.h"
#include "dsl/plan/report_abi.h"
#include "dsl/support/check.h"
#include "runtime/error.h"

namespace cdsl::runtime {
namespace {

// CUfunction_attribute and CUlaunchAttributeID of cuda.h.
constexpr int kStaticShared = 1, kLocalBytes = 3, kRegisters = 4, kMaxDynamicShared = 8, kNonPortableCluster = 14;
constexpr int kCooperative = 2, kClusterShape = 4;
constexpr int64_t kPortableCluster = 8;  // blocks of a cluster that every device has

bool has_report(const loop::Kernel& kernel) {
  bool found = false;
  loop::for_each_statement(kernel.body, [&](const loop::Statement& statement) {
    found |= std::holds_alternative<loop::Report>(statement.node);
  });
  return found;
}

CudaLaunch launch_of(const CudaKernel& kernel, int64_t blocks) {
  CudaLaunch launch;
  launch.grid[0] = static_cast<unsigned>(blocks);
  std::copy(kernel.block, kernel.block + 3, launch.block);
  launch.shared_bytes = kernel.dynamic_bytes;
  return launch;
}

}  // namespace

void CudaKernel::launch(const CudaApi& api, int64_t blocks, bool all_at_once, void** parameters, CudaStream* stream) const {
  if (!all_at_once) {
    return api.check(api.launch(function, static_cast<unsigned>(blocks), 1, 1, block[0], block[1], block[2], dynamic_bytes, stream,
                                parameters, nullptr),
                     "cuLaunchKernel", name);
  }
  if (api.launch_with == nullptr)
    throw Error(ErrorKind::DriverTooOld, "driver", "too old", "cuLaunchKernelEx is missing, which blocks that run at once need");
  CudaAttribute cooperative{kCooperative, 0, {}};
  cooperative.value.number = 1;
  CudaLaunch launch = launch_of(*this, blocks);
  launch.stream = stream;
  launch.attributes = &cooperative;
  launch.attribute_count = 1;
  api.check(api.launch_with(&launch, function, parameters, nullptr), "cuLaunchKernelEx", name);
}

CudaProgram::CudaProgram(std::shared_ptr<const CudaContext> context, const loop::Program& program,
                         std::span<const std::byte> cubin, std::span<const std::string> symbols)
    : context_(std::move(context)), program_(program) {
  CDSL_CHECK(symbols.size() == program.kernels.size(), "a symbol for every kernel");
  try {
    load(cubin, symbols);
  } catch (...) {
    unload();
    throw;
  }
}

CudaProgram::~CudaProgram() { unload(); }

void CudaProgram::unload() {
  if (reports_ != 0) api().free(reports_);
  if (module_ != nullptr) api().module_unload(module_);
}

void CudaProgram::load(std::span<const std::byte> cubin, std::span<const std::string> symbols) {
  api().check(api().module_load(&module_, cubin.data()), "cuModuleLoadData",
              "the kernels of '" + program_.name + "' cannot be loaded");
  for (std::size_t k = 0; k < symbols.size(); ++k) kernels_.push_back(load_kernel(program_.kernels[k], symbols[k]));
  if (program_.sites.empty()) return;
  const std::size_t bytes = program_.sites.size() * sizeof(plan::ReportRecord);
  api().check(api().allocate(&reports_, bytes), "cuMemAlloc", "cannot allocate the reports of '" + program_.name + "'");
  api().check(api().set_bytes(reports_, 0, bytes), "cuMemsetD8");
}

CudaKernel CudaProgram::load_kernel(const loop::Kernel& kernel, const std::string& symbol) const {
  CudaKernel loaded;
  loaded.name = kernel.name;
  api().check(api().module_function(&loaded.function, module_, symbol.c_str()), "cuModuleGetFunction", symbol);
  for (int k = 0; k < 3; ++k) {
    loaded.block[k] = static_cast<unsigned>(kernel.block[k]);
    loaded.cluster[k] = static_cast<unsigned>(kernel.cluster[k]);
  }
  loaded.dynamic_bytes = static_cast<unsigned>(loop::shared_layout(program_, kernel).dynamic_bytes());
  const auto set = [&](int attribute, int value) {
    api().check(api().set_attribute(loaded.function, attribute, value), "cuFuncSetAttribute", symbol);
  };
  if (loaded.dynamic_bytes > 0) set(kMaxDynamicShared, static_cast<int>(loaded.dynamic_bytes));
  if (loaded.cluster_blocks() > kPortableCluster) set(kNonPortableCluster, 1);
  const auto get = [&](int attribute) {
    int value = 0;
    api().check(api().function_attribute(&value, attribute, loaded.function), "cuFuncGetAttribute", symbol);
    return value;
  };
  loaded.registers = get(kRegisters);
  loaded.local_bytes = get(kLocalBytes);
  loaded.static_bytes = get(kStaticShared);
  loaded.resident = resident_blocks(loaded);
  loaded.reports = has_report(kernel);
  return loaded;
}

int64_t CudaProgram::resident_blocks(const CudaKernel& kernel) const {
  if (kernel.cluster_blocks() > 1 && api().active_clusters != nullptr) {
    CudaAttribute shape{kClusterShape, 0, {}};
    CudaLaunch launch = launch_of(kernel, 1);
    std::copy(kernel.cluster, kernel.cluster + 3, shape.value.extents);
    std::copy(kernel.cluster, kernel.cluster + 3, launch.grid);
    launch.attributes = &shape;
    launch.attribute_count = 1;
    int clusters = 0;
    api().check(api().active_clusters(&clusters, kernel.function, &launch), "cuOccupancyMaxActiveClusters", kernel.name);
    return std::max(clusters, 1) * kernel.cluster_blocks();
  }
  int blocks = 0;
  api().check(api().resident_blocks(&blocks, kernel.function, static_cast<int>(kernel.threads()), kernel.dynamic_bytes),
              "cuOccupancyMaxActiveBlocksPerMultiprocessor", kernel.name);
  return int64_t{std::max(blocks, 1)} * context_->multiprocessors();
}

std::vector<const loop::TensorMap*> CudaProgram::maps(uint32_t kernel) const {
  std::vector<const loop::TensorMap*> out;
  for (const uint32_t map : program_.kernels[kernel].maps) out.push_back(&program_.maps[map]);
  return out;
}

std::vector<SiteReport> CudaProgram::take_reports() const {
  std::vector<SiteReport> found;
  if (reports_ == 0) return found;
  std::vector<plan::ReportRecord> records(program_.sites.size());
  const std::size_t bytes = records.size() * sizeof(plan::ReportRecord);
  api().check(api().to_host(records.data(), reports_, bytes), "cuMemcpyDtoH");
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].count > 0) found.push_back({static_cast<uint32_t>(k), records[k].value, records[k].count});
  }
  if (!found.empty()) api().check(api().set_bytes(reports_, 0, bytes), "cuMemsetD8");
  return found;
}

}  // namespace cdsl::runtime
