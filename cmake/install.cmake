# What is installed, in three parts: the shared library where it is one (library), what programs are built with
# (dev), and the program with its manual page and completions (tool).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nonzero)
install(TARGETS nonzero EXPORT nonzero-targets
        LIBRARY COMPONENT library NAMELINK_COMPONENT dev
        ARCHIVE COMPONENT dev)
install(DIRECTORY include/nonzero DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(DIRECTORY fortran/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nonzero/fortran COMPONENT dev)
install(EXPORT nonzero-targets NAMESPACE nonzero:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/nonzero-config.cmake.in nonzero-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(nonzero-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nonzero-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/nonzero-config-version.cmake
              cmake/Findzstd.cmake cmake/zstd_target.cmake cmake/Findhwloc.cmake cmake/Findmatio.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# For those who build without CMake. A static library brings nothing along, so it names all it needs; nobody has to
# know of --static.
set(NZ_PC_REQUIRES "")
set(NZ_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  set(NZ_PC_REQUIRES "fmt zlib libzstd")
  if(NZ_HAVE_HWLOC)
    string(APPEND NZ_PC_REQUIRES " hwloc")
  endif()
  if(NZ_HAVE_MATIO)
    string(APPEND NZ_PC_REQUIRES " matio")
  endif()
  if(NZ_HAVE_EMULATOR)
    string(APPEND NZ_PC_LIBS "-lboost_context -ldl ")
  endif()
  if(NZ_HAVE_CUDA)
    string(APPEND NZ_PC_LIBS "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt ")
  endif()
  if(NZ_OPENMP)
    string(APPEND NZ_PC_LIBS "${OpenMP_CXX_FLAGS} ")
  endif()
  string(APPEND NZ_PC_LIBS -pthread)
endif()
file(RELATIVE_PATH NZ_PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" NZ_PC_UP "${NZ_PC_UP}")
configure_file(cmake/nonzero.pc.in nonzero.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/nonzero.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(NZ_TOOLS)
  install(TARGETS nonzero-cli COMPONENT tool)
  if(NZ_MANUAL)
    find_program(NZ_GZIP gzip)
    install(FILES ${PROJECT_BINARY_DIR}/manual/nonzero.1$<$<BOOL:${NZ_GZIP}>:.gz> DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)
    install(FILES ${PROJECT_BINARY_DIR}/manual/nonzero.bash RENAME nonzero
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
    install(FILES ${PROJECT_BINARY_DIR}/manual/nonzero.zsh RENAME _nonzero
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tool)
    install(FILES ${PROJECT_BINARY_DIR}/manual/nonzero.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tool)
  endif()
endif()
include(cmake/package.cmake)
