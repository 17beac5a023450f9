option(NZ_OPENMP "Use OpenMP for threads (otherwise std::thread)" ON)
option(BUILD_SHARED_LIBS "nonzero as a shared library, without the program and the tests" OFF)
set(with_all ${PROJECT_IS_TOP_LEVEL})
if(BUILD_SHARED_LIBS)
  # It shows what the public headers have (nonzero/export.hpp) and hides the rest.
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
  set(with_all OFF)
endif()
option(NZ_TOOLS "Build the laboratory and the nonzero program" ${with_all})
option(NZ_TESTS "Build the tests" ${with_all})
option(NZ_DEMO "Build what `make demo` runs" OFF)
option(NZ_PRODUCTS_ONLY "The library without solvers, readers and the C interface, for the demo; it is not installed" OFF)
option(NZ_PYTHON_MODULE "Build the Python package (nanobind)" OFF)
option(NZ_FUZZ "Build the libFuzzer targets (clang)" OFF)
if(NZ_PRODUCTS_ONLY AND (NZ_TOOLS OR NZ_TESTS OR NZ_PYTHON_MODULE OR NZ_FUZZ))
  message(FATAL_ERROR "The program, the tests and the Python package use what NZ_PRODUCTS_ONLY leaves out")
endif()
if(BUILD_SHARED_LIBS AND (NZ_TOOLS OR NZ_TESTS OR NZ_FUZZ OR NZ_PYTHON_MODULE))
  message(FATAL_ERROR "The program, the tests and the Python package use what a shared library hides: "
                      "BUILD_SHARED_LIBS goes with NZ_TOOLS, NZ_TESTS, NZ_FUZZ and NZ_PYTHON_MODULE all OFF")
endif()
option(NZ_CUDA_QUICK "Compile CUDA code quickly, for builds that do not run it" OFF)
# What parses and prints is quick enough however it is compiled.
set(NZ_PLAIN_CODE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
option(NZ_HARDEN "Checks and protections of compiler, C library and linker for our own targets" ON)
set(NZ_CUDA AUTO CACHE STRING "Compile CUDA code: AUTO (when nvcc is found), ON, OFF")
set_property(CACHE NZ_CUDA PROPERTY STRINGS AUTO ON OFF)
set(NZ_EMULATOR AUTO CACHE STRING "The emulator for GPU kernels: AUTO (when Boost.Context is found), OFF")
set_property(CACHE NZ_EMULATOR PROPERTY STRINGS AUTO OFF)
set(NZ_EMU_RACES AUTO CACHE STRING "The emulator watches device memory for races and unwritten reads: AUTO (with tests, GCC), ON, OFF")
set_property(CACHE NZ_EMU_RACES PROPERTY STRINGS AUTO ON OFF)
set(NZ_HWLOC AUTO CACHE STRING "The machine's cores and memory nodes from hwloc: AUTO (when found), OFF")
set_property(CACHE NZ_HWLOC PROPERTY STRINGS AUTO OFF)
set(NZ_MATIO AUTO CACHE STRING "MATLAB's files of version 7.3 (HDF5) by libmatio: AUTO (when found), OFF")
set_property(CACHE NZ_MATIO PROPERTY STRINGS AUTO OFF)
# Beside the program; a build of the library alone has it where it is asked for.
if(NZ_TOOLS)
  set(petsc_default AUTO)
else()
  set(petsc_default OFF)
endif()
set(NZ_PETSC ${petsc_default} CACHE STRING "The plug-in for PETSc: AUTO (when PETSc and MPI are found), ON, OFF")
set_property(CACHE NZ_PETSC PROPERTY STRINGS AUTO ON OFF)
# Large headers of others are compiled once a target; a compiler cache is better off without.
if(NOT DEFINED CMAKE_DISABLE_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(NZ_SANITIZE "" CACHE STRING "Sanitizers for everything, such as address,undefined or thread")

# Warnings and sanitizers for our own targets; not part of what is installed.
add_library(nonzero_flags INTERFACE)
target_compile_options(nonzero_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-missing-field-initializers>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wno-missing-field-initializers>
  # GCC 12 finds these inside its own strings, depending on what it inlined: worth reading, no reason to stop.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-error=array-bounds;-Wno-error=stringop-overflow;-Wno-error=stringop-overread;-Wno-error=restrict>)
if(NZ_SANITIZE)
  add_compile_options(-fsanitize=${NZ_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${NZ_SANITIZE})
  if(NZ_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)  # the fuzzer sees what has been reached
  endif()
  # GCC's instrumented standard library trips this warning where there is nothing to see.
  target_compile_options(nonzero_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
