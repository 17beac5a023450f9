# The other libraries of docs/peers.md, each used when it is found. The laboratory alone links them.
# Makes nonzero_peers, the library of those that were found.
set(NZ_PEERS AUTO CACHE STRING "Other libraries beside our kernels: AUTO (those found), OFF")
set_property(CACHE NZ_PEERS PROPERTY STRINGS AUTO OFF)
set(NZ_PEERS_PREFIX "" CACHE STRING "Folders with include/ and lib/ to search for them first")
set(NZ_PYTHON "" CACHE FILEPATH "The Python that has SciPy; empty: python3")

add_library(nonzero_peers STATIC lab/peers/peers.cpp)
target_include_directories(nonzero_peers PUBLIC ${PROJECT_SOURCE_DIR}
                           PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(nonzero_peers PUBLIC nonzero PRIVATE fmt::fmt nonzero_flags ${CMAKE_DL_LIBS})
set(peer_entries "")
set(peer_lists "")
set(peers_found "")
set(peer_folders "")

# A library that was found: the targets to link, our files, and the functions they define that return
# an entry, or a list of entries.
macro(nz_peer name)
  cmake_parse_arguments(peer "" "" "LIBRARIES;SOURCES;ENTRIES;LISTS" ${ARGN})
  target_link_libraries(nonzero_peers PRIVATE ${peer_LIBRARIES})
  list(TRANSFORM peer_SOURCES PREPEND lab/peers/)
  target_sources(nonzero_peers PRIVATE ${peer_SOURCES})
  list(APPEND peer_entries ${peer_ENTRIES})
  list(APPEND peer_lists ${peer_LISTS})
  list(APPEND peers_found ${name})
endmacro()

# A library without a CMake package: its header and the names of its library files.
function(nz_find_peer name header)
  find_path(${name}_INCLUDE_DIR ${header} HINTS ${NZ_PEERS_PREFIX}
            PATH_SUFFIXES include include/suitesparse include/openblas
                          include/${CMAKE_LIBRARY_ARCHITECTURE} suitesparse openblas)
  set(found TRUE)
  set(libraries "")
  foreach(library ${ARGN})
    find_library(${name}_${library}_LIBRARY HINTS ${NZ_PEERS_PREFIX} PATH_SUFFIXES lib lib64
                 NAMES ${library} lib${library}.so.3 lib${library}.so.2)
    mark_as_advanced(${name}_${library}_LIBRARY)
    list(APPEND libraries ${${name}_${library}_LIBRARY})
    if(NOT ${name}_${library}_LIBRARY)
      set(found FALSE)
    endif()
  endforeach()
  mark_as_advanced(${name}_INCLUDE_DIR)
  if(NOT ${name}_INCLUDE_DIR)
    set(found FALSE)
  endif()
  set(${name}_FOUND ${found} PARENT_SCOPE)
  if(found AND NOT TARGET peer::${name})
    add_library(peer::${name} INTERFACE IMPORTED)
    target_include_directories(peer::${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
    target_link_libraries(peer::${name} INTERFACE ${libraries})
  endif()
  # The program finds them where they are; CMake sees to those outside of this tree.
  if(found)
    foreach(library IN LISTS libraries)
      cmake_path(GET library PARENT_PATH folder)
      cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${folder} NORMALIZE inside)
      if(inside)
        list(APPEND peer_folders ${folder})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES peer_folders)
    set(peer_folders ${peer_folders} PARENT_SCOPE)
  endif()
endfunction()

# Sanitizers cannot follow libraries that were built without them.
if(NZ_PEERS AND NOT NZ_SANITIZE)
  find_package(Eigen3 3.4 QUIET NO_MODULE)
  if(Eigen3_FOUND)
    nz_peer(Eigen LIBRARIES Eigen3::Eigen SOURCES eigen_csr.cpp ENTRIES eigen_csr)
  endif()

  if(NZ_OPENMP)
    nz_find_peer(librsb rsb.h rsb)
    if(librsb_FOUND)
      nz_peer(librsb LIBRARIES peer::librsb SOURCES librsb_rsb.cpp ENTRIES librsb_rsb)
    endif()

    nz_find_peer(GraphBLAS GraphBLAS.h graphblas)
    if(GraphBLAS_FOUND)
      nz_peer(GraphBLAS LIBRARIES peer::GraphBLAS SOURCES graphblas_csr.cpp ENTRIES graphblas_csr)
    endif()

    # MKL's own tool makes libmkl_custom; otherwise the three layers, on GNU's OpenMP like ours.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      nz_find_peer(MKL_custom mkl_spblas.h mkl_custom)
      nz_find_peer(MKL mkl_spblas.h mkl_intel_lp64 mkl_gnu_thread mkl_core)
      if(MKL_custom_FOUND)
        nz_peer(MKL LIBRARIES peer::MKL_custom SOURCES mkl_csr.cpp ENTRIES mkl_csr)
      elseif(MKL_FOUND)
        # Two of the layers are called by the first alone.
        target_link_options(peer::MKL INTERFACE -Wl,--no-as-needed)
        nz_peer(MKL LIBRARIES peer::MKL SOURCES mkl_csr.cpp ENTRIES mkl_csr)
      endif()
    endif()
  endif()

  # Behind the products of our GPU kernels, so nvcc compiles part of it.
  if(NZ_HAVE_CUDA AND TARGET CUDA::cusparse)
    nz_peer(cuSPARSE LIBRARIES CUDA::cusparse SOURCES cusparse.cpp cusparse_spmv.cu cusparse_bsrmv.cu
                    cusparse_spmm.cpp cusparse_spmm_products.cu cusparse_spmvop.cpp cusparse_spmvop_products.cu
            LISTS cusparse_spmv cusparse_bsrmv cusparse_spmm cusparse_spmvop)
    nz_device_sources(nonzero_peers)
    set(peer_complex cusparse_complex.cpp)
    if(TARGET CUDA::cublas)
      # Not linked but loaded when it is called (lab/peers/late_library.hpp), by the name that a linked
      # program would have.
      file(REAL_PATH "${CUDA_cublas_LIBRARY}" cublas_file)
      string(REGEX MATCH "libcublas\\.so\\.[0-9]+" cublas_name "${cublas_file}")
      cmake_path(GET cublas_file PARENT_PATH cublas_folder)
      if(cublas_name)
        set(peer_solvers cusparse_solvers.cpp)
      endif()
      set_source_files_properties(lab/peers/cusparse_solvers.cpp PROPERTIES COMPILE_DEFINITIONS
        "NZ_CUBLAS_NAME=\"${cublas_name}\";NZ_CUBLAS_PATH=\"${cublas_folder}/${cublas_name}\"")
    endif()
  endif()

  nz_find_peer(OpenBLAS cblas.h openblas)
  if(OpenBLAS_FOUND)
    nz_peer(OpenBLAS LIBRARIES peer::OpenBLAS SOURCES openblas_dense.cpp ENTRIES openblas_dense)
  endif()

  if(NZ_PYTHON)
    set(Python3_EXECUTABLE ${NZ_PYTHON})
  endif()
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter Development.Embed)
  if(Python3_FOUND)
    # The program found may be a wrapper; sys.executable is the one that knows its packages.
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c
              "import sys, scipy, scipy.sparse._sparsetools as s; print(scipy.__version__, sys.executable, sep='|', end='')"
      OUTPUT_VARIABLE scipy RESULT_VARIABLE scipy_failed ERROR_QUIET)
    if(scipy_failed EQUAL 0)
      string(REGEX REPLACE "[|].*" "" scipy_version "${scipy}")
      string(REGEX REPLACE "^[^|]*[|]" "" scipy_python "${scipy}")
      nz_peer(SciPy LIBRARIES Python3::Python SOURCES python.cpp scipy.cpp ENTRIES scipy_csr scipy_bsr)
    endif()
  endif()
endif()

# Whole iterations with cuSPARSE and cuBLAS, to compare solvers with.
if(NOT peer_solvers)
  set(peer_solvers cusparse_solvers_absent.cpp)
endif()
# And products of complex numbers.
if(NOT peer_complex)
  set(peer_complex cusparse_complex_absent.cpp)
endif()
target_sources(nonzero_peers PRIVATE lab/peers/${peer_solvers} lab/peers/${peer_complex})

# Eigen is compiled here, so it gets what its users give it: all the machine has.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-march=native NZ_HAVE_MARCH_NATIVE)
if(NZ_HAVE_MARCH_NATIVE)
  set_source_files_properties(lab/peers/eigen_csr.cpp PROPERTIES COMPILE_OPTIONS -march=native)
endif()

foreach(names peer_entries peer_lists)
  list(TRANSFORM ${names} REPLACE "(.+)" "X(\\1)")
  list(JOIN ${names} " " ${names})
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/nz_peers_found.hpp CONTENT
[[#pragma once
#define NZ_PEERS(X) @peer_entries@
#define NZ_PEER_LISTS(X) @peer_lists@
#define NZ_PYTHON "@scipy_python@"
#define NZ_SCIPY_VERSION "@scipy_version@"
]] @ONLY)
list(JOIN peers_found ", " peers_found)
message(STATUS "Peers: ${peers_found}")
