# keysieve_configure_target(<target>): what every target of the project shares.
#  - Hidden visibility, inlines too: a template's static at default visibility gets UNIQUE binding, which the
#    loader merges across every module of the process, so that two copies of the library would share state.
#  - Warnings are errors only where we control the compiler (KEYSIEVE_WERROR, set by `make test`).
option(KEYSIEVE_WERROR "Warnings are errors" OFF)

function(keysieve_configure_target target)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    C_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 warns of string concatenation in its own header.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  if(KEYSIEVE_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
  endif()
  if(KEYSIEVE_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=address,undefined
      -fno-sanitize-recover=all -fno-omit-frame-pointer -g1>)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  elseif(KEYSIEVE_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=thread -g1>)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  elseif(KEYSIEVE_SANITIZE)
    message(FATAL_ERROR "KEYSIEVE_SANITIZE: expected empty, address or thread, got '${KEYSIEVE_SANITIZE}'")
  endif()
endfunction()

# keysieve_export_only(<shared target> <version script>): nothing but the listed symbols leaves the library.
function(keysieve_export_only target script)
  target_link_options(${target} PRIVATE
    -Wl,--version-script=${script} -Wl,--exclude-libs,ALL -Wl,-z,defs)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script})
endfunction()
