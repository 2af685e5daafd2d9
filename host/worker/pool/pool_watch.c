/* Looks after the executors: whether they answer, whether they yield, whether they are stopped, how much memory
 * they use. All of it is counted in looks, not in time, so that a host that was stopped for a while blames nobody for
 * it. */
#include <stdio.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/pool/pool_inside.h"
#include "worker/pool/task_log.h"

enum {
  CLOSE_MS = 100, /* from look to look while there are tasks */
  IDLE_MS = 1000,
  ANSWER_TICKS = 2000 / CLOSE_MS,    /* looks that an executor has to answer in */
  ASK_TICKS = 500 / CLOSE_MS,        /* from one question where the task is to the next */
  STOPPED_TICKS = 2000 / CLOSE_MS,   /* that one may be stopped for */
  FINALIZER_TICKS = 5000 / CLOSE_MS, /* that one call of a finalizer may take */
  CANCEL_TICKS = 5000 / CLOSE_MS,    /* and that a handler has to end in once its run was cancelled */
};

static const double mb = 1024 * 1024;

/* Whatever it runs by then is not to blame: the handler that has stopped it can be suspended, or it was none. */
static void watch_stopped(struct slot *slot) {
  slot->stopped_ticks = executor_process_is_stopped(slot->process) ? slot->stopped_ticks + 1 : 0;
  if (slot->stopped_ticks <= STOPPED_TICKS || slot->killed_stopped) return;
  slot->killed_stopped = true;
  executor_process_kill_for(slot->process, "was stopped, by a signal such as SIGSTOP or a debugger, for 2 s");
}

/* A finalizer holds up all tasks, and the one that runs need not be its own. */
static void watch_finalizer(struct slot *slot) {
  uint64_t finalizer = executor_process_pulse(slot->process).finalizer;
  char place[PULSE_FINALIZER_MAX], reason[PULSE_FINALIZER_MAX + 80];
  slot->finalizer_ticks = finalizer && finalizer == slot->finalizer ? slot->finalizer_ticks + 1 : 0;
  slot->finalizer = finalizer;
  if (slot->finalizer_ticks != FINALIZER_TICKS || slot->stopped_ticks > 0) return;
  executor_process_finalizer_place(slot->process, place);
  snprintf(reason, sizeof reason, "was in a finalizer (__gc or ffi.gc)%s%s that did not end within 5 s",
           *place ? " at " : "", place);
  executor_process_kill_for(slot->process, reason);
}

/* One that did not answer after a task timed out runs something that does not yield; see pool_settle_tasks. */
static void watch_answers(struct slot *slot) {
  if (slot->stopped_ticks > 0) return;
  for (struct task *task = slot->tasks; task && !slot->overdue_step; task = task->next) {
    if (!task->overdue) continue;
    if (task->unanswered_ticks++ < ANSWER_TICKS) {
      if (task->unanswered_ticks % ASK_TICKS == 0) executor_process_ask_place(slot->process);
      continue;
    }
    slot->overdue_step = xstrdup(task->step_slug);
    executor_process_kill_for(slot->process, "did not answer after a task timed out");
  }
}

static void watch_cancelled(struct slot *slot) {
  for (struct task *task = slot->tasks; task; task = task->next) {
    if (!task->cancelled || task->dropped || task->cancelled_ticks++ < CANCEL_TICKS) continue;
    task_log(slot->pool->log, LOG_WARN, "ended_cancelled_task", task,
             "its handler did not stop after its run was cancelled", NULL);
    pool_abandon(task);
  }
}

static void watch_memory(struct slot *slot) {
  struct pool *pool = slot->pool;
  int64_t limit = pool->options.executor_memory;
  if (slot->state == SLOT_LOADING) return; /* executor_process.c looks */
  int64_t memory = executor_process_memory(slot->process);
  char reason[64];
  if (memory > limit + limit / 2 && !slot->over_memory) {
    slot->over_memory = true;
    snprintf(reason, sizeof reason, "used more than %.4g MB (--executor-memory)", (double)limit / mb);
    executor_process_kill_for(slot->process, reason);
  } else if (memory > limit && slot->state == SLOT_READY) {
    LOG(pool->log, LOG_WARN, "executor_full", LOG_INT("executor", slot->index), LOG_F64("mb", (double)memory / mb),
        LOG_F64("executor_memory_mb", (double)limit / mb), LOG_INT("tasks", slot->task_count));
    slot_finish(slot, pool->log);
  }
}

/* True if it takes tasks again. */
static bool watch_yields(struct slot *slot) {
  bool was_held = slot->was_held;
  slot->was_held = slot->state == SLOT_READY && slot_is_held(slot);
  if (slot->was_held != was_held)
    LOG(slot->pool->log, LOG_DEBUG, slot->was_held ? "executor_held" : "executor_yielded",
        LOG_INT("executor", slot->index));
  return was_held && !slot->was_held;
}

struct sight {
  bool loading, held, room;
};

static void look_at(struct generation *generation, struct sight *sight) {
  for (int i = 0; i < generation->slot_count; i++) {
    struct slot *slot = &generation->slots[i];
    if (!slot->process) continue;
    sight->loading = sight->loading || slot->state == SLOT_LOADING;
    watch_stopped(slot);
    watch_finalizer(slot);
    watch_answers(slot);
    watch_cancelled(slot);
    watch_memory(slot);
    pool_watch_changed(slot);
    sight->room = watch_yields(slot) || sight->room;
    sight->held = sight->held || slot->stopped_ticks > 0 || slot->finalizer != 0;
    slot_check_finished(slot, generation->pool->log);
  }
}

static void look(uv_timer_t *timer) {
  struct pool *pool = timer->data;
  struct generation *generation, *next;
  struct sight sight = {0};
  DL_FOREACH_SAFE(pool->generations, generation, next) look_at(generation, &sight);
  pool_look_at_deaths(pool);
  pool->watches_closely = sight.loading || sight.held || pool_count(pool) > 0;
  uv_timer_start(timer, look, pool->watches_closely ? CLOSE_MS : IDLE_MS, 0);
  if (!sight.room) return;
  pool_give_waiting(pool);
  pool->events.room(pool->owner);
}

void pool_watch_start(struct pool *pool) {
  uv_timer_init(pool->loop, &pool->watch);
  pool->watch.data = pool;
  uv_timer_start(&pool->watch, look, CLOSE_MS, 0);
}

void pool_watch_closely(struct pool *pool) {
  if (pool->watches_closely) return;
  pool->watches_closely = true;
  uv_timer_start(&pool->watch, look, CLOSE_MS, 0);
}
