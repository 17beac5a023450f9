# The C interface as C and Fortran programs use it: what the tests of tests/c have beside C++.
enable_language(C)
set(c99_options -std=c99 -Wall -Wextra -Werror -pedantic)
add_library(c99 OBJECT c/c99.c)
target_compile_options(c99 PRIVATE ${c99_options})
target_include_directories(c99 PRIVATE ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
target_sources(test_c PRIVATE $<TARGET_OBJECTS:c99>)
target_compile_definitions(test_c PRIVATE NZ_LIBRARY="$<TARGET_FILE:nonzero>" NZ_NM="${CMAKE_NM}")

add_executable(c_cg ${PROJECT_SOURCE_DIR}/examples/c_cg.c)
target_link_libraries(c_cg PRIVATE nonzero)
target_compile_options(c_cg PRIVATE ${c99_options})
add_test(NAME c.example COMMAND c_cg)
set_tests_properties(c.example PROPERTIES LABELS unit ENVIRONMENT "${test_environment}")
