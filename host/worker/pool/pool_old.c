/* What the generations hold that no longer serve. */
#include <utlist.h>

#include "worker/pool/pool_inside.h"

void pool_set_number(struct generation *generation, int64_t number) { generation->number = number; }

static bool is_old(const struct pool *pool, const struct generation *generation) {
  return generation->has_served && generation != pool->serving;
}

int pool_old_count(const struct pool *pool) {
  const struct generation *generation;
  int count = 0;
  DL_FOREACH(pool->generations, generation) count += is_old(pool, generation);
  return count;
}

static void add_slot(struct pool_old *old, const struct slot *slot) {
  const struct task *task;
  if (!slot->process || !slot->tasks) return; /* without tasks it ends at once */
  old->executors++;
  old->memory += executor_process_memory(slot->process);
  DL_FOREACH(slot->tasks, task) {
    uint64_t since = task->deadline_ms - (uint64_t)task->timeout_s * 1000;
    if (old->tasks == 0 || since < old->since_ms) old->since_ms = since;
    if (task->deadline_ms > old->deadline_ms) old->deadline_ms = task->deadline_ms;
    old->tasks++;
  }
}

void pool_each_old(const struct pool *pool, void (*visit)(void *owner, const struct pool_old *old), void *owner) {
  const struct generation *generation;
  DL_FOREACH(pool->generations, generation) {
    struct pool_old old = {.number = generation->number};
    if (!is_old(pool, generation)) continue;
    for (int i = 0; i < generation->slot_count; i++) add_slot(&old, &generation->slots[i]);
    if (old.tasks > 0) visit(owner, &old);
  }
}
