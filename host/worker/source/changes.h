/* What a new generation has otherwise than the one before: files, flows, shapes, options. In the words of who writes the flows. */
#ifndef LUAFLOW_WORKER_SOURCE_CHANGES_H
#define LUAFLOW_WORKER_SOURCE_CHANGES_H

#include "worker/source/source.h"

/* Each appends changes to a line, "; " between two; nothing where there is none. Values of variables are not named. */
void changes_put_files(struct buf *out, const struct source *before, const struct source *after);
/* Registries are JSON texts as deploy_flows takes them. */
void changes_put_flows(struct buf *out, const char *before_registry, const char *after_registry);

#endif
