# After find_package(zstd): the packages that zstd itself, Conan and vcpkg bring have other names for zstd::zstd.
foreach(name IN ITEMS libzstd libzstd_shared libzstd_static)
  if(NOT TARGET zstd::zstd AND TARGET zstd::${name})
    add_library(zstd::zstd INTERFACE IMPORTED)
    set_target_properties(zstd::zstd PROPERTIES INTERFACE_LINK_LIBRARIES zstd::${name})
  endif()
endforeach()
