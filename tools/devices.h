// Which device a command line means.
#pragma once

#include <memory>

#include "dsl/loop/program.h"
#include "runtime/device.h"
#include "tools/session.h"

namespace cdsl::tools {

/// kOk where --device can be used; else a message was printed.
int require_device(const Session& session);

/// Replaces --arch=native by the first GPU's architecture. kOk, or a message was printed.
int resolve_native(Session& session);

/// A device that holds the kernels of `program`. `small`: few multiprocessors, so that grids are small.
std::unique_ptr<runtime::Device> make_device(const Settings& settings, const loop::Program& program, bool small);

}  // namespace cdsl::tools
