# cdsl::fmt: fmt without its library, whose shared form a cuoptc that runs elsewhere cannot use.
find_package(fmt REQUIRED)
if(fmt_VERSION VERSION_LESS 11)
  add_library(cdsl_fmt STATIC "${CMAKE_SOURCE_DIR}/cmake/fmt/format.cpp")
  target_include_directories(cdsl_fmt SYSTEM PUBLIC
    "$<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>")
else()
  add_library(cdsl_fmt INTERFACE)
  target_link_libraries(cdsl_fmt INTERFACE fmt::fmt-header-only)
endif()
add_library(cdsl::fmt ALIAS cdsl_fmt)
