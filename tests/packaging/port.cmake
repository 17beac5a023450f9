# Reads the port as vcpkg does, with stand-ins for its functions: CMake understands the file, and configures the
# library with the options that the port names. What is installed afterwards is only vcpkg's to show.
#   cmake -DPORT=FOLDER -DWORK=FOLDER -DFEATURES=emulator -P port.cmake
cmake_minimum_required(VERSION 3.25)
set(CURRENT_PACKAGES_DIR ${WORK}/packages)

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" OUT_FEATURE_OPTIONS FEATURES)
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature variable)
    if(feature IN_LIST FEATURES)
      list(APPEND options -D${variable}=ON)
    else()
      list(APPEND options -D${variable}=OFF)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${options} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcpkg_cmake_configure does not know ${arg_UNPARSED_ARGUMENTS}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/build --log-level=WARNING
                          -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF ${arg_OPTIONS}
                  OUTPUT_QUIET ERROR_VARIABLE said RESULT_VARIABLE failed)
  if(failed OR said MATCHES "not used by the project")
    message(FATAL_ERROR "the port's options: ${said}")
  endif()
  message("configured with ${arg_OPTIONS}")
endfunction()

# Each is told what it gets, so that a test may read it.
foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${name})\n message(\"${name} \${ARGN}\")\nendfunction()")
endforeach()

include(${PORT}/portfile.cmake)
