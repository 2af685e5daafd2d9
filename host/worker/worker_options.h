/* What a worker is told by its command. */
#ifndef LUAFLOW_WORKER_WORKER_OPTIONS_H
#define LUAFLOW_WORKER_WORKER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/source/env_file.h"

struct worker_options {
  const char *database;                         /* a libpq conninfo or URI */
  const char *database_source, *handler_source; /* name the conninfos in errors, such as --database */
  const char *queue;                            /* NULL: the only queue of the load */
  const char *root;                             /* NULL: found from the first path */
  const char *const *paths; /* as given on the command line; relative ones are taken from the current folder */
  size_t path_count;
  int executors;                /* processes, 1 or more */
  int concurrency;              /* most tasks in flight, 1 or more */
  int batch;                    /* most tasks in one transaction, 1 or more */
  double grace_s;               /* time to drain, in seconds */
  int64_t executor_memory;      /* bytes, each */
  int64_t max_output;           /* bytes of one task's output, or of one result of a handler's SQL */
  int64_t max_input;            /* bytes of one task's input, and of all that one claim brings */
  int handler_connections;      /* for handlers' SQL, 1 or more */
  const char *handler_database; /* for them; NULL: database */
  struct env_place env_file;    /* variables for handlers */
  bool development;             /* handlers must not write new globals */
  bool watch;                   /* reloads when a file changes */
  int watch_settle_ms;          /* and all were unchanged for so long */
  int dev;                      /* a datagram socket to dev, see tell_dev.h; -1: none */
};

#endif
