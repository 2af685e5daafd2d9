/* The Lua modules of a generation, pinned to bytes: every *.lua file below the root in one memory file. */
#ifndef LUAFLOW_WORKER_SOURCE_SNAPSHOT_H
#define LUAFLOW_WORKER_SOURCE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct snapshot_events { /* each may be NULL */
  /* A folder or link below the root (its path there) could not be followed, and why: what it holds is missing. */
  void (*warn)(void *owner, const char *path, const char *why);
  /* A folder (absolute) in which a change may change the snapshot; reported before it is read, possibly more than
   * once. */
  void (*folder)(void *owner, const char *path);
};

/* Reads the files and returns the descriptor of a sealed memory file, -1 with *err on failure. Content: for each
 * file, sorted, the texts (as buf_put_text writes them) path below the root and content. Folders whose name starts
 * with a dot, and node_modules, are left out; links to files and folders are followed. Blocks while it reads; keeps
 * to itself, so that any thread may call it. events may be NULL. */
int snapshot_take(const char *root, const struct snapshot_events *events, void *owner, struct err *err)
    __attribute__((warn_unused_result));
/* True if both hold the same bytes. */
bool snapshot_same(int a, int b);

enum snapshot_change { SNAPSHOT_ADDED, SNAPSHOT_CHANGED, SNAPSHOT_REMOVED };

/* Calls visit for each file that the second has otherwise than the first, in the order of their paths. */
void snapshot_compare(int before, int after, void (*visit)(void *owner, enum snapshot_change change, struct text path),
                      void *owner);

#endif
