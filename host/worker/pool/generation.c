/* The executors of one generation: spawning, loading, death, replacement by its own bytes. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/pool/pool_inside.h"

enum {
  STABLE_MS = 5000,  /* an executor that lived for so long, or was used, is replaced at once */
  RESPAWN_MS = 1000, /* else this is waited for, twice as long each time */
  RESPAWN_STEPS = 5,
};

static const struct state states[] = {GENERATION_STATES(STATE_ROW)};

void generation_set_state(struct generation *generation, enum generation_state state) {
  STATE_CHECK(states, generation->state, state);
  LOG(generation->pool->log, LOG_DEBUG, "generation_state", LOG_STR("from", states[generation->state].name),
      LOG_STR("to", states[state].name));
  generation->state = state;
}

static void spawn(struct slot *slot, struct err *err);

/* ---- leaving ---- */

/* The last executor may have ended. */
static void check_end(struct generation *generation) {
  struct pool *pool = generation->pool;
  if (!generation_is_empty(generation)) return;
  generation_free(generation);
  if (!pool->ending)
    pool->events.gone(pool->owner);
  else if (!pool->generations)
    pool->events.ended(pool->owner);
}

static void end_all(struct generation *generation, void (*end)(struct executor_process *process)) {
  if (generation->state != GENERATION_LEAVING) generation_set_state(generation, GENERATION_LEAVING);
  for (int i = 0; i < generation->slot_count; i++) {
    struct slot *slot = &generation->slots[i];
    uv_timer_stop(&slot->respawn);
    if (slot->state == SLOT_EMPTY) continue;
    if (slot->state != SLOT_LEAVING) slot_set_state(slot, SLOT_LEAVING, slot->pool->log);
    end(slot->process);
  }
}

void generation_leave(struct generation *generation, void (*end)(struct executor_process *process)) {
  bool empty = generation_is_empty(generation); /* else the last exit reports it */
  end_all(generation, end);
  if (empty) check_end(generation);
}

void generation_retire(struct generation *generation) {
  bool empty = generation_is_empty(generation);
  generation_set_state(generation, GENERATION_LEAVING);
  for (int i = 0; i < generation->slot_count; i++) {
    struct slot *slot = &generation->slots[i];
    uv_timer_stop(&slot->respawn);
    if (slot->state == SLOT_LOADING) {
      slot_set_state(slot, SLOT_LEAVING, slot->pool->log);
      executor_process_kill(slot->process);
    }
    slot_finish(slot, slot->pool->log);
  }
  if (empty) check_end(generation);
}

/* ---- loading ---- */

static void fail(struct generation *generation, const struct load_report *report, const struct err *err) {
  struct pool *pool = generation->pool;
  if (generation->state != GENERATION_LOADING) return;
  end_all(generation, executor_process_kill);
  pool->events.failed(pool->owner, generation, report, err);
}

/* False if it differs from what the others have loaded. */
static bool check_digest(struct generation *generation, struct load_report *report) {
  if (generation->report.digest) return strcmp(generation->report.digest, report->digest) == 0;
  load_report_move(&generation->report, report);
  return true;
}

static void on_digest_differs(struct slot *slot) {
  struct err err;
  executor_process_kill_for(slot->process, "loaded different definitions from the first executor");
  err_set(&err, ERR_CONFIG, EXIT_MODULES, "executors loaded different definitions from the same modules");
  err_hint(&err, "definitions must not depend on time, randomness, the process or the order of pairs()");
  fail(slot->generation, NULL, &err);
}

static void on_loaded(void *owner, struct load_report *report) {
  struct slot *slot = owner;
  struct generation *generation = slot->generation;
  struct pool *pool = slot->pool;
  if (slot->state != SLOT_LOADING) return;
  if (report->problem_count > 0) {
    executor_process_kill_for(slot->process, "found problems in the modules");
    fail(generation, report, NULL);
    return;
  }
  if (!check_digest(generation, report)) {
    on_digest_differs(slot);
    return;
  }
  slot_set_state(slot, SLOT_READY, pool->log);
  if (++generation->loaded_count == pool->options.executors && generation->state == GENERATION_LOADING) {
    generation_set_state(generation, GENERATION_LOADED);
    pool->events.loaded(pool->owner, generation);
  }
  pool_give_waiting(pool);
  pool->events.room(pool->owner);
}

/* ---- death and replacement ---- */

static void on_respawn(uv_timer_t *timer) {
  struct slot *slot = timer->data;
  if (slot->alone)
    pool_give_suspects(slot->pool);
  else
    generation_respawn(slot);
}

void generation_respawn(struct slot *slot) {
  struct err err;
  spawn(slot, &err);
  bool said = slot->not_spawned;
  slot->not_spawned = slot->state == SLOT_EMPTY;
  if (!slot->not_spawned) return;
  LOG(slot->pool->log, said ? LOG_DEBUG : LOG_ERROR, "respawn_failed", LOG_INT("executor", slot->index), LOG_ERR(&err));
  pool_count_death(slot->pool, false, err.message);
  uv_timer_start(&slot->respawn, on_respawn, RESPAWN_MS, 0);
}

/* One that lived for a while, or had tasks, one of which may have ended it, is replaced at once: the others wait for
 * it. */
static uint64_t respawn_delay(struct slot *slot) {
  bool early = uv_now(slot->pool->loop) - slot->spawned_at < STABLE_MS;
  if (slot->served || !early) {
    slot->failures = 0;
    return 0;
  }
  int step = slot->failures < RESPAWN_STEPS ? slot->failures : RESPAWN_STEPS;
  slot->failures++;
  return (uint64_t)RESPAWN_MS << step;
}

static void on_exited(void *owner, const struct executor_exit *exit) {
  struct slot *slot = owner;
  struct generation *generation = slot->generation;
  struct pool *pool = slot->pool;
  struct err err;
  bool wanted = slot->state == SLOT_LEAVING;
  if (!wanted) pool_log_death(slot, exit);
  slot_set_state(slot, SLOT_EMPTY, pool->log);
  pool_settle_tasks(slot, exit);
  pool_executor_output_ended(slot);
  executor_process_free(slot->process);
  slot->process = NULL;
  err_set(&err, ERR_CONFIG, EXIT_MODULES, "an executor that loaded the modules %s", exit->reason);
  fail(generation, NULL, &err);
  if (pool->ending || generation->state == GENERATION_LEAVING)
    check_end(generation);
  else
    uv_timer_start(&slot->respawn, on_respawn, wanted && slot->alone ? 0 : respawn_delay(slot), 0);
}

static void spawn(struct slot *slot, struct err *err) {
  static const struct executor_events events = {
      .loaded = on_loaded, .frame = pool_on_frame, .line = pool_on_line, .exited = on_exited};
  struct pool *pool = slot->pool;
  struct executor_options options = pool->options.executor;
  options.executor_memory = pool->options.executor_memory;
  options.snapshot = slot->generation->source.snapshot;
  options.env_file = &slot->generation->source.env_file;
  slot->process = executor_process_new(pool->loop, &options, &events, slot, err);
  if (!slot->process) return;
  slot->spawned_at = uv_now(pool->loop);
  slot->was_held = slot->over_memory = slot->changed = slot->killed_stopped = false;
  slot->served = slot->changed_ticks = slot->stopped_ticks = slot->finalizer_ticks = 0;
  slot->finalizer = 0;
  free(slot->overdue_step);
  slot->overdue_step = NULL;
  slot_set_state(slot, SLOT_LOADING, pool->log);
}

/* ---- the whole ---- */

struct generation *generation_new(struct pool *pool, struct source *source, struct err *err) {
  struct generation *generation = xcalloc(1, sizeof *generation);
  bool good = true;
  generation->pool = pool;
  generation->slot_count = generation->open_handles = pool->options.executors + POOL_ALONE_MAX;
  generation->slots = xcalloc((size_t)generation->slot_count, sizeof *generation->slots);
  source_move(&generation->source, source);
  DL_APPEND(pool->generations, generation);
  for (int i = 0; i < generation->slot_count; i++) {
    struct slot *slot = &generation->slots[i];
    *slot = (struct slot){.pool = pool, .generation = generation, .index = i, .alone = i >= pool->options.executors};
    uv_timer_init(pool->loop, &slot->respawn);
    slot->respawn.data = slot;
    if (slot->alone) continue;
    if (good) spawn(slot, err);
    good = good && slot->process;
  }
  if (good) return generation;
  generation_leave(generation, executor_process_kill);
  return NULL;
}

bool generation_is_empty(const struct generation *generation) {
  for (int i = 0; i < generation->slot_count; i++)
    if (generation->slots[i].state != SLOT_EMPTY) return false;
  return true;
}

static void on_timer_closed(uv_handle_t *handle) {
  struct slot *slot = handle->data;
  struct generation *generation = slot->generation;
  if (--generation->open_handles > 0) return;
  free(generation->slots);
  free(generation);
}

void generation_free(struct generation *generation) {
  DL_DELETE(generation->pool->generations, generation);
  if (generation->pool->serving == generation) generation->pool->serving = NULL;
  for (int i = 0; i < generation->slot_count; i++) {
    struct slot *slot = &generation->slots[i];
    executor_process_free(slot->process);
    free(slot->overdue_step);
    uv_close((uv_handle_t *)&slot->respawn, on_timer_closed);
  }
  load_report_free(&generation->report);
  source_free(&generation->source);
}
