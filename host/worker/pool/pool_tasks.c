/* The way of a task through the pool: to an executor, its frames, its result. */
#include <math.h>
#include <stdlib.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/pool/pool_inside.h"
#include "worker/pool/task_log.h"

/* Takes the task out of everything; it is the caller's now. */
static void detach(struct pool *pool, struct task *task) {
  if (task->slot)
    slot_remove_task(task->slot, task);
  else if (task_is_suspect(task))
    DL_DELETE(pool->suspects, task);
  else
    DL_DELETE(pool->waiting, task);
  flight_remove(pool->flight, task);
  pool_output_ended(pool, task);
}

/* It can be any of those that the executor has had. */
bool pool_runs_finalizer(const struct slot *slot) {
  return slot->served > 1 && executor_process_pulse(slot->process).finalizer != 0;
}

struct task *pool_running_task(const struct slot *slot) {
  struct pulse_state pulse = executor_process_pulse(slot->process);
  struct task *task = pulse.running && !pool_runs_finalizer(slot) ? flight_find(slot->pool->flight, pulse.task) : NULL;
  return task && task->slot == slot ? task : NULL;
}

static bool takes_tasks(const struct slot *slot) {
  return slot->state == SLOT_READY && !slot->alone && !slot_is_held(slot);
}

/* The executor with the fewest tasks; one whose handler does not seem to yield comes last. */
static struct slot *least_busy(const struct pool *pool) {
  enum { SLOW_MS = 50, SLOW_COSTS = 1 << 20 };
  struct slot *best = NULL;
  int best_load = 0;
  for (int i = 0; pool->serving && i < pool->serving->slot_count; i++) {
    struct slot *slot = &pool->serving->slots[i];
    if (!takes_tasks(slot)) continue;
    int load = slot->task_count + (executor_process_pulse(slot->process).run_ms > SLOW_MS ? SLOW_COSTS : 0);
    if (!best || load < best_load) {
      best = slot;
      best_load = load;
    }
  }
  return best;
}

static double epoch_of(const struct pool *pool, uint64_t loop_ms) {
  uv_timeval64_t now;
  uv_gettimeofday(&now);
  double ahead = ((double)loop_ms - (double)uv_now(pool->loop)) / 1000;
  return (double)now.tv_sec + now.tv_usec / 1e6 + ahead;
}

void pool_give(struct slot *slot, struct task *task) {
  struct pool *pool = slot->pool;
  struct buf payload = {0};
  task_put_frame(task, pool->queue, pool->options.worker_id, epoch_of(pool, task->deadline_ms), &payload);
  executor_process_send(slot->process, FRAME_TASK, task->number, &payload);
  buf_free(&payload);
  slot_add_task(slot, task);
  if (task->transaction) return; /* it may be given again */
  free(task->input);
  free(task->flow_input);
  task->input = task->flow_input = NULL;
}

void pool_give_waiting(struct pool *pool) {
  struct slot *slot;
  while (pool->waiting && (slot = least_busy(pool))) {
    struct task *task = pool->waiting;
    DL_DELETE(pool->waiting, task);
    pool_give(slot, task);
  }
  pool_give_suspects(pool);
}

void pool_submit(struct pool *pool, struct task *task) {
  task->slot = NULL;
  flight_add(pool->flight, task);
  if (task_is_suspect(task))
    DL_APPEND(pool->suspects, task);
  else
    DL_APPEND(pool->waiting, task);
  pool_give_waiting(pool);
  pool_watch_closely(pool);
}

int pool_count(const struct pool *pool) { return flight_count(pool->flight); }

int pool_ready_count(const struct pool *pool) {
  int count = 0;
  for (int i = 0; pool->serving && i < pool->serving->slot_count; i++) count += takes_tasks(&pool->serving->slots[i]);
  return count;
}

struct each {
  void (*visit)(void *owner, const struct task *task);
  void *owner;
};

static void visit_kept(void *owner, const struct task *task) {
  const struct each *each = owner;
  if (!task->dropped) each->visit(each->owner, task);
}

void pool_each(const struct pool *pool, void (*visit)(void *owner, const struct task *task), void *owner) {
  struct each each = {.visit = visit, .owner = owner};
  flight_each(pool->flight, visit_kept, &each);
}

void pool_forget(struct pool *pool, struct task *task) {
  detach(pool, task);
  pool->events.forgotten(pool->owner, task->number);
  task_free(task);
  pool->events.room(pool->owner);
}

void pool_drop(struct pool *pool, uint64_t number) {
  struct task *task = flight_find(pool->flight, number);
  if (!task || task->dropped) return;
  task_log(pool->log, LOG_WARN, "lost_task", task, "the database gave the task to another claim, or its run has ended",
           NULL);
  if (!task->slot) {
    pool_forget(pool, task);
    return;
  }
  pool_abandon(task);
}

void pool_abandon(struct task *task) {
  task->dropped = true;
  if (!task->overdue) executor_process_send(task->slot->process, FRAME_ABANDON, task->number, NULL);
}

void pool_cancel(struct pool *pool, uint64_t number) {
  struct task *task = flight_find(pool->flight, number);
  if (!task || task->dropped || task->cancelled) return;
  task_log(pool->log, LOG_INFO, "cancelled_task", task, NULL, NULL);
  if (!task->slot) {
    pool_forget(pool, task);
    return;
  }
  task->cancelled = true;
  executor_process_send(task->slot->process, FRAME_CANCELLED, number, NULL);
}

void pool_reply_input(struct pool *pool, uint64_t number, const char *json, const char *error) {
  struct task *task = flight_find(pool->flight, number);
  struct buf payload = {0};
  if (task) task->input_wanted = false;
  if (!task || !task->slot) return;
  buf_put_str(&payload, json);
  buf_put_str(&payload, error);
  executor_process_send(task->slot->process, FRAME_FLOW_INPUT_REPLY, number, &payload);
  buf_free(&payload);
}

void pool_reply_query(struct pool *pool, uint64_t number, const struct buf *payload) {
  struct task *task = flight_find(pool->flight, number);
  if (task && task->slot) executor_process_send(task->slot->process, FRAME_QUERY_REPLY, number, payload);
}

void pool_release(struct pool *pool, struct task *task, double delay_s) {
  detach(pool, task);
  task_settle(task, VERDICT_RELEASED, NULL, 0, delay_s);
  pool->events.settled(pool->owner, task);
}

void pool_log_discarded(const struct pool *pool, const struct task *task, const char *end) {
  task_log(pool->log, LOG_INFO, "discarded_result", task, end, NULL);
}

/* The attempt is over once the executor says that it has ended the handler, or that the handler had ended before. One
 * that does not say so is killed; see pool_watch.c. */
void pool_on_overdue(void *owner, struct task *task) {
  struct pool *pool = owner;
  if (!task->slot) { /* it never reached an executor */
    pool_release(pool, task, 0);
    return;
  }
  task->overdue = true;
  if (!task->dropped) executor_process_send(task->slot->process, FRAME_ABANDON, task->number, NULL);
}

void pool_fail(struct pool *pool, struct task *task) {
  detach(pool, task);
  pool->events.settled(pool->owner, task);
}

/* ---- what executors send ---- */

static void on_abandoned(struct slot *slot, struct frame *frame) {
  struct pool *pool = slot->pool;
  struct task *task = flight_find(pool->flight, frame->task);
  if (!task || task->slot != slot) return; /* its result came first */
  if (task->dropped || task->cancelled) {
    if (!task->dropped) pool_log_discarded(pool, task, "its handler was ended at the deadline of its step");
    pool_forget(pool, task);
  } else if (task->overdue) {
    char *where = cursor_strdup(&frame->payload);
    task_settle_message(task, VERDICT_FAILED, "timed out after %d s%s", task->timeout_s, where ? where : "");
    free(where);
    pool_fail(pool, task);
  }
}

static void log_discarded(const struct pool *pool, const struct task *task, uint8_t outcome, struct text message) {
  char *text = outcome == OUTCOME_COMPLETED ? NULL : xmemdup(message.bytes, message.length);
  pool_log_discarded(pool, task, text ? text : "it completed");
  free(text);
}

static void on_result(struct slot *slot, struct frame *frame) {
  static const enum verdict verdicts[] = {
      [OUTCOME_COMPLETED] = VERDICT_COMPLETED,
      [OUTCOME_FAILED] = VERDICT_FAILED,
      [OUTCOME_PERMANENT] = VERDICT_PERMANENT,
      [OUTCOME_SNOOZED] = VERDICT_SNOOZED,
  };
  struct pool *pool = slot->pool;
  struct task *task = flight_find(pool->flight, frame->task);
  uint8_t outcome = cursor_u8(&frame->payload);
  struct text output = cursor_text(&frame->payload);
  struct text message = cursor_text(&frame->payload);
  struct text detail = cursor_text(&frame->payload);
  double delay_s = cursor_f64(&frame->payload);
  if (!task || task->slot != slot) return;
  struct text text = outcome == OUTCOME_COMPLETED ? output : message;
  if (frame->payload.bad || outcome > OUTCOME_SNOOZED || !text.bytes || isnan(delay_s)) {
    executor_process_kill_for(slot->process, "sent a broken result");
    return;
  }
  if (task->dropped || task->cancelled) {
    if (!task->dropped) log_discarded(pool, task, outcome, message);
    pool_forget(pool, task);
    return;
  }
  if ((outcome == OUTCOME_FAILED || outcome == OUTCOME_PERMANENT) && pool_is_spared(task)) {
    pool_spare(pool, task);
    return;
  }
  detach(pool, task);
  task_settle(task, verdicts[outcome], text.bytes, text.length, fmin(delay_s, TASK_DELAY_MAX_S));
  if (detail.bytes) task_add_detail(task, detail.bytes, detail.length);
  if (outcome == OUTCOME_COMPLETED && message.bytes) task->violation = xmemdup(message.bytes, message.length);
  pool->events.settled(pool->owner, task);
}

static void on_query(struct slot *slot, struct frame *frame) {
  struct pool *pool = slot->pool;
  const struct task *task = flight_find(pool->flight, frame->task);
  if (!task || task->slot != slot) return;
  if (!pool->events.query(pool->owner, task, &frame->payload))
    executor_process_kill_for(slot->process, "sent a broken query");
}

/* An input that is asked for again before the answer, as by a handler that started again, is not fetched twice. */
static void on_input_wanted(struct slot *slot, const struct frame *frame) {
  struct pool *pool = slot->pool;
  struct task *task = flight_find(pool->flight, frame->task);
  if (!task || task->slot != slot || task->input_wanted) return;
  task->input_wanted = true;
  pool->events.input_wanted(pool->owner, task);
}

void pool_on_frame(void *owner, struct frame *frame) {
  struct slot *slot = owner;
  switch (frame->type) {
    case FRAME_RESULT:
      on_result(slot, frame);
      return;
    case FRAME_ABANDONED:
      on_abandoned(slot, frame);
      return;
    case FRAME_LOG:
      pool_on_log(slot, frame);
      return;
    case FRAME_FLOW_INPUT:
      on_input_wanted(slot, frame);
      return;
    case FRAME_QUERY:
      on_query(slot, frame);
      return;
    case FRAME_CHANGED:
      pool_on_changed(slot, frame);
      return;
    case FRAME_EXIT: /* of scripts */
    case FRAME_LOAD:
    case FRAME_TASK:
    case FRAME_FLOW_INPUT_REPLY:
    case FRAME_QUERY_REPLY:
    case FRAME_ABANDON:
    case FRAME_CANCELLED:
    case FRAME_STOPPING:
    case FRAME_HELLO:
    case FRAME_LOADING:
    case FRAME_LOADED:
    case FRAME_PROBLEMS: /* the last four are executor_process.c's */
      return;
  }
}
