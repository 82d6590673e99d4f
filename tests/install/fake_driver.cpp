// libcuda.so.1 for a machine without one: an sm_90 device that prints what it is asked to launch, fill and copy. Kernels and
// variables have to be named in the machine code that was loaded. Memory that it gives out may not be touched. Kernels called _scatter
// report 77 twice.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#define DRIVER extern "C" __attribute__((visibility("default"))) int

namespace {

constexpr int kNotFound = 500;
std::map<std::string, void*> variables;
int context, allocations = 0;
thread_local void* current = nullptr;

struct Config {
  unsigned grid[3], block[3], shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};

/// Is `name` a name of the ELF image?
bool holds(const void* image, const char* name) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  std::uint64_t sections;
  std::uint16_t size, count;
  std::memcpy(&sections, bytes + 40, 8);
  std::memcpy(&size, bytes + 58, 2);
  std::memcpy(&count, bytes + 60, 2);
  return memmem(image, sections + std::size_t{size} * count, name, std::strlen(name) + 1) != nullptr;
}

/// As a kernel reports: into the records that its last parameter points to.
void report(void** parameters) {
  while (parameters[1] != nullptr) ++parameters;
  auto* const record = *static_cast<unsigned long long**>(parameters[0]);
  record[0] = 2;
  record[1] = 77;
}

}  // namespace

DRIVER cuInit(unsigned) { return std::getenv("FAKE_NO_DEVICE") != nullptr ? 100 : 0; }
DRIVER cuDeviceGet(int* device, int) { return *device = 0; }
DRIVER cuDeviceGetAttribute(int* value, int which, int) {
  const char* arch = std::getenv("FAKE_ARCH");
  const int number = arch == nullptr ? 90 : std::atoi(arch);
  *value = which == 75 ? number / 10 : which == 76 ? number % 10 : which == 16 ? 132 : 0;
  return 0;
}
DRIVER cuDevicePrimaryCtxRetain(void** out, int) { return *out = &context, 0; }
DRIVER cuCtxSetCurrent(void* to) { return current = to, 0; }
DRIVER cuCtxGetCurrent(void** out) { return *out = current, 0; }
DRIVER cuCtxGetDevice(int* device) { return *device = 0; }
DRIVER cuStreamSynchronize(void*) { return std::puts("synchronize"), 0; }
DRIVER cuLibraryLoadData(void** library, const void* code, int*, void**, unsigned, int*, void**, unsigned) {
  if (std::memcmp(code, "\x7f" "ELF", 4) != 0) return 200;
  *library = const_cast<void*>(code);
  return std::puts("load"), 0;
}
DRIVER cuLibraryGetKernel(void** kernel, void* library, const char* name) {
  if (!holds(library, name)) return kNotFound;
  *kernel = const_cast<char*>(name);
  return 0;
}
DRIVER cuLibraryGetGlobal(unsigned long long* address, std::size_t* bytes, void* library, const char* name) {
  if (!holds(library, name)) return kNotFound;
  void*& variable = variables[name];
  if (variable == nullptr) variable = std::calloc(1, 4096);
  *address = reinterpret_cast<std::uintptr_t>(variable);
  *bytes = 4096;
  return 0;
}
DRIVER cuKernelGetFunction(void** function, void* kernel) { return *function = kernel, 0; }
DRIVER cuKernelSetAttribute(int which, int value, void* kernel, int) {
  return std::printf("attribute %d of %s: %d\n", which, static_cast<const char*>(kernel), value), 0;
}
DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, std::size_t) { return *blocks = 2048 / threads, 0; }
DRIVER cuOccupancyMaxActiveClusters(int* clusters, void*, const Config*) { return *clusters = 66, 0; }
DRIVER cuLaunchKernelEx(const Config* c, void* kernel, void** parameters, void**) {
  std::printf("launch %s<<<%u, %u, %u, %p>>>%s(", static_cast<const char*>(kernel), c->grid[0], c->block[0], c->shared, c->stream,
              c->attribute_count > 0 ? " together" : "");
  for (int k = 0; parameters[k] != nullptr; ++k) {
    unsigned word;
    std::memcpy(&word, parameters[k], sizeof word);
    std::printf("%s%x", k == 0 ? "" : ", ", word);
  }
  if (std::strstr(static_cast<const char*>(kernel), "_scatter") != nullptr) report(parameters);
  return std::puts(")"), 0;
}
DRIVER cuMemAllocAsync(unsigned long long* out, std::size_t bytes, void*) {
  std::printf("allocate %zu\n", bytes);
  if (std::getenv("FAKE_NO_MEMORY") != nullptr) return 2;
  *out = 0x7000000ull + 0x100000ull * static_cast<unsigned>(allocations++);
  return 0;
}
DRIVER cuMemFreeAsync(unsigned long long, void*) { return std::puts("free"), 0; }
DRIVER cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), 0;
}
DRIVER cuMemsetD8_v2(unsigned long long to, unsigned char value, std::size_t bytes) {
  return std::memset(reinterpret_cast<void*>(to), value, bytes), 0;
}
DRIVER cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, std::size_t bytes, void*) {
  return std::printf("copy %llx %llx %zu\n", to, from, bytes), 0;
}
DRIVER cuMemsetD8Async(unsigned long long to, unsigned char value, std::size_t bytes, void*) {
  return std::printf("fill %llx %x %zu\n", to, value, bytes), 0;
}
DRIVER cuMemsetD32Async(unsigned long long to, unsigned value, std::size_t words, void*) {
  return std::printf("fill words %llx %x %zu\n", to, value, words), 0;
}
DRIVER cuMemsetD2D8Async(unsigned long long to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height, void*) {
  return std::printf("fill column %llx pitch %zu %x %zu %zu\n", to, pitch, value, width, height), 0;
}
DRIVER cuTensorMapEncodeTiled(void*, int type, unsigned rank, void*, const unsigned long long*, const unsigned long long*, const unsigned*,
                              const unsigned*, int, int, int, int) {
  return std::printf("encode %d %u\n", type, rank), 0;
}
DRIVER cuGetErrorName(int error, const char** name) {
  return *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_OTHER", 0;
}
