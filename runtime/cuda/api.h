// The functions of the CUDA driver that launching needs, loaded at run time. Prototypes are those
// of cuda.h; nothing of it is included, so that the library builds where no toolkit is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/library.h"

namespace cdsl::runtime {

using CudaStatus = int;                  // CUresult; 0 is success
using CudaPointer = unsigned long long;  // CUdeviceptr
struct CudaContextHandle;                // behind CUcontext, CUmodule, CUfunction, CUstream, CUevent
struct CudaModule;
struct CudaFunction;
struct CudaStream;
struct CudaEvent;

/// CUlaunchAttribute and CUlaunchConfig of cuda.h.
struct CudaAttribute {
  int id = 0;
  int padding = 0;
  union {
    int number;
    unsigned extents[3];
    std::byte bytes[64];
  } value = {};
};
struct CudaLaunch {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  CudaStream* stream = nullptr;
  CudaAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

class CudaApi {
 public:
  /// The driver, loaded and initialised once a process; after a failure the next call tries again. Throws Error saying what
  /// is missing.
  static std::shared_ptr<const CudaApi> load();

  /// Throws Error with the function's name and the driver's name of the error.
  void check(CudaStatus status, const char* function, const std::string& what = {}) const;

  CudaStatus (*init)(unsigned) = nullptr;
  CudaStatus (*driver_version)(int*) = nullptr;
  CudaStatus (*device_count)(int*) = nullptr;
  CudaStatus (*device_get)(int*, int) = nullptr;
  CudaStatus (*device_name)(char*, int, int) = nullptr;
  CudaStatus (*device_attribute)(int*, int, int) = nullptr;
  CudaStatus (*primary_retain)(CudaContextHandle**, int) = nullptr;
  CudaStatus (*primary_release)(int) = nullptr;
  CudaStatus (*set_current)(CudaContextHandle*) = nullptr;
  CudaStatus (*get_current)(CudaContextHandle**) = nullptr;
  CudaStatus (*context_device)(int*) = nullptr;
  CudaStatus (*synchronize)() = nullptr;
  CudaStatus (*stream_synchronize)(CudaStream*) = nullptr;
  CudaStatus (*module_load)(CudaModule**, const void*) = nullptr;
  CudaStatus (*module_unload)(CudaModule*) = nullptr;
  CudaStatus (*module_function)(CudaFunction**, CudaModule*, const char*) = nullptr;
  CudaStatus (*function_attribute)(int*, int, CudaFunction*) = nullptr;
  CudaStatus (*set_attribute)(CudaFunction*, int, int) = nullptr;
  CudaStatus (*allocate)(CudaPointer*, std::size_t) = nullptr;
  CudaStatus (*free)(CudaPointer) = nullptr;
  CudaStatus (*to_device)(CudaPointer, const void*, std::size_t) = nullptr;
  CudaStatus (*to_host)(void*, CudaPointer, std::size_t) = nullptr;
  CudaStatus (*copy)(CudaPointer, CudaPointer, std::size_t) = nullptr;
  CudaStatus (*set_bytes)(CudaPointer, unsigned char, std::size_t) = nullptr;
  CudaStatus (*copy_async)(CudaPointer, CudaPointer, std::size_t, CudaStream*) = nullptr;
  CudaStatus (*set_bytes_async)(CudaPointer, unsigned char, std::size_t, CudaStream*) = nullptr;
  CudaStatus (*set_words_async)(CudaPointer, unsigned, std::size_t, CudaStream*) = nullptr;
  CudaStatus (*event_create)(CudaEvent**, unsigned) = nullptr;
  CudaStatus (*event_destroy)(CudaEvent*) = nullptr;
  CudaStatus (*event_record)(CudaEvent*, CudaStream*) = nullptr;
  CudaStatus (*event_synchronize)(CudaEvent*) = nullptr;
  CudaStatus (*event_elapsed)(float* milliseconds, CudaEvent*, CudaEvent*) = nullptr;
  CudaStatus (*resident_blocks)(int*, CudaFunction*, int, std::size_t) = nullptr;
  CudaStatus (*suggested_block)(int* blocks, int* threads, CudaFunction*, std::size_t (*shared_of)(int), std::size_t, int) = nullptr;
  CudaStatus (*launch)(CudaFunction*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, CudaStream*, void**, void**) = nullptr;
  // Of newer drivers; null where they are not there.
  CudaStatus (*launch_with)(const CudaLaunch*, CudaFunction*, void**, void**) = nullptr;
  CudaStatus (*active_clusters)(int*, CudaFunction*, const CudaLaunch*) = nullptr;
  CudaStatus (*encode_tiled)(void* map, int type, unsigned rank, void* base,
                             const unsigned long long* extents, const unsigned long long* strides,
                             const unsigned* box, const unsigned* steps, int interleave,
                             int swizzle, int l2_promotion, int fill) = nullptr;
  CudaStatus (*context_resource)(CudaContextHandle*, void* resource, int type) = nullptr;

 private:
  CudaApi() = default;
  bool load_functions();

  std::unique_ptr<SharedLibrary> library_;
  CudaStatus (*error_name_)(CudaStatus, const char**) = nullptr;
};

}  // namespace cdsl::runtime
