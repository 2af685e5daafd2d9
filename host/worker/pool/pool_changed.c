/* Executors whose process a handler has changed: the folder, limits, signals and so on, which all of their tasks share.
 * The executor puts back what it can and reports it. What it cannot put back ends it, and tasks that fail meanwhile
 * without having changed anything are released. */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/pool/pool_inside.h"
#include "worker/pool/task_log.h"

/* A step that was logged. */
struct told {
  char *step;
  UT_hash_handle hh;
};

void pool_free_told(struct pool *pool) {
  struct told *told, *next;
  HASH_ITER(hh, pool->told, told, next) {
    HASH_DEL(pool->told, told);
    free(told->step);
    free(told);
  }
}

static bool is_first(struct pool *pool, const struct task *task) {
  struct told *told;
  char *step = xasprintf("%s.%s", task->flow_slug, task->step_slug);
  HASH_FIND_STR(pool->told, step, told);
  if (told) {
    free(step);
    return false;
  }
  told = xcalloc(1, sizeof *told);
  told->step = step;
  HASH_ADD_KEYPTR(hh, pool->told, step, strlen(step), told);
  return true;
}

static void log_change(const struct slot *slot, const struct task *task, const char *changed, const char *lost,
                       bool is_sure) {
  struct buf message = {0}, names = {0};
  pool_put_names(slot, NULL, &names);
  buf_printf(&message, "%s changed the process of its executor, which all tasks there share: %s; ",
             is_sure ? "the handler of this step" : "this handler, or one that ran within the 20 ms before it,",
             changed);
  if (lost)
    buf_printf(&message, "the executor cannot put back %s and is replaced", lost);
  else
    buf_printf(&message, "the executor has put it back");
  if ((lost || !is_sure) && names.len) buf_printf(&message, "; in flight there: %s", names.data);
  task_log(slot->pool->log, LOG_WARN, "executor_changed", task, message.data, NULL);
  buf_free(&message);
  buf_free(&names);
}

void pool_on_changed(struct slot *slot, struct frame *frame) {
  struct pool *pool = slot->pool;
  struct task *task = flight_find(pool->flight, frame->task);
  char *changed = cursor_strdup(&frame->payload), *lost = cursor_strdup(&frame->payload);
  bool is_sure = cursor_u8(&frame->payload);
  if (task && task->slot != slot) task = NULL;
  if (!frame->payload.bad && changed && !slot->changed && (lost || task)) {
    slot->changed = lost != NULL;
    if (task && is_sure) task->changed_executor = true;
    if (task && !is_sure) task->disturbed = true;
    if (lost || is_first(pool, task)) log_change(slot, task, changed, lost, is_sure);
    if (lost) slot_finish(slot, pool->log);
  }
  free(changed);
  free(lost);
}

bool pool_is_spared(const struct task *task) {
  const struct slot *slot = task->slot;
  return !slot->alone && !task->changed_executor && (slot->changed || task->disturbed);
}

void pool_spare(struct pool *pool, struct task *task) {
  task_log(pool->log, LOG_WARN, "released_failure", task,
           "it failed in an executor whose process another handler has changed, so it runs again at no cost", NULL);
  task->added_suspicion = 1;
  pool_release(pool, task, 0);
}

void pool_watch_changed(struct slot *slot) {
  enum { GRACE_TICKS = 50 };
  if (slot->changed && slot->state == SLOT_FINISHING && slot->changed_ticks++ == GRACE_TICKS)
    executor_process_kill_for(slot->process, "was changed by a handler and did not finish its tasks within 5 s");
}
