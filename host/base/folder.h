/* Folders on the disk. */
#ifndef LUAFLOW_BASE_FOLDER_H
#define LUAFLOW_BASE_FOLDER_H

#include <stdbool.h>

/* Creates the folder and those above it, with the umask's rights. True also if it is there; else false with errno. */
bool folder_make(const char *path) __attribute__((warn_unused_result));

#endif
