# cdsl::isl: integer sets, for dsl/ranges alone. Archives, so that cuoptc needs neither library where it runs.
find_path(CDSL_ISL_INCLUDE isl/set.h)
find_library(CDSL_ISL NAMES libisl.a isl)
find_library(CDSL_GMP NAMES libgmp.a gmp)
mark_as_advanced(CDSL_ISL_INCLUDE CDSL_ISL CDSL_GMP)
if(NOT CDSL_ISL_INCLUDE OR NOT CDSL_ISL OR NOT CDSL_GMP)
  message(FATAL_ERROR "isl and GMP are needed (Debian: libisl-dev libgmp-dev)")
endif()

add_library(cdsl_isl INTERFACE)
add_library(cdsl::isl ALIAS cdsl_isl)
target_include_directories(cdsl_isl SYSTEM INTERFACE "${CDSL_ISL_INCLUDE}")
target_link_libraries(cdsl_isl INTERFACE "${CDSL_ISL}" "${CDSL_GMP}")
