# Debian's libmatio-dev has no CMake package. Defines matio::matio, with HDF5, whose messages are ours to silence.
find_path(matio_INCLUDE_DIR matio.h)
find_library(matio_LIBRARY matio)
find_path(matio_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(matio_HDF5_LIBRARY NAMES hdf5 hdf5_serial PATH_SUFFIXES hdf5/serial)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(matio REQUIRED_VARS matio_LIBRARY matio_INCLUDE_DIR matio_HDF5_LIBRARY
                                                      matio_HDF5_INCLUDE_DIR)
if(matio_FOUND AND NOT TARGET matio::matio)
  add_library(matio::matio UNKNOWN IMPORTED)
  set_target_properties(matio::matio PROPERTIES
    IMPORTED_LOCATION ${matio_LIBRARY}
    INTERFACE_LINK_LIBRARIES ${matio_HDF5_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${matio_INCLUDE_DIR};${matio_HDF5_INCLUDE_DIR}")
endif()
mark_as_advanced(matio_INCLUDE_DIR matio_LIBRARY matio_HDF5_INCLUDE_DIR matio_HDF5_LIBRARY)
