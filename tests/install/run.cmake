# Installs into an empty prefix, builds a consumer against it, and runs it.
# cmake -DBUILD=… -DSOURCE=… -DWORK=… -DEMULATOR=… -DCHECK=…/test_cli -P run.cmake
function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${out}\n${err}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/install -B ${WORK}/build
     -DCMAKE_PREFIX_PATH=${WORK}/prefix -DEXAMPLES=${SOURCE}/examples)
step(${CMAKE_COMMAND} --build ${WORK}/build)
foreach(example first plan heat pagerank stationary own_arrays new_values formats)
  step(${WORK}/build/${example})
endforeach()
if(EMULATOR)
  step(${WORK}/build/gpu emu)
  step(${WORK}/build/streams emu)
endif()
step(${WORK}/prefix/bin/nonzero --version)
step(${CMAKE_COMMAND} -E env NZ_INSTALLED=${WORK}/prefix/bin/nonzero ${CHECK} --gtest_filter=Binaries.*)
message("installed, found, built and run")
