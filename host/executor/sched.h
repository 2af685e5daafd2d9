/* The scheduler: one coroutine for each task, one place that resumes them, a cleanup slot for each that waits. Knows
 * neither frames nor what a task is for; never called from within a libuv callback except for sched_wake. */
#ifndef LUAFLOW_EXECUTOR_SCHED_H
#define LUAFLOW_EXECUTOR_SCHED_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/pulse.h"

struct sched;

enum coroutine_end {
  COROUTINE_RETURNED, /* the results are on the coroutine's stack */
  COROUTINE_RAISED,   /* the error is on top of the coroutine's stack */
};

struct coroutine {
  uint64_t number;
  lua_State *co;    /* anchored in the registry for the task's life */
  void *owner;      /* borrowed; whatever ended needs */
  bool cancelled;   /* its run was */
  char *flow_input; /* owned; JSON text of the run's input once it is known, else NULL */
  size_t flow_input_length;

  /* The scheduler's own. */
  struct sched *sched;
  void (*ended)(struct coroutine *task, enum coroutine_end end); /* the task is freed right after it */
  void (*cleanup)(void *waiting); /* ends what the task waits for; NULL while it does not wait */
  void *waiting;
  int reference;
  int arguments; /* on co's stack, for the next resume */
  int64_t grown; /* bytes by which Lua's memory has grown while the task ran */
  bool ready;
  struct coroutine *prev, *next; /* among the ready */
  UT_hash_handle hh;
};

/* L, the main state, outlives the scheduler, as does the pulse, which tells the host which task is resumed and which
 * holds most memory. */
struct sched *sched_new(lua_State *L, struct pulse *pulse);
/* From now on the debug hook that a task has set ends when the task waits or ends: Lua has one for all coroutines. Then
 * turn_over is called. */
void sched_isolate(struct sched *sched, void (*turn_over)(void *owner, uint64_t number), void *owner);
/* Abandons all tasks. */
void sched_free(struct sched *sched);

/* Makes a task with an empty coroutine. Raises out of memory and then leaves nothing behind. The caller pushes a
 * function and its arguments on task->co and calls sched_ready with the number of arguments, or sched_abandon. */
struct coroutine *sched_add(struct sched *sched, uint64_t number,
                            void (*ended)(struct coroutine *task, enum coroutine_end end));
void sched_ready(struct coroutine *task, int arguments);
/* NULL if there is none. */
struct coroutine *sched_find(struct sched *sched, uint64_t number);
/* Ends a task that does not run: what it waits for is cleaned up, its coroutine dropped. */
void sched_abandon(struct coroutine *task);

/* Is a task ready? */
bool sched_has_ready(const struct sched *sched);
/* Resumes the task that has been ready for longest, if any. */
void sched_step(struct sched *sched);
/* The task whose handler runs now; NULL outside. */
struct coroutine *sched_current(const struct sched *sched);

/* For bindings that wait. Checks that the caller may: a task runs, L is its own coroutine and can yield; raises in
 * words with name else. */
struct coroutine *sched_check_wait(struct sched *sched, lua_State *L, const char *name);
/* Fills the cleanup slot. The binding's last line is then `return lua_yield(L, 0)`. */
void sched_wait(struct coroutine *task, void (*cleanup)(void *waiting), void *waiting);
/* What the task waited for has come: empties the slot by running cleanup. The caller has pushed results values on
 * task->co; they are what the binding returns. */
void sched_wake(struct coroutine *task, int results);

#endif
