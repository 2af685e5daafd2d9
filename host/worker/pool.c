/* Slots with executors, and the way of a task through them. */
#include "worker/pool.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/flight.h"
#include "worker/slot.h"
#include "worker/task_log.h"

enum {
  RESPAWN_MS = 1000,
  STABLE_MS = 5000, /* an executor that lived for so long is replaced at once */
};

struct pool {
  uv_loop_t *loop;
  struct pool_options options;
  struct pool_events events;
  void *owner;
  struct log *log;
  const char *queue;
  struct slot *slots;
  struct flight *flight;
  struct task *waiting; /* for an executor to become ready */
  struct load_report report; /* of the first that has loaded; the others must agree */
  char *digest;              /* the report's, kept for replacements */
  int loaded_count;
  bool loaded;  /* reported loaded or failed */
  bool ending;  /* no executor is replaced */
  bool killing; /* what dead executors had is released, never failed */
  int open_handles; /* respawn timers and one for the owner's pool_free */
};

static void spawn(struct slot *slot, struct err *err);

/* ---- tasks ---- */

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

static void give_waiting(struct pool *pool) {
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
  give_waiting(pool);
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

static void release(struct pool *pool, struct task *task) {
  detach(pool, task);
  task_settle(task, VERDICT_RELEASED, NULL, 0, 0);
  pool->events.settled(pool->owner, task);
}

/* A suspended handler is ended here. One that runs without yielding answers no ABANDON: its executor has to be killed
 * before the attempt is recorded. */
static void on_overdue(void *owner, struct task *task) {
  struct pool *pool = owner;
  if (!task->slot) { /* it never reached an executor */
    release(pool, task);
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
  if (!frame->payload.bad && level <= LOG_ERROR) task_log(pool->log, (enum log_level)level, "log", task, message, fields);
  free(message);
  free(fields);
}

static void on_frame(void *owner, struct frame *frame) {
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

static void on_line(void *owner, bool from_stderr, const char *line) {
  struct slot *slot = owner;
  const struct task *only = slot->task_count == 1 ? slot->tasks : NULL;
  task_log(slot->pool->log, LOG_INFO, from_stderr ? "stderr" : "stdout", only, line, NULL);
}

/* ---- executors ---- */

static void report_failure(struct pool *pool, const struct load_report *report, const struct err *err) {
  if (pool->loaded) return;
  pool->loaded = true;
  pool->events.failed(pool->owner, report, err);
}

/* False if it differs from what the others have loaded. */
static bool check_digest(struct pool *pool, struct load_report *report) {
  if (!pool->digest) {
    pool->digest = xstrdup(report->digest);
    load_report_move(&pool->report, report);
    return true;
  }
  return strcmp(pool->digest, report->digest) == 0;
}

static void on_digest_differs(struct slot *slot) {
  struct err err;
  LOG(slot->pool->log, LOG_ERROR, "killed_executor", LOG_INT("executor", slot->index),
      LOG_STR("reason", "it loaded other definitions than the first"));
  executor_process_kill(slot->process);
  err_set(&err, ERR_CONFIG, EXIT_MODULES, "executors loaded different definitions from the same modules");
  err_hint(&err, "definitions must not depend on time, randomness, the process or the order of pairs()");
  report_failure(slot->pool, NULL, &err);
}

static void on_loaded(void *owner, struct load_report *report) {
  struct slot *slot = owner;
  struct pool *pool = slot->pool;
  if (slot->state != SLOT_LOADING) return;
  if (report->problem_count > 0) {
    report_failure(pool, report, NULL);
    executor_process_kill(slot->process);
    return;
  }
  if (!check_digest(pool, report)) {
    on_digest_differs(slot);
    return;
  }
  slot_set_state(slot, SLOT_READY, pool->log);
  pool->loaded_count++;
  if (!pool->loaded && pool->loaded_count == pool->options.executors) {
    pool->loaded = true;
    pool->events.loaded(pool->owner, &pool->report);
  }
  give_waiting(pool);
  pool->events.room(pool->owner);
}

/* What a dead executor had: the only task was the one that ran, of several nobody knows which. */
static void settle_tasks(struct slot *slot, const char *reason) {
  struct pool *pool = slot->pool;
  bool blame = slot->task_count == 1 && !pool->killing;
  while (slot->tasks) {
    struct task *task = slot->tasks;
    if (!blame) {
      release(pool, task);
      continue;
    }
    detach(pool, task);
    task_settle_message(task, VERDICT_FAILED, "the executor %s", reason);
    pool->events.settled(pool->owner, task);
  }
}

static void on_respawn(uv_timer_t *timer) {
  struct slot *slot = timer->data;
  struct err err;
  if (slot->pool->ending) return;
  spawn(slot, &err);
  if (slot->state != SLOT_EMPTY) return;
  LOG(slot->pool->log, LOG_ERROR, "respawn_failed", LOG_INT("executor", slot->index), LOG_STR("error", err.message));
  uv_timer_start(timer, on_respawn, RESPAWN_MS, 0);
}

static void on_exited(void *owner, const struct executor_exit *exit) {
  struct slot *slot = owner;
  struct pool *pool = slot->pool;
  struct err err;
  bool wanted = slot->state == SLOT_LEAVING;
  executor_process_free(slot->process);
  slot->process = NULL;
  slot_set_state(slot, SLOT_EMPTY, pool->log);
  if (!wanted)
    LOG(pool->log, LOG_ERROR, "executor_died", LOG_INT("executor", slot->index), LOG_STR("reason", exit->reason),
        LOG_INT("tasks", slot->task_count));
  settle_tasks(slot, exit->reason);
  err_set(&err, ERR_CONFIG, EXIT_MODULES, "an executor that loaded the modules %s", exit->reason);
  report_failure(pool, NULL, &err);
  if (!pool->ending) {
    bool stable = uv_now(pool->loop) - slot->spawned_at > STABLE_MS;
    uv_timer_start(&slot->respawn, on_respawn, stable ? 0 : RESPAWN_MS, 0);
  } else if (pool_is_empty(pool)) {
    pool->events.ended(pool->owner);
  }
}

static void spawn(struct slot *slot, struct err *err) {
  static const struct executor_events events = {
      .loaded = on_loaded, .frame = on_frame, .line = on_line, .exited = on_exited};
  struct pool *pool = slot->pool;
  slot->process = executor_process_new(pool->loop, &pool->options.executor, &events, slot, err);
  if (!slot->process) return;
  slot->spawned_at = uv_now(pool->loop);
  slot_set_state(slot, SLOT_LOADING, pool->log);
}

/* ---- the whole ---- */

void pool_set_queue(struct pool *pool, const char *queue) { pool->queue = queue; }

struct pool *pool_new(uv_loop_t *loop, const struct pool_options *options, const struct pool_events *events,
                      void *owner, struct log *log, struct err *err) {
  struct pool *pool = xcalloc(1, sizeof *pool);
  *pool = (struct pool){.loop = loop, .options = *options, .events = *events, .owner = owner, .log = log};
  pool->slots = xcalloc((size_t)options->executors, sizeof *pool->slots);
  pool->flight = flight_new(loop, on_overdue, pool);
  pool->open_handles = options->executors;
  bool good = true;
  for (int i = 0; i < options->executors; i++) {
    struct slot *slot = &pool->slots[i];
    slot->pool = pool;
    slot->index = i;
    uv_timer_init(loop, &slot->respawn);
    slot->respawn.data = slot;
    if (good) spawn(slot, err);
    good = good && slot->process;
  }
  if (good) return pool;
  pool_free(pool);
  return NULL;
}

void pool_drain(struct pool *pool) {
  pool->ending = true;
  for (int i = 0; i < pool->options.executors; i++) {
    uv_timer_stop(&pool->slots[i].respawn);
    if (pool->slots[i].state == SLOT_READY) executor_process_send(pool->slots[i].process, FRAME_STOPPING, 0, NULL);
  }
  while (pool->waiting) release(pool, pool->waiting);
}

static void leave(struct pool *pool, void (*end)(struct executor_process *process)) {
  pool_drain(pool);
  for (int i = 0; i < pool->options.executors; i++) {
    struct slot *slot = &pool->slots[i];
    if (slot->state == SLOT_EMPTY) continue;
    if (slot->state != SLOT_LEAVING) slot_set_state(slot, SLOT_LEAVING, pool->log);
    end(slot->process);
  }
  if (pool_is_empty(pool)) pool->events.ended(pool->owner);
}

void pool_kill(struct pool *pool) {
  pool->killing = true;
  leave(pool, executor_process_kill);
}

void pool_stop(struct pool *pool) { leave(pool, executor_process_stop); }

bool pool_is_empty(const struct pool *pool) {
  for (int i = 0; i < pool->options.executors; i++)
    if (pool->slots[i].state != SLOT_EMPTY) return false;
  return true;
}

static void on_timer_closed(uv_handle_t *handle) {
  struct slot *slot = handle->data;
  struct pool *pool = slot->pool;
  if (--pool->open_handles > 0) return;
  free(pool->slots);
  free(pool);
}

void pool_free(struct pool *pool) {
  for (int i = 0; i < pool->options.executors; i++) {
    executor_process_free(pool->slots[i].process);
    uv_close((uv_handle_t *)&pool->slots[i].respawn, on_timer_closed);
  }
  flight_free(pool->flight);
  load_report_free(&pool->report);
  free(pool->digest);
}
