/* Deciding when the next claim is due. */
#include "worker/work/poller.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum {
  IDLE_MS = 2000,
  SLACK_MS = 2,    /* so that a message is visible for certain when its time has come */
  IN_VAIN_MS = 10, /* of each claim for a notification that found nothing: every role that can connect can notify ... */
  CREDIT_MS = 200  /* ... and this much is free */
};

struct poller {
  uv_timer_t timer;
  int limit;
  bool more;           /* the queue may have work that nobody has looked at */
  bool notified;       /* somebody says so, and no claim was sent since */
  bool is_for_notice;  /* the claim under way has no other reason */
  uint64_t owed_until; /* claims in vain, as time on the loop's clock */
  bool paused;         /* until the timer fires */
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

/* As far as there were not too many claims in vain for notifications; else as soon as there were not. */
static void follow_notice(struct poller *poller) {
  uint64_t now = uv_now(poller->timer.loop);
  if (!poller->notified || poller->more || poller->paused) return;
  uint64_t wait = poller->owed_until > now + CREDIT_MS ? poller->owed_until - now - CREDIT_MS : 0;
  if (wait == 0)
    poller_wake(poller);
  else if (!uv_is_active((uv_handle_t *)&poller->timer) || uv_timer_get_due_in(&poller->timer) > wait)
    uv_timer_start(&poller->timer, on_timer, wait, 0);
}

void poller_notify(struct poller *poller) {
  if (poller->stopped) return;
  poller->notified = true;
  follow_notice(poller);
}

void poller_stop(struct poller *poller) {
  poller->stopped = true;
  uv_timer_stop(&poller->timer);
}

int poller_quantity(const struct poller *poller, int free_slots, bool with_results) {
  if (poller->stopped || poller->paused || !(poller->more || with_results)) return 0;
  return free_slots < poller->limit ? free_slots : poller->limit;
}

void poller_sent(struct poller *poller, int quantity, bool with_results) {
  poller->more = quantity == 0; /* results alone may make work here too */
  poller->is_for_notice = poller->notified && !with_results;
  if (quantity > 0) poller->notified = false;
  if (!poller->paused) uv_timer_stop(&poller->timer);
}

void poller_answered(struct poller *poller, bool in_vain, bool more, int64_t next_visible_ms) {
  uint64_t now = uv_now(poller->timer.loop);
  if (poller->stopped) return;
  if (more) poller->more = true;
  if (in_vain && poller->is_for_notice)
    poller->owed_until = (poller->owed_until > now ? poller->owed_until : now) + IN_VAIN_MS;
  uint64_t wait = IDLE_MS;
  if (next_visible_ms >= 0 && next_visible_ms + SLACK_MS < IDLE_MS) wait = (uint64_t)next_visible_ms + SLACK_MS;
  uv_timer_start(&poller->timer, on_timer, wait, 0);
  follow_notice(poller);
}

void poller_failed(struct poller *poller, bool pause) {
  poller->more = true;
  if (poller->stopped || !pause) return;
  poller->paused = true;
  uv_timer_start(&poller->timer, on_timer, IDLE_MS, 0);
}
