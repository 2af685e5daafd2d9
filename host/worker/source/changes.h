/* What has changed in the files and variables of a new generation. The deployment answers what has changed in its
 * flows. */
#ifndef LUAFLOW_WORKER_SOURCE_CHANGES_H
#define LUAFLOW_WORKER_SOURCE_CHANGES_H

#include "worker/source/source.h"

/* Appends the changes to a line, "; " between two; nothing if there is none. Values of variables are not named. */
void changes_put_files(struct buf *out, const struct source *before, const struct source *after);

/* Appends the path of each such file, a line each, without the last one's end; variables count as a file too. */
void changes_put_paths(struct buf *out, const struct source *before, const struct source *after);

#endif
