# What a user of the build may choose.
option(CDSL_TESTS "Build the tests" ON)
option(CDSL_WERROR "Treat warnings as errors" ON)
option(CDSL_PORTABLE "Link everything but libc statically into cuoptc" OFF)
option(CDSL_LIBFUZZER "Build the targets of tests/fuzz for libFuzzer (clang)" OFF)
option(CDSL_MUTANTS "Compile the mutants of tests/mutation into passes and codegen" OFF)
set(CDSL_SANITIZE "" CACHE STRING "Sanitizers to build with, for instance address,undefined")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Assertions stay. Line tables are enough for a backtrace; even they make a build four times as large, which holds
# thirty programs that each link the whole compiler.
set(CMAKE_CXX_FLAGS_RELEASE "-O2" CACHE STRING "Flags of Release" FORCE)
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1" CACHE STRING "Flags of RelWithDebInfo" FORCE)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# Every archive may end up in libcdsl.so, which shows its C functions alone.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

# A check that fails names its file without this machine's folders; ccache hands the paths over relative to the build.
cmake_path(RELATIVE_PATH CMAKE_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE to_source)
add_compile_options(
  "-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=" "-fmacro-prefix-map=${to_source}/="
  "-fmacro-prefix-map=${CMAKE_BINARY_DIR}/inc/=" "-fmacro-prefix-map=inc/=")

if(CDSL_SANITIZE)
  add_compile_options(-fsanitize=${CDSL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CDSL_SANITIZE})
endif()
if(CDSL_LIBFUZZER)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
