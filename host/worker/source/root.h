/* The root folder of lua.md, and the paths of the command line below it. Looks at the disk once, at start-up. */
#ifndef LUAFLOW_WORKER_SOURCE_ROOT_H
#define LUAFLOW_WORKER_SOURCE_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The nearest folder at or above path (a file or a folder) that holds .git or .luaflow-root. Without one, the folder
 * above path, or path itself if it is the current folder, holds a folder flows, or lies right below / or a home folder.
 * Is / or a home folder only if path is such a folder, or a file in it. Absolute; owned by the caller. */
char *root_find(const char *path);

/* False with a usage error if a root that the user gave is the whole file system. */
bool root_check_given(const char *root, struct err *err) __attribute__((warn_unused_result));

/* The root to read modules from: the one given (NULL: none), else that of path. Absolute; owned by the caller. False
 * with a usage error, which begins with the command, and NULL if it is not a folder, is /, or was not given and is a
 * home folder. */
bool root_choose(const char *command, const char *given, const char *path, char **root, struct err *err)
    __attribute__((warn_unused_result));

/* All owned; freed by entries_free. */
struct entries {
  char *root;   /* absolute */
  char **paths; /* below the root, '/'-separated: a .lua file or a folder; "" is the root itself */
  size_t count;
};

/* Finds the root (NULL: from the first path) and takes every path below it. False with a usage error, and nothing to
 * free, if a path is missing, is neither a folder nor a .lua file, or lies outside the root. */
bool entries_find(struct entries *entries, const char *command, const char *root, const char *const *paths,
                  size_t count, struct err *err) __attribute__((warn_unused_result));
void entries_free(struct entries *entries);

#endif
