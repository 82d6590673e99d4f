# Everything that the compiler links: found here, once, as imported targets.
include(llvm)     # cdsl::llvm_support
include(isl)      # cdsl::isl
include(fmt)      # cdsl::fmt
find_package(Threads REQUIRED)
include(cuda)     # CDSL_CUDA_INCLUDE, CDSL_NVRTC: for the tests only, never linked
