/* The Lua modules of a generation, pinned to bytes: every *.lua file below the root in one memory file. */
#ifndef LUAFLOW_WORKER_SNAPSHOT_H
#define LUAFLOW_WORKER_SNAPSHOT_H

#include "base/err.h"

/* Told of a folder or link below the root (its path there) that could not be followed, and why: what it holds is missing. */
typedef void (*snapshot_warn)(void *owner, const char *path, const char *why);

/* Reads the files and returns the descriptor of a sealed memory file, -1 with *err on failure. Content: for each file, sorted, the
 * texts (as buf_put_text writes them) path below the root and content. Folders whose name starts with a dot, and node_modules, are left out;
 * links to files and folders are followed. Blocks while it reads. warn may be NULL. */
int snapshot_take(const char *root, snapshot_warn warn, void *owner, struct err *err)
    __attribute__((warn_unused_result));

#endif
