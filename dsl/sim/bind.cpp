// Checks the shape and the arguments of a launch, and finds for each global buffer what has to be
// watched.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "dsl/sim/launch.h"
#include "dsl/support/check.h"

namespace cdsl::sim {
namespace {

bool shape_is_legal(Launch& launch) {
  const loop::Kernel& kernel = *launch.code.kernel;
  const Architecture* arch = find_architecture(launch.session.options.architecture);
  CDSL_CHECK(arch != nullptr, "an architecture that the table does not have");
  const int64_t limits[3] = {kMaxGridX, kMaxGridYZ, kMaxGridYZ};
  for (int k = 0; k < 3; ++k) {
    if (launch.grid[k] < 1 || launch.grid[k] > limits[k]) {
      launch_fault(launch, Fault::Kind::LaunchLimit,
                   fmt::format("grid extent {} is {}, allowed are 1 to {}", "xyz"[k],
                               launch.grid[k], limits[k]));
      return false;
    }
    if (launch.grid[k] % kernel.cluster[k] != 0) {
      launch_fault(launch, Fault::Kind::LaunchLimit,
                   fmt::format("grid extent {} is {}, no multiple of the cluster's {}", "xyz"[k],
                               launch.grid[k], kernel.cluster[k]));
      return false;
    }
  }
  const int64_t threads = int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  if (threads > arch->max_threads_block || kernel.block[2] > 64) {
    launch_fault(launch, Fault::Kind::LaunchLimit,
                 fmt::format("block of {} threads ({} in z), allowed are {} (64)", threads,
                             kernel.block[2], arch->max_threads_block));
    return false;
  }
  if (launch.code.shared_bytes > arch->max_shared_block) {
    launch_fault(launch, Fault::Kind::LaunchLimit,
                 fmt::format("{} bytes of shared memory a block, {} has {}",
                             launch.code.shared_bytes, arch->name, arch->max_shared_block));
    return false;
  }
  return true;
}

bool is_complete(const Memory::Allocation& allocation) {
  const std::vector<uint8_t>& flags = allocation.written;
  return flags.empty() || std::memchr(flags.data(), 0, flags.size()) == nullptr;
}

bool bind_buffer(Launch& launch, const BufferUse& use, const Argument& argument,
                 GlobalBuffer& global) {
  Memory& memory = launch.session.memory;
  CDSL_CHECK(argument.is_buffer && argument.handle < memory.allocation_count(),
             "argument of buffer " + use.name);
  Memory::Allocation& allocation = memory.allocation(argument.handle);
  CDSL_CHECK(allocation.live, "argument of a released buffer, " + use.name);
  const auto size = static_cast<int64_t>(allocation.bytes.size());
  const int64_t bytes = argument.bytes >= 0 ? argument.bytes : size - argument.offset;
  CDSL_CHECK(argument.offset >= 0 && argument.offset + bytes <= size,
             "argument outside its allocation, " + use.name);
  global.bytes = allocation.bytes.data() + argument.offset;
  global.count = bytes / use.element_size;
  global.base = argument.offset;
  allocation.complete = allocation.complete || is_complete(allocation);
  if (!allocation.complete) global.written = allocation.written.data() + argument.offset;
  if (argument.offset % use.alignment == 0) return true;
  launch_fault(
      launch, Fault::Kind::Misaligned,
      fmt::format(
          "buffer {} starts at byte {} of its allocation, its elements need multiples of {}",
          use.name, argument.offset, use.alignment));
  return false;
}

/// What the kernel does with one allocation, through however many buffers.
struct Traffic {
  bool is_loaded = false, is_stored = false;
  int granule = 16;
};

void bind_shadows(Launch& launch, std::span<const Argument> arguments) {
  Session& session = launch.session;
  std::map<uint32_t, Traffic> by_allocation;
  for (const BufferUse& use : launch.code.buffers) {
    if (use.space != loop::Space::Global) continue;
    Traffic& traffic = by_allocation[arguments[use.argument].handle];
    traffic.is_loaded |= use.is_loaded;
    traffic.is_stored |= use.is_stored;
    traffic.granule = std::min(traffic.granule, use.granule);
  }
  for (std::size_t row = 0; row < launch.code.buffers.size(); ++row) {
    const BufferUse& use = launch.code.buffers[row];
    if (use.space != loop::Space::Global) continue;
    const uint32_t handle = arguments[use.argument].handle;
    const Traffic& traffic = by_allocation[handle];
    const int64_t bytes = session.memory.size(handle);
    if (!traffic.is_stored || bytes == 0) continue;
    if (session.shadows.size() <= handle) session.shadows.resize(handle + std::size_t{1});
    auto& shadow = session.shadows[handle];
    if (shadow == nullptr) shadow = std::make_unique<Shadow>();
    shadow->cover(bytes, traffic.granule, traffic.is_loaded);
    launch.globals[row].shadow = shadow.get();
  }
}

}  // namespace

bool bind(Launch& launch, std::span<const Argument> arguments) {
  if (!shape_is_legal(launch)) return false;
  launch.globals.resize(launch.code.buffers.size());
  for (std::size_t row = 0; row < launch.code.buffers.size(); ++row) {
    const BufferUse& use = launch.code.buffers[row];
    if (use.space != loop::Space::Global) continue;
    if (!bind_buffer(launch, use, arguments[use.argument], launch.globals[row])) return false;
  }
  if (launch.session.options.check) bind_shadows(launch, arguments);
  return true;
}

}  // namespace cdsl::sim
