/* An executor has ended with tasks: who is to blame, and what becomes of them all. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/pool/pool_inside.h"
#include "worker/pool/timeout_text.h"

enum {
  NAMED_MAX = 20,   /* tasks in a line of the log */
  DEATHS_MIN = 3,   /* that are reported as a trouble */
  PAUSE_MS = 60000, /* without a death, after which the trouble is over */
};

/* Who has too much memory: a task that waits and holds the limit alone, else the one that runs, else the one that holds
 * most, if there is one. */
static struct task *find_hog(const struct slot *slot) {
  struct pulse_state pulse = executor_process_pulse(slot->process);
  struct task *running = pool_running_task(slot);
  struct task *largest = flight_find(slot->pool->flight, pulse.largest);
  if (largest && largest->slot != slot) largest = NULL;
  if (largest && pulse.largest_bytes >= slot->pool->options.executor_memory) return largest;
  if (running) return running;
  return largest || slot->task_count > 1 || pool_runs_finalizer(slot) ? largest : slot->tasks;
}

/* Memory was damaged, or the program found it so. It can have been any task of the executor, at any time before. */
static bool is_fault(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGABRT:
    case SIGSYS:
      return true;
    default:
      return false;
  }
}

/* NULL where nobody is known to have done it. Signals that are no faults come from elsewhere, whatever runs just
 * then. */
static struct task *find_culprit(const struct slot *slot, const struct executor_exit *exit) {
  if (slot->pool->killing) return NULL;
  if (slot->alone) return slot->tasks;
  if (slot->killed_stopped && exit->by_host) return NULL;
  if (slot->over_memory) return find_hog(slot);
  if (slot->changed && exit->by_host && !slot->overdue_step) return NULL;
  if (is_fault(exit->signal)) return slot->served == 1 ? pool_running_task(slot) : NULL;
  return exit->signal == 0 || exit->by_host ? pool_running_task(slot) : NULL;
}

/* The task that ran when the executor broke, and can be an innocent: it runs alone from now on, and is charged for the
 * next end. NULL: there is none. */
static struct task *find_suspect(const struct slot *slot, const struct executor_exit *exit) {
  if (slot->pool->killing || find_culprit(slot, exit) || !is_fault(exit->signal)) return NULL;
  return pool_running_task(slot);
}

static void put_name(const struct task *task, struct buf *names) {
  buf_printf(names, "%s%s.%s[%d] of run %s", names->len ? ", " : "", task->flow_slug, task->step_slug, task->task_index,
             task->run_id);
}

void pool_put_names(const struct slot *slot, const struct task *except, struct buf *names) {
  const struct task *task;
  int named = 0;
  DL_FOREACH(slot->tasks, task) {
    if (task != except && named++ < NAMED_MAX) put_name(task, names);
  }
  if (named > NAMED_MAX) buf_printf(names, " and %d more", named - NAMED_MAX);
}

void pool_count_death(struct pool *pool, bool loading, const char *reason) {
  pool->deaths.count++;
  pool->deaths.last_at = uv_now(pool->loop);
  pool->deaths.told = false;
  snprintf(pool->deaths.last, sizeof pool->deaths.last, "%s%s", reason, loading ? " while it loaded the modules" : "");
}

void pool_look_at_deaths(struct pool *pool) {
  if (pool->deaths.count == 0) return;
  if (uv_now(pool->loop) - pool->deaths.last_at > PAUSE_MS) {
    pool->deaths.count = 0;
    pool->events.dying(pool->owner, 0, NULL);
  } else if (!pool->deaths.told && pool->deaths.count >= DEATHS_MIN) {
    pool->events.dying(pool->owner, pool->deaths.count, pool->deaths.last);
    pool->deaths.told = true;
  }
}

void pool_log_death(const struct slot *slot, const struct executor_exit *exit) {
  struct buf names = {0}, blamed = {0}, suspected = {0};
  const struct task *culprit = find_culprit(slot, exit), *suspect = find_suspect(slot, exit);
  if (culprit) put_name(culprit, &blamed);
  if (suspect) put_name(suspect, &suspected);
  pool_put_names(slot, culprit, &names);
  LOG(slot->pool->log, LOG_ERROR, "executor_died", LOG_INT("executor", slot->index), LOG_STR("reason", exit->reason),
      LOG_INT("tasks", slot->task_count), LOG_STR("blamed", blamed.data), LOG_STR("suspected", suspected.data),
      LOG_STR("released", names.data));
  buf_free(&names);
  buf_free(&blamed);
  buf_free(&suspected);
  pool_count_death(slot->pool, slot->state == SLOT_LOADING, exit->reason);
}

/* Owned by the caller. */
static char *fault_of(const struct slot *slot, const struct task *task, const struct executor_exit *exit) {
  char place[PULSE_PLACE_MAX];
  if (!slot->overdue_step || exit->signal != SIGKILL) return xasprintf("the executor %s", exit->reason);
  if (task->overdue) return timeout_text(slot->process, task->number, task->timeout_s);
  executor_process_place(slot->process, task->number, place);
  return xasprintf("held its executor past the deadline of step \"%s\"%s%s", slot->overdue_step,
                   *place ? ": it was at " : "", place);
}

static void blame(struct slot *slot, struct task *task, const struct executor_exit *exit) {
  char *fault = fault_of(slot, task, exit);
  task_settle_message(task, VERDICT_FAILED, "%s", fault);
  free(fault);
  pool_fail(slot->pool, task);
}

/* A drain says nothing about anybody. */
static int suspicion(const struct pool *pool, bool other_is_known) {
  enum { NOBODY_KNOWN = 2, ANOTHER_KNOWN = 1 };
  if (pool->killing) return 0;
  return other_is_known ? ANOTHER_KNOWN : NOBODY_KNOWN;
}

void pool_settle_tasks(struct slot *slot, const struct executor_exit *exit) {
  struct pool *pool = slot->pool;
  struct task *culprit = find_culprit(slot, exit), *suspect = find_suspect(slot, exit);
  int added = suspicion(pool, culprit || suspect);
  while (slot->tasks) {
    struct task *task = slot->tasks;
    if (task->dropped || task->cancelled) {
      if (!task->dropped) pool_log_discarded(pool, task, "its executor ended");
      pool_forget(pool, task);
    } else if (task == culprit) {
      blame(slot, task, exit);
    } else {
      task->added_suspicion = task == suspect ? TASK_SUSPECT_FROM : added;
      pool_release(pool, task, 0);
    }
  }
}
