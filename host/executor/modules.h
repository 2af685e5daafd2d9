/* The Lua files of the root as the bytes that this generation is pinned to. */
#ifndef LUAFLOW_EXECUTOR_MODULES_H
#define LUAFLOW_EXECUTOR_MODULES_H

#include "base/buf.h"
#include "base/err.h"

struct modules;

/* Maps the snapshot in the memory file fd, whose offset is left alone. NULL and err when it cannot be read. */
struct modules *modules_open(int fd, struct err *err);
void modules_free(struct modules *modules); /* may be NULL */

/* The content of path (below the root, '/'-separated, terminated), borrowed; false if there is none. */
bool modules_find(const struct modules *modules, const char *path, struct text *content);
/* Calls each for every path, in no order. */
void modules_each(const struct modules *modules, void (*each)(void *context, struct text path), void *context);

#endif
