/* The timer, the statement, and what it moved. */
#include "worker/control/recovery.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/control/complaint.h"
#include "worker/control/statements.h"

enum {
  RECOVER_MS = 10000,
  GO_ON_MS = 1000, /* messages were lost: possibly more are */
  ROUND_MS = 16000 /* the smallest limit of a round that has its own connection */
};

/* The columns of the RECOVER statement. */
enum { RUN_ID, STEP_SLUG, TASK_INDEX, REASON, OUTCOME };

struct recovery {
  uv_loop_t *loop;
  uv_timer_t timer;
  struct recovery_options options;
  struct pg *own;            /* its own connection; NULL until a round took too long */
  struct pg_backend backend; /* of that */
  struct log *log;
  bool waiting; /* for an answer */
  bool stopped, timer_closed;
  struct complaint complaint;
};

static void free_when_done(struct recovery *recovery) {
  if (recovery->stopped && !recovery->waiting && recovery->timer_closed) free(recovery);
}

/* A queue that was purged may have lost many: a line for all of a round. */
static void log_mended(struct recovery *recovery, int resent, int shown) {
  if (resent)
    LOG(recovery->log, LOG_WARN, "resent_messages", LOG_INT("count", resent),
        LOG_STR("reason", "active tasks had no message: the queue was purged, or messages were deleted or archived"));
  if (shown)
    LOG(recovery->log, LOG_WARN, "showed_messages", LOG_INT("count", shown),
        LOG_STR("reason", "the messages were hidden for longer than any delay of luaflow"));
}

/* Logs what the round did, and whether messages were sent again. */
static bool log_moved(struct recovery *recovery, const PGresult *result) {
  int resent = 0, shown = 0;
  for (int row = 0; row < PQntuples(result); row++) {
    const char *outcome = PQgetvalue(result, row, OUTCOME);
    bool failed = strcmp(outcome, "failed") == 0;
    if (strcmp(outcome, "resent") == 0)
      resent++;
    else if (strcmp(outcome, "shown") == 0)
      shown++;
    else
      LOG(recovery->log, failed ? LOG_ERROR : LOG_WARN, failed ? "failed_stalled_task" : "recovered_task",
          LOG_STR("reason", PQgetvalue(result, row, REASON)), LOG_STR("run", PQgetvalue(result, row, RUN_ID)),
          LOG_STR("step", PQgetvalue(result, row, STEP_SLUG)), LOG_STR("index", PQgetvalue(result, row, TASK_INDEX)));
  }
  log_mended(recovery, resent, shown);
  return resent > 0;
}

static void on_own_ready(void *owner) {
  struct recovery *recovery = owner;
  recovery->backend = pg_last_backend(recovery->own);
}

static void on_own_lost(void *owner, const struct err *err, int retry_ms) {
  struct recovery *recovery = owner;
  (void)retry_ms;
  leftovers_add(recovery->options.leftovers, recovery->backend);
  recovery->backend = (struct pg_backend){0};
  troubles_set(recovery->options.troubles, TROUBLE_RECOVERY, 0, err->message);
  complaint_log(&recovery->complaint, recovery->log, "recovery_failed", err);
}

static void take_own_connection(struct recovery *recovery) {
  static const struct pg_events events = {.ready = on_own_ready, .lost = on_own_lost};
  const struct pg_options options = {
      .conninfo = recovery->options.conninfo,
      .source = recovery->options.source,
      .application_name = recovery->options.application_name,
      .session = control_settings,
      .session_count = SETTINGS_COUNT,
      .statements = control_statements,
      .statement_count = CONTROL_STATEMENT_COUNT,
      .deadline_ms = ROUND_MS,
  };
  struct err err;
  recovery->own = pg_new(recovery->loop, &options, &events, recovery, &err);
  if (recovery->own)
    pg_start(recovery->own);
  else
    complaint_log(&recovery->complaint, recovery->log, "recovery_failed", &err);
}

static void on_timer(uv_timer_t *timer);

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct recovery *recovery = owner;
  recovery->waiting = false;
  if (recovery->stopped) {
    free_when_done(recovery);
    return;
  }
  if (!err) {
    if (complaint_end(&recovery->complaint)) LOG(recovery->log, LOG_INFO, "recovery_works_again");
    troubles_set(recovery->options.troubles, TROUBLE_RECOVERY, 0, NULL);
    bool go_on = log_moved(recovery, pg_unit_result(unit, 0));
    uv_timer_start(&recovery->timer, on_timer, go_on ? GO_ON_MS : RECOVER_MS, RECOVER_MS);
    return;
  }
  if (*err->sqlstate || pg_unit_is_overdue(unit))
    troubles_set(recovery->options.troubles, TROUBLE_RECOVERY, 0, err->message);
  if (pg_unit_is_overdue(unit) && !recovery->own) take_own_connection(recovery);
  if (!*err->sqlstate) return; /* the connection reports it */
  complaint_log(&recovery->complaint, recovery->log, "recovery_failed", err);
}

static void on_timer(uv_timer_t *timer) {
  struct recovery *recovery = timer->data;
  struct pg *pg = recovery->own ? recovery->own : recovery->options.pg;
  if (recovery->waiting || !pg_is_ready(pg)) return;
  struct pg_unit *unit = pg_unit_new(on_done, recovery);
  pg_param_text(pg_unit_add(unit, &control_statements[STMT_RECOVER]), recovery->options.worker_id);
  recovery->waiting = true;
  pg_submit(pg, unit);
}

struct recovery *recovery_new(uv_loop_t *loop, const struct recovery_options *options, struct log *log) {
  struct recovery *recovery = xcalloc(1, sizeof *recovery);
  *recovery = (struct recovery){.loop = loop, .options = *options, .log = log};
  uv_timer_init(loop, &recovery->timer);
  recovery->timer.data = recovery;
  uv_timer_start(&recovery->timer, on_timer, RECOVER_MS, RECOVER_MS);
  return recovery;
}

static void on_closed(uv_handle_t *handle) {
  struct recovery *recovery = handle->data;
  recovery->timer_closed = true;
  free_when_done(recovery);
}

void recovery_stop(struct recovery *recovery) {
  if (!recovery) return;
  recovery->stopped = true;
  pg_close(recovery->own);
  uv_close((uv_handle_t *)&recovery->timer, on_closed);
}
