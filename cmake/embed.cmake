# cdsl_embed(target NAMESPACE ns HEADER header NAME name FILES files...)
#
# The texts of the files, one after the other, as `const std::string_view name` in `ns`, which `header` declares. They are read
# when CMake configures, and again when one of them changed.
function(cdsl_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAMESPACE;HEADER;NAME" "FILES")
  set(text "")
  foreach(file IN LISTS arg_FILES)
    file(READ "${file}" part)
    string(APPEND text "${part}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  set(made "${CMAKE_CURRENT_BINARY_DIR}/embedded_${arg_NAME}.cpp")
  set(before "#include \"${arg_HEADER}\"\n\nnamespace ${arg_NAMESPACE} {\n\nconst std::string_view ${arg_NAME} = R\"embedded(")
  set(whole "${before}${text})embedded\";\n\n}  // namespace ${arg_NAMESPACE}\n")
  file(CONFIGURE OUTPUT "${made}" CONTENT "@whole@" @ONLY)
  target_sources(${target} PRIVATE "${made}")
endfunction()
