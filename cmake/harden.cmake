# Protections for our own targets alone, as part of nonzero_flags, which is not installed. Sanitizers
# bring better ones.
set(NZ_HARDENED OFF)
if(NZ_HARDEN AND NOT NZ_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux"
   AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(NZ_HARDENED ON)
  # Level 3 also knows sizes that are computed at run time; older compilers have 2.
  set(level 2)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(level 3)
  endif()
  target_compile_options(nonzero_flags INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>
    $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fstack-protector-strong>)
  target_link_options(nonzero_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

# A program that is installed, position-independent, with the same search path for libraries in the build
# tree as where it is installed. CMake would otherwise keep room for another one behind a colon, and an
# empty entry is the current directory: whoever can write there could bring libraries of their own.
function(nz_harden_program target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ${NZ_HARDENED}
                        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${ARGN}"
                        INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
