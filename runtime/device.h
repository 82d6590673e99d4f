// A device: memory, and the kernels of one program. The executor drives it by a Plan and knows
// nothing else of it.
//
// Every call may throw runtime::Error. Memory is named by handles that are never reused; offsets
// and lengths are in bytes and lie inside the allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/support/source.h"
#include "dsl/types/scalar_type.h"
#include "dsl/types/value.h"

namespace cdsl::loop {
struct TensorMap;
}

namespace cdsl::runtime {

struct MemoryHandle {
  uint32_t value = 0;
};

/// A tensor map: memory from its start as a tensor (elements innermost first, bytes from one to the next of axis 1, 2, ...), of
/// which boxes are copied.
struct TensorMapView {
  std::vector<int64_t> extents, strides;
  std::vector<int> box;
  int swizzle = 0;
};

/// An argument of a launch: memory from its start, a scalar of the kernel's parameter type, or a tensor map of memory.
struct KernelArgument {
  bool is_memory = false;
  MemoryHandle memory;
  Value value;
  ScalarType type = ScalarType::I64;
  std::shared_ptr<const TensorMapView> view = {};

  static KernelArgument of(MemoryHandle memory, ScalarType element, std::shared_ptr<const TensorMapView> view) {
    return {false, memory, {}, element, std::move(view)};
  }
  static KernelArgument of(MemoryHandle memory) { return {true, memory, {}, ScalarType::I64, {}}; }
  static KernelArgument of(Value value, ScalarType type) { return {false, {}, value, type, {}}; }
};

/// What the device admits of one kernel: the executor makes the grid from it.
struct LaunchShape {
  int64_t block_threads = 0;
  int64_t resident_blocks = 0;  // on the whole device at a time, whole clusters
  int64_t cluster_blocks = 1;
};

/// Something that the device found wrong while a kernel ran: a race, an access outside a buffer, a
/// fault.
struct Fault {
  std::string kind;
  std::string message;
  std::string kernel;
  SourceRange where;
  uint64_t count = 1;
};

/// A report of a kernel by site (loop::Program::sites): the value of the first, and how many there
/// were.
struct SiteReport {
  uint32_t site = 0;
  int64_t value = 0;
  uint64_t count = 0;
};

/// Times work of a device by the device's own clock. What it does is done in the order it was asked for, between launches,
/// fills and copies, and nobody waits for it but `microseconds`.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Leaves nothing in the L2 cache that was used before, and no line that is still to be written back.
  virtual void evict() = 0;
  /// Keeps the device from going on for so long, without touching memory: the host gets ahead.
  virtual void hold(double microseconds) = 0;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Between the last `start` and `stop`. Waits for them.
  virtual double microseconds() = 0;
  /// At which multiprocessors run now, measured over a few hundred microseconds; 0 where that cannot be told.
  virtual double clock_mhz() { return 0; }
};

class Device {
 public:
  virtual ~Device() = default;
  /// "sim", "NVIDIA H200".
  virtual std::string name() const = 0;

  /// Contents are undefined, aligned to 256 bytes.
  virtual MemoryHandle allocate(std::string_view name, int64_t bytes) = 0;
  /// The same, starting `past` bytes after a multiple of 256, as a view of a larger buffer may, where the device can do so.
  virtual MemoryHandle allocate_past(std::string_view name, int64_t bytes, int64_t /*past*/) { return allocate(name, bytes); }
  virtual void release(MemoryHandle memory) = 0;
  /// Where it starts, for the host's tests of alignment and overlap.
  virtual uint64_t address(MemoryHandle memory) const = 0;
  /// Sets all bytes without counting them as written, so that whoever relies on them is found out.
  virtual void poison(MemoryHandle memory, std::byte value) = 0;
  virtual void upload(MemoryHandle to, std::span<const std::byte> bytes) = 0;
  virtual void download(MemoryHandle from, std::span<std::byte> bytes) = 0;
  /// Repeats `pattern` over the whole allocation.
  virtual void fill(MemoryHandle memory, std::span<const std::byte> pattern) = 0;
  virtual void copy(MemoryHandle to, MemoryHandle from, int64_t bytes) = 0;

  virtual LaunchShape shape(uint32_t kernel) = 0;
  /// Requires: blocks >= 1, arguments as the kernel lists them.
  virtual void launch(uint32_t kernel, int64_t blocks,
                      std::span<const KernelArgument> arguments) = 0;

  /// The same with all blocks at once. Requires: no more than are resident at a time.
  virtual void launch_resident(uint32_t kernel, int64_t blocks,
                               std::span<const KernelArgument> arguments) {
    launch(kernel, blocks, arguments);
  }
  /// The tensor maps that the kernel takes after its scalars.
  virtual std::vector<const loop::TensorMap*> maps(uint32_t) const { return {}; }

  /// Null where the device has no clock. The device outlives it.
  virtual std::unique_ptr<Stopwatch> stopwatch() { return nullptr; }

  /// Waits for all work, then tells what it left behind since the last call.
  virtual std::vector<SiteReport> take_reports() = 0;
  virtual std::vector<Fault> take_faults() = 0;
};

}  // namespace cdsl::runtime
