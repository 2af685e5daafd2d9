/* Loading modules once, without a worker: for commands that only look at them. */
#ifndef LUAFLOW_WORKER_POOL_LOAD_H
#define LUAFLOW_WORKER_POOL_LOAD_H

#include "base/err.h"
#include "worker/source/load_report.h"

struct load_options {
  const char *command;      /* begins errors about the paths */
  const char *root;         /* NULL: found from the first path */
  const char *const *paths; /* as given on the command line */
  size_t path_count;
  bool development;
  int64_t executor_memory;    /* bytes: at one and a half times it is ended */
  bool types;                 /* the report has definitions for editors */
  const char *const *samples; /* for these, JSON texts: see lua/luaflow/types.lua */
  size_t sample_count;
  struct buf *output; /* receives what the modules print, a text for each line; NULL: stderr does */
};

/* Spawns one executor on its own loop, loads, kills and reaps it; blocks, 30 s at most. True with the report, which
 * holds problems or workers and is the caller's; warnings go to stderr. False with *err: wrong paths (exit 2), or the
 * executor failed. */
bool load_flows(const struct load_options *options, struct load_report *report, struct err *err)
    __attribute__((warn_unused_result));

#endif
