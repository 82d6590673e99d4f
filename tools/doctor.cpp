#include <fmt/format.h>

#include "dsl/machine/architectures.h"
#include "runtime/driver.h"
#include "runtime/library.h"
#include "runtime/nvrtc.h"
#include "tools/commands.h"

namespace cdsl::tools {
namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string describe_nvrtc(const Session& session, std::vector<std::string>& missing) {
  std::string why;
  const auto nvrtc = runtime::Nvrtc::load(session.environment.libraries, &why);
  if (!nvrtc) {
    missing.push_back(
        fmt::format("NVRTC: {}. Without it --emit=ptx, --emit=cubin and inspect do not work", why));
    return "NVRTC      not found\n";
  }
  std::string text =
      fmt::format("NVRTC      {}.{}, {}\n", nvrtc->major(), nvrtc->minor(), nvrtc->path());
  text += "           compiles for";
  for (const Architecture& architecture : architectures()) {
    if (!architecture.can_emit) continue;
    if (nvrtc->supports(architecture.name))
      text += fmt::format(" {}", architecture.name);
    else
      missing.push_back(
          fmt::format("{}: this NVRTC is too old or too new for it", architecture.name));
  }
  return text + "\n";
}

std::string describe_driver(std::vector<std::string>& missing) {
  const runtime::DriverInfo driver = runtime::probe_driver();
  std::string text = driver.found ? fmt::format("driver     {}, for CUDA up to {}\n", driver.path,
                                                version_text(driver.version))
                                  : "driver     not found\n";
  for (const runtime::DeviceInfo& device : driver.devices) {
    text += fmt::format("device     {}, sm_{}{}, {} multiprocessors, {:.1f} GiB\n", device.name,
                        device.major, device.minor, device.multiprocessors,
                        static_cast<double>(device.memory_bytes) / (1 << 30));
  }
  if (!driver.problem.empty())
    missing.push_back(fmt::format("a GPU: {}. run and verify use the simulator", driver.problem));
  return text;
}

}  // namespace

int doctor_command(Session& session) {
  if (!session.settings.positional.empty()) return session.usage_error("doctor takes no file");
  std::vector<std::string> missing;
  std::string text = fmt::format("cuoptc     {}\n", kVersion);
  for (const std::string& root : runtime::toolkit_roots(session.environment.libraries))
    text += fmt::format("toolkit    {}\n", root);
  text += describe_nvrtc(session, missing);
  text += describe_driver(missing);
  text += "simulator  built in\n";
  text += missing.empty() ? "Nothing is missing.\n" : "Missing:\n";
  for (const std::string& line : missing) text += fmt::format("  {}\n", line);
  return session.print(text) ? kOk : kUsage;
}

}  // namespace cdsl::tools
