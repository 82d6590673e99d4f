#include "tools/devices.h"

#include <fmt/format.h>

#include "dsl/machine/machine.h"
#include "runtime/driver.h"
#include "runtime/sim_device.h"

namespace cdsl::tools {

int require_device(const Session& session) {
  if (session.settings.device != "cuda") return kOk;
  const runtime::DriverInfo driver = runtime::probe_driver();
  session.error(driver.devices.empty() ? "--device=cuda: " + driver.problem
                                       : "--device=cuda is not built yet; --device=sim runs the same kernels lane by lane");
  return kNoDevice;
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
    session.error(fmt::format("--arch=native: {} has compute capability {}.{}, which is not supported", device.name, device.major, device.minor));
    return kNoDevice;
  }
  architecture = found->name;
  return kOk;
}

std::unique_ptr<runtime::Device> make_device(const Settings& settings, const loop::Program& program, bool small) {
  runtime::SimOptions options;
  options.simulator.seed = settings.seed;
  if (const Architecture* architecture = find_architecture(settings.compile.architecture)) options.simulator.architecture = architecture->name;
  if (small) options.multiprocessors = 1;
  return std::make_unique<runtime::SimDevice>(program, options);
}

}  // namespace cdsl::tools
