/* A hash table of tasks and the timer of the earliest deadline. */
#include "worker/pool/flight.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct flight {
  uv_timer_t timer;
  struct task *tasks;
  uint64_t armed_for; /* the deadline that the timer waits for; 0: it does not run */
  void (*overdue)(void *owner, struct task *task);
  void *owner;
};

static void on_timer(uv_timer_t *timer);

static void arm(struct flight *flight, uint64_t deadline) {
  uint64_t now = uv_now(flight->timer.loop);
  if (flight->armed_for && flight->armed_for <= deadline) return;
  flight->armed_for = deadline;
  uv_timer_start(&flight->timer, on_timer, deadline > now ? deadline - now : 0, 0);
}

static void on_timer(uv_timer_t *timer) {
  struct flight *flight = timer->data;
  struct task *task, *next;
  uint64_t now = uv_now(timer->loop);
  flight->armed_for = 0;
  HASH_ITER(hh, flight->tasks, task, next) {
    if (task->overdue) continue;
    if (task->deadline_ms <= now)
      flight->overdue(flight->owner, task);
    else
      arm(flight, task->deadline_ms);
  }
}

struct flight *flight_new(uv_loop_t *loop, void (*overdue)(void *owner, struct task *task), void *owner) {
  struct flight *flight = xcalloc(1, sizeof *flight);
  uv_timer_init(loop, &flight->timer);
  flight->timer.data = flight;
  flight->overdue = overdue;
  flight->owner = owner;
  return flight;
}

static void on_closed(uv_handle_t *handle) { free(handle->data); }

void flight_free(struct flight *flight) {
  struct task *task, *next;
  HASH_ITER(hh, flight->tasks, task, next) {
    flight_remove(flight, task);
    task_free(task);
  }
  uv_close((uv_handle_t *)&flight->timer, on_closed);
}

void flight_add(struct flight *flight, struct task *task) {
  HASH_ADD(hh, flight->tasks, number, sizeof task->number, task);
  arm(flight, task->deadline_ms);
}

void flight_remove(struct flight *flight, struct task *task) { HASH_DEL(flight->tasks, task); }

struct task *flight_find(const struct flight *flight, uint64_t number) {
  struct task *task;
  HASH_FIND(hh, flight->tasks, &number, sizeof number, task);
  return task;
}

int flight_count(const struct flight *flight) { return (int)HASH_COUNT(flight->tasks); }

void flight_each(const struct flight *flight, void (*visit)(void *owner, const struct task *task), void *owner) {
  const struct task *task;
  for (task = flight->tasks; task; task = task->hh.next) visit(owner, task);
}
