// Emitted text through NVRTC: machine code, PTX, and what kernels take of a multiprocessor. Needs
// no GPU.
#pragma once

#include <string>
#include <vector>

#include "api/environment.h"
#include "api/pipeline.h"
#include "dsl/machine/occupancy.h"
#include "runtime/cache/disk_cache.h"
#include "runtime/kernel_resources.h"
#include "runtime/nvrtc.h"

namespace cdsl {

struct MachineCode {
  bool toolkit = false;  // NVRTC was found and knows the architecture
  std::string problem;   // where not
  runtime::NvrtcResult result;
};

/// What was compiled before comes out of `cache`, where one is given: then `ptx` is empty. NVRTC is
/// asked for its version all the same. Text that NVRTC rejects is never kept.
MachineCode compile_text(const Environment& environment, const std::string& text,
                         const std::string& name, const CompileOptions& options,
                         runtime::DiskCache* cache = nullptr);

/// The same where NVRTC is loaded already, which takes longer than most things here.
MachineCode compile_text(const runtime::Nvrtc& nvrtc, const std::string& text, const std::string& name,
                         const CompileOptions& options, runtime::DiskCache* cache = nullptr);

/// One kernel as compiled for an architecture.
struct KernelReport {
  runtime::KernelResources resources;
  int block_threads = 0;
  Occupancy occupancy;
  std::string disagreement;  // between ptxas's log and the cubin; empty where they agree
};

/// Requires: `code` is the result of compiling the emitted text of `compiled`.
std::vector<KernelReport> inspect_kernels(const Compiled& compiled, const MachineCode& code,
                                          const CompileOptions& options);

}  // namespace cdsl
