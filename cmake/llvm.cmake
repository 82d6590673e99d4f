# cdsl::llvm_support: LLVM's Support library as an archive, from the newest LLVM (19 or later) that is installed, or from
# LLVM_DIR. LLVM's own target also names shared libraries (z3, libedit) that Support never needs here; the archives are
# linked by hand so that a cuoptc runs where no LLVM is installed.
set(CDSL_LLVM_OLDEST 19)

if(NOT LLVM_DIR)
  file(GLOB candidates "/usr/lib/llvm-*/lib/cmake/llvm" "/usr/lib/llvm-*/cmake" "/usr/local/lib/cmake/llvm"
    "/opt/llvm*/lib/cmake/llvm" "/usr/lib/cmake/llvm" "/usr/lib64/cmake/llvm")
  list(SORT candidates COMPARE NATURAL ORDER DESCENDING)
  foreach(candidate IN LISTS candidates)
    if(NOT EXISTS "${candidate}/../../libLLVMSupport.a")
      continue()
    endif()
    set(PACKAGE_VERSION 0)
    include("${candidate}/LLVMConfigVersion.cmake" OPTIONAL)
    if(PACKAGE_VERSION VERSION_GREATER_EQUAL CDSL_LLVM_OLDEST)
      set(LLVM_DIR "${candidate}" CACHE PATH "Folder of LLVMConfig.cmake")
      break()
    endif()
  endforeach()
endif()
find_package(LLVM CONFIG QUIET)
if(NOT LLVM_FOUND OR LLVM_VERSION VERSION_LESS CDSL_LLVM_OLDEST)
  message(FATAL_ERROR "LLVM ${CDSL_LLVM_OLDEST} or later is needed (Debian: llvm-${CDSL_LLVM_OLDEST}-dev to llvm-22-dev); "
    "set LLVM_DIR to the folder of its LLVMConfig.cmake if it lies elsewhere")
endif()
message(STATUS "LLVM ${LLVM_VERSION} (${LLVM_DIR})")

add_library(cdsl_llvm_support INTERFACE)
add_library(cdsl::llvm_support ALIAS cdsl_llvm_support)
target_include_directories(cdsl_llvm_support SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(cdsl_llvm_support INTERFACE
  "${LLVM_LIBRARY_DIR}/libLLVMSupport.a" "${LLVM_LIBRARY_DIR}/libLLVMDemangle.a")
# What Support's compression code asks for, where the distribution has it as an archive.
foreach(library zstd z)
  find_library(CDSL_LIB_${library} NAMES lib${library}.a ${library})
  mark_as_advanced(CDSL_LIB_${library})
  if(CDSL_LIB_${library})
    target_link_libraries(cdsl_llvm_support INTERFACE "${CDSL_LIB_${library}}")
  endif()
endforeach()
target_link_libraries(cdsl_llvm_support INTERFACE ${CMAKE_DL_LIBS} rt m)
