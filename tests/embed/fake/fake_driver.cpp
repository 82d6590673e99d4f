// libcuda.so.1 for machines without one. The "machine code" that it loads is the list of kernels that fake_nvrtc.cpp makes.
// Of a PTX text it takes the names and parameters of the entries.
// FAKE_CUDA_INIT: what cuInit returns; FAKE_CUDA_DEVICES: how many there are; FAKE_CUDA_ARCH: 90 for sm_90.
// FAKE_CUDA_WRITE=PARAMETER:OFFSET: each kernel of a cubin writes a byte there, from the start of the memory that it is given.
// FAKE_CUDA_NAN=PARAMETER: each kernel of a cubin writes a NaN of f32 at the start of that memory.
// FAKE_CUDA_TIMES="1 2 1.5": milliseconds between pairs of events, in turn.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>

#include "fake_cuda.h"

namespace {

constexpr int kInvalidValue = 1, kInvalidImage = 200, kInvalidContext = 201, kNotFound = 500;

struct Context {
  int device = 0;
};
struct Function {
  std::string name;
  std::vector<std::size_t> sizes;      // of its parameters
  bool is_ours = true;                 // from PTX: it times others
};
struct Module {
  std::map<std::string, Function> functions;
};

std::mutex mutex;
fake::State state;
std::map<std::string, int> failures;
std::map<int, Context> contexts;       // by number; 0 is the primary one
thread_local Context* current = nullptr;

int number_from(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

int failure(const char* function) {
  const auto found = failures.find(function);
  return found == failures.end() ? 0 : found->second;
}

/// What FAKE_CUDA_WRITE and FAKE_CUDA_NAN ask for.
void misbehave(const fake::Launch& made) {
  const char *write = std::getenv("FAKE_CUDA_WRITE"), *spoilt = std::getenv("FAKE_CUDA_NAN");
  if (write != nullptr) {
    std::size_t parameter = 0;
    long offset = 0;
    if (std::sscanf(write, "%zu:%ld", &parameter, &offset) == 2) *reinterpret_cast<unsigned char*>(made.pointer(parameter) + offset) = 7;
  }
  if (spoilt != nullptr) *reinterpret_cast<float*>(made.pointer(static_cast<std::size_t>(std::atoi(spoilt)))) = std::nanf("");
}

int launch(Function* function, unsigned blocks, unsigned threads, unsigned shared, void* stream, void** parameters) {
  if (current == nullptr) return kInvalidContext;
  fake::Launch made{function->name, blocks, threads, shared, stream, current, {}};
  for (std::size_t k = 0; k < function->sizes.size(); ++k) {
    const auto* bytes = static_cast<const unsigned char*>(parameters[k]);
    made.parameters.emplace_back(bytes, bytes + function->sizes[k]);
  }
  if (function->name == "cdsl_clock") {                // cycles and nanoseconds: 1.5 GHz
    auto* clock = reinterpret_cast<uint64_t*>(made.pointer(0));
    clock[0] = 1500;
    clock[1] = 1000;
  }
  if (!function->is_ours) misbehave(made);
  state.launches.push_back(std::move(made));
  return 0;
}

/// ".visible .entry NAME(.param .u64 a, .param .u32 b)"
Module* module_of_ptx(const std::string& text) {
  static const std::regex entry(R"(\.entry\s+(\w+)\(([^)]*)\))");
  auto* made = new Module;
  for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at) {
    Function& function = made->functions[(*at)[1]];
    function.name = (*at)[1];
    std::istringstream parameters((*at)[2]);
    for (std::string parameter; std::getline(parameters, parameter, ',');)
      function.sizes.push_back(parameter.find("64") != std::string::npos ? 8 : 4);
  }
  return made;
}

}  // namespace

#define DRIVER(name, ...)                            \
  extern "C" int name(__VA_ARGS__);                  \
  extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)
#define BEGIN(name)                                  \
  const std::lock_guard lock(mutex);                 \
  if (const int code = failure(#name); code != 0) return code
#define IN_CONTEXT(name) \
  BEGIN(name);           \
  if (current == nullptr) return kInvalidContext

DRIVER(cuInit, unsigned) {
  BEGIN(cuInit);
  return number_from("FAKE_CUDA_INIT", 0);
}
DRIVER(cuDriverGetVersion, int* version) {
  *version = 13000;
  return 0;
}
DRIVER(cuDeviceGetCount, int* count) {
  *count = number_from("FAKE_CUDA_DEVICES", 1);
  return 0;
}
DRIVER(cuDeviceGet, int* device, int ordinal) {
  *device = ordinal;
  return ordinal < number_from("FAKE_CUDA_DEVICES", 1) ? 0 : 101;
}
DRIVER(cuDeviceGetName, char* name, int length, int) {
  std::strncpy(name, "fake GPU", static_cast<std::size_t>(length));
  return 0;
}
DRIVER(cuDeviceTotalMem_v2, std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 34;
  return 0;
}
DRIVER(cuDeviceGetAttribute, int* value, int which, int) {
  const int arch = number_from("FAKE_CUDA_ARCH", 90);
  *value = which == 75 ? arch / 10 : which == 76 ? arch % 10 : which == 16 ? 132 : which == 39 ? 2048 : 0;
  return 0;
}
DRIVER(cuDevicePrimaryCtxRetain, Context** context, int device) {
  BEGIN(cuDevicePrimaryCtxRetain);
  contexts[0].device = device;
  *context = &contexts[0];
  return 0;
}
DRIVER(cuDevicePrimaryCtxRelease_v2, int) { return 0; }
DRIVER(cuCtxSetCurrent, Context* context) {
  current = context;
  return 0;
}
DRIVER(cuCtxGetCurrent, Context** context) {
  *context = current;
  return 0;
}
DRIVER(cuCtxGetDevice, int* device) {
  if (current == nullptr) return kInvalidContext;
  *device = current->device;
  return 0;
}
DRIVER(cuCtxSynchronize, ) {
  IN_CONTEXT(cuCtxSynchronize);
  ++state.synchronizations;
  return 0;
}
DRIVER(cuStreamSynchronize, void*) {
  IN_CONTEXT(cuStreamSynchronize);
  ++state.synchronizations;
  return 0;
}
DRIVER(cuModuleLoadData, Module** module, const void* image) {
  IN_CONTEXT(cuModuleLoadData);
  const std::string text = static_cast<const char*>(image);
  if (text.find(".target") != std::string::npos) {
    ++state.modules;
    *module = module_of_ptx(text);
    return 0;
  }
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != "fake cubin") return kInvalidImage;
  auto* made = new Module;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    Function function;
    words >> function.name;
    function.is_ours = false;
    for (std::size_t size; words >> size;) function.sizes.push_back(size);
    made->functions[function.name] = function;
  }
  ++state.modules;
  *module = made;
  return 0;
}
DRIVER(cuModuleUnload, Module* module) {
  delete module;
  return 0;
}
DRIVER(cuModuleGetFunction, Function** function, Module* module, const char* name) {
  IN_CONTEXT(cuModuleGetFunction);
  const auto found = module->functions.find(name);
  if (found == module->functions.end()) return kNotFound;
  *function = &found->second;
  return 0;
}
DRIVER(cuFuncGetAttribute, int* value, int which, Function*) {
  *value = which == 4 ? 32 : 0;
  return 0;
}
DRIVER(cuFuncSetAttribute, Function*, int, int) { return 0; }
DRIVER(cuMemAlloc_v2, unsigned long long* pointer, std::size_t bytes) {
  IN_CONTEXT(cuMemAlloc);
  ++state.allocations;
  *pointer = reinterpret_cast<unsigned long long>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return *pointer == 0 ? 2 : 0;
}
DRIVER(cuMemFree_v2, unsigned long long pointer) {
  const std::lock_guard lock(mutex);
  ++state.frees;
  std::free(reinterpret_cast<void*>(pointer));
  return 0;
}
DRIVER(cuMemcpyHtoD_v2, unsigned long long to, const void* from, std::size_t bytes) {
  IN_CONTEXT(cuMemcpyHtoD);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return 0;
}
DRIVER(cuMemcpyDtoH_v2, void* to, unsigned long long from, std::size_t bytes) {
  IN_CONTEXT(cuMemcpyDtoH);
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
DRIVER(cuMemcpyDtoD_v2, unsigned long long to, unsigned long long from, std::size_t bytes) {
  IN_CONTEXT(cuMemcpyDtoD);
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return 0;
}
DRIVER(cuMemcpyDtoDAsync_v2, unsigned long long to, unsigned long long from, std::size_t bytes, void*) {
  IN_CONTEXT(cuMemcpyDtoDAsync);
  ++state.copies;
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return 0;
}
DRIVER(cuMemsetD8_v2, unsigned long long to, unsigned char value, std::size_t bytes) {
  IN_CONTEXT(cuMemsetD8);
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return 0;
}
DRIVER(cuMemsetD8Async, unsigned long long to, unsigned char value, std::size_t bytes, void*) {
  IN_CONTEXT(cuMemsetD8Async);
  ++state.fills;
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return 0;
}
DRIVER(cuMemsetD32Async, unsigned long long to, unsigned value, std::size_t count, void*) {
  IN_CONTEXT(cuMemsetD32Async);
  if (to % 4 != 0) return kInvalidValue;
  ++state.fills;
  for (std::size_t k = 0; k < count; ++k) reinterpret_cast<unsigned*>(to)[k] = value;
  return 0;
}
DRIVER(cuEventCreate, void**, unsigned) { return 0; }
DRIVER(cuEventDestroy_v2, void*) { return 0; }
DRIVER(cuEventRecord, void*, void*) { return 0; }
DRIVER(cuEventSynchronize, void*) { return 0; }
DRIVER(cuEventElapsedTime, float* milliseconds, void*, void*) {
  BEGIN(cuEventElapsedTime);
  const char* times = std::getenv("FAKE_CUDA_TIMES");
  std::istringstream list(times == nullptr ? "1" : times);
  std::vector<float> values;
  for (float value; list >> value;) values.push_back(value);
  static std::size_t next = 0;
  *milliseconds = values[next++ % values.size()];
  return 0;
}
DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, Function*, int threads, std::size_t) {
  *blocks = 2048 / threads;
  return 0;
}
DRIVER(cuOccupancyMaxPotentialBlockSize, int* blocks, int* threads, Function*, std::size_t (*)(int), std::size_t, int) {
  *blocks = 264;
  *threads = 1024;
  return 0;
}
DRIVER(cuLaunchKernel, Function* function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz, unsigned shared, void* stream,
       void** parameters, void**) {
  IN_CONTEXT(cuLaunchKernel);
  return launch(function, x * y * z, tx * ty * tz, shared, stream, parameters);
}
DRIVER(cuGetErrorName, int code, const char** name) {
  static const std::map<int, const char*> names = {{1, "CUDA_ERROR_INVALID_VALUE"},   {2, "CUDA_ERROR_OUT_OF_MEMORY"},  {35, "CUDA_ERROR_INSUFFICIENT_DRIVER"},
                                                   {100, "CUDA_ERROR_NO_DEVICE"},     {200, "CUDA_ERROR_INVALID_IMAGE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                   {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"}, {500, "CUDA_ERROR_NOT_FOUND"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                   {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}, {999, "CUDA_ERROR_UNKNOWN"}};
  const auto found = names.find(code);
  *name = found == names.end() ? nullptr : found->second;
  return found == names.end() ? 1 : 0;
}

#define CONTROL extern "C" __attribute__((visibility("default")))

CONTROL void fake_state(fake::State* out) {
  const std::lock_guard lock(mutex);
  *out = state;
}
CONTROL void fake_reset() {
  const std::lock_guard lock(mutex);
  state = {};
  failures.clear();
}
CONTROL void fake_fail(const char* function, int code) {
  const std::lock_guard lock(mutex);
  failures[function] = code;
}
CONTROL void fake_make_current(int context, int device) {
  const std::lock_guard lock(mutex);
  if (context != 0) contexts[context].device = device;
  current = context == 0 ? nullptr : &contexts[context];
}
