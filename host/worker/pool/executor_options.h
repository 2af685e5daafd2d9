/* What an executor's process is started with. */
#ifndef LUAFLOW_WORKER_POOL_EXECUTOR_OPTIONS_H
#define LUAFLOW_WORKER_POOL_EXECUTOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/frame.h"
#include "worker/source/env_file.h"

struct executor_options { /* borrowed until executor_process_new returns */
  int program;            /* from executor_open_program */
  int snapshot;           /* from snapshot_take */
  /* LOAD_SCRIPT: standard streams, folder, session and environment are the caller's; else as architecture.md says. */
  enum load_mode mode;
  const char *root;
  bool development;
  int64_t max_output;
  int64_t executor_memory;         /* bytes; at one and a half times it is killed while it loads. 0: it is not */
  const struct env_file *env_file; /* NULL: the environment alone */
  const char *const *entries;      /* paths below the root; of a script its path and its arguments */
  size_t entry_count;
  const char *const *samples; /* LOAD_TYPES: JSON texts that types are inferred from */
  size_t sample_count;
};

#endif
