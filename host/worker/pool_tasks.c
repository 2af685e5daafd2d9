/* The way of a task through the pool: to an executor, its frames, its result. */
#include <stdlib.h>
#include <utlist.h>

#include "worker/pool_inside.h"
#include "worker/task_log.h"

/* Takes the task out of everything; it is the caller's now. */
static void detach(struct pool *pool, struct task *task) {
  if (task->slot)
    slot_remove_task(task->slot, task);
  else
    DL_DELETE(pool->waiting, task);
  flight_remove(pool->flight, task);
}

static struct slot *least_busy(const struct pool *pool) {
  struct slot *best = NULL;
  for (int i = 0; i < pool->options.executors; i++) {
    struct slot *slot = &pool->slots[i];
    if (slot->state == SLOT_READY && (!best || slot->task_count < best->task_count)) best = slot;
  }
  return best;
}

static double epoch_of(const struct pool *pool, uint64_t loop_ms) {
  uv_timeval64_t now;
  uv_gettimeofday(&now);
  double ahead = ((double)loop_ms - (double)uv_now(pool->loop)) / 1000;
  return (double)now.tv_sec + now.tv_usec / 1e6 + ahead;
}

static void give(struct slot *slot, struct task *task) {
  struct pool *pool = slot->pool;
  struct buf payload = {0};
  task_put_frame(task, pool->queue, pool->options.worker_id, epoch_of(pool, task->deadline_ms), &payload);
  executor_process_send(slot->process, FRAME_TASK, task->number, &payload);
  buf_free(&payload);
  free(task->input);
  free(task->flow_input);
  task->input = task->flow_input = NULL;
  slot_add_task(slot, task);
}

void pool_give_waiting(struct pool *pool) {
  struct slot *slot;
  while (pool->waiting && (slot = least_busy(pool))) {
    struct task *task = pool->waiting;
    DL_DELETE(pool->waiting, task);
    give(slot, task);
  }
}

void pool_submit(struct pool *pool, struct task *task) {
  task->slot = NULL;
  flight_add(pool->flight, task);
  DL_APPEND(pool->waiting, task);
  pool_give_waiting(pool);
}

int pool_count(const struct pool *pool) { return flight_count(pool->flight); }

int pool_ready_count(const struct pool *pool) {
  int count = 0;
  for (int i = 0; i < pool->options.executors; i++) count += pool->slots[i].state == SLOT_READY;
  return count;
}

void pool_each(const struct pool *pool, void (*visit)(void *owner, const struct task *task), void *owner) {
  flight_each(pool->flight, visit, owner);
}

void pool_drop(struct pool *pool, uint64_t number) {
  struct task *task = flight_find(pool->flight, number);
  if (!task) return;
  task_log(pool->log, LOG_WARN, "lost_task", task, "the database gave it to another claim or ended its run", NULL);
  if (task->slot) executor_process_send(task->slot->process, FRAME_ABANDON, number, NULL);
  detach(pool, task);
  task_free(task);
  pool->events.room(pool->owner);
}

void pool_reply_input(struct pool *pool, uint64_t number, const char *json, const char *error) {
  struct task *task = flight_find(pool->flight, number);
  struct buf payload = {0};
  if (!task || !task->slot) return;
  buf_put_str(&payload, json);
  buf_put_str(&payload, error);
  executor_process_send(task->slot->process, FRAME_FLOW_INPUT_REPLY, number, &payload);
  buf_free(&payload);
}

void pool_release(struct pool *pool, struct task *task) {
  detach(pool, task);
  task_settle(task, VERDICT_RELEASED, NULL, 0, 0);
  pool->events.settled(pool->owner, task);
}

/* A suspended handler is ended here. One that runs without yielding answers no ABANDON: its executor has to be killed
 * before the attempt is recorded. */
void pool_on_overdue(void *owner, struct task *task) {
  struct pool *pool = owner;
  if (!task->slot) { /* it never reached an executor */
    pool_release(pool, task);
    return;
  }
  executor_process_send(task->slot->process, FRAME_ABANDON, task->number, NULL);
  detach(pool, task);
  task_settle_message(task, VERDICT_FAILED, "timed out after %d s", task->timeout_s);
  pool->events.settled(pool->owner, task);
}

/* ---- what executors send ---- */

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
  double delay_s = cursor_f64(&frame->payload);
  if (!task || task->slot != slot) return; /* it was abandoned in the meantime */
  struct text text = outcome == OUTCOME_COMPLETED ? output : message;
  if (frame->payload.bad || outcome > OUTCOME_SNOOZED || !text.bytes) {
    LOG(pool->log, LOG_ERROR, "killed_executor", LOG_INT("executor", slot->index), LOG_STR("reason", "broken result"));
    executor_process_kill(slot->process);
    return;
  }
  detach(pool, task);
  task_settle(task, verdicts[outcome], text.bytes, text.length, delay_s);
  pool->events.settled(pool->owner, task);
}

static void on_log(struct slot *slot, struct frame *frame) {
  struct pool *pool = slot->pool;
  uint8_t level = cursor_u8(&frame->payload);
  char *message = cursor_strdup(&frame->payload);
  char *fields = cursor_strdup(&frame->payload);
  const struct task *task = flight_find(pool->flight, frame->task);
  if (!frame->payload.bad && level <= LOG_ERROR)
    task_log(pool->log, (enum log_level)level, "log", task, message, fields);
  free(message);
  free(fields);
}

void pool_on_frame(void *owner, struct frame *frame) {
  struct slot *slot = owner;
  const struct task *task;
  switch (frame->type) {
    case FRAME_RESULT:
      on_result(slot, frame);
      return;
    case FRAME_LOG:
      on_log(slot, frame);
      return;
    case FRAME_FLOW_INPUT:
      task = flight_find(slot->pool->flight, frame->task);
      if (task) slot->pool->events.input_wanted(slot->pool->owner, task);
      return;
    case FRAME_EXIT: /* of scripts */
    case FRAME_LOAD:
    case FRAME_TASK:
    case FRAME_FLOW_INPUT_REPLY:
    case FRAME_ABANDON:
    case FRAME_STOPPING:
    case FRAME_HELLO:
    case FRAME_LOADED:
    case FRAME_PROBLEMS: /* the last three are executor_process.c's */
      return;
  }
}

void pool_on_line(void *owner, bool from_stderr, const char *line) {
  struct slot *slot = owner;
  const struct task *only = slot->task_count == 1 ? slot->tasks : NULL;
  task_log(slot->pool->log, LOG_INFO, from_stderr ? "stderr" : "stdout", only, line, NULL);
}

/* What a dead executor had: the only task was the one that ran, of several nobody knows which. */
void pool_settle_tasks(struct slot *slot, const char *reason) {
  struct pool *pool = slot->pool;
  bool blame = slot->task_count == 1 && !pool->killing;
  while (slot->tasks) {
    struct task *task = slot->tasks;
    if (!blame) {
      pool_release(pool, task);
      continue;
    }
    detach(pool, task);
    task_settle_message(task, VERDICT_FAILED, "the executor %s", reason);
    pool->events.settled(pool->owner, task);
  }
}
