# cdsl_warnings(target): the warnings that this project's own code is held to.
function(cdsl_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra $<$<BOOL:${CDSL_WERROR}>:-Werror>)
endfunction()
