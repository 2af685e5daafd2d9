/* The results that wait to be recorded, and how they are grouped into batches. Pure: knows neither connection nor loop.
 *
 * A batch is taken, sent by the owner, and then answered with exactly one of done, retry, slow, refused and stuck. A
 * refused batch is split in halves until the culprit is alone; its result then becomes a failure with the database's
 * message. A stuck one is split as well, but nobody is to blame: what is stuck alone is set aside, and the others
 * continue. */
#ifndef LUAFLOW_WORKER_WORK_BATCHER_H
#define LUAFLOW_WORKER_WORK_BATCHER_H

#include <stdbool.h>
#include <stddef.h>

#include "worker/pool/task.h"

struct batcher;

/* limit: most results in a batch. */
struct batcher *batcher_new(int limit);
void batcher_free(struct batcher *batcher); /* with every result in it */
/* Takes a settled task over. */
void batcher_add(struct batcher *batcher, struct task *task);
/* Results not yet recorded, those of a batch that is taken included. */
int batcher_count(const struct batcher *batcher);
/* Visits them. */
void batcher_each(const struct batcher *batcher, void (*visit)(void *owner, const struct task *task), void *owner);

/* Completions first, then failures with snoozes, then releases. */
struct batch {
  struct task **tasks; /* borrowed until the batch is answered */
  int completed, failed, released;
};

/* Takes the next batch; all zero if nothing waits. None may be taken. */
struct batch batcher_take(struct batcher *batcher);
/* Recorded: the batch's tasks are freed. quickly: larger ones may follow. */
void batcher_done(struct batcher *batcher, bool quickly);
/* Not recorded, or nobody knows: they wait again, in front. */
void batcher_retry(struct batcher *batcher);
/* It took too long, and was cut: as retry, in smaller ones. */
void batcher_slow(struct batcher *batcher);
/* The database blames a result of this batch with that message and detail (or NULL). False if it goes on refusing the
 * same task whatever is sent: time to wait. */
bool batcher_refused(struct batcher *batcher, const char *message, const char *detail);
/* Something that one of them needs is missing, such as the queue of its next step. */
void batcher_stuck(struct batcher *batcher);
/* Results set aside. */
int batcher_aside(const struct batcher *batcher);
/* Some are set aside, or one of those that wait is suspected. */
bool batcher_is_troubled(const struct batcher *batcher);
/* The next batch tries those first, once. */
void batcher_try_aside(struct batcher *batcher);

#endif
