/* Tasks by number, the list of the ready, and the one call of lua_resume. */
#include "executor/sched.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <unistd.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "executor/runtime.h"

enum { LARGE = 1 << 20 /* bytes; tasks that hold less are not distinguished */ };

struct sched {
  lua_State *L;
  pid_t pid; /* of the executor */
  struct pulse *pulse;
  struct coroutine *tasks;                         /* hash by number */
  struct coroutine *ready;                         /* list, oldest first */
  struct coroutine *current;                       /* its coroutine runs */
  struct coroutine *largest;                       /* of those that wait, with LARGE bytes or more; else NULL */
  void (*turn_over)(void *owner, uint64_t number); /* NULL: tasks are not kept apart */
  void *owner;                                     /* turn_over's */
};

struct sched *sched_new(lua_State *L, struct pulse *pulse) {
  struct sched *sched = xcalloc(1, sizeof *sched);
  sched->L = L;
  sched->pid = getpid();
  sched->pulse = pulse;
  return sched;
}

void sched_isolate(struct sched *sched, void (*turn_over)(void *owner, uint64_t number), void *owner) {
  sched->turn_over = turn_over;
  sched->owner = owner;
}

void sched_free(struct sched *sched) {
  struct coroutine *task, *next;
  if (!sched) return;
  HASH_ITER(hh, sched->tasks, task, next) sched_abandon(task);
  free(sched);
}

struct coroutine *sched_add(struct sched *sched, uint64_t number,
                            void (*ended)(struct coroutine *task, enum coroutine_end end)) {
  lua_State *co = lua_newthread(sched->L);
  int reference = luaL_ref(sched->L, LUA_REGISTRYINDEX);
  struct coroutine *task = xcalloc(1, sizeof *task);
  task->number = number;
  task->co = co;
  task->sched = sched;
  task->ended = ended;
  task->reference = reference;
  HASH_ADD(hh, sched->tasks, number, sizeof task->number, task);
  return task;
}

void sched_ready(struct coroutine *task, int arguments) {
  assert(!task->ready);
  task->arguments = arguments;
  task->ready = true;
  DL_APPEND(task->sched->ready, task);
}

struct coroutine *sched_find(struct sched *sched, uint64_t number) {
  struct coroutine *task;
  HASH_FIND(hh, sched->tasks, &number, sizeof number, task);
  return task;
}

static void unready(struct coroutine *task) {
  DL_DELETE(task->sched->ready, task);
  task->ready = false;
}

static void empty_slot(struct coroutine *task) {
  void (*cleanup)(void *waiting) = task->cleanup;
  task->cleanup = NULL;
  if (cleanup) cleanup(task->waiting);
}

static int64_t memory_of(lua_State *L) {
  return (int64_t)lua_gc(L, LUA_GCCOUNT, 0) * 1024 + lua_gc(L, LUA_GCCOUNTB, 0);
}

static void set_largest(struct sched *sched, struct coroutine *task) {
  sched->largest = task;
  pulse_set_largest(sched->pulse, task ? task->number : 0, task ? task->grown : 0);
}

static void find_largest(struct sched *sched) {
  struct coroutine *largest = NULL;
  for (struct coroutine *task = sched->tasks; task; task = task->hh.next)
    if (task->grown >= (largest ? largest->grown : LARGE)) largest = task;
  set_largest(sched, largest);
}

/* The task has run and now waits. */
static void note_growth(struct coroutine *task, int64_t bytes) {
  struct sched *sched = task->sched;
  task->grown += bytes;
  if (task == sched->largest)
    find_largest(sched);
  else if (task->grown >= (sched->largest ? sched->largest->grown : LARGE))
    set_largest(sched, task);
}

static void drop(struct coroutine *task) {
  HASH_DEL(task->sched->tasks, task);
  if (task == task->sched->largest) find_largest(task->sched);
  luaL_unref(task->sched->L, LUA_REGISTRYINDEX, task->reference);
  free(task->flow_input);
  free(task);
}

void sched_abandon(struct coroutine *task) {
  assert(task != task->sched->current);
  empty_slot(task);
  if (task->ready) unready(task);
  drop(task);
}

bool sched_has_ready(const struct sched *sched) { return sched->ready != NULL; }

static void end_turn(struct sched *sched, const struct coroutine *task) {
  if (lua_gethook(sched->L)) lua_sethook(sched->L, NULL, 0, 0);
  sched->turn_over(sched->owner, task->number);
}

/* Three outcomes: it waits, it ended, or it yielded with nothing to wait for. */
static void resume(struct sched *sched, struct coroutine *task) {
  int top = lua_gettop(sched->L);
  int64_t before = memory_of(sched->L);
  sched->current = task;
  int status = lua_resume(task->co, task->arguments);
  runtime_end_copy(sched->pid);
  if (sched->turn_over) end_turn(sched, task);
  sched->current = NULL;
  assert(lua_gettop(sched->L) == top);
  (void)top;
  if (status == LUA_YIELD && task->cleanup) {
    note_growth(task, memory_of(sched->L) - before);
    return;
  }
  if (status == LUA_YIELD) {
    lua_settop(task->co, 0);
    runtime_push_where(task->co);
    lua_pushliteral(task->co, "coroutine.yield was called outside a coroutine that the handler created");
    lua_concat(task->co, 2);
  }
  task->ended(task, status == 0 ? COROUTINE_RETURNED : COROUTINE_RAISED);
  drop(task);
}

void sched_step(struct sched *sched) {
  struct coroutine *task = sched->ready;
  if (!task) return;
  unready(task);
  pulse_begin(sched->pulse, task->number);
  resume(sched, task);
  pulse_end(sched->pulse);
}

struct coroutine *sched_current(const struct sched *sched) {
  return sched ? sched->current : NULL;
}

struct coroutine *sched_check_wait(struct sched *sched, lua_State *L, const char *name) {
  struct coroutine *task = sched_current(sched);
  if (!task)
    runtime_error(L, "%s works only inside a task", name);
  else if (L != task->co)
    runtime_error(L, "%s was called inside a coroutine that the handler created; call it in the handler itself", name);
  else if (!lua_isyieldable(L))
    runtime_error(L, "%s cannot wait inside require, table.sort, string.gsub or another C function", name);
  return task;
}

void sched_wait(struct coroutine *task, void (*cleanup)(void *waiting), void *waiting) {
  assert(!task->cleanup);
  task->cleanup = cleanup;
  task->waiting = waiting;
}

void sched_wake(struct coroutine *task, int results) {
  empty_slot(task);
  sched_ready(task, results);
}
