# cdsl_library(name FOLDER folder [TOP_ONLY] [LINKS targets...] [PRIVATE targets...])
#
# One static library from every .cpp under `folder` (only directly in it with TOP_ONLY). Sources are globbed, so that a
# new file needs no edit here, and an empty folder still gives a target.
#
# Includes are written from the repository root ("dsl/expr/expr.h"), but the root is on no include path: each target has
# an include root of its own, inc/<name>, that holds a link to its folder and nothing else. A target therefore sees its
# own headers and those of the targets that it links, and any other include does not build.
function(cdsl_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TOP_ONLY" "FOLDER" "LINKS;PRIVATE")
  set(folder "${CMAKE_SOURCE_DIR}/${arg_FOLDER}")
  if(arg_TOP_ONLY)
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  endif()
  if(NOT sources)
    set(sources "${CMAKE_BINARY_DIR}/empty/${name}.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "")
  endif()

  cdsl_mutate(sources)
  add_library(${name} STATIC ${sources})
  cdsl_warnings(${name})
  cdsl_include_root(${name} "${arg_FOLDER}" ${arg_TOP_ONLY})
  target_link_libraries(${name} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE})
endfunction()

# Makes inc/<name> show `folder` under its path from the repository root, and puts it on the include path of `name` and of
# what links it. With top_only, only the headers directly in the folder are shown.
function(cdsl_include_root name folder top_only)
  set(root "${CMAKE_BINARY_DIR}/inc/${name}")
  if(top_only)
    file(REMOVE_RECURSE "${root}")
    file(MAKE_DIRECTORY "${root}/${folder}")
    file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.h")
    foreach(header IN LISTS headers)
      cmake_path(GET header FILENAME file)
      file(CREATE_LINK "${header}" "${root}/${folder}/${file}" SYMBOLIC)
    endforeach()
  else()
    cmake_path(GET folder PARENT_PATH parent)
    file(MAKE_DIRECTORY "${root}/${parent}")
    file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${folder}" "${root}/${folder}" SYMBOLIC)
  endif()
  target_include_directories(${name} PUBLIC "${root}")
endfunction()
