/* Grouping results into batches, and finding the one that the database cannot store. */
#include "worker/work/batcher.h"

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
  int pace;             /* most in a batch at present: the database is slow above it */
  struct task *waiting; /* oldest first */
  int waiting_count;
  struct batch batch; /* taken; its array has room for limit tasks */
  int suspects;       /* the first so many that wait are of a refused batch */
  int split;          /* most of them in one batch */
  struct task *aside; /* stuck */
  int aside_count;
  int aside_split;  /* most of those in one batch */
  bool try_aside;   /* the next batch is of them */
  bool taken_aside; /* the batch is of them */
};

struct batcher *batcher_new(int limit) {
  struct batcher *batcher = xcalloc(1, sizeof *batcher);
  batcher->limit = batcher->pace = batcher->aside_split = limit;
  batcher->batch.tasks = xcalloc((size_t)limit, sizeof *batcher->batch.tasks);
  return batcher;
}

static int taken(const struct batcher *batcher) {
  return batcher->batch.completed + batcher->batch.failed + batcher->batch.released;
}

static void clear_batch(struct batcher *batcher) {
  batcher->batch.completed = batcher->batch.failed = batcher->batch.released = 0;
  batcher->taken_aside = false;
}

void batcher_free(struct batcher *batcher) {
  struct task *task, *next;
  batcher_done(batcher, true);
  DL_FOREACH_SAFE(batcher->waiting, task, next) task_free(task);
  DL_FOREACH_SAFE(batcher->aside, task, next) task_free(task);
  free(batcher->batch.tasks);
  free(batcher);
}

void batcher_add(struct batcher *batcher, struct task *task) {
  DL_APPEND(batcher->waiting, task);
  batcher->waiting_count++;
}

int batcher_count(const struct batcher *batcher) {
  return batcher->waiting_count + batcher->aside_count + taken(batcher);
}

void batcher_each(const struct batcher *batcher, void (*visit)(void *owner, const struct task *task), void *owner) {
  const struct task *task;
  DL_FOREACH(batcher->waiting, task) visit(owner, task);
  DL_FOREACH(batcher->aside, task) visit(owner, task);
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

/* How many of the list, from its beginning, are one batch. */
static int measure(const struct task *list, int limit) {
  const struct task *task;
  int count = 0;
  size_t bytes = 0;
  DL_FOREACH(list, task) {
    bytes += task->text_length;
    if (count == limit || (count > 0 && bytes > BATCH_BYTES)) break;
    count++;
  }
  return count;
}

/* Moves the first tasks of the list into the batch, sorted into its groups. */
static void fill(struct batch *batch, struct task **list, int count) {
  int *const sizes[] = {&batch->completed, &batch->failed, &batch->released};
  struct task *task, *next;
  int at = 0;
  for (int g = 0; g < 3; g++) {
    int seen = 0;
    for (task = *list; task && seen < count; task = next, seen++) {
      next = task->next;
      if (group(task) != g) continue;
      batch->tasks[at++] = task;
      ++*sizes[g];
    }
  }
  for (int i = 0; i < at; i++) DL_DELETE(*list, batch->tasks[i]);
}

static int smaller(int a, int b) { return a < b ? a : b; }

struct batch batcher_take(struct batcher *batcher) {
  CHECK(taken(batcher) == 0);
  batcher->taken_aside = batcher->try_aside && batcher->aside;
  if (batcher->taken_aside) {
    int count = measure(batcher->aside, smaller(batcher->aside_split, batcher->pace));
    fill(&batcher->batch, &batcher->aside, count);
    batcher->aside_count -= count;
  } else {
    int count = measure(batcher->waiting, smaller(batcher->suspects ? batcher->split : batcher->limit, batcher->pace));
    fill(&batcher->batch, &batcher->waiting, count);
    batcher->waiting_count -= count;
  }
  return batcher->batch;
}

/* Those that follow may be innocent: larger pieces again. */
static void forget_suspects(struct batcher *batcher, int count) {
  batcher->suspects = batcher->suspects > count ? batcher->suspects - count : 0;
  batcher->split = smaller(batcher->split * 2, batcher->limit);
}

void batcher_done(struct batcher *batcher, bool quickly) {
  int count = taken(batcher);
  if (quickly) batcher->pace = smaller(batcher->pace * 2, batcher->limit);
  for (int i = 0; i < count; i++) task_free(batcher->batch.tasks[i]);
  if (batcher->taken_aside)
    batcher->aside_split = smaller(batcher->aside_split * 2, batcher->limit); /* and continues with them */
  else
    forget_suspects(batcher, count);
  clear_batch(batcher);
}

static void put_back(struct batcher *batcher) {
  for (int i = taken(batcher) - 1; i >= 0; i--) {
    DL_PREPEND(batcher->waiting, batcher->batch.tasks[i]);
    batcher->waiting_count++;
  }
  clear_batch(batcher);
}

/* The others come before them the next time. */
static void set_aside(struct batcher *batcher) {
  int count = taken(batcher);
  for (int i = 0; i < count; i++) DL_APPEND(batcher->aside, batcher->batch.tasks[i]);
  batcher->aside_count += count;
  batcher->try_aside = false;
  clear_batch(batcher);
}

void batcher_retry(struct batcher *batcher) {
  if (!batcher->taken_aside) {
    put_back(batcher);
    return;
  }
  set_aside(batcher);
  batcher->try_aside = true;
}

void batcher_slow(struct batcher *batcher) {
  int count = taken(batcher);
  if (count > 0) batcher->pace = (count + 1) / 2;
  batcher_retry(batcher);
}

static void suspect(struct batcher *batcher) {
  int count = taken(batcher);
  batcher->split = (count + 1) / 2;
  if (batcher->suspects < count) batcher->suspects = count;
  put_back(batcher);
}

void batcher_stuck(struct batcher *batcher) {
  int count = taken(batcher);
  if (batcher->taken_aside) {
    batcher->aside_split = (count + 1) / 2;
    set_aside(batcher);
  } else if (count == 1) {
    if (batcher->suspects > 0) batcher->suspects--;
    set_aside(batcher);
  } else {
    suspect(batcher);
  }
}

int batcher_aside(const struct batcher *batcher) { return batcher->aside_count; }

bool batcher_is_troubled(const struct batcher *batcher) {
  return batcher->aside_count > 0 || batcher->taken_aside || batcher->suspects > 0;
}

void batcher_try_aside(struct batcher *batcher) { batcher->try_aside = true; }

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
  struct task *culprit = taken(batcher) == 1 ? batcher->batch.tasks[0] : NULL;
  if (culprit) blame(culprit, message, detail);
  suspect(batcher);
  return !culprit || culprit->blamed <= BLAMED_MAX;
}
