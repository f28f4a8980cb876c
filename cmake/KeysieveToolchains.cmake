# Compilers of the device code that have passed on a GPU: toolchains/passing.json, which `toolchains.py record` makes of
# the records in results/. An nvcc outside the list builds wrong code of some constructs without a word (13.1 to 13.5
# do of a pointer that is remote shared memory on some CTAs), hence the stop.
option(KEYSIEVE_UNRECORDED_COMPILER "Build with an nvcc whose minor version has no passing record in results/" OFF)

set(KEYSIEVE_PASSING_FILE ${PROJECT_SOURCE_DIR}/toolchains/passing.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${KEYSIEVE_PASSING_FILE})
file(READ ${KEYSIEVE_PASSING_FILE} passing_json)
string(JSON passing_count LENGTH "${passing_json}" compilers)
set(KEYSIEVE_PASSING_VERSIONS "")
set(KEYSIEVE_PASSING_ENTRIES "")
if(passing_count GREATER 0)
  math(EXPR passing_last "${passing_count} - 1")
  foreach(index RANGE ${passing_last})
    string(JSON leg GET "${passing_json}" compilers ${index} leg)
    string(JSON major GET "${passing_json}" compilers ${index} major)
    string(JSON minor GET "${passing_json}" compilers ${index} minor)
    if(NOT leg MATCHES "^nvrtc")  # NVRTC builds no library
      list(APPEND KEYSIEVE_PASSING_VERSIONS ${major}.${minor})
      string(APPEND KEYSIEVE_PASSING_ENTRIES "    {${major}, ${minor}},\n")
    endif()
  endforeach()
endif()
configure_file(${PROJECT_SOURCE_DIR}/src/core/passing_compilers.hpp.in
  ${PROJECT_BINARY_DIR}/generated/core/passing_compilers.hpp @ONLY)

# keysieve_check_compiler_record(<version>): stops on an nvcc minor version without a passing record.
function(keysieve_check_compiler_record version)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" minor_version "${version}")
  if(minor_version IN_LIST KEYSIEVE_PASSING_VERSIONS)
    return()
  endif()
  list(JOIN KEYSIEVE_PASSING_VERSIONS ", " passing)
  set(problem "nvcc ${version} has no passing record in results/ (${passing} have)")
  if(KEYSIEVE_UNRECORDED_COMPILER)
    message(WARNING "keysieve: ${problem}")
  else()
    message(FATAL_ERROR "keysieve: ${problem}. Use one that has, build without device code (-DKEYSIEVE_CUDA=OFF), or "
      "set -DKEYSIEVE_UNRECORDED_COMPILER=ON and run `keysieve audit --backend cuda` before trusting a result")
  endif()
endfunction()
