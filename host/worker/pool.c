/* Slots with executors: spawning, loading, death, replacement. */
#include "worker/pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/pool_inside.h"

enum {
  STABLE_MS = 5000,  /* an executor that lived for so long is replaced at once */
  RESPAWN_MS = 1000, /* else this is waited for, twice as long each time */
  RESPAWN_STEPS = 5,
};

static void spawn(struct slot *slot, struct err *err);

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
  executor_process_kill_for(slot->process, "loaded other definitions than the first");
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
    executor_process_kill_for(slot->process, "found problems in the modules");
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
  pool_give_waiting(pool);
  pool->events.room(pool->owner);
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

/* One that has done its work for a while, or whose end a task answers for, is replaced at once. */
static uint64_t respawn_delay(struct slot *slot, bool blamed) {
  bool early = uv_now(slot->pool->loop) - slot->spawned_at < STABLE_MS;
  if (blamed || slot->served || !early) {
    slot->failures = 0;
    return 0;
  }
  int step = slot->failures < RESPAWN_STEPS ? slot->failures : RESPAWN_STEPS;
  slot->failures++;
  return (uint64_t)RESPAWN_MS << step;
}

static void on_exited(void *owner, const struct executor_exit *exit) {
  struct slot *slot = owner;
  struct pool *pool = slot->pool;
  struct err err;
  bool wanted = slot->state == SLOT_LEAVING;
  if (!wanted)
    LOG(pool->log, LOG_ERROR, "executor_died", LOG_INT("executor", slot->index), LOG_STR("reason", exit->reason),
        LOG_INT("tasks", slot->task_count));
  slot_set_state(slot, SLOT_EMPTY, pool->log);
  bool blamed = pool_settle_tasks(slot, exit);
  executor_process_free(slot->process);
  slot->process = NULL;
  err_set(&err, ERR_CONFIG, EXIT_MODULES, "an executor that loaded the modules %s", exit->reason);
  report_failure(pool, NULL, &err);
  if (!pool->ending) {
    uv_timer_start(&slot->respawn, on_respawn, respawn_delay(slot, blamed), 0);
  } else if (pool_is_empty(pool)) {
    pool->events.ended(pool->owner);
  }
}

static void spawn(struct slot *slot, struct err *err) {
  static const struct executor_events events = {
      .loaded = on_loaded, .frame = pool_on_frame, .line = pool_on_line, .exited = on_exited};
  struct pool *pool = slot->pool;
  slot->process = executor_process_new(pool->loop, &pool->options.executor, &events, slot, err);
  if (!slot->process) return;
  slot->spawned_at = uv_now(pool->loop);
  slot->served = slot->was_held = slot->over_memory = false;
  free(slot->overdue_step);
  slot->overdue_step = NULL;
  slot_set_state(slot, SLOT_LOADING, pool->log);
}

/* ---- the whole ---- */

void pool_set_queue(struct pool *pool, const char *queue) { pool->queue = queue; }

struct pool *pool_new(uv_loop_t *loop, const struct pool_options *options, const struct pool_events *events,
                      void *owner, struct log *log, struct err *err) {
  struct pool *pool = xcalloc(1, sizeof *pool);
  *pool = (struct pool){.loop = loop, .options = *options, .events = *events, .owner = owner, .log = log};
  pool->slots = xcalloc((size_t)options->executors, sizeof *pool->slots);
  pool->flight = flight_new(loop, pool_on_overdue, pool);
  pool->open_handles = options->executors + 1;
  pool_watch_start(pool);
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
    if (pool->slots[i].state == SLOT_READY || pool->slots[i].state == SLOT_FULL)
      executor_process_send(pool->slots[i].process, FRAME_STOPPING, 0, NULL);
  }
  while (pool->waiting) pool_release(pool, pool->waiting);
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

static void on_timer_closed(struct pool *pool) {
  if (--pool->open_handles > 0) return;
  free(pool->slots);
  free(pool);
}

static void on_respawn_closed(uv_handle_t *handle) { on_timer_closed(((struct slot *)handle->data)->pool); }

static void on_watch_closed(uv_handle_t *handle) { on_timer_closed(handle->data); }

void pool_free(struct pool *pool) {
  for (int i = 0; i < pool->options.executors; i++) {
    executor_process_free(pool->slots[i].process);
    free(pool->slots[i].overdue_step);
    uv_close((uv_handle_t *)&pool->slots[i].respawn, on_respawn_closed);
  }
  uv_close((uv_handle_t *)&pool->watch, on_watch_closed);
  flight_free(pool->flight);
  load_report_free(&pool->report);
  free(pool->digest);
}
