/* The generations of a pool: which one serves, which ones go; and the end of all. */
#include "worker/pool/pool.h"

#include <stdlib.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/pool/pool_inside.h"

void pool_set_queue(struct pool *pool, const char *queue) { pool->queue = queue; }

struct pool *pool_new(uv_loop_t *loop, const struct pool_options *options, const struct pool_events *events,
                      void *owner, struct log *log) {
  struct pool *pool = xcalloc(1, sizeof *pool);
  *pool = (struct pool){.loop = loop, .options = *options, .events = *events, .owner = owner, .log = log};
  pool->flight = flight_new(loop, pool_on_overdue, pool);
  pool_watch_start(pool);
  return pool;
}

/* ---- generations ---- */

struct generation *pool_load(struct pool *pool, struct source *source, struct err *err) {
  return generation_new(pool, source, err);
}

const struct load_report *pool_report(const struct generation *generation) { return &generation->report; }

const struct source *pool_source(const struct generation *generation) { return &generation->source; }

static void release_waiting(struct pool *pool) {
  while (pool->waiting) pool_release(pool, pool->waiting, 0);
  while (pool->suspects) pool_release(pool, pool->suspects, 0);
}

void pool_switch(struct pool *pool, struct generation *generation) {
  struct generation *before = pool->serving;
  generation_set_state(generation, GENERATION_SERVING);
  pool->serving = generation;
  generation->has_served = true;
  release_waiting(pool);
  if (before) generation_retire(before);
}

void pool_discard(struct generation *generation) { generation_leave(generation, executor_process_kill); }

/* ---- the end ---- */

static void tell_stopping(struct generation *generation) {
  for (int i = 0; i < generation->slot_count; i++) {
    struct slot *slot = &generation->slots[i];
    uv_timer_stop(&slot->respawn);
    if (slot->state == SLOT_READY || slot->state == SLOT_FINISHING)
      executor_process_send(slot->process, FRAME_STOPPING, 0, NULL);
  }
}

void pool_drain(struct pool *pool) {
  struct generation *generation;
  pool->ending = true;
  DL_FOREACH(pool->generations, generation) tell_stopping(generation);
  release_waiting(pool);
}

static void leave(struct pool *pool, void (*end)(struct executor_process *process)) {
  struct generation *generation, *next;
  pool_drain(pool);
  DL_FOREACH_SAFE(pool->generations, generation, next) generation_leave(generation, end);
  if (!pool->generations) pool->events.ended(pool->owner);
}

void pool_kill(struct pool *pool) {
  pool->killing = true;
  leave(pool, executor_process_kill);
}

void pool_stop(struct pool *pool) { leave(pool, executor_process_stop); }

static void on_watch_closed(uv_handle_t *handle) { free(handle->data); }

void pool_free(struct pool *pool) {
  while (pool->generations) generation_free(pool->generations);
  flight_free(pool->flight);
  pool_free_told(pool);
  uv_close((uv_handle_t *)&pool->watch, on_watch_closed);
}
