/* Grouping results into batches, and finding the one that the database cannot store. */
#include "worker/batcher.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/check.h"
#include "base/xalloc.h"

enum {
  BATCH_BYTES = 32 << 20, /* of outputs in a batch, unless a single one is larger */
  BLAMED_MAX = 2,
};

struct batcher {
  int limit;
  struct task *waiting; /* oldest first */
  int waiting_count;
  struct batch batch; /* taken; its array has room for limit tasks */
  int suspects;       /* the first so many that wait are of a refused batch */
  int split;          /* most of them in one batch */
};

struct batcher *batcher_new(int limit) {
  struct batcher *batcher = xcalloc(1, sizeof *batcher);
  batcher->limit = limit;
  batcher->batch.tasks = xcalloc((size_t)limit, sizeof *batcher->batch.tasks);
  return batcher;
}

static int taken(const struct batcher *batcher) {
  return batcher->batch.completed + batcher->batch.failed + batcher->batch.released;
}

static void clear_batch(struct batcher *batcher) {
  batcher->batch.completed = batcher->batch.failed = batcher->batch.released = 0;
}

void batcher_free(struct batcher *batcher) {
  struct task *task, *next;
  batcher_done(batcher);
  DL_FOREACH_SAFE(batcher->waiting, task, next) task_free(task);
  free(batcher->batch.tasks);
  free(batcher);
}

void batcher_add(struct batcher *batcher, struct task *task) {
  DL_APPEND(batcher->waiting, task);
  batcher->waiting_count++;
}

int batcher_count(const struct batcher *batcher) { return batcher->waiting_count + taken(batcher); }

void batcher_each(const struct batcher *batcher, void (*visit)(void *owner, const struct task *task), void *owner) {
  const struct task *task;
  DL_FOREACH(batcher->waiting, task) visit(owner, task);
  for (int i = 0; i < taken(batcher); i++) visit(owner, batcher->batch.tasks[i]);
}

static int group(const struct task *task) {
  switch (task->verdict) {
    case VERDICT_COMPLETED:
      return 0;
    case VERDICT_FAILED:
    case VERDICT_PERMANENT:
    case VERDICT_SNOOZED:
      return 1;
    case VERDICT_RELEASED:
      return 2;
  }
  return 2;
}

struct batch batcher_take(struct batcher *batcher) {
  struct batch *batch = &batcher->batch;
  struct task *task, *next;
  int limit = batcher->suspects ? batcher->split : batcher->limit;
  int count = 0;
  size_t bytes = 0;
  CHECK(taken(batcher) == 0);
  DL_FOREACH(batcher->waiting, task) {
    bytes += task->text_length;
    if (count == limit || (count > 0 && bytes > BATCH_BYTES)) break;
    count++;
  }
  int *const sizes[] = {&batch->completed, &batch->failed, &batch->released};
  int at = 0;
  for (int g = 0; g < 3; g++) {
    int seen = 0;
    for (task = batcher->waiting; task && seen < count; task = next, seen++) {
      next = task->next;
      if (group(task) != g) continue;
      batch->tasks[at++] = task;
      ++*sizes[g];
    }
  }
  for (int i = 0; i < at; i++) DL_DELETE(batcher->waiting, batch->tasks[i]);
  batcher->waiting_count -= at;
  return *batch;
}

/* Those that follow are perhaps innocent: larger pieces again. */
static void forget_suspects(struct batcher *batcher, int count) {
  batcher->suspects = batcher->suspects > count ? batcher->suspects - count : 0;
  batcher->split *= 2;
  if (batcher->split > batcher->limit) batcher->split = batcher->limit;
}

void batcher_done(struct batcher *batcher) {
  int count = taken(batcher);
  for (int i = 0; i < count; i++) task_free(batcher->batch.tasks[i]);
  forget_suspects(batcher, count);
  clear_batch(batcher);
}

void batcher_retry(struct batcher *batcher) {
  for (int i = taken(batcher) - 1; i >= 0; i--) {
    DL_PREPEND(batcher->waiting, batcher->batch.tasks[i]);
    batcher->waiting_count++;
  }
  clear_batch(batcher);
}

/* The only result of a batch was refused: its output cannot be stored, or the second time the message itself. */
static void blame(struct task *task, const char *message, const char *detail) {
  enum verdict verdict = task->verdict == VERDICT_PERMANENT ? VERDICT_PERMANENT : VERDICT_FAILED;
  const char *what = task->verdict == VERDICT_COMPLETED ? "the output cannot be stored: " : "";
  task->blamed++;
  if (task->blamed > 1)
    task_settle_message(task, verdict, "the database refused the result of this task");
  else
    task_settle_message(task, verdict, "%s%s%s%s", what, message, detail ? ": " : "", detail ? detail : "");
}

bool batcher_refused(struct batcher *batcher, const char *message, const char *detail) {
  int count = taken(batcher);
  struct task *culprit = count == 1 ? batcher->batch.tasks[0] : NULL;
  if (culprit) blame(culprit, message, detail);
  batcher->split = (count + 1) / 2;
  if (batcher->suspects < count) batcher->suspects = count;
  batcher_retry(batcher);
  return !culprit || culprit->blamed <= BLAMED_MAX;
}
