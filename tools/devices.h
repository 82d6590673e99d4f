// Which device a command line means.
#pragma once

#include <memory>
#include <vector>

#include "runtime/device.h"
#include "tools/session.h"

namespace cdsl::tools {

/// Settles --device: auto becomes cuda where a GPU and NVRTC are found, else sim. For cuda the
/// architecture becomes that of the first GPU, unless --arch names one. kOk, or a message was
/// printed.
int require_device(Session& session);

/// Replaces --arch=native by the first GPU's architecture. kOk, or a message was printed.
int resolve_native(Session& session);

struct DeviceWishes {
  bool small = false;      // few multiprocessors, so that grids are small (sim)
  bool red_zones = false;  // around every buffer (cuda)
};

/// Makes devices that hold the kernels of one compiled function; for cuda they are compiled once.
class DeviceMaker {
 public:
  /// Keeps references.
  DeviceMaker(const Session& session, const Source& source, const Compiled& compiled);

  /// Throws runtime::Error.
  std::unique_ptr<runtime::Device> make(DeviceWishes wanted = {});

 private:
  std::unique_ptr<runtime::Device> make_cuda(DeviceWishes wanted) const;

  const Session& session_;
  const Source& source_;
  const Compiled& compiled_;
  std::vector<std::byte> cubin_;
};

}  // namespace cdsl::tools
