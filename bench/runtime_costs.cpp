// What the embedded runtime costs on a GPU: compiling every example cold, readying it from a warm cache, and launching.
//
// usage: runtime_costs EXAMPLES_TABLE FILE.json      from the root of the repository
// EXAMPLES_TABLE is bench/examples.tsv: name, and the sizes of each.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "api/jit/kernel.h"
#include "codegen/cuda.h"
#include "runtime/cuda/memory.h"

namespace cdsl {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

struct Row {
  std::string name;
  double emit = 0, cold = 0, warm = 0, load = 0;   // milliseconds: to text, through NVRTC, out of the cache, into the driver
};

/// One example: its first function that can be compiled.
Row measure(const std::shared_ptr<jit::JitRuntime>& runtime, const std::string& name, const CompileOptions& options) {
  SourceInput input;
  input.path = "examples/" + name + ".cdsl";
  const auto begin = Clock::now();
  jit::JitModule module(runtime, input, options, false);
  Row row{name, 0, 0, 0, 0};
  for (const std::string& function : module.functions()) {
    const Compiled unit = module.compile(function, options);
    const std::string text = module.text(unit, options);
    row.emit = milliseconds_since(begin);
    auto at = Clock::now();
    runtime->compile(text, function + ".cu", options);
    row.cold = milliseconds_since(at);
    std::vector<double> warm, load;
    for (int k = 0; k < 9; ++k) {
      at = Clock::now();
      const auto cubin = runtime->compile(text, function + ".cu", options);
      warm.push_back(milliseconds_since(at));
      const auto names = kernel_names(unit.program);
      at = Clock::now();
      const runtime::CudaProgram loaded(runtime->context(), unit.program, cubin, names);
      load.push_back(milliseconds_since(at));
    }
    row.warm = median(warm);
    row.load = median(load);
    break;
  }
  return row;
}

struct LaunchCost {
  double bare = 0, ours = 0;   // microseconds of the host
};

constexpr const char* kEmpty = ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry empty(.param .u64 a, .param .u64 b, .param .u64 c, .param .f32 d) { ret; }\n";

/// A launch of saxpy on 32 elements, prepared, beside the driver's own call with as many parameters. Few at a time, so that the
/// device's queue never fills.
LaunchCost measure_launch(const std::shared_ptr<jit::JitRuntime>& runtime, const CompileOptions& options) {
  const auto context = runtime->context();
  const runtime::CudaApi& api = context->api();
  runtime::CudaModule* module = nullptr;
  runtime::CudaFunction* empty = nullptr;
  api.check(api.module_load(&module, kEmpty), "cuModuleLoadData");
  api.check(api.module_function(&empty, module, "empty"), "cuModuleGetFunction");

  SourceInput input;
  input.path = "saxpy.cdsl";
  input.text = "fn saxpy(a: f32, x: f32[N], y: f32[N]) -> (r: f32[N]) { r[i] = a * x[i] + y[i]; }";
  auto program = std::make_shared<jit::JitModule>(runtime, input, options, false);
  jit::JitKernel kernel(program, "saxpy");
  const runtime::CudaMemory x(context->shared_api(), 128, "x"), y(context->shared_api(), 128, "y"), r(context->shared_api(), 128, "r");
  const int64_t extent = 32;
  const auto tensor = [&](const runtime::CudaMemory& memory) {
    return cdsl_tensor{reinterpret_cast<void*>(memory.pointer()), CDSL_F32, 1, &extent, nullptr, nullptr};
  };
  const cdsl_tensor tensors[] = {tensor(x), tensor(y), tensor(r)};
  cdsl_argument arguments[4] = {{nullptr, CDSL_F64, {}}, {&tensors[0], CDSL_I64, {}}, {&tensors[1], CDSL_I64, {}}, {&tensors[2], CDSL_I64, {}}};
  arguments[0].scalar.f = 2.5;
  kernel.prepare_for(arguments, nullptr);

  runtime::CudaPointer pointers[3] = {x.pointer(), y.pointer(), r.pointer()};
  float scalar = 2.5f;
  void* parameters[] = {&pointers[0], &pointers[1], &pointers[2], &scalar};
  std::vector<double> bare, ours;
  for (int round = 0; round < 200; ++round) {
    constexpr int kCalls = 100;
    const auto time = [&](const auto& call) {
      api.check(api.synchronize(), "cuCtxSynchronize");
      const auto begin = Clock::now();
      for (int k = 0; k < kCalls; ++k) call();
      return 1000 * milliseconds_since(begin) / kCalls;
    };
    bare.push_back(time([&] { api.check(api.launch(empty, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr), "cuLaunchKernel"); }));
    ours.push_back(time([&] { kernel.launch(arguments, nullptr); }));
  }
  return {median(bare), median(ours)};
}

int run(const char* table, const char* file) {
  const std::filesystem::path cache = std::filesystem::temp_directory_path() / fmt::format("cdsl-costs-{}", getpid());
  jit::JitRuntime::Options options;
  options.cache_folder = cache.string();
  const auto runtime = std::make_shared<jit::JitRuntime>(options);
  CompileOptions compile;
  compile.architecture = runtime->architecture();
  std::string json = "{\n \"command\": \"runtime_costs bench/examples.tsv FILE.json\",\n \"rows\": [";
  std::vector<double> cold, ready;
  std::ifstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    CompileOptions its = compile;
    std::istringstream words(line.substr(std::min(line.size(), name.size())));
    for (std::string word; words >> word;) {
      if (word.starts_with("-D")) add_define(its.defines, word.substr(2));
    }
    its.check_defines = false;
    try {
      const Row row = measure(runtime, name, its);
      cold.push_back(row.cold);
      ready.push_back(row.warm + row.load);
      fmt::print("{:<20} text {:7.2f} ms   cold {:7.2f}   from the cache {:6.3f} + load {:6.3f}\n", row.name, row.emit, row.cold, row.warm, row.load);
      json += fmt::format("{}\n  {{\"name\": \"{}\", \"text_ms\": {:.3f}, \"nvrtc_ms\": {:.3f}, \"cached_ms\": {:.4f}, \"load_ms\": {:.4f}}}",
                          cold.size() > 1 ? "," : "", row.name, row.emit, row.cold, row.warm, row.load);
    } catch (const std::exception& error) {
      fmt::print("{:<20} {}\n", name, error.what());
    }
    std::fflush(stdout);
  }
  const LaunchCost cost = measure_launch(runtime, compile);
  fmt::print("median: NVRTC {:.1f} ms, ready from the cache {:.3f} ms (most {:.3f})\nlaunch: driver {:.2f} us, ours {:.2f} us\n", median(cold), median(ready),
             *std::max_element(ready.begin(), ready.end()), cost.bare, cost.ours);
  json += fmt::format("\n ],\n \"median_nvrtc_ms\": {:.3f}, \"median_ready_ms\": {:.4f}, \"launch_driver_us\": {:.3f}, \"launch_ours_us\": {:.3f}\n}}\n",
                      median(cold), median(ready), cost.bare, cost.ours);
  std::ofstream(file) << json;
  std::filesystem::remove_all(cache);
  return 0;
}

}  // namespace
}  // namespace cdsl

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: runtime_costs bench/examples.tsv FILE.json\n", stderr);
    return 2;
  }
  try {
    return cdsl::run(words[1], words[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "runtime_costs: {}\n", error.what());
    return 3;
  }
}
