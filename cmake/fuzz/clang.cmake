# The newest clang that is installed with its runtime libraries (Debian: clang-N and libclang-rt-N-dev; before 16 they are in
# libclang-rt-N-dev or libclang-common-N-dev). It uses libstdc++, as everything that is linked does.
if(NOT CMAKE_CXX_COMPILER)
  file(GLOB runtimes "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a"
    "/usr/lib/llvm-*/lib/clang/*/lib/*/libclang_rt.fuzzer.a")
  list(SORT runtimes COMPARE NATURAL ORDER DESCENDING)
  foreach(runtime IN LISTS runtimes)
    string(REGEX REPLACE "/lib/clang/.*" "/bin" folder "${runtime}")
    if(EXISTS "${folder}/clang++")
      set(CMAKE_C_COMPILER "${folder}/clang")
      set(CMAKE_CXX_COMPILER "${folder}/clang++")
      break()
    endif()
  endforeach()
  if(NOT CMAKE_CXX_COMPILER)
    message(FATAL_ERROR "no clang with libFuzzer here (Debian: clang-19 libclang-rt-19-dev, or later)")
  endif()
endif()
