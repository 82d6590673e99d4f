#include "tests/random/device.h"

#include <vector>

#include "api/environment.h"
#include "api/toolkit.h"
#include "codegen/cuda.h"
#include "dsl/machine/architectures.h"
#include "runtime/cuda/device.h"
#include "runtime/driver.h"
#include "runtime/error.h"
#include "runtime/nvrtc.h"
#include "runtime/sim_device.h"
#include "tests/random/text_device.h"

namespace cdsl::random {
namespace {

struct Unit {
  const Source* source;
  const Compiled* compiled;
  CompileOptions options;
  std::vector<std::byte> cubin;
};

class SimSource final : public DeviceSource {
 public:
  std::size_t add(const Source& source, const Compiled& compiled, const CompileOptions& options) override {
    units_.push_back({&source, &compiled, options, {}});
    return units_.size() - 1;
  }
  std::unique_ptr<runtime::Device> device(std::size_t unit, bool small, uint64_t seed) override {
    runtime::SimOptions options;
    options.simulator.seed = seed;
    if (const Architecture* architecture = find_architecture(units_[unit].options.architecture))
      options.simulator.architecture = architecture->name;
    if (small) options.multiprocessors = 1;
    return std::make_unique<runtime::SimDevice>(units_[unit].compiled->program, options);
  }

 private:
  std::vector<Unit> units_;
};

class CudaSource final : public DeviceSource {
 public:
  std::size_t add(const Source& source, const Compiled& compiled, const CompileOptions& options) override {
    units_.push_back({&source, &compiled, options, {}});
    return units_.size() - 1;
  }
  std::unique_ptr<runtime::Device> device(std::size_t number, bool, uint64_t) override {
    // Made here, in the process that runs kernels: a context does not survive a fork.
    if (context_ == nullptr) context_ = runtime::CudaContext::of_thread();
    Unit& unit = units_[number];
    if (unit.cubin.empty()) {
      const std::string text = emit(*unit.source, *unit.compiled, unit.options);
      MachineCode code = compile_text(environment_, text, "f.cu", unit.options, nullptr);
      if (!code.result.ok) throw runtime::Error("NVRTC", code.result.error, code.problem, code.result.log);
      unit.cubin = std::move(code.result.cubin);
    }
    return std::make_unique<runtime::CudaDevice>(context_, unit.compiled->program, unit.cubin, kernel_names(unit.compiled->program), true);
  }

 private:
  std::vector<Unit> units_;
  Environment environment_ = read_environment();
  std::shared_ptr<const runtime::CudaContext> context_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_device_source(const std::string& kind, std::string& problem) {
  if (kind == "sim") return std::make_unique<SimSource>();
  if (kind == "cuda") return std::make_unique<CudaSource>();
  if (kind == "text") return make_text_source();
  problem = "there is no device '" + kind + "'; possible: sim, text, cuda";
  return nullptr;
}

}  // namespace cdsl::random
