# Install rules: find_package(keysieve), pkg-config, and the two libraries beside each other.
include(CMakePackageConfigHelpers)

set_target_properties(keysieve keysieve_cpu PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS keysieve EXPORT keysieve-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS keysieve_cpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/keysieve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/keysieve)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/keysieve)
install(EXPORT keysieve-targets NAMESPACE keysieve:: DESTINATION ${package_dir})
configure_package_config_file(cmake/keysieve-config.cmake.in ${CMAKE_BINARY_DIR}/keysieve-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/keysieve-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/keysieve-config.cmake ${CMAKE_BINARY_DIR}/keysieve-config-version.cmake
  DESTINATION ${package_dir})

configure_file(cmake/keysieve.pc.in ${CMAKE_BINARY_DIR}/keysieve.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/keysieve.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
