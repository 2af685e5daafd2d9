/* The timer, the statement, and its answer. */
#include "worker/control/heartbeat.h"

#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/control/complaint.h"
#include "worker/control/statements.h"
#include "worker/control/task_arrays.h"

enum {
  BEAT_MS = 2000,
  APART_MS = 100 /* those that are asked for are at least so far apart */
};

/* The columns of the HEARTBEAT statement. */
enum {
  DEPRECATED,
  FUNCTION_ENABLED,
  SCHEMA_VERSION,
  LOST_ORDINALS,
  CANCELLED_ORDINALS,
  CLOCK_JUMP_S,
  UNKNOWN,
  RELOAD_REQUEST
};

struct heartbeat {
  uv_timer_t timer;
  struct pg *pg;
  const char *worker_id;
  struct heartbeat_events events;
  void *owner;
  struct troubles *troubles;
  struct log *log;
  uint64_t sent_at;     /* on the system's steady clock, in nanoseconds */
  uint64_t answered_at; /* when the last one that was answered was sent; 0: none was */
  bool waiting;         /* for an answer; then no beat is sent */
  bool again;           /* one is due when the answer has come */
  bool stopped;
  bool timer_closed;
  bool disabled;     /* the function is disabled: logged */
  uint64_t *numbers; /* of the tasks sent, in their order */
  int count, room;
  struct complaint complaint;
};

struct beat {
  struct heartbeat *heartbeat;
  struct task_arrays arrays;
};

static void free_when_done(struct heartbeat *heartbeat) {
  if (!heartbeat->stopped || heartbeat->waiting || !heartbeat->timer_closed) return;
  free(heartbeat->numbers);
  free(heartbeat);
}

static void read_ordinals(const struct heartbeat *heartbeat, const char *ordinals,
                          void (*event)(void *owner, uint64_t number)) {
  while (*ordinals) {
    char *end;
    long ordinal = strtol(ordinals, &end, 10);
    if (end == ordinals) return;
    if (ordinal >= 1 && ordinal <= heartbeat->count) event(heartbeat->owner, heartbeat->numbers[ordinal - 1]);
    ordinals = *end == ',' ? end + 1 : end;
  }
}

/* Timeouts and deaths are judged by the database's clock, so its jumps are logged. */
static void log_jump(const struct heartbeat *heartbeat, const char *seconds) {
  if (!*seconds) return;
  LOG(heartbeat->log, LOG_WARN, "clock_jumped", LOG_INT("seconds", strtoll(seconds, NULL, 10)),
      LOG_STR(
          "hint",
          "the database's clock or this host stood still, or the clock was set: for 30 s luaflow does not rely on it"));
}

static void read_answer(struct heartbeat *heartbeat, const PGresult *result) {
  heartbeat->answered_at = heartbeat->sent_at;
  if (PQntuples(result) == 0) return;
  log_jump(heartbeat, PQgetvalue(result, 0, CLOCK_JUMP_S));
  bool disabled = strcmp(PQgetvalue(result, 0, FUNCTION_ENABLED), "t") != 0;
  if (disabled != heartbeat->disabled)
    LOG(heartbeat->log, LOG_INFO, disabled ? "function_disabled" : "function_enabled");
  heartbeat->disabled = disabled;
  if (!disabled) heartbeat->events.enabled(heartbeat->owner);
  read_ordinals(heartbeat, PQgetvalue(result, 0, LOST_ORDINALS), heartbeat->events.lost);
  read_ordinals(heartbeat, PQgetvalue(result, 0, CANCELLED_ORDINALS), heartbeat->events.cancelled);
  if (!PQgetisnull(result, 0, RELOAD_REQUEST))
    heartbeat->events.asked(heartbeat->owner, strtoll(PQgetvalue(result, 0, RELOAD_REQUEST), NULL, 10));
  if (strcmp(PQgetvalue(result, 0, UNKNOWN), "t") == 0)
    heartbeat->events.unknown(heartbeat->owner);
  else if (strcmp(PQgetvalue(result, 0, DEPRECATED), "t") == 0)
    heartbeat->events.deprecated(heartbeat->owner);
}

/* A server that takes no writes may be a previous primary: the next connection may find the new one. */
static void complain(struct heartbeat *heartbeat, const struct pg_unit *unit, const struct err *err) {
  if (*err->sqlstate || pg_unit_is_overdue(unit)) troubles_set(heartbeat->troubles, TROUBLE_HEARTBEAT, 0, err->message);
  if (!*err->sqlstate) return; /* the connection reports it */
  complaint_log(&heartbeat->complaint, heartbeat->log, "heartbeat_failed", err);
  if (sqlstate_is_read_only(err->sqlstate)) pg_reconnect(heartbeat->pg, err);
}

static void beat(struct heartbeat *heartbeat);
static void on_timer(uv_timer_t *timer);

/* At once, unless one was sent just now: every role that can connect can ask for it. */
static void beat_soon(struct heartbeat *heartbeat) {
  uint64_t passed = (uv_hrtime() - heartbeat->sent_at) / 1000000;
  if (passed >= APART_MS)
    beat(heartbeat);
  else
    uv_timer_start(&heartbeat->timer, on_timer, APART_MS - passed, BEAT_MS);
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct heartbeat *heartbeat = owner;
  heartbeat->waiting = false;
  if (heartbeat->stopped) {
    free_when_done(heartbeat);
    return;
  }
  if (err) {
    complain(heartbeat, unit, err);
    return;
  }
  if (complaint_end(&heartbeat->complaint)) LOG(heartbeat->log, LOG_INFO, "heartbeat_works_again");
  troubles_set(heartbeat->troubles, TROUBLE_HEARTBEAT, 0, NULL);
  troubles_go_on(heartbeat->troubles);
  read_answer(heartbeat, pg_unit_result(unit, 0));
  if (heartbeat->again && !heartbeat->stopped) beat_soon(heartbeat);
}

static void add_task(void *owner, const struct task *task) {
  struct beat *beat = owner;
  struct heartbeat *heartbeat = beat->heartbeat;
  if (heartbeat->count == heartbeat->room) {
    heartbeat->room = heartbeat->room ? heartbeat->room * 2 : 64;
    heartbeat->numbers = xrealloc(heartbeat->numbers, (size_t)heartbeat->room * sizeof *heartbeat->numbers);
  }
  heartbeat->numbers[heartbeat->count++] = task->number;
  task_arrays_add(&beat->arrays, task);
}

static void beat(struct heartbeat *heartbeat) {
  if (heartbeat->waiting || !pg_is_ready(heartbeat->pg)) return;
  struct pg_unit *unit = pg_unit_new(on_done, heartbeat);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_HEARTBEAT]);
  pg_param_text(params, heartbeat->worker_id);
  struct beat tasks = {.heartbeat = heartbeat, .arrays = task_arrays_begin(params)};
  heartbeat->count = 0;
  heartbeat->events.each_task(heartbeat->owner, add_task, &tasks);
  heartbeat->sent_at = uv_hrtime();
  if (heartbeat->answered_at)
    pg_param_int(params, (int64_t)((heartbeat->sent_at - heartbeat->answered_at) / 1000000));
  else
    pg_param_text(params, NULL);
  heartbeat->waiting = true;
  heartbeat->again = false;
  pg_submit(heartbeat->pg, unit);
}

static void on_timer(uv_timer_t *timer) { beat(timer->data); }

void heartbeat_beat(struct heartbeat *heartbeat) {
  if (!heartbeat) return;
  heartbeat->again = heartbeat->waiting;
  if (!heartbeat->waiting) beat_soon(heartbeat);
}

struct heartbeat *heartbeat_new(uv_loop_t *loop, struct pg *pg, const char *worker_id,
                                const struct heartbeat_events *events, void *owner, struct troubles *troubles,
                                struct log *log) {
  struct heartbeat *heartbeat = xcalloc(1, sizeof *heartbeat);
  *heartbeat = (struct heartbeat){
      .pg = pg, .worker_id = worker_id, .events = *events, .owner = owner, .troubles = troubles, .log = log};
  uv_timer_init(loop, &heartbeat->timer);
  heartbeat->timer.data = heartbeat;
  uv_timer_start(&heartbeat->timer, on_timer, BEAT_MS, BEAT_MS);
  return heartbeat;
}

static void on_closed(uv_handle_t *handle) {
  struct heartbeat *heartbeat = handle->data;
  heartbeat->timer_closed = true;
  free_when_done(heartbeat);
}

void heartbeat_stop(struct heartbeat *heartbeat) {
  if (!heartbeat) return;
  heartbeat->stopped = true;
  uv_close((uv_handle_t *)&heartbeat->timer, on_closed);
}
