/* The executors of all living generations and the tasks that they have: loading, dispatching, results, deadlines,
 * death and replacement. Knows no database. */
#ifndef LUAFLOW_WORKER_POOL_POOL_H
#define LUAFLOW_WORKER_POOL_POOL_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"
#include "base/log.h"
#include "worker/pool/executor_process.h"
#include "worker/pool/task.h"

struct pool;
struct generation; /* one load of the modules: bytes, executors, registry */
struct source;

struct pool_options {               /* borrowed until pool_free */
  int executors;                    /* of each generation */
  struct executor_options executor; /* but for what the source of a generation gives */
  int64_t executor_memory;          /* bytes: above it an executor is replaced, at one and a half times it is killed */
  const char *worker_id;
};

struct pool_events {
  /* All its executors have loaded the same; see pool_report. Once. */
  void (*loaded)(void *owner, struct generation *generation);
  /* They could not; the report holds the problems where there are some, else *err says why. Once, instead of loaded,
   * and the generation goes. */
  void (*failed)(void *owner, struct generation *generation, const struct load_report *report, const struct err *err);
  /* A generation that no longer serves has ended. */
  void (*gone)(void *owner);
  /* The task has its result; the owner takes it over. */
  void (*settled)(void *owner, struct task *task);
  /* A handler wants its run's input: to be answered by pool_reply_input. */
  void (*input_wanted)(void *owner, const struct task *task);
  /* A handler has a statement for the database: to be answered by pool_reply_query. False: the payload is broken. */
  bool (*query)(void *owner, const struct task *task, struct cursor *payload);
  /* The handler of a task that was dropped has ended. */
  void (*forgotten)(void *owner, uint64_t number);
  /* Tasks can be taken again: an executor has become ready or has yielded, or a dropped task has ended. */
  void (*room)(void *owner);
  /* Executors keep ending: so many without a pause of a minute, and how the last one did. 0 and NULL: they do not any
   * more. */
  void (*dying)(void *owner, int count, const char *last);
  /* After pool_stop or pool_kill: no executor is left. Possibly more than once. */
  void (*ended)(void *owner);
};

/* Without any executor yet. */
struct pool *pool_new(uv_loop_t *loop, const struct pool_options *options, const struct pool_events *events,
                      void *owner, struct log *log);
/* Starts the executors of a generation, which then loads; takes the source over. NULL with *err if one cannot be
 * started. */
struct generation *pool_load(struct pool *pool, struct source *source, struct err *err)
    __attribute__((warn_unused_result));
/* What a generation that has loaded reports; borrowed. */
const struct load_report *pool_report(const struct generation *generation);
/* What it was loaded from; borrowed. */
const struct source *pool_source(const struct generation *generation);
/* A generation that has loaded receives the tasks from now on. The previous one finishes what it has and ends, and
 * tasks that none of its executors has are released. */
void pool_switch(struct pool *pool, struct generation *generation);
/* A generation that does not serve is not wanted any more. */
void pool_discard(struct generation *generation);
/* The number under which the database knows a generation, for pool_each_old. */
void pool_set_number(struct generation *generation, int64_t number);
/* Generations that have served and have not ended yet. */
int pool_old_count(const struct pool *pool);
/* What one of them still holds. */
struct pool_old {
  int64_t number;
  int executors, tasks;
  uint64_t since_ms, deadline_ms; /* on the loop's clock: of its oldest task, and the last deadline of all */
  int64_t memory;                 /* bytes, of its executors */
};
/* Those that have tasks, the oldest first. */
void pool_each_old(const struct pool *pool, void (*visit)(void *owner, const struct pool_old *old), void *owner);
void pool_set_queue(struct pool *pool, const char *queue); /* borrowed; before the first task */
/* Takes the task over and gives it to the least busy executor. */
void pool_submit(struct pool *pool, struct task *task);
/* Tasks it has, those that were dropped and still run included. */
int pool_count(const struct pool *pool);
/* Executors that take tasks: they are ready, within their memory, and have yielded within the last second. */
int pool_ready_count(const struct pool *pool);
/* The tasks it has, but for dropped ones. */
void pool_each(const struct pool *pool, void (*visit)(void *owner, const struct task *task), void *owner);
/* The task is no longer this worker's: its handler is ended and nothing is recorded. Unknown numbers are ignored. */
void pool_drop(struct pool *pool, uint64_t number);
/* Its run was cancelled: the handler is informed, and ended some seconds later; nothing is recorded. Unknown numbers
 * are ignored, and all but the first call. */
void pool_cancel(struct pool *pool, uint64_t number);
/* Answers input_wanted with JSON (or NULL and an error); ignored if the task has ended. */
void pool_reply_input(struct pool *pool, uint64_t number, const char *json, const char *error);
/* Answers query with the payload of QUERY_REPLY; ignored if the task has ended. */
void pool_reply_query(struct pool *pool, uint64_t number, const struct buf *payload);
/* The worker drains: handlers can see it from now on, no executor is replaced, and tasks that none has are released.
 * No task may be submitted any more. */
void pool_drain(struct pool *pool);
/* Kills every executor; what they had is released once they are reaped. */
void pool_kill(struct pool *pool);
/* Lets idle executors go. */
void pool_stop(struct pool *pool);
/* Frees it, tasks included; executors that live are killed. */
void pool_free(struct pool *pool);

#endif
