// What the sources that `cuoptc library` writes stand on: the CUDA driver, loaded at run time, under the names that launchers call
// in an emitted .cu (cudaMemsetAsync, resident_blocks, ...), so that both are launched by one text. Needs neither CUDA nor libcdsl;
// links libdl alone. C++17. Programs include the header that was written beside the source, never this one.
//
// Requires a driver of CUDA 12 or later: machine code is loaded once for all contexts.
#pragma once

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cdsl/cdsl.hpp"

namespace cdsl::aot {

// Numbers are those of the driver (cuda.h), whose errors have the numbers of the runtime's.
using cudaError_t = int;
using cudaStream_t = void*;
inline constexpr cudaError_t cudaSuccess = 0, cudaErrorInvalidValue = 1;
inline constexpr int cudaMemcpyDeviceToDevice = 3;
inline constexpr int cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributeNonPortableClusterSizeAllowed = 14;

struct dim3 {
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  unsigned x, y, z;
};

/// What CUDA has of its own for hosts too.
template <class T>
constexpr T min(T a, T b) { return b < a ? b : a; }
template <class T>
constexpr T max(T a, T b) { return a < b ? b : a; }

[[noreturn]] inline void fail(cdsl_status status, const std::string& message, const char* api = "", const char* code = "",
                              const char* kernel = "") {
  throw Error(cdsl_error{status, message.c_str(), api, code, kernel, ""});
}

// ---- The driver ------------------------------------------------------------------------------------------------------------

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id = 0, padding = 0;
  union {
    int number;
    unsigned extents[3];
    char bytes[64];
  } value = {};
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};
inline constexpr int kCooperative = 2, kClusterDimension = 4;  // CUlaunchAttributeID

struct Driver {
  int (*init)(unsigned);
  int (*device_get)(int*, int);
  int (*device_attribute)(int*, int, int);
  int (*primary_retain)(void**, int);
  int (*set_current)(void*);
  int (*get_current)(void**);
  int (*context_device)(int*);
  int (*stream_synchronize)(void*);
  int (*library_load)(void**, const void*, int*, void**, unsigned, int*, void**, unsigned);
  int (*library_kernel)(void**, void*, const char*);
  int (*library_global)(unsigned long long*, std::size_t*, void*, const char*);
  int (*kernel_function)(void**, void*);
  int (*kernel_set_attribute)(int, int, void*, int);
  int (*resident)(int*, void*, int, std::size_t);
  int (*active_clusters)(int*, void*, const LaunchConfig*);
  int (*launch)(const LaunchConfig*, void*, void**, void**);
  int (*allocate)(unsigned long long*, std::size_t, void*);
  int (*free)(unsigned long long, void*);
  int (*to_host)(void*, unsigned long long, std::size_t);
  int (*set_bytes)(unsigned long long, unsigned char, std::size_t);
  int (*copy_async)(unsigned long long, unsigned long long, std::size_t, void*);
  int (*set_bytes_async)(unsigned long long, unsigned char, std::size_t, void*);
  int (*set_words_async)(unsigned long long, unsigned, std::size_t, void*);
  int (*set_columns_async)(unsigned long long, std::size_t, unsigned char, std::size_t, std::size_t, void*);
  int (*encode_tiled)(void*, int, unsigned, void*, const unsigned long long*, const unsigned long long*, const unsigned*,
                      const unsigned*, int, int, int, int);
  int (*error_name)(int, const char**);

  /// Loaded and initialised once. Throws Error where it is missing or too old.
  static const Driver& get() {
    static const Driver driver = load();
    return driver;
  }
  const char* name_of(int error) const {
    const char* name = nullptr;
    return error_name(error, &name) == 0 && name != nullptr ? name : "unknown error";
  }

 private:
  static Driver load() {
    void* library = nullptr;
    for (const char* name : {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"}) {
      if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr) fail(CDSL_ERROR_NO_DRIVER, "libcuda.so.1 was not found: no NVIDIA driver is installed");
    Driver d{};
    const auto find = [library](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) fail(CDSL_ERROR_DRIVER_TOO_OLD, std::string("the driver is older than CUDA 12: it has no ") + name, name);
    };
    find(d.init, "cuInit");
    find(d.device_get, "cuDeviceGet");
    find(d.device_attribute, "cuDeviceGetAttribute");
    find(d.primary_retain, "cuDevicePrimaryCtxRetain");
    find(d.set_current, "cuCtxSetCurrent");
    find(d.get_current, "cuCtxGetCurrent");
    find(d.context_device, "cuCtxGetDevice");
    find(d.stream_synchronize, "cuStreamSynchronize");
    find(d.library_load, "cuLibraryLoadData");
    find(d.library_kernel, "cuLibraryGetKernel");
    find(d.library_global, "cuLibraryGetGlobal");
    find(d.kernel_function, "cuKernelGetFunction");
    find(d.kernel_set_attribute, "cuKernelSetAttribute");
    find(d.resident, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    find(d.active_clusters, "cuOccupancyMaxActiveClusters");
    find(d.launch, "cuLaunchKernelEx");
    find(d.allocate, "cuMemAllocAsync");
    find(d.free, "cuMemFreeAsync");
    find(d.to_host, "cuMemcpyDtoH_v2");
    find(d.set_bytes, "cuMemsetD8_v2");
    find(d.copy_async, "cuMemcpyDtoDAsync_v2");
    find(d.set_bytes_async, "cuMemsetD8Async");
    find(d.set_words_async, "cuMemsetD32Async");
    find(d.set_columns_async, "cuMemsetD2D8Async");
    find(d.encode_tiled, "cuTensorMapEncodeTiled");
    find(d.error_name, "cuGetErrorName");
    if (const int error = d.init(0)) fail(CDSL_ERROR_NO_DEVICE, std::string("the driver finds no GPU (") + d.name_of(error) + ")", "cuInit", d.name_of(error));
    return d;
  }
};

inline void check(int error, const char* api) {
  if (error == 0) return;
  const Driver& driver = Driver::get();
  const char* name = driver.name_of(error);
  const bool dead = error == 214 || error == 220 || error == 226 || (error >= 700 && error <= 719) || error == 999;
  const cdsl_status status = error == 2                   ? CDSL_ERROR_OUT_OF_MEMORY
                             : error == 100 || error == 101 ? CDSL_ERROR_NO_DEVICE
                             : error == 209               ? CDSL_ERROR_UNSUPPORTED_DEVICE
                             : error == 222               ? CDSL_ERROR_DRIVER_TOO_OLD
                             : dead                       ? CDSL_ERROR_DEVICE_FAULT
                                                          : CDSL_ERROR_LAUNCH;
  fail(status, std::string(api) + " failed (" + name + ")", api, name);
}

/// The device of the current context; where there is none, the first device's primary context becomes current.
inline int current_device() {
  const Driver& driver = Driver::get();
  void* context = nullptr;
  check(driver.get_current(&context), "cuCtxGetCurrent");
  int device = 0;
  if (context == nullptr) {
    static void* const primary = [&driver] {
      int first = 0;
      void* retained = nullptr;
      check(driver.device_get(&first, 0), "cuDeviceGet");
      check(driver.primary_retain(&retained, first), "cuDevicePrimaryCtxRetain");
      return retained;
    }();
    check(driver.set_current(primary), "cuCtxSetCurrent");
  }
  check(driver.context_device(&device), "cuCtxGetDevice");
  return device;
}

inline int attribute(int which, int device) {
  int value = 0;
  check(Driver::get().device_attribute(&value, which, device), "cuDeviceGetAttribute");
  return value;
}

// ---- Machine code, kernels and memory of the program -------------------------------------------------------------------------

/// Machine code for one architecture: 90 and 'a' for sm_90a.
class Image {
 public:
  Image(const unsigned char* bytes, int number, char feature) : bytes_(bytes), number_(number), feature_(feature) {}

  /// Does it run on compute capability `number`? Code with a feature letter runs on that device alone, other code on later minors too.
  bool runs_on(int number) const { return feature_ == 0 ? number / 10 == number_ / 10 && number >= number_ : number == number_; }
  std::string name() const { return "sm_" + std::to_string(number_) + (feature_ == 0 ? std::string() : std::string(1, feature_)); }

  void* library() {
    const std::lock_guard lock(mutex_);
    if (library_ == nullptr) check(Driver::get().library_load(&library_, bytes_, nullptr, nullptr, 0, nullptr, nullptr, 0), "cuLibraryLoadData");
    return library_;
  }
  /// Into the current context: a launch that comes later loads nothing.
  void load_kernels() {
    for (const char* name : names_) {
      void *kernel = nullptr, *function = nullptr;
      check(Driver::get().library_kernel(&kernel, library(), name), "cuLibraryGetKernel");
      check(Driver::get().kernel_function(&function, kernel), "cuKernelGetFunction");
    }
  }
  void add(const char* kernel) { names_.push_back(kernel); }

 private:
  const unsigned char* bytes_;
  int number_;
  char feature_;
  std::mutex mutex_;
  void* library_ = nullptr;
  std::vector<const char*> names_;
};

/// A kernel by the types of its parameters, which arguments are converted to as in a call.
template <class... Parameters>
class Kernel {
 public:
  Kernel(Image& image, const char* name) : image_(image), name_(name) { image.add(name); }

  void* handle() {
    void* found = handle_.load(std::memory_order_acquire);
    if (found != nullptr) return found;
    check(Driver::get().library_kernel(&found, image_.library(), name_), "cuLibraryGetKernel");
    handle_.store(found, std::memory_order_release);
    return found;
  }

 private:
  Image& image_;
  const char* name_;
  std::atomic<void*> handle_{nullptr};
};

/// A variable of the machine code, for each context its own.
class Symbol {
 public:
  Symbol(Image& image, const char* name) : image_(image), name_(name) {}
  unsigned long long address() const {
    unsigned long long found = 0;
    std::size_t bytes = 0;
    check(Driver::get().library_global(&found, &bytes, image_.library(), name_), "cuLibraryGetGlobal");
    return found;
  }

 private:
  Image& image_;
  const char* name_;
};

/// A pointer that becomes one of any type: the same struct is spelled once for callers and once by each architecture.
struct Pointer {
  const void* to;
  template <class T>
  operator T*() const { return static_cast<T*>(const_cast<void*>(to)); }
};

// ---- What launchers call -----------------------------------------------------------------------------------------------------

template <class... Parameters, class... Arguments>
cudaError_t launch_as(int attribute_id, Kernel<Parameters...>& kernel, unsigned blocks, dim3 threads, int shared_bytes,
                      cudaStream_t stream, Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument a parameter");
  std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
  LaunchAttribute attribute;
  attribute.id = attribute_id;
  attribute.value.number = 1;
  const LaunchConfig config{{blocks, 1, 1},           {threads.x, threads.y, threads.z},       static_cast<unsigned>(shared_bytes), stream,
                            attribute_id == 0 ? nullptr : &attribute, attribute_id == 0 ? 0u : 1u};
  return std::apply(
      [&](auto&... value) {
        void* pointers[] = {static_cast<void*>(&value)..., nullptr};
        return Driver::get().launch(&config, kernel.handle(), pointers, nullptr);
      },
      values);
}

template <class... Parameters, class... Arguments>
cudaError_t cdsl_launch(Kernel<Parameters...>& kernel, unsigned blocks, dim3 threads, int shared_bytes, cudaStream_t stream,
                        Arguments... arguments) {
  return launch_as(0, kernel, blocks, threads, shared_bytes, stream, arguments...);
}

/// Blocks that have to run all at once.
template <class... Parameters, class... Arguments>
cudaError_t launch_resident(Kernel<Parameters...>& kernel, unsigned blocks, dim3 threads, int shared_bytes, cudaStream_t stream,
                            Arguments... arguments) {
  return launch_as(kCooperative, kernel, blocks, threads, shared_bytes, stream, arguments...);
}

template <class... Parameters>
cudaError_t cudaFuncSetAttribute(Kernel<Parameters...>& kernel, int attribute, int value) {
  return Driver::get().kernel_set_attribute(attribute, value, kernel.handle(), current_device());
}

/// How many blocks of a kernel the device holds at once.
template <class... Parameters>
long long resident_blocks(Kernel<Parameters...>& kernel, int threads, int shared_bytes = 0, int cluster = 1) {
  const Driver& driver = Driver::get();
  int count = 0;
  if (cluster > 1) {
    LaunchAttribute shape;
    shape.id = kClusterDimension;
    shape.value.extents[0] = static_cast<unsigned>(cluster);
    shape.value.extents[1] = shape.value.extents[2] = 1;
    const LaunchConfig config{{static_cast<unsigned>(cluster), 1, 1}, {static_cast<unsigned>(threads), 1, 1}, static_cast<unsigned>(shared_bytes), nullptr, &shape, 1};
    driver.active_clusters(&count, kernel.handle(), &config);
    return count > 0 ? static_cast<long long>(count) * cluster : cluster;
  }
  constexpr int kMultiprocessors = 16;
  driver.resident(&count, kernel.handle(), threads, static_cast<std::size_t>(shared_bytes));
  const long long blocks = static_cast<long long>(attribute(kMultiprocessors, current_device())) * count;
  return blocks > 0 ? blocks : 1;
}

inline unsigned long long device_pointer(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

inline cudaError_t cudaMemsetAsync(const void* memory, int value, long long bytes, cudaStream_t stream) {
  if (bytes <= 0) return cudaSuccess;
  return Driver::get().set_bytes_async(device_pointer(memory), static_cast<unsigned char>(value), static_cast<std::size_t>(bytes), stream);
}

inline cudaError_t cudaMemcpyAsync(const void* to, const void* from, long long bytes, int, cudaStream_t stream) {
  if (bytes <= 0) return cudaSuccess;
  return Driver::get().copy_async(device_pointer(to), device_pointer(from), static_cast<std::size_t>(bytes), stream);
}

inline cudaError_t cudaGetSymbolAddress(void** to, const Symbol& symbol) {
  *to = reinterpret_cast<void*>(symbol.address());
  return cudaSuccess;
}

/// Writes one value `count` times. The driver repeats words of four bytes; longer values are columns of a matrix, a byte wide each.
template <class Word>
cudaError_t cdsl_fill(const void* memory, Word word, long long count, cudaStream_t stream) {
  if (count <= 0) return cudaSuccess;
  const Driver& driver = Driver::get();
  if constexpr (sizeof(Word) == 4) {
    unsigned bits;
    std::memcpy(&bits, &word, sizeof bits);
    return driver.set_words_async(device_pointer(memory), bits, static_cast<std::size_t>(count), stream);
  }
  unsigned char bytes[sizeof(Word)];
  std::memcpy(bytes, &word, sizeof bytes);
  for (std::size_t k = 0; k < sizeof bytes; ++k) {
    const int error = driver.set_columns_async(device_pointer(memory) + k, sizeof bytes, bytes[k], 1, static_cast<std::size_t>(count), stream);
    if (error != 0) return error;
  }
  return cudaSuccess;
}

/// How boxes of a tensor are found: extents in elements, strides in bytes, innermost axis first.
template <class Map, int Rank>
cudaError_t encode_map(Map* map, int type, const void* memory, const unsigned long long (&extents)[Rank],
                       const unsigned long long (&strides)[Rank], const unsigned (&box)[Rank], int swizzle) {
  static_assert(sizeof(Map) == 128 && alignof(Map) >= 64, "a CUtensorMap");
  unsigned steps[Rank];
  for (unsigned& step : steps) step = 1;
  constexpr int kPromoteTo256Bytes = 3;
  return Driver::get().encode_tiled(map, type, Rank, const_cast<void*>(memory), extents, strides + 1, box, steps, 0, swizzle, kPromoteTo256Bytes, 0);
}

// ---- A library ---------------------------------------------------------------------------------------------------------------

/// Where kernels of one function and architecture leave what they met: an index outside its tensor.
struct Reports {
  Image* image;
  const Symbol* records;
  const char* const* sites;
  std::size_t count;
};

class Library {
 public:
  Library(const char* name, std::vector<Image*> images, std::vector<Reports> reports)
      : name_(name), images_(std::move(images)), reports_(std::move(reports)) {}

  /// The number of the image for the device of the current context.
  std::size_t choose() {
    const int device = current_device();
    const bool known = device >= 0 && device < static_cast<int>(chosen_.size());
    if (known && chosen_[static_cast<std::size_t>(device)] != 0) return static_cast<std::size_t>(chosen_[static_cast<std::size_t>(device)] - 1);
    constexpr int kMajor = 75, kMinor = 76;
    const int number = attribute(kMajor, device) * 10 + attribute(kMinor, device);
    std::string names;
    for (std::size_t k = 0; k < images_.size(); ++k) {  // the closest first
      if (images_[k]->runs_on(number)) {
        if (known) chosen_[static_cast<std::size_t>(device)] = static_cast<int>(k) + 1;
        return k;
      }
      names += (k == 0 ? "" : ", ") + images_[k]->name();
    }
    fail(CDSL_ERROR_UNSUPPORTED_DEVICE, std::string(name_) + " holds machine code for " + names + "; the device has compute capability " +
                                            std::to_string(number / 10) + "." + std::to_string(number % 10));
  }

  void open(const char* device) {
    if (std::strcmp(device, "cuda") != 0)
      fail(CDSL_ERROR_ARGUMENT, std::string(name_) + " was compiled ahead of time and runs on \"cuda\" alone, not on \"" + device + "\"");
    images_[choose()]->load_kernels();
  }

  /// Launches with workspace: the caller's, or memory of the stream that is freed behind the launch.
  template <class Launch>
  void run(const char* function, void* stream, void* workspace, long long bytes, const Launch& launch) {
    const Driver& driver = Driver::get();
    unsigned long long own = 0;
    int failure = 0;
    if (workspace == nullptr && bytes > 0) failure = driver.allocate(&own, static_cast<std::size_t>(bytes), stream);
    const char* why = nullptr;
    const int error = launch(own != 0 ? reinterpret_cast<void*>(own) : workspace, &why);
    if (own != 0) driver.free(own, stream);
    // Where no memory was had, the launch was asked only for what else it refuses.
    if (why != nullptr && (failure == 0 || std::strcmp(why, "workspace is null") != 0)) fail(CDSL_ERROR_ARGUMENT, std::string(function) + ": " + why, "", "", function);
    check(failure, "cuMemAllocAsync");
    check(error, "cuLaunchKernelEx");
  }

  void synchronize(void* stream) {
    const std::size_t image = choose();
    check(Driver::get().stream_synchronize(stream), "cuStreamSynchronize");
    std::string found;
    for (const Reports& reports : reports_) {
      if (reports.image == images_[image]) found += take(reports);
    }
    if (found.empty()) return;
    found.pop_back();
    fail(CDSL_ERROR_CHECK, found);
  }

 private:
  std::string take(const Reports& reports) {
    struct Record {
      unsigned long long count;
      long long value;
    };
    const Driver& driver = Driver::get();
    std::vector<Record> records(reports.count);
    const unsigned long long from = reports.records->address();
    check(driver.to_host(records.data(), from, records.size() * sizeof(Record)), "cuMemcpyDtoH");
    std::string found;
    for (std::size_t k = 0; k < records.size(); ++k) {
      if (records[k].count == 0) continue;
      found += std::string(reports.sites[k]) + ": first " + std::to_string(records[k].value) + ", " + std::to_string(records[k].count) + " times\n";
    }
    if (!found.empty()) check(driver.set_bytes(from, 0, records.size() * sizeof(Record)), "cuMemsetD8");
    return found;
  }

  const char* name_;
  std::vector<Image*> images_;
  std::vector<Reports> reports_;
  std::array<std::atomic<int>, 64> chosen_{};  // by device: the image's number and 1
};

}  // namespace cdsl::aot
