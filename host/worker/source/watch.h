/* Notices that files of the root, or the environment file, may have changed: by notifications about their folders (a
 * file's own would end with the first rename over it), or where those are not to be had by asking for a look every 2
 * s. Reads no file itself. */
#ifndef LUAFLOW_WORKER_SOURCE_WATCH_H
#define LUAFLOW_WORKER_SOURCE_WATCH_H

#include <stdbool.h>
#include <uv.h>

#include "base/buf.h"
#include "base/log.h"

struct watch;

/* changed: something may have; a burst is reported once, when it has been quiet for a moment. It begins with that,
 * since which folders there are comes from the look that follows: watch_update. After a look that was not complete it
 * asks for the next one in 2 s. env_file may be NULL. */
struct watch *watch_new(uv_loop_t *loop, const char *root, const char *env_file, void (*changed)(void *owner),
                        void *owner, struct log *log);
/* folders: texts, absolute paths; the ones to be watched if complete, else some of them. True if one was not watched
 * before: what has happened there meanwhile is only seen by a further look. */
bool watch_update(struct watch *watch, const struct buf *folders, bool complete) __attribute__((warn_unused_result));
/* Closes and frees. NULL is allowed. */
void watch_free(struct watch *watch);

#endif
