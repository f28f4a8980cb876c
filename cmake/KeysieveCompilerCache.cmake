# ccache when it is there: on two cores a second build costs seconds instead of minutes.
find_program(KEYSIEVE_CCACHE ccache)
if(KEYSIEVE_CCACHE)
  foreach(language C CXX CUDA)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${KEYSIEVE_CCACHE})
    endif()
  endforeach()
endif()
