/* host.sleep(seconds): the task waits for a timer of the loop. */
#include <lauxlib.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "executor/bind/bindings.h"

static const double seconds_max = 1e9; /* some thirty years */

struct sleep {
  uv_timer_t timer;
  struct coroutine *task;
};

static void on_closed(uv_handle_t *handle) { free(handle->data); }

static void cleanup(void *waiting) {
  struct sleep *sleep = waiting;
  uv_close((uv_handle_t *)&sleep->timer, on_closed);
}

static void done(uv_timer_t *timer) {
  struct sleep *sleep = timer->data;
  sched_wake(sleep->task, 0);
}

static double check(lua_State *L) {
  double seconds = lua_isnumber(L, 1) ? lua_tonumber(L, 1) : -1;
  if (!(seconds >= 0 && seconds <= seconds_max)) runtime_error(L, "sleep expects a number of seconds, 0 or more");
  return seconds;
}

static int entry(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  double seconds = check(L);
  struct coroutine *task = sched_check_wait(runtime->sched, L, "sleep");
  struct sleep *sleep = xcalloc(1, sizeof *sleep);
  sleep->task = task;
  sleep->timer.data = sleep;
  uv_timer_init(&runtime->loop, &sleep->timer);
  uv_update_time(&runtime->loop);
  /* The loop counts whole milliseconds that have begun: one more, so that it is never too short. */
  uv_timer_start(&sleep->timer, done, seconds > 0 ? (uint64_t)(seconds * 1000 + 1.999) : 0, 0);
  sched_wait(task, cleanup, sleep);
  return lua_yield(L, 0);
}

void bind_sleep(lua_State *L, struct runtime *runtime) {
  lua_pushlightuserdata(L, runtime);
  lua_pushcclosure(L, entry, 1);
  lua_setfield(L, -2, "sleep");
}
