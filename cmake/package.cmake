# `cpack -G DEB` in the build folder makes Debian packages: nonzero (the program), libnonzero-dev, and libnonzero0.1
# where the library is shared. The program and its libraries are found by their symbols, nothing is listed by hand.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nonzero)
set(CPACK_PACKAGE_VENDOR "The nonzero developers")
set(CPACK_PACKAGE_CONTACT "The nonzero developers <maintainers@users.noreply.a-seed-9dfca95e.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # quicker than xz
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL dev)
set(abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libnonzero-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION "sparse matrix-vector products, headers and library
 Headers, the library, and what CMake and pkg-config find it by: formats,
 kernels and plans for products of sparse matrices with vectors, solvers, and
 readers of matrix files. C++20, C and Fortran.")
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libnonzero${abi})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
  set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "sparse matrix-vector products, shared library
 What programs need that were linked with nonzero: formats, kernels and plans
 for products of sparse matrices with vectors, and solvers.")
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libnonzero${abi} (= ${PROJECT_VERSION})")
else()
  # As cmake/nonzero-config.cmake.in asks for them.
  set(needs libfmt-dev zlib1g-dev libzstd-dev)
  if(NZ_HAVE_EMULATOR)
    list(APPEND needs libboost-context-dev)
  endif()
  if(NZ_HAVE_HWLOC)
    list(APPEND needs libhwloc-dev)
  endif()
  if(NZ_HAVE_MATIO)
    list(APPEND needs libmatio-dev)
  endif()
  list(JOIN needs ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
endif()
if(NZ_TOOLS)
  list(APPEND CPACK_COMPONENTS_ALL tool)
  set(CPACK_DEBIAN_TOOL_PACKAGE_NAME nonzero)
  set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION math)
  set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_TOOL_DESCRIPTION "sparse matrix-vector products, measured and checked
 A program that reads and generates sparse matrices, multiplies and solves with
 them, checks and times every kernel it has, and makes reports of the records.")
endif()

# What Debian wants to find beside every package: whose it is, and what changed.
string(TIMESTAMP today "%a, %d %b %Y 00:00:00 +0000" UTC)
find_program(NZ_GZIP gzip)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/packaging/${package})
  configure_file(packaging/debian/copyright ${folder}/copyright COPYONLY)
  install(FILES ${folder}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  if(NZ_GZIP)
    configure_file(packaging/debian/changelog.in ${folder}/changelog @ONLY)
    execute_process(COMMAND ${NZ_GZIP} -9nc ${folder}/changelog OUTPUT_FILE ${folder}/changelog.gz
                    COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${folder}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  endif()
endforeach()
include(CPack)
