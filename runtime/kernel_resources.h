// What a compiled kernel takes of a multiprocessor, from two independent sources: ptxas's words in
// NVRTC's log, and the cubin itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cdsl::runtime {

struct KernelResources {
  std::string name;   // as the linker knows it
  int registers = 0;  // a thread
  int64_t spill_store_bytes = 0, spill_load_bytes = 0;
  int64_t stack_bytes = 0;   // a thread
  int64_t shared_bytes = 0;  // static, a block
  int64_t constant_bytes = 0;
};

/// Kernels in a log of `--ptxas-options=-v`, in its order.
std::vector<KernelResources> resources_in_log(std::string_view log);

/// What the ELF file of a cubin says of a kernel; spills are not recorded there.
struct CubinKernel {
  std::string name;
  int registers = 0;
  int64_t stack_bytes = 0;
  int64_t shared_bytes = 0;  // with what the system reserves, from cc 9.0 on 1 KiB
  int64_t code_bytes = 0;
};

/// Kernels of a cubin; nothing where the bytes are no well-formed ELF file. Every offset is
/// checked.
std::optional<std::vector<CubinKernel>> kernels_in_cubin(std::span<const std::byte> cubin);

}  // namespace cdsl::runtime
