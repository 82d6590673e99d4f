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
  global.base = allocation.past + argument.offset;
  allocation.complete = allocation.complete || is_complete(allocation);
  if (!allocation.complete) global.written = allocation.written.data() + argument.offset;
  if (global.base % use.alignment == 0) return true;
  launch_fault(
      launch, Fault::Kind::Misaligned,
      fmt::format(
          "buffer {} starts {} bytes after a multiple of 256, its elements need multiples of {}",
          use.name, global.base, use.alignment));
  return false;
}

/// A map may show less than its memory, not more.
bool bind_map(Launch& launch, const loop::TensorMap& map, const Argument& argument, MapView& view) {
  CDSL_CHECK(argument.is_map && argument.extents.size() == map.box.size() &&
                 argument.strides.size() + 1 == map.box.size(),
             "argument of map " + map.name);
  BufferUse bytes;
  bytes.name = map.name;
  bytes.element_size = 1;
  Argument memory = argument;
  memory.is_buffer = true;
  if (!bind_buffer(launch, bytes, memory, view.memory)) return false;
  view.type = map.type;
  view.extents = argument.extents;
  view.strides = {size_of(map.type)};
  view.strides.insert(view.strides.end(), argument.strides.begin(), argument.strides.end());
  int64_t last = 0;
  bool aligned = view.memory.base % 16 == 0, empty = false;
  for (std::size_t k = 0; k < view.extents.size(); ++k) {
    last += (view.extents[k] - 1) * view.strides[k];
    empty = empty || view.extents[k] < 1;
    aligned = aligned && (k == 0 || view.strides[k] % 16 == 0);
  }
  if (!empty && aligned && last + size_of(map.type) <= view.memory.count) return true;
  launch_fault(launch, Fault::Kind::LaunchLimit,
               empty      ? fmt::format("tensor map {} has an empty extent", map.name)
               : !aligned ? fmt::format("tensor map {} starts or strides by no multiple of 16 bytes", map.name)
                          : fmt::format("tensor map {} shows {} bytes of memory that has {}", map.name,
                                        last + size_of(map.type), view.memory.count));
  return false;
}

/// What the kernel does with one allocation, through however many buffers.
struct Traffic {
  bool is_loaded = false, is_stored = false;
  int granule = 16;
};

/// Maps stand last.
const Argument& map_argument(const Launch& launch, std::span<const Argument> arguments, std::size_t map) {
  return arguments[arguments.size() - launch.code.kernel->maps.size() + map];
}

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
  for (std::size_t k = 0; k < launch.maps.size(); ++k) {
    const auto index = static_cast<uint32_t>(k);
    Traffic& traffic = by_allocation[map_argument(launch, arguments, k).handle];
    traffic.is_loaded |= launch.code.loaded_maps.contains(index);
    traffic.is_stored |= launch.code.stored_maps.contains(index);
    traffic.granule = std::min(traffic.granule, size_of(launch.maps[k].type));
  }
  const auto shadow_of = [&](uint32_t handle) -> Shadow* {
    const Traffic& traffic = by_allocation[handle];
    const int64_t bytes = session.memory.past(handle) + session.memory.size(handle);
    if (!traffic.is_stored || session.memory.size(handle) == 0) return nullptr;
    if (session.shadows.size() <= handle) session.shadows.resize(handle + std::size_t{1});
    auto& shadow = session.shadows[handle];
    if (shadow == nullptr) shadow = std::make_unique<Shadow>();
    shadow->cover(bytes, traffic.granule, traffic.is_loaded);
    return shadow.get();
  };
  for (std::size_t row = 0; row < launch.code.buffers.size(); ++row) {
    const BufferUse& use = launch.code.buffers[row];
    if (use.space != loop::Space::Global) continue;
    launch.globals[row].shadow = shadow_of(arguments[use.argument].handle);
  }
  for (std::size_t k = 0; k < launch.maps.size(); ++k)
    launch.maps[k].memory.shadow = shadow_of(map_argument(launch, arguments, k).handle);
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
  const std::vector<uint32_t>& maps = launch.code.kernel->maps;
  launch.maps.resize(maps.size());
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const loop::TensorMap& map = launch.session.program.maps[maps[k]];
    if (!bind_map(launch, map, map_argument(launch, arguments, k), launch.maps[k])) return false;
  }
  if (launch.session.options.check) bind_shadows(launch, arguments);
  return true;
}

}  // namespace cdsl::sim
