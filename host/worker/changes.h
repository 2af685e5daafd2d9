/* What a new generation has otherwise than the one before: files, flows, shapes, options. In the words of who writes the flows. */
#ifndef LUAFLOW_WORKER_CHANGES_H
#define LUAFLOW_WORKER_CHANGES_H

#include "worker/source.h"

/* Appends the changes as one line, "; " between two: first the files, then the flows of the registries (JSON texts as deploy_flows
 * takes them). Nothing where there is none. Values of variables are not named. */
void changes_put(struct buf *out, const char *before_registry, const char *after_registry, const struct source *before,
                 const struct source *after);
/* Of these the part about the flows. */
void changes_put_flows(struct buf *out, const char *before_registry, const char *after_registry);

#endif
