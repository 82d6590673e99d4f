# ccache where it is installed. Paths are hashed relative to the source folder, so that a second clone and a second
# build folder hit the same entries.
find_program(CDSL_CCACHE ccache)
mark_as_advanced(CDSL_CCACHE)

if(CDSL_CCACHE AND (NOT CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$"))
  cmake_path(IS_PREFIX CMAKE_SOURCE_DIR "${CMAKE_BINARY_DIR}" build_is_inside)
  if(build_is_inside)
    set(base "${CMAKE_SOURCE_DIR}")
  else()
    set(base "${CMAKE_BINARY_DIR}")
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${base} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CDSL_CCACHE})
endif()
