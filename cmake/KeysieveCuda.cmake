# Device code is optional: without nvcc everything else builds and works.
# CMake 3.25 does not know CUDA 13's language flags nor the family targets (100f, 120f), so the standard and
# the architectures go in as plain options.
include(KeysieveToolchains)
set(KEYSIEVE_HAVE_CUDA OFF)
if(NOT KEYSIEVE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  set(CMAKE_CUDA_ARCHITECTURES OFF)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    keysieve_check_compiler_record(${CMAKE_CUDA_COMPILER_VERSION})
    set(KEYSIEVE_HAVE_CUDA ON)
    # CMake 3.25 appends what it takes for CUDA's default standard, after our own flag: let it be the same flag.
    set(CMAKE_CUDA17_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA17_EXTENSION_COMPILE_OPTION "-std=c++20")
  elseif(KEYSIEVE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "KEYSIEVE_CUDA=ON but no CUDA compiler was found; put nvcc on PATH or set CMAKE_CUDA_COMPILER")
  endif()
endif()
message(STATUS "keysieve: device code ${KEYSIEVE_HAVE_CUDA}")

set(KEYSIEVE_CUDA_TARGETS "90a" CACHE STRING "Real architectures to compile device code for, e.g. 80;90a;100f;120f")

# keysieve_cuda_architectures(<target> [<arch>...]): the default list is KEYSIEVE_CUDA_TARGETS.
function(keysieve_cuda_architectures target)
  set(architectures ${ARGN})
  if(NOT architectures)
    set(architectures ${KEYSIEVE_CUDA_TARGETS})
  endif()
  foreach(architecture IN LISTS architectures)
    list(APPEND options "SHELL:--generate-code=arch=compute_${architecture},code=sm_${architecture}")
  endforeach()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-Xcompiler=-fvisibility=hidden>")
  foreach(option IN LISTS options)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${option}>")
  endforeach()
  set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES OFF)
  # CUDA_STANDARD defaults to CXX_STANDARD; unset, no flag of CMake's own gets in the way.
  set_property(TARGET ${target} PROPERTY CXX_STANDARD)
  set_property(TARGET ${target} PROPERTY CUDA_STANDARD)
endfunction()
