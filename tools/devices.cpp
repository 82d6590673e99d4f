#include "tools/devices.h"

#include <fmt/format.h>

#include "api/toolkit.h"
#include "codegen/cuda.h"
#include "dsl/machine/architectures.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/tracer.h"
#include "runtime/driver.h"
#include "runtime/error.h"
#include "runtime/nvrtc.h"
#include "runtime/sim_device.h"

namespace cdsl::tools {

int require_device(Session& session) {
  std::string& device = session.settings.device;
  if (device != "cuda" && device != "auto") return kOk;
  const runtime::DriverInfo driver = runtime::probe_driver();
  std::string problem = driver.problem;
  if (problem.empty()) {
    std::string why;
    if (!runtime::Nvrtc::load(session.environment.libraries, &why)) problem = why;
  }
  if (device == "auto") device = problem.empty() ? "cuda" : "sim";
  if (device == "sim") return kOk;
  if (!problem.empty()) {
    session.error("--device=cuda: " + problem);
    return kNoDevice;
  }
  if (!session.settings.architecture_given) session.settings.compile.architecture = "native";
  return resolve_native(session);
}

int resolve_native(Session& session) {
  std::string& architecture = session.settings.compile.architecture;
  if (architecture != "native") return kOk;
  const runtime::DriverInfo driver = runtime::probe_driver();
  if (driver.devices.empty()) {
    session.error("--arch=native: " + driver.problem);
    return kNoDevice;
  }
  const runtime::DeviceInfo& device = driver.devices.front();
  const Architecture* found = find_architecture(fmt::format("sm_{}{}", device.major, device.minor));
  if (found == nullptr || !found->can_emit) {
    session.error(
        fmt::format("--arch=native: {} has compute capability {}.{}, which is not supported",
                    device.name, device.major, device.minor));
    return kNoDevice;
  }
  architecture = found->name;
  return kOk;
}

DeviceMaker::DeviceMaker(const Session& session, const Source& source, const Compiled& compiled)
    : session_(session), source_(source), compiled_(compiled) {}

std::unique_ptr<runtime::Device> DeviceMaker::make(DeviceWishes wanted) {
  const Settings& settings = session_.settings;
  if (settings.device == "cuda") {
    if (cubin_.empty()) {
      const std::string text = emit(source_, compiled_, settings.compile);
      const runtime::HostSpan span(session_.timeline(), "NVRTC, or the cache of what it compiled");
      MachineCode code = compile_text(session_.environment, text, compiled_.function.name + ".cu",
                                      settings.compile, session_.cache());
      if (!code.result.ok)
        throw runtime::Error("NVRTC", code.result.error, code.problem, code.result.log);
      cubin_ = std::move(code.result.cubin);
    }
    return make_cuda(wanted);
  }
  runtime::SimOptions options;
  options.simulator.seed = settings.seed;
  if (const Architecture* architecture = find_architecture(settings.compile.architecture))
    options.simulator.architecture = architecture->name;
  if (wanted.small) options.multiprocessors = 1;
  return std::make_unique<runtime::SimDevice>(compiled_.program, options);
}

std::unique_ptr<runtime::Device> DeviceMaker::make_cuda(DeviceWishes wanted) const {
  runtime::Timeline* const timeline = session_.timeline();
  std::unique_ptr<runtime::Device> device;
  {
    const runtime::HostSpan span(timeline, "load the kernels");
    device = std::make_unique<runtime::CudaDevice>(session_.context(), compiled_.program, cubin_, kernel_names(compiled_.program),
                                                   wanted.red_zones);
  }
  if (timeline == nullptr) return device;
  return std::make_unique<runtime::CudaTracer>(std::move(device), session_.context()->shared_api(), compiled_.program, *timeline);
}

}  // namespace cdsl::tools
