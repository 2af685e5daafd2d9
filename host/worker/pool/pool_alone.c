/* Tasks that are suspected of ending executors: each runs as the only task of a fresh executor, so that the next end
 * has a name. These executors are started on demand, in addition to those that serve the others, and end after their
 * one task: what it leaves behind harms no other. */
#include <utlist.h>

#include "worker/pool/pool_inside.h"
#include "worker/pool/task_log.h"

enum { PUT_BACK_S = 2 };

static void give_alone(struct slot *slot, struct task *task) {
  struct pool *pool = slot->pool;
  DL_DELETE(pool->suspects, task);
  task_log(pool->log, LOG_INFO, "runs_alone", task,
           "executors that ran it with other tasks have died, so it runs alone to find the cause", NULL);
  pool_give(slot, task);
}

/* Moves the executor on: to its task, or to its end if there is none. */
static void look_at(struct slot *slot) {
  struct pool *pool = slot->pool;
  switch (slot->state) {
    case SLOT_EMPTY:
      if (pool->suspects && !slot->process && !pool->ending && !uv_is_active((uv_handle_t *)&slot->respawn))
        generation_respawn(slot);
      return;
    case SLOT_READY:
      if (pool->suspects) give_alone(slot, pool->suspects);
      slot_finish(slot, pool->log);
      return;
    case SLOT_LOADING:
    case SLOT_FINISHING:
    case SLOT_LEAVING:
      return;
  }
}

/* Those that have no place soon are claimed again later: what waits here keeps others from being claimed, and its
 * time runs. */
static void put_back(struct pool *pool, int places) {
  struct task *task, *next;
  DL_FOREACH_SAFE(pool->suspects, task, next) {
    if (places-- > 0) continue;
    pool_release(pool, task, PUT_BACK_S);
  }
}

void pool_give_suspects(struct pool *pool) {
  int places = 0;
  for (int i = 0; pool->serving && i < pool->serving->slot_count; i++) {
    struct slot *slot = &pool->serving->slots[i];
    if (!slot->alone) continue;
    look_at(slot);
    places += slot->state != SLOT_FINISHING;
  }
  put_back(pool, places);
}
