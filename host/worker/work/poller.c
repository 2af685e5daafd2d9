/* Deciding when the next claim is due. */
#include "worker/work/poller.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { IDLE_MS = 2000, SLACK_MS = 2 /* so that a message is visible for certain when its time has come */ };

struct poller {
  uv_timer_t timer;
  int limit;
  bool more;   /* the queue may have work that nobody has looked at */
  bool paused; /* until the timer fires */
  bool stopped;
  void (*due)(void *owner);
  void *owner;
};

static void on_timer(uv_timer_t *timer) {
  struct poller *poller = timer->data;
  poller->paused = false;
  poller_wake(poller);
}

struct poller *poller_new(uv_loop_t *loop, int limit, void (*due)(void *owner), void *owner) {
  struct poller *poller = xcalloc(1, sizeof *poller);
  uv_timer_init(loop, &poller->timer);
  poller->timer.data = poller;
  poller->limit = limit;
  poller->due = due;
  poller->owner = owner;
  return poller;
}

static void on_closed(uv_handle_t *handle) { free(handle->data); }

void poller_free(struct poller *poller) { uv_close((uv_handle_t *)&poller->timer, on_closed); }

void poller_wake(struct poller *poller) {
  if (poller->stopped) return;
  poller->more = true;
  poller->due(poller->owner);
}

void poller_stop(struct poller *poller) {
  poller->stopped = true;
  uv_timer_stop(&poller->timer);
}

int poller_quantity(const struct poller *poller, int free_slots, bool with_results) {
  if (poller->stopped || poller->paused || !(poller->more || with_results)) return 0;
  return free_slots < poller->limit ? free_slots : poller->limit;
}

void poller_sent(struct poller *poller, int quantity) {
  poller->more = quantity == 0; /* results alone may make work here too */
  if (!poller->paused) uv_timer_stop(&poller->timer);
}

void poller_answered(struct poller *poller, bool more, int64_t next_visible_ms) {
  if (poller->stopped) return;
  if (more) poller->more = true;
  uint64_t wait = IDLE_MS;
  if (next_visible_ms >= 0 && next_visible_ms + SLACK_MS < IDLE_MS) wait = (uint64_t)next_visible_ms + SLACK_MS;
  uv_timer_start(&poller->timer, on_timer, wait, 0);
}

void poller_failed(struct poller *poller, bool pause) {
  poller->more = true;
  if (poller->stopped || !pause) return;
  poller->paused = true;
  uv_timer_start(&poller->timer, on_timer, IDLE_MS, 0);
}
