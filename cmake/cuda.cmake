# CUDA in the usual places: only the tests and ranges for profilers look at it, nothing links it. Without it they say so and run the rest.
file(GLOB cuda_roots "/usr/local/cuda" "/usr/local/cuda-*" "/opt/cuda" "/usr/lib/cuda" "/usr/lib/nvidia-cuda-toolkit")
list(PREPEND cuda_roots "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}")
find_path(CDSL_CUDA_INCLUDE cuda_occupancy.h PATHS ${cuda_roots} PATH_SUFFIXES include targets/x86_64-linux/include)
find_path(CDSL_NVTX_INCLUDE nvtx3/nvToolsExt.h PATHS ${cuda_roots} PATH_SUFFIXES include targets/x86_64-linux/include)
find_library(CDSL_NVRTC nvrtc PATHS ${cuda_roots} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
find_program(CDSL_NVCC nvcc PATHS ${cuda_roots} PATH_SUFFIXES bin)
mark_as_advanced(CDSL_CUDA_INCLUDE CDSL_NVTX_INCLUDE CDSL_NVRTC CDSL_NVCC)
message(STATUS "NVRTC for the tests: ${CDSL_NVRTC}")
