#include "api/toolkit.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/version.h"
#include "codegen/cuda.h"

namespace cdsl {
namespace {

constexpr int64_t kReservedShared =
    1024;  // in a block's share from cc 8.0 on; the cubin counts it from 9.0 on

template <class Named>
const Named* find(const std::vector<Named>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Named& entry) { return entry.name == name; });
  return found == list.end() ? nullptr : &*found;
}

std::string disagreement(const runtime::KernelResources& log, const runtime::CubinKernel* cubin) {
  if (cubin == nullptr) return "the cubin has no such kernel";
  if (cubin->registers != log.registers)
    return fmt::format("the cubin says {} registers", cubin->registers);
  if (cubin->stack_bytes != log.stack_bytes)
    return fmt::format("the cubin says {} bytes of stack", cubin->stack_bytes);
  if (cubin->shared_bytes != log.shared_bytes &&
      cubin->shared_bytes != log.shared_bytes + kReservedShared) {
    return fmt::format("the cubin says {} bytes of shared memory", cubin->shared_bytes);
  }
  return {};
}

std::string numeric_mode(const CompileOptions& options) {
  if (options.strict) return "strict";
  return options.fast_math ? "fast-math" : "default";
}

std::vector<std::string> nvrtc_options(const CompileOptions& options) {
  std::vector<std::string> flags;
  if (options.line_tables) flags.push_back("--generate-line-info");
  if (options.strict) flags.push_back("--fmad=false");
  if (options.fast_math) flags.push_back("--use_fast_math");
  return flags;
}

/// NVRTC rejected the text: passes through the cache, which then keeps nothing.
struct Rejected {
  runtime::NvrtcResult result;
};

/// As `nvrtc` compiles it, now or when it was asked before.
runtime::NvrtcResult compile_cached(const runtime::Nvrtc& nvrtc, const std::string& text,
                                    const std::string& name, const CompileOptions& options,
                                    runtime::DiskCache& cache) {
  const std::string& architecture = options.architecture;
  const std::vector<std::string> flags = nvrtc_options(options);
  const runtime::CacheKey key({text, name, runtime::Nvrtc::all_options(architecture, flags),
                               nvrtc.build(), std::string(kVersion), architecture,
                               numeric_mode(options)});
  const std::string description = fmt::format("{}, {}, {} numbers, NVRTC {}.{}", name, architecture,
                                              numeric_mode(options), nvrtc.major(), nvrtc.minor());
  try {
    runtime::CachedCode code = cache.get(key, description, [&] {
      runtime::NvrtcResult fresh = nvrtc.compile(text, name, architecture, flags);
      if (!fresh.ok) throw Rejected{std::move(fresh)};
      return runtime::CachedCode{std::move(fresh.cubin), std::move(fresh.log)};
    });
    return {true, {}, std::move(code.log), {}, std::move(code.cubin)};
  } catch (Rejected& rejected) {
    return std::move(rejected.result);
  }
}

}  // namespace

MachineCode compile_text(const runtime::Nvrtc& nvrtc, const std::string& text, const std::string& name,
                         const CompileOptions& options, runtime::DiskCache* cache) {
  MachineCode code;
  if (!nvrtc.supports(options.architecture)) {
    code.problem = fmt::format("NVRTC {}.{} ({}) does not know {}", nvrtc.major(), nvrtc.minor(),
                               nvrtc.path(), options.architecture);
    return code;
  }
  code.toolkit = true;
  code.result = cache == nullptr
                    ? nvrtc.compile(text, name, options.architecture, nvrtc_options(options))
                    : compile_cached(nvrtc, text, name, options, *cache);
  return code;
}

MachineCode compile_text(const Environment& environment, const std::string& text,
                         const std::string& name, const CompileOptions& options,
                         runtime::DiskCache* cache) {
  MachineCode code;
  const auto nvrtc = runtime::Nvrtc::load(environment.libraries, &code.problem);
  return nvrtc ? compile_text(*nvrtc, text, name, options, cache) : code;
}

std::vector<KernelReport> inspect_kernels(const Compiled& compiled, const MachineCode& code,
                                          const CompileOptions& options) {
  const auto in_log = runtime::resources_in_log(code.result.log);
  const auto in_cubin =
      runtime::kernels_in_cubin(code.result.cubin).value_or(std::vector<runtime::CubinKernel>{});
  const Architecture* architecture = find_architecture(options.architecture);
  const std::vector<std::string> names = kernel_names(compiled.program);
  std::vector<KernelReport> reports;
  for (std::size_t k = 0; k < names.size(); ++k) {
    KernelReport& report = reports.emplace_back();
    report.resources.name = names[k];
    const loop::Kernel& kernel = compiled.program.kernels[k];
    report.block_threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    const auto* resources = find(in_log, names[k]);
    if (resources == nullptr) {
      report.disagreement = "ptxas does not mention it";
      continue;
    }
    report.resources = *resources;
    report.disagreement = disagreement(*resources, find(in_cubin, names[k]));
    if (architecture != nullptr) {
      report.occupancy = occupancy(*architecture, report.block_threads, resources->registers,
                                   resources->shared_bytes);
    }
  }
  return reports;
}

}  // namespace cdsl
