# cdsl_count_lines(ON) and (OFF) enclose the folders whose lines a build with CDSL_COVERAGE counts. All else stays as in the preset
# `default`, so that ccache has most of it.
option(CDSL_COVERAGE "Count which lines run, for scripts/coverage (g++)" OFF)
if(CDSL_COVERAGE)
  add_link_options(--coverage)
endif()

macro(cdsl_count_lines on)
  if(CDSL_COVERAGE AND ${on})
    get_directory_property(uncounted_options COMPILE_OPTIONS)
    set(uncounted_flags "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
    add_compile_options(--coverage)
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  elseif(CDSL_COVERAGE)
    set_directory_properties(PROPERTIES COMPILE_OPTIONS "${uncounted_options}")
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "${uncounted_flags}")
  endif()
endmacro()
