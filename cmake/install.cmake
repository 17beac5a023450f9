include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nonzero)
install(TARGETS nonzero EXPORT nonzero-targets)
install(DIRECTORY include/nonzero DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY fortran/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nonzero/fortran)
install(EXPORT nonzero-targets NAMESPACE nonzero:: DESTINATION ${package_dir})
configure_package_config_file(cmake/nonzero-config.cmake.in nonzero-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(nonzero-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nonzero-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/nonzero-config-version.cmake
              cmake/Findzstd.cmake cmake/Findhwloc.cmake cmake/Findmatio.cmake
        DESTINATION ${package_dir})
if(NZ_TOOLS)
  install(TARGETS nonzero-cli)
endif()
