# The program's manual page and completions: cmake -DPROGRAM=... -DOUT=FOLDER -P manual.cmake
file(MAKE_DIRECTORY ${OUT})
execute_process(COMMAND ${PROGRAM} man OUTPUT_FILE ${OUT}/nonzero.1 COMMAND_ERROR_IS_FATAL ANY)
# As man pages are installed.
find_program(gzip gzip)
if(gzip)
  execute_process(COMMAND ${gzip} -9nc ${OUT}/nonzero.1 OUTPUT_FILE ${OUT}/nonzero.1.gz COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(shell bash zsh fish)
  execute_process(COMMAND ${PROGRAM} completion ${shell} OUTPUT_FILE ${OUT}/nonzero.${shell} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
