// The emitted text itself, compiled as C++ and run on the CPU (tests/emulated), as a device for generated programs.
#pragma once

#include "tests/random/device.h"

namespace cdsl::random {

std::unique_ptr<DeviceSource> make_text_source();

}  // namespace cdsl::random
