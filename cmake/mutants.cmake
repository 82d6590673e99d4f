# cdsl_mutate(sources): with CDSL_MUTANTS, replaces those files of the list that hold drawn mutants (tests/mutation) by their copies
# in which the environment variable CDSL_MUTANT chooses one.
if(CDSL_MUTANTS)
  include(python)
  set(CDSL_MUTATED_SOURCES "${CMAKE_BINARY_DIR}/mutated")
  execute_process(COMMAND "${CDSL_PYTHON}" "${CMAKE_SOURCE_DIR}/tests/mutation/mutate.py" write "${CDSL_MUTATED_SOURCES}"
    OUTPUT_VARIABLE CDSL_MUTATED COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "\n" ";" CDSL_MUTATED "${CDSL_MUTATED}")
  list(REMOVE_ITEM CDSL_MUTATED "")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CDSL_MUTATED} tests/mutation/mutants.tsv
    tests/mutation/mutate.py tests/mutation/sites.py tests/mutation/tokens.py)
endif()

function(cdsl_mutate list)
  set(sources "${${list}}")
  foreach(file IN LISTS CDSL_MUTATED)
    if("${CMAKE_SOURCE_DIR}/${file}" IN_LIST sources)
      list(REMOVE_ITEM sources "${CMAKE_SOURCE_DIR}/${file}")
      list(APPEND sources "${CDSL_MUTATED_SOURCES}/${file}")
      # Both sides of a choice stand in one expression: what warnings ask for is held by the other builds.
      set_source_files_properties("${CDSL_MUTATED_SOURCES}/${file}" PROPERTIES
        COMPILE_OPTIONS "-w;-I${CMAKE_SOURCE_DIR}/tests/mutation")
    endif()
  endforeach()
  set(${list} "${sources}" PARENT_SCOPE)
endfunction()
