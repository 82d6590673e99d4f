# cdsl_one_object_archive(target OUTPUT libname.a OBJECTS object-library KEEP pattern [DROP pattern] ARCHIVES targets... EXTERNAL targets...)
#
# An archive of one object: everything that OBJECTS need out of ARCHIVES (targets of this project) and EXTERNAL (imported targets
# that name .a files), with every symbol local but those that match KEEP and not DROP. A program that links it may hold another
# build of the same libraries. COMDAT groups are dissolved first: a linker would join them with the program's by name. "Unique"
# symbols (variables of inline functions) are no globals to objcopy until they are weak.
function(cdsl_one_object_archive target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;OBJECTS;KEEP;DROP" "ARCHIVES;EXTERNAL")
  foreach(name IN LISTS arg_ARCHIVES)
    get_target_property(aliased ${name} ALIASED_TARGET)
    if(aliased)
      set(name ${aliased})
    endif()
    get_target_property(type ${name} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND archives "$<TARGET_FILE:${name}>")
    endif()
  endforeach()
  foreach(name IN LISTS arg_EXTERNAL)
    get_target_property(libraries ${name} INTERFACE_LINK_LIBRARIES)
    foreach(library IN LISTS libraries)
      if(TARGET ${library})
        list(APPEND archives "$<TARGET_FILE:${library}>")
      elseif(library MATCHES "\\.a$")
        list(APPEND archives "${library}")
      elseif(NOT library MATCHES "^(rt|m|dl|pthread)$")
        set_property(GLOBAL APPEND PROPERTY CDSL_STATIC_NEEDS "${library}")
      endif()
    endforeach()
  endforeach()

  find_program(CDSL_OBJCOPY NAMES "${CMAKE_OBJCOPY}" objcopy REQUIRED)
  mark_as_advanced(CDSL_OBJCOPY)
  set(drop "$<$<BOOL:${arg_DROP}>:--localize-symbol=${arg_DROP}>")
  set(whole "${CMAKE_CURRENT_BINARY_DIR}/${target}_whole.o")
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${target}.o")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${arg_OUTPUT}")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${whole}" "$<TARGET_OBJECTS:${arg_OBJECTS}>"
      --start-group ${archives} --end-group
    COMMAND "${CDSL_OBJCOPY}" --strip-debug --wildcard "--weaken-symbol=_Z*" "${whole}"
    COMMAND "${CDSL_OBJCOPY}" --wildcard "--keep-global-symbol=${arg_KEEP}" ${drop} "${whole}" "${object}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${output}" "${whole}"
    COMMAND "${CMAKE_AR}" rcs "${output}" "${object}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${object}"
    DEPENDS ${arg_OBJECTS} "$<TARGET_OBJECTS:${arg_OBJECTS}>" ${archives}
    COMMENT "Linking ${arg_OUTPUT}" COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${target} ALL DEPENDS "${output}")
  set_property(TARGET ${target} PROPERTY CDSL_OUTPUT "${output}")
endfunction()
