# cdsl_add_library(NAME SOURCES a.cdsl... [MODE AOT|JIT] [ARCHS 90a...] [DEFINES N=4096 T=f32...] [SETTINGS C.tile.m=64...]
#                  [IMPORTS folders...] [OPTIONS --strict...])
#
# A static library NAME with a typed header NAME.h: one function of the host for each function of the .cdsl files, in namespace NAME.
#
#   AOT  (default) holds machine code for each of ARCHS (90a where nothing is said; the closest to the device first), and needs
#        nothing but the driver where it runs. It is made with NVRTC, which has to be installed where it is built.
#   JIT  holds the files as text, which libcdsl compiles for the device and the sizes of the calls. Links cdsl::cdsl, or
#        cdsl::cdsl_static where CDSL_STATIC is true.
#
# The header is the same for both. Files that change, imported ones too, are compiled anew.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)  # names in a depfile are as cuoptc wrote them: absolute
endif()

function(cdsl_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODE" "SOURCES;ARCHS;DEFINES;SETTINGS;IMPORTS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cdsl_add_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "cdsl_add_library(${name}): SOURCES names no .cdsl file")
  endif()
  if(NOT arg_MODE)
    set(arg_MODE AOT)
  endif()
  if(NOT arg_MODE MATCHES "^(AOT|JIT)$")
    message(FATAL_ERROR "cdsl_add_library(${name}): MODE is AOT or JIT, not ${arg_MODE}")
  endif()
  if(NOT arg_ARCHS)
    set(arg_ARCHS 90a)
  endif()

  set(flags ${arg_OPTIONS})
  foreach(arch IN LISTS arg_ARCHS)
    string(REGEX REPLACE "^sm_" "" arch "${arch}")
    list(APPEND flags "--arch=sm_${arch}")
  endforeach()
  foreach(define IN LISTS arg_DEFINES)
    list(APPEND flags "-D${define}")
  endforeach()
  foreach(setting IN LISTS arg_SETTINGS)
    list(APPEND flags "--set=${setting}")
  endforeach()
  foreach(folder IN LISTS arg_IMPORTS)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND flags "-I${folder}")
  endforeach()
  if(arg_MODE STREQUAL JIT)
    list(APPEND flags --jit)
  endif()
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/cdsl/${name}")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${folder}/${name}.h" "${folder}/${name}.cpp"
    COMMAND cdsl::cuoptc library ${sources} -o "${folder}/${name}.h" --name=${name} ${flags} -MD -MF "${folder}/${name}.d"
    DEPENDS ${sources} cdsl::cuoptc
    DEPFILE "${folder}/${name}.d"
    COMMENT "cuoptc library ${name}" VERBATIM)
  add_library(${name} STATIC "${folder}/${name}.cpp" "${folder}/${name}.h")
  target_compile_features(${name} PUBLIC cxx_std_17)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC "${folder}")
  if(arg_MODE STREQUAL AOT)
    target_link_libraries(${name} PUBLIC cdsl::headers PRIVATE ${CMAKE_DL_LIBS})
  elseif(CDSL_STATIC)
    target_link_libraries(${name} PUBLIC cdsl::cdsl_static)
  else()
    target_link_libraries(${name} PUBLIC cdsl::cdsl)
  endif()
endfunction()
