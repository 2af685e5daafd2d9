/* Takes a source on another thread, so that the loop continues meanwhile. */
#ifndef LUAFLOW_WORKER_SOURCE_SOURCE_READ_H
#define LUAFLOW_WORKER_SOURCE_SOURCE_READ_H

#include <uv.h>

#include "worker/source/source.h"

struct source_reading {
  bool good;
  struct source source; /* may be moved away; empty unless good */
  struct err err;       /* unless good */
  struct buf folders;   /* absolute paths, each a text: where a change may change the source */
  struct buf warnings;  /* for each thing that was left out two texts: path and why */
};

/* done is called on the loop, once; the reading is freed when it returns. The paths are borrowed until then. */
void source_read(uv_loop_t *loop, const char *root, const struct env_place *env_file,
                 void (*done)(void *owner, struct source_reading *reading), void *owner);

#endif
