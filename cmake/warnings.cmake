# cdsl_warnings(target): the warnings that this project's own code is held to.
function(cdsl_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${CDSL_WERROR}>:-Werror>
    # Optimising, g++ 12 takes the unused alternatives of a moved std::variant for uninitialized.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    # libstdc++ 12 calls its own deprecated get_temporary_buffer in stable_sort, which clang reports at our call.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
endfunction()
