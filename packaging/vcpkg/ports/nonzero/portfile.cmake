# The library for vcpkg, from the sources that this port lies in:
#   vcpkg install nonzero --overlay-ports=packaging/vcpkg/ports --binarysource=clear
# vcpkg knows a build again by the files of its port, among which the sources are not: without the last word it may
# take a package of earlier sources from its cache.
get_filename_component(SOURCE_PATH ${CMAKE_CURRENT_LIST_DIR}/../../../.. ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES cuda NZ_CUDA)
if("emulator" IN_LIST FEATURES)
  set(emulator AUTO)
else()
  set(emulator OFF)
endif()

vcpkg_cmake_configure(
  SOURCE_PATH ${SOURCE_PATH}
  OPTIONS ${features} -DNZ_EMULATOR=${emulator} -DNZ_TOOLS=OFF -DNZ_TESTS=OFF
          -DNZ_HWLOC=OFF -DNZ_MATIO=OFF -DNZ_PETSC=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/nonzero)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
