# The kernels of src/kernels/cpu/vector are compiled once for each instruction set that the target
# processor family has; the registry picks one when the program runs (src/base/isa.hpp).
file(GLOB vector_sources CONFIGURE_DEPENDS src/kernels/cpu/vector/*.cpp)
set(instruction_sets PORTABLE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND instruction_sets AVX2 AVX512 AVX512_LOADS)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  list(APPEND instruction_sets NEON)
  # The compiler must know vectors of a given length; the processor is asked when the program runs.
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -msve-vector-bits=256)
  check_cxx_source_compiles("
    #include <arm_sve.h>
    #pragma GCC push_options
    #pragma GCC target(\"+sve\")
    typedef svfloat64_t Vector __attribute__((arm_sve_vector_bits(256)));
    struct Two { Vector at[2]; };
    Two both(const double* p) { return {{svld1_f64(svptrue_b64(), p), svld1_f64(svptrue_b64(), p + 4)}}; }
    #pragma GCC pop_options
    int main() { return 0; }" NZ_SVE_COMPILES)
  unset(CMAKE_REQUIRED_FLAGS)
  # The demo runs where it is built: without SVE there, half of these kernels would never be used.
  set(wants_sve ON)
  if(NZ_PRODUCTS_ONLY AND NOT CMAKE_CROSSCOMPILING AND EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo wants_sve REGEX "^Features.* sve( |$)")
  endif()
  if(NZ_SVE_COMPILES AND NOT "${wants_sve}" STREQUAL "")
    list(APPEND instruction_sets SVE256 SVE512)
    set_source_files_properties(src/base/isa.cpp src/kernels/cpu/batch.cpp src/plan/registry.cpp PROPERTIES
      COMPILE_DEFINITIONS NZ_HAVE_SVE SKIP_PRECOMPILE_HEADERS ON)
  endif()
endif()
set(NZ_VECTOR_OPTIONS "" CACHE STRING "More compiler options for these kernels alone")
foreach(isa ${instruction_sets})
  add_library(nonzero_${isa} OBJECT ${vector_sources})
  target_compile_definitions(nonzero_${isa} PRIVATE NZ_ISA_${isa})
  target_compile_features(nonzero_${isa} PRIVATE cxx_std_20)
  target_include_directories(nonzero_${isa} PRIVATE include src)
  # Vectors wider than the base set are only ever passed to functions that are inlined.
  # GCC 12 finds uninitialised variables in its own header of AVX-512.
  target_compile_options(nonzero_${isa} PRIVATE -Wno-psabi
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>)
  if(isa MATCHES "^SVE([0-9]+)$")
    target_compile_options(nonzero_${isa} PRIVATE -msve-vector-bits=${CMAKE_MATCH_1})
  endif()
  target_compile_options(nonzero_${isa} PRIVATE ${NZ_VECTOR_OPTIONS})
  set_target_properties(nonzero_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(nonzero_${isa} PRIVATE fmt::fmt nonzero_flags
    $<IF:$<BOOL:${NZ_OPENMP}>,OpenMP::OpenMP_CXX,Threads::Threads>)
  target_sources(nonzero PRIVATE $<TARGET_OBJECTS:nonzero_${isa}>)
endforeach()
# The same header, for the one that times gathers. Behind a precompiled header GCC 12 takes it for
# optimised code at -O0, too, and then refuses a gather.
set_source_files_properties(src/base/gather_probe.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON
  COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
