/* What pool.c (the whole), generation.c (executors), pool_watch.c (looking after them), pool_tasks.c (tasks, and what
 * executors say about them), pool_output.c (what they log), pool_old.c (what old generations hold),
 * pool_alone.c (tasks that are suspected), pool_changed.c (executors that handlers have changed) and pool_death.c (the
 * end of an executor) share. */
#ifndef LUAFLOW_WORKER_POOL_POOL_INSIDE_H
#define LUAFLOW_WORKER_POOL_POOL_INSIDE_H

#include "base/states.h"
#include "worker/pool/flight.h"
#include "worker/pool/pool.h"
#include "worker/pool/slot.h"
#include "worker/source/source.h"

enum { POOL_ALONE_MAX = 16 /* suspects that run at once in a generation, each in an executor */ };

/* X(state, name, states it may move to) */
#define GENERATION_STATES(X)                                                       \
  X(GENERATION_LOADING, "loading", TO(GENERATION_LOADED) | TO(GENERATION_LEAVING)) \
  X(GENERATION_LOADED, "loaded", TO(GENERATION_SERVING) | TO(GENERATION_LEAVING))  \
  X(GENERATION_SERVING, "serving", TO(GENERATION_LEAVING))                         \
  X(GENERATION_LEAVING, "leaving", 0) /* until its last executor was reaped */

enum generation_state { GENERATION_STATES(STATE_ENUM) };

struct generation {
  struct pool *pool;
  enum generation_state state; /* moved by generation_set_state alone */
  bool has_served;
  int64_t number;       /* in the database */
  struct source source; /* owned */
  struct slot *slots;   /* those of --executors, then those for suspects */
  int slot_count;
  struct load_report report; /* of the first that has loaded; the others must agree */
  int loaded_count;
  int open_handles; /* timers */
  struct generation *prev, *next;
};

struct pool {
  uv_loop_t *loop;
  struct pool_options options;
  struct pool_events events;
  void *owner;
  struct log *log;
  const char *queue;
  struct generation *generations; /* list, oldest first, until their last executor was reaped */
  struct generation *serving;     /* receives the tasks; NULL before the first switch */
  uv_timer_t watch;
  bool watches_closely;
  struct flight *flight;
  struct task *waiting;  /* for an executor to become ready */
  struct task *suspects; /* the same, each for a separate executor */
  bool ending;           /* no executor is replaced */
  bool killing;          /* what dead executors had is released, never failed */
  struct {
    int count; /* without a pause; 0: none has ended lately */
    uint64_t last_at;
    char last[576]; /* how the last one has ended */
    bool told;      /* reported as it is */
  } deaths;
  struct told *told; /* hash of pool_changed.c */
};

/* generation.c */
/* Starts its executors and adds it to the pool's list; takes the source over. NULL with *err if one cannot be
 * started. */
struct generation *generation_new(struct pool *pool, struct source *source, struct err *err)
    __attribute__((warn_unused_result));
void generation_set_state(struct generation *generation, enum generation_state state);
/* Its executors finish what they have and go; those that have not loaded are killed. */
void generation_retire(struct generation *generation);
/* Starts the executor of an empty place, now or as soon as it can be started. */
void generation_respawn(struct slot *slot);
/* Lets all its executors go by this function of executor_process.h. */
void generation_leave(struct generation *generation, void (*end)(struct executor_process *process));
bool generation_is_empty(const struct generation *generation);
/* Leaves the list and frees, at the latest when the loop has closed its timers; executors that live are killed. */
void generation_free(struct generation *generation);

/* pool_watch.c */
void pool_watch_start(struct pool *pool);
/* Tasks are in flight now: looks often. */
void pool_watch_closely(struct pool *pool);

/* pool_tasks.c */
void pool_on_overdue(void *owner, struct task *task); /* owner: the pool */
void pool_on_frame(void *owner, struct frame *frame); /* owner: the slot */
/* Gives waiting tasks to executors that are ready. */
void pool_give_waiting(struct pool *pool);
/* Sends the task, which is on no list, to the executor. */
void pool_give(struct slot *slot, struct task *task);
/* True if a finalizer runs in the executor, or ran when it died, and can be of another task than the running one. */
bool pool_runs_finalizer(const struct slot *slot);
/* The task whose Lua runs in the executor, or ran when it died; NULL if the executor does not have that task, or runs a
 * finalizer. */
struct task *pool_running_task(const struct slot *slot);
/* Ends the handler of a task that an executor has; nothing is recorded. */
void pool_abandon(struct task *task);
/* The task is put back. */
void pool_release(struct pool *pool, struct task *task, double delay_s);
/* It has been settled as failed. */
void pool_fail(struct pool *pool, struct task *task);
/* What became of a handler whose run was cancelled meanwhile. */
void pool_log_discarded(const struct pool *pool, const struct task *task, const char *end);
/* Nothing is recorded about it. */
void pool_forget(struct pool *pool, struct task *task);

/* pool_alone.c */
/* Gives suspects to separate executors, starts and ends these, and puts suspects back that have no place soon. */
void pool_give_suspects(struct pool *pool);

/* pool_changed.c */
void pool_on_changed(struct slot *slot, struct frame *frame);
/* True if a failure of the task that an executor has can be the work of another task. */
bool pool_is_spared(const struct task *task);
/* It has failed: it is put back, which is counted like an end of its executor. */
void pool_spare(struct pool *pool, struct task *task);
/* Ends an executor that has been changed and still has tasks after a while: others wait for its place. */
void pool_watch_changed(struct slot *slot);
void pool_free_told(struct pool *pool);

/* pool_death.c: before the process is freed. */
/* Appends the names of an executor's tasks but for one, which may be NULL, as far as a line of the log has room. */
void pool_put_names(const struct slot *slot, const struct task *except, struct buf *names);
/* Names the tasks that a dead executor had, and counts its end. */
void pool_log_death(const struct slot *slot, const struct executor_exit *exit);
/* They are failed or released. */
void pool_settle_tasks(struct slot *slot, const struct executor_exit *exit);
/* An executor has ended that was wanted, or could not be started. */
void pool_count_death(struct pool *pool, bool loading, const char *reason);
/* From time to time: reports that executors keep ending, and that they do not any more. */
void pool_look_at_deaths(struct pool *pool);

/* pool_output.c */
void pool_on_log(struct slot *slot, struct frame *frame);
void pool_on_line(void *owner, bool from_stderr, const char *line); /* owner: the slot */
/* Say how many lines were dropped, if any were. */
void pool_output_ended(const struct pool *pool, struct task *task);
void pool_executor_output_ended(struct slot *slot);

#endif
