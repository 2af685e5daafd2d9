/* What pool.c (executors), pool_watch.c (looking after them) and pool_tasks.c (tasks, and what executors say about them)
 * share. */
#ifndef LUAFLOW_WORKER_POOL_INSIDE_H
#define LUAFLOW_WORKER_POOL_INSIDE_H

#include "worker/flight.h"
#include "worker/pool.h"
#include "worker/slot.h"

struct pool {
  uv_loop_t *loop;
  struct pool_options options;
  struct pool_events events;
  void *owner;
  struct log *log;
  const char *queue;
  struct slot *slots;
  uv_timer_t watch;
  bool watches_closely;
  struct flight *flight;
  struct task *waiting;      /* for an executor to become ready */
  struct load_report report; /* of the first that has loaded; the others must agree */
  char *digest;              /* the report's, kept for replacements */
  int loaded_count;
  bool loaded;      /* reported loaded or failed */
  bool ending;      /* no executor is replaced */
  bool killing;     /* what dead executors had is released, never failed */
  int open_handles; /* timers */
};

/* pool_watch.c */
void pool_watch_start(struct pool *pool);
/* Tasks are in flight now: looks often. */
void pool_watch_closely(struct pool *pool);

/* pool_tasks.c */
void pool_on_overdue(void *owner, struct task *task); /* owner: the pool */
void pool_on_frame(void *owner, struct frame *frame); /* owner: the slot */
void pool_on_line(void *owner, bool from_stderr, const char *line);
/* Gives waiting tasks to executors that are ready. */
void pool_give_waiting(struct pool *pool);
/* The task is put back. */
void pool_release(struct pool *pool, struct task *task);
/* Everything that a dead executor had is failed or released. True if a task was to blame. Call it before the process is
 * freed. */
bool pool_settle_tasks(struct slot *slot, const struct executor_exit *exit);

#endif
