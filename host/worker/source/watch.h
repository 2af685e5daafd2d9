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

/* changed: something may have; a burst is reported once, when it has been quiet for settle_ms. It begins with that,
 * since which folders there are comes from the look that follows: watch_update. After a look that was not complete it
 * asks for the next one in 2 s. env_file may be NULL. */
struct watch *watch_new(uv_loop_t *loop, const char *root, const char *env_file, int settle_ms,
                        void (*changed)(void *owner), void *owner, struct log *log);
/* False if files have changed since the last quiet: what was read since then may be half-written, and is reported
 * once more. */
bool watch_is_settled(const struct watch *watch);
/* A file of other data below the root is watched too, from now on. */
void watch_add_file(struct watch *watch, const char *path);
/* True if one of those files is another than at the last time, or when it was added. */
bool watch_files_are_new(struct watch *watch);
/* True without notifications: only two looks that find the same bytes, settle_ms apart, show that files are settled. */
bool watch_compares(const struct watch *watch);
/* The next look in settle_ms, without notifications. */
void watch_look_again(struct watch *watch);
/* folders: texts, absolute paths; the ones to be watched if complete, else some of them. True if one was not watched
 * before: what has happened there meanwhile is only seen by a further look. */
bool watch_update(struct watch *watch, const struct buf *folders, bool complete) __attribute__((warn_unused_result));
/* Closes and frees. NULL is allowed. */
void watch_free(struct watch *watch);

#endif
