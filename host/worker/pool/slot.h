/* One place for an executor of a generation: its state, its process, and the tasks that it has. For the pool's files
 * alone. */
#ifndef LUAFLOW_WORKER_POOL_SLOT_H
#define LUAFLOW_WORKER_POOL_SLOT_H

#include <uv.h>

#include "base/log.h"
#include "base/states.h"
#include "worker/pool/executor_process.h"
#include "worker/pool/task.h"

/* X(state, name, states it may move to). FINISHING: it gets no new task, finishes what it has and ends, since it uses
 * too much memory, a handler has changed its process, or its generation is over. */
#define SLOT_STATES(X)                                                           \
  X(SLOT_EMPTY, "empty", TO(SLOT_LOADING))                                       \
  X(SLOT_LOADING, "loading", TO(SLOT_READY) | TO(SLOT_LEAVING) | TO(SLOT_EMPTY)) \
  X(SLOT_READY, "ready", TO(SLOT_FINISHING) | TO(SLOT_LEAVING) | TO(SLOT_EMPTY)) \
  X(SLOT_FINISHING, "finishing", TO(SLOT_LEAVING) | TO(SLOT_EMPTY))              \
  X(SLOT_LEAVING, "leaving", TO(SLOT_EMPTY))

enum slot_state { SLOT_STATES(STATE_ENUM) };

struct generation;

struct slot {
  struct pool *pool;
  struct generation *generation;
  int index;
  bool alone;                       /* for one suspect, and started for it; see pool_alone.c */
  enum slot_state state;            /* moved by slot_set_state alone */
  struct executor_process *process; /* NULL while empty */
  struct task *tasks;               /* owned, oldest first */
  int task_count;
  uv_timer_t respawn; /* runs while an empty slot waits for its next executor */
  uint64_t spawned_at;
  struct log_budget log_budget; /* of what belongs to none of its tasks */
  int served;                   /* tasks that the executor was given */
  int failures;                 /* in a row: executors that ended early without having been used */
  bool not_spawned;             /* none could be started at the last try, and that was logged */
  bool was_held;                /* at the last look; see slot_is_held */
  int stopped_ticks;            /* looks in a row at which its process was stopped */
  bool killed_stopped;          /* it was killed for that */
  uint64_t finalizer;           /* that ran at the last look; see pulse_state */
  int finalizer_ticks;          /* looks in a row before the last at which that one ran */
  bool over_memory;             /* it was killed for its memory */
  bool changed;                 /* a handler has changed what its executor cannot put back */
  int changed_ticks;            /* how often the pool has looked since then */
  char
      *overdue_step; /* owned; it was killed since a task of this step had timed out and it did not answer; else NULL */
};

void slot_set_state(struct slot *slot, enum slot_state state, struct log *log);
/* True once its executor has not yielded for a second, in a handler or a finalizer, or is stopped: it is given no
 * task. */
bool slot_is_held(const struct slot *slot);
/* Its executor gets no task any more, and ends at once if it has none. */
void slot_finish(struct slot *slot, struct log *log);
/* Lets an executor go that has nothing to finish any more. */
void slot_check_finished(struct slot *slot, struct log *log);
void slot_add_task(struct slot *slot, struct task *task);
void slot_remove_task(struct slot *slot, struct task *task);

#endif
