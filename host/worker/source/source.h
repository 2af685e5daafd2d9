/* What a generation is loaded from, as the disk had it at one moment: the modules and the variables of --env-file. */
#ifndef LUAFLOW_WORKER_SOURCE_SOURCE_H
#define LUAFLOW_WORKER_SOURCE_SOURCE_H

#include <stdbool.h>

#include "worker/source/env_file.h"
#include "worker/source/snapshot.h"

struct source {
  int snapshot; /* from snapshot_take; -1: none */
  struct env_file env_file;
  int64_t read_from_ms, read_till_ms; /* on the machine's monotonic clock */
};

/* Reads both. False with *err, and nothing to free. Blocks while it reads. */
bool source_take(struct source *source, const char *root, const struct env_place *env_file,
                 const struct snapshot_events *events, void *owner, struct err *err)
    __attribute__((warn_unused_result));
/* True if both hold the same bytes. */
bool source_same(const struct source *a, const struct source *b);
/* True if both have the same variables. */
bool source_same_variables(const struct source *a, const struct source *b);
/* Both may change or be freed apart. */
void source_copy(struct source *copy, const struct source *source);
/* Takes the content over and leaves given empty. */
void source_move(struct source *target, struct source *given);
void source_free(struct source *source);

#endif
