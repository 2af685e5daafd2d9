# embed_files(OUT PATTERN...) puts every file that matches into the program: sets OUT to an assembler source, made by
# embed_data.cmake at build time, with the bytes of each file and the table that host/base/embed.c searches. A file that
# changes, comes or goes is noticed by the next build.
function(embed_files out)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${ARGN})
  list(SORT paths COMPARE STRING)
  string(REPLACE ";" "\n" lines "${paths}")
  set(list ${PROJECT_BINARY_DIR}/embed_files.txt)
  set(source ${PROJECT_BINARY_DIR}/embed_data.S)
  set(script ${PROJECT_SOURCE_DIR}/tools/cmake/embed_data.cmake)
  file(CONFIGURE OUTPUT ${list} CONTENT "${lines}\n" @ONLY)
  list(TRANSFORM paths PREPEND ${PROJECT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${PROJECT_SOURCE_DIR} -D LIST=${list} -D SOURCE=${source} -P ${script}
    DEPENDS ${paths} ${list} ${script} VERBATIM)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${paths}")
  set(${out} ${source} PARENT_SCOPE)
endfunction()
