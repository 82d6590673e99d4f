/* cdsl: compiles tensor expressions (.cdsl) at run time and launches their kernels on NVIDIA GPUs, as a vendor library would.
 *
 * Every function that can fail returns a cdsl_status; cdsl_last_error() then says why, in a sentence, for this thread. Handles
 * are made and destroyed in pairs; what is made from a handle keeps it alive, so the order of destruction does not matter.
 * All functions may be called from any thread. No exception leaves the library, and it never prints.
 *
 * A launch goes to the caller's stream in the caller's current context (the device's primary context where there is none), and
 * does not wait. After cdsl_kernel_prepare, launches of the same sizes on the same stream neither compile nor allocate, and can
 * be captured in a CUDA graph. What kernels find wrong while they run (a gather outside its tensor) comes from
 * cdsl_synchronize.
 *
 * Streams are CUstream or cudaStream_t, as void*; null is the legacy default stream. Extents and strides count elements.
 */
#ifndef CDSL_CDSL_H
#define CDSL_CDSL_H

#include <stddef.h>
#include <stdint.h>

#if defined(CDSL_STATIC)
#define CDSL_API
#elif defined(CDSL_BUILDING)
#define CDSL_API __attribute__((visibility("default")))
#else
#define CDSL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cdsl_status {
  CDSL_OK = 0,
  CDSL_ERROR_SOURCE = 1,             /* the program has mistakes: the message holds the diagnostics, with places */
  CDSL_ERROR_ARGUMENT = 2,           /* of this call: a null handle, an unknown name, a wrong type, rank, extent or alignment */
  CDSL_ERROR_NO_DRIVER = 10,         /* libcuda is not installed */
  CDSL_ERROR_DRIVER_TOO_OLD = 11,    /* the driver lacks functions, or is older than the machine code that NVRTC makes */
  CDSL_ERROR_NO_DEVICE = 12,         /* a driver, but no GPU that it lets us use */
  CDSL_ERROR_UNSUPPORTED_DEVICE = 13,/* an architecture that cdsl or this NVRTC does not know */
  CDSL_ERROR_NO_NVRTC = 14,          /* libnvrtc is not installed */
  CDSL_ERROR_COMPILE = 20,           /* NVRTC refused our text: a fault of cdsl; the log is in cdsl_error.log */
  CDSL_ERROR_OUT_OF_MEMORY = 21,
  CDSL_ERROR_LAUNCH = 22,            /* the driver refused a call; the context lives on */
  CDSL_ERROR_CHECK = 30,             /* kernels met an index outside its tensor: they went on, the update or read was dropped */
  CDSL_ERROR_DEVICE_FAULT = 31,      /* a kernel, ours or another, faulted, or the device is lost: the context is dead */
  CDSL_ERROR_INTERNAL = 70           /* a fault of cdsl */
} cdsl_status;

/* Details of the last failure in this thread. Strings live until the next failing call of this thread; never null. */
typedef struct cdsl_error {
  cdsl_status status;
  const char* message;               /* one or several lines, without a final newline */
  const char* api;                   /* function that failed: "cuLaunchKernel", "" where it is ours */
  const char* api_code;              /* its name of the error: "CUDA_ERROR_INVALID_VALUE", or "" */
  const char* kernel;                /* kernel or function concerned, or "" */
  const char* log;                   /* of NVRTC and ptxas, or "" */
} cdsl_error;

CDSL_API const char* cdsl_last_error(void);
CDSL_API void cdsl_last_error_details(cdsl_error* out);
CDSL_API const char* cdsl_status_name(cdsl_status status);   /* "CDSL_ERROR_SOURCE" */
CDSL_API const char* cdsl_version(void);                     /* "0.1.0" */

/* Element types, as the language spells them in lower case. Records have none: CDSL_RECORD. */
typedef enum cdsl_type {
  CDSL_BOOL, CDSL_I8, CDSL_I16, CDSL_I32, CDSL_I64, CDSL_U8, CDSL_U16, CDSL_U32, CDSL_U64, CDSL_F16, CDSL_BF16, CDSL_F32,
  CDSL_F64, CDSL_F8E4M3, CDSL_F8E5M2, CDSL_C64, CDSL_C128, CDSL_RECORD
} cdsl_type;

/* ---- Runtime: a device's driver, NVRTC, and the cache of compiled kernels ------------------------------------------------- */

typedef struct cdsl_runtime cdsl_runtime;

/* Zero means the default everywhere. */
typedef struct cdsl_runtime_options {
  const char* device;                /* "cuda" (default), or "sim": kernels run in the simulator, on memory of the host */
  const char* cache_folder;          /* default: $CDSL_CACHE_DIR, else $XDG_CACHE_HOME/cdsl, else ~/.cache/cdsl; "": no cache */
} cdsl_runtime_options;

/* `options` may be null. Fails within a second where there is no driver, device or NVRTC. */
CDSL_API cdsl_status cdsl_runtime_create(const cdsl_runtime_options* options, cdsl_runtime** out);
CDSL_API void cdsl_runtime_destroy(cdsl_runtime* runtime);

/* Waits for the stream. Fails with CDSL_ERROR_CHECK where kernels launched through this runtime reported an index outside its
 * tensor since the last call (kernel, place in the source, index, count), with CDSL_ERROR_DEVICE_FAULT where the context died. */
CDSL_API cdsl_status cdsl_synchronize(cdsl_runtime* runtime, void* stream);

/* ---- Module: one .cdsl program -------------------------------------------------------------------------------------------- */

typedef struct cdsl_module cdsl_module;

typedef struct cdsl_module_options {
  const char* architecture;          /* "sm_90a"; default: that of the device in the current context */
  const char* const* defines;        /* "T=f32", "N=4096": types of generic parameters, sizes to hold constant */
  size_t define_count;
  const char* const* settings;       /* "C.tile.m=64": decisions held, as --set does */
  size_t setting_count;
  const char* const* import_folders;
  size_t import_folder_count;
  int open_sizes;                    /* 1: one kernel for all sizes; 0: a kernel a set of sizes, which is faster on the device */
  int strict, fast_math;
  int general_only;                  /* 1: no decisions, as --O0 */
} cdsl_module_options;

CDSL_API cdsl_status cdsl_module_load(cdsl_runtime* runtime, const char* path, const cdsl_module_options* options, cdsl_module** out);
/* `name` stands for the path in messages. */
CDSL_API cdsl_status cdsl_module_parse(cdsl_runtime* runtime, const char* text, const char* name, const cdsl_module_options* options,
                                       cdsl_module** out);
CDSL_API void cdsl_module_destroy(cdsl_module* module);
/* Functions of the program in order; null past the last. The string lives as long as the module. */
CDSL_API const char* cdsl_module_function(const cdsl_module* module, size_t index);

/* ---- Kernel: one function, ready to be launched ---------------------------------------------------------------------------- */

typedef struct cdsl_kernel cdsl_kernel;

/* `function` may be null where the program has one. */
CDSL_API cdsl_status cdsl_module_kernel(cdsl_module* module, const char* function, cdsl_kernel** out);
CDSL_API void cdsl_kernel_destroy(cdsl_kernel* kernel);

/* CDSL_SIZE: a size that no extent gives (`fn f<K>`), passed as a CDSL_I64. */
typedef enum cdsl_role { CDSL_SCALAR, CDSL_INPUT, CDSL_INOUT, CDSL_OUTPUT, CDSL_SIZE } cdsl_role;

/* Strings live as long as the kernel. */
typedef struct cdsl_parameter {
  const char* name;
  cdsl_role role;
  cdsl_type type;                    /* of an element; CDSL_RECORD where it has fields */
  size_t element_bytes;              /* of a record: as the C struct */
  int rank;                          /* 0 for scalars */
  int part_count;                    /* of its layout: 1, or one a field of `soa` */
  const char* layout;                /* "aos", "soa", "aosoa(32)", ...; "" where elements have no fields */
  int strided;                       /* 1: strides are free */
} cdsl_parameter;

CDSL_API size_t cdsl_kernel_parameter_count(const cdsl_kernel* kernel);
/* In the order that launches take their arguments: sizes in `<>` that no extent gives, parameters as declared, results. */
CDSL_API cdsl_status cdsl_kernel_parameter(const cdsl_kernel* kernel, size_t index, cdsl_parameter* out);

/* Memory of the device (of the host for "sim"), described as DLPack does. The arrays are read during the call only. */
typedef struct cdsl_tensor {
  void* data;                        /* of element (0, 0, ...); of the first part, where the layout has several */
  cdsl_type type;
  int rank;
  const int64_t* extents;
  const int64_t* strides;            /* in elements; null: dense, row-major */
  void* const* parts;                /* further parts of the layout, part_count - 1 of them; null where there is one */
} cdsl_tensor;

typedef struct cdsl_argument {
  const cdsl_tensor* tensor;         /* null: a scalar */
  cdsl_type scalar_type;             /* how the scalar is given: CDSL_I64, CDSL_U64, CDSL_F64 or CDSL_BOOL; converted where exact or to a float */
  union { int64_t i; uint64_t u; double f; } scalar;
} cdsl_argument;

typedef struct cdsl_size {
  const char* name;
  int64_t value;
} cdsl_size;

/* Compiles for these sizes and takes the workspace for `stream`: dense arguments, aligned as an allocation is, will launch
 * without compiling or allocating. Sizes that only scalars give are not named here. */
CDSL_API cdsl_status cdsl_kernel_prepare(cdsl_kernel* kernel, const cdsl_size* sizes, size_t count, void* stream);
/* The same for arguments as they are. */
CDSL_API cdsl_status cdsl_kernel_prepare_for(cdsl_kernel* kernel, const cdsl_argument* arguments, size_t count, void* stream);
/* Asynchronous. Prepares first where that was not done. */
CDSL_API cdsl_status cdsl_kernel_launch(cdsl_kernel* kernel, const cdsl_argument* arguments, size_t count, void* stream);
/* 1 where neither NVRTC nor the compiler would run for these sizes: memory holds the kernels. */
CDSL_API cdsl_status cdsl_kernel_is_cached(cdsl_kernel* kernel, const cdsl_size* sizes, size_t count, int* out);
/* What a launch of these arguments runs, as JSON: variant, kernels with grid, block, shared memory, registers, occupancy, and why.
 * Free it with cdsl_string_destroy. */
CDSL_API cdsl_status cdsl_kernel_plan(cdsl_kernel* kernel, const cdsl_argument* arguments, size_t count, char** out);
/* The CUDA C++ text for these sizes. */
CDSL_API cdsl_status cdsl_kernel_source(cdsl_kernel* kernel, const cdsl_size* sizes, size_t count, char** out);
CDSL_API void cdsl_string_destroy(char* text);

/* ---- Buffer: memory in the layout that a parameter was given ---------------------------------------------------------------- */

typedef struct cdsl_buffer cdsl_buffer;

/* For parameter `index` with these extents: `layout(auto)` may have become several parts, in groups. */
CDSL_API cdsl_status cdsl_buffer_create(cdsl_kernel* kernel, size_t index, const int64_t* extents, int rank, cdsl_buffer** out);
CDSL_API void cdsl_buffer_destroy(cdsl_buffer* buffer);
/* Its memory as an argument; lives as long as the buffer. */
CDSL_API const cdsl_tensor* cdsl_buffer_tensor(const cdsl_buffer* buffer);
/* Dense row-major arrays of C structs in host memory, `bytes` long; waits. */
CDSL_API cdsl_status cdsl_buffer_upload(cdsl_buffer* buffer, const void* host, size_t bytes);
CDSL_API cdsl_status cdsl_buffer_download(const cdsl_buffer* buffer, void* host, size_t bytes);
/* The same between two places of device memory, by kernels on `stream`; asynchronous. */
CDSL_API cdsl_status cdsl_buffer_pack(cdsl_buffer* buffer, const void* device, size_t bytes, void* stream);
CDSL_API cdsl_status cdsl_buffer_unpack(const cdsl_buffer* buffer, void* device, size_t bytes, void* stream);

/* A DLPack tensor (DLTensor*) on a CUDA device or, for "sim", on the CPU. `extents` and `strides` of the result point into it. */
CDSL_API cdsl_status cdsl_tensor_from_dlpack(const void* dl_tensor, cdsl_tensor* out);

#ifdef __cplusplus
}
#endif

#endif
