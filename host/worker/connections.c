/* The two connections of a worker: what is wired to each, and what the database tells over them. */
#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "worker/control/schema_check.h"
#include "worker/control/statements.h"
#include "worker/lifecycle_inside.h"
#include "worker/pool/task_log.h"
#include "worker/work/record.h"

enum {
  CONTROL_DEADLINE_MS = 8000 /* with a beat every 2 s, silence is noticed within 10 s */
};

/* ---- outages ---- */

static void report_lost(struct lifecycle *lifecycle, const char *connection, const struct err *err, int retry_ms) {
  struct err found = *err;
  if (lifecycle->state == LIFECYCLE_STOPPED) return;
  schema_explain(&found);
  if (found.kind == ERR_CONFIG && lifecycle->state < LIFECYCLE_RUNNING) {
    startup_fail(lifecycle, &found);
    return;
  }
  const char *role = pg_role(lifecycle->control);
  complaint_add_hint_for(&found, *role ? role : work_role(lifecycle->work)); /* that of the one that connected first */
  bool said = *found.sqlstate && lifecycle->state >= LIFECYCLE_RUNNING; /* a statement failed, and that was logged */
  bool tell = !said && outage_is_new(&lifecycle->lost, &found);
  if (!lifecycle->lost_at) lifecycle->lost_at = uv_now(lifecycle->loop);
  LOG(lifecycle->log, tell ? LOG_WARN : LOG_DEBUG,
      sqlstate_lacks_right(found.sqlstate) ? "rights_missing" : "database_lost", LOG_STR("connection", connection),
      LOG_STR("error", found.message), LOG_STR("hint", *found.hint ? found.hint : NULL), LOG_INT("retry_ms", retry_ms));
}

static void report_ready(struct lifecycle *lifecycle, const char *connection) {
  LOG(lifecycle->log, LOG_DEBUG, "connected", LOG_STR("connection", connection));
  if (!lifecycle->lost_at || !pg_is_ready(lifecycle->control) || !work_is_connected(lifecycle->work)) return;
  bool rights = sqlstate_lacks_right(outage_last(&lifecycle->lost));
  if (outage_end(&lifecycle->lost))
    LOG(lifecycle->log, LOG_INFO, rights ? "rights_given" : "database_back",
        LOG_F64("seconds", (double)(uv_now(lifecycle->loop) - lifecycle->lost_at) / 1000));
  lifecycle->lost_at = 0;
}

/* A process on the server that this worker has no connection to any more. */
static void leave(struct lifecycle *lifecycle, struct pg_backend *backend) {
  leftovers_add(lifecycle->leftovers, *backend);
  *backend = (struct pg_backend){0};
}

static void on_control_lost(void *owner, const struct err *err, int retry_ms) {
  struct lifecycle *lifecycle = owner;
  leave(lifecycle, &lifecycle->control_backend);
  report_lost(lifecycle, "control", err, retry_ms);
}

static void on_work_lost(void *owner, const struct err *err, int retry_ms) {
  struct lifecycle *lifecycle = owner;
  leave(lifecycle, &lifecycle->work_backend);
  report_lost(lifecycle, "work", err, retry_ms);
}

/* Notifications may have been missed before it. */
static void on_control_ready(void *owner) {
  struct lifecycle *lifecycle = owner;
  lifecycle->control_backend = pg_last_backend(lifecycle->control);
  report_ready(lifecycle, "control");
  troubles_go_on(lifecycle->troubles);
  startup_go_on(lifecycle);
  reload_go_on(lifecycle);
  work_wake(lifecycle->work);
}

static void on_work_ready(void *owner) {
  struct lifecycle *lifecycle = owner;
  lifecycle->work_backend = work_last_backend(lifecycle->work);
  report_ready(lifecycle, "work");
  startup_go_on(lifecycle);
}

static void on_leftovers_settled(void *owner) {
  struct lifecycle *lifecycle = owner;
  handlers_old_is_gone(lifecycle->handlers);
  work_reconcile(lifecycle->work);
}

static bool old_is_gone(void *owner) {
  const struct lifecycle *lifecycle = owner;
  return leftovers_are_settled(lifecycle->leftovers);
}

static void in_flight(void *owner, void (*visit)(void *arrays, const struct task *task), void *arrays) {
  const struct lifecycle *lifecycle = owner;
  pool_each(lifecycle->pool, visit, arrays);
  handlers_each(lifecycle->handlers, visit, arrays);
}

/* ---- work ---- */

static void on_notified(void *owner, const char *channel, const char *payload) {
  struct lifecycle *lifecycle = owner;
  (void)channel; /* there is only one */
  if (strcmp(payload, "cancelled") == 0)
    heartbeat_beat(lifecycle->heartbeat); /* its answer tells which tasks */
  else
    work_notify(lifecycle->work);
}

static int free_slots(void *owner) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->state != LIFECYCLE_RUNNING || pool_ready_count(lifecycle->pool) == 0) return 0;
  int free_count = lifecycle->options->concurrency - lifecycle_in_flight(lifecycle);
  return free_count > 0 ? free_count : 0;
}

static void run_task(struct lifecycle *lifecycle, struct task *task) {
  if (lifecycle->state == LIFECYCLE_RUNNING) {
    pool_submit(lifecycle->pool, task);
    return;
  }
  task_settle(task, VERDICT_RELEASED, NULL, 0, 0); /* it came when the drain had begun */
  work_record(lifecycle->work, task);
}

static void on_claimed(void *owner, struct task *task) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->state == LIFECYCLE_RUNNING) /* a drain may have outlived every generation */
    task->transaction = load_report_has_transaction(pool_report(lifecycle->serving), task->flow_slug, task->step_slug);
  run_task(lifecycle, task);
}

/* In development the other workers may only be ahead: it looks at the disk again, every 2 s. */
static void on_unknown(struct lifecycle *lifecycle, const char *steps) {
  struct err told;
  err_set(&told, ERR_CONFIG, EXIT_UNCOVERED, "%s", steps);
  if (!lifecycle->development || complaint_is_new(&lifecycle->unknown, &told))
    LOG(lifecycle->log, lifecycle->development ? LOG_WARN : LOG_ERROR, "unknown_steps",
        LOG_STR("queue", lifecycle->queue), LOG_STR("steps", steps),
        LOG_STR("hint", "load these flows too, or wait until their runs have ended"));
  if (!lifecycle->development) {
    drain_begin(lifecycle, "the queue holds work of steps that were not loaded", EXIT_UNCOVERED);
    return;
  }
  work_pause_claims(lifecycle->work);
  reload_want(lifecycle, RELOAD_CHANGED);
}

static void on_refused(void *owner, enum claim_status status, const char *unknown) {
  struct lifecycle *lifecycle = owner;
  switch (status) {
    case CLAIM_OK:
      return;
    case CLAIM_NOT_SUBSCRIBED:
      drain_begin(lifecycle, "an operator has stopped or deprecated this worker", EXIT_DONE);
      return;
    case CLAIM_UNKNOWN_WORKER:
      drain_forgotten(lifecycle);
      return;
    case CLAIM_STALE_GENERATION:
      reload_on_stale(lifecycle);
      return;
    case CLAIM_BROKEN:
      LOG(lifecycle->log, LOG_ERROR, "bug", LOG_STR("what", "unreadable claim"));
      drain_begin(lifecycle, "its claim was refused", EXIT_FAILED);
      return;
    case CLAIM_UNKNOWN_PAIRS:
      on_unknown(lifecycle, unknown);
      return;
  }
}

static void on_answered(void *owner) {
  drain_check(owner);
  reload_go_on(owner);
}

/* ---- handlers ---- */

static void on_reply(void *owner, uint64_t number, const struct buf *payload) {
  struct lifecycle *lifecycle = owner;
  pool_reply_query(lifecycle->pool, number, payload);
}

static void on_settled(void *owner, struct task *task) {
  struct lifecycle *lifecycle = owner;
  work_record(lifecycle->work, task);
}

static void on_restart(void *owner, struct task *task) {
  struct lifecycle *lifecycle = owner;
  task_log(lifecycle->log, LOG_INFO, "restarted_handler", task, task->shown ? task->shown : task->text, NULL);
  task_unsettle(task);
  run_task(lifecycle, task);
}

/* It has perhaps made work on this queue. */
static void on_completed(void *owner, struct task *task) {
  struct lifecycle *lifecycle = owner;
  record_log(task, lifecycle->log);
  task_free(task);
  work_wake(lifecycle->work);
  drain_check(lifecycle);
}

static void on_stale(void *owner, struct task *task) {
  struct lifecycle *lifecycle = owner;
  record_log_late(task, lifecycle->log);
  task_free(task);
  work_check(lifecycle->work);
  drain_check(lifecycle);
}

static void on_reach_checked(void *owner) { startup_go_on(owner); }

/* The worker may run already, where a host's name took long to be found. */
static void on_handlers_refused(void *owner, const struct err *err) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->state < LIFECYCLE_RUNNING) {
    startup_fail(lifecycle, err);
  } else if (lifecycle->state == LIFECYCLE_RUNNING) {
    LOG(lifecycle->log, LOG_ERROR, "handler_database_refused", LOG_STR("error", err->message),
        LOG_STR("hint", err->hint));
    drain_begin(lifecycle, "--handler-database is not valid", err->exit_code);
  }
}

static bool open_handlers(struct lifecycle *lifecycle, struct err *err) {
  static const struct handlers_events events = {.reply = on_reply,
                                                .settled = on_settled,
                                                .restart = on_restart,
                                                .completed = on_completed,
                                                .stale = on_stale,
                                                .checked = on_reach_checked,
                                                .refused = on_handlers_refused};
  const char *elsewhere = lifecycle->options->handler_database;
  const struct handlers_options options = {
      .conninfo = elsewhere ? elsewhere : lifecycle->options->database,
      .application_name = lifecycle->handler_name,
      .connections = lifecycle->options->handler_connections,
      .max_output = lifecycle->options->max_output,
      .patient = true,
      .troubles = lifecycle->troubles,
  };
  lifecycle->handlers = handlers_new(lifecycle->loop, &options, lifecycle->control,
                                     elsewhere ? NULL : lifecycle->leftovers, &events, lifecycle, lifecycle->log, err);
  return lifecycle->handlers != NULL;
}

bool connections_open(struct lifecycle *lifecycle, struct err *err) {
  static const struct pg_events control_events = {
      .ready = on_control_ready, .lost = on_control_lost, .notified = on_notified};
  static const struct work_events work_events = {
      .ready = on_work_ready,
      .lost = on_work_lost,
      .old_is_gone = old_is_gone,
      .in_flight = in_flight,
      .free_slots = free_slots,
      .claimed = on_claimed,
      .refused = on_refused,
      .answered = on_answered,
  };
  const struct pg_options control = {
      .conninfo = lifecycle->options->database,
      .application_name = lifecycle->application_name,
      .session = lifecycle->control_session,
      .session_count = SETTINGS_COUNT + 1,
      .statements = control_statements,
      .statement_count = CONTROL_STATEMENT_COUNT,
      .deadline_ms = CONTROL_DEADLINE_MS,
  };
  const struct work_options work = {
      .conninfo = lifecycle->options->database,
      .application_name = lifecycle->application_name,
      .worker_id = lifecycle->worker_id,
      .queue = lifecycle->queue,
      .batch = lifecycle->options->batch,
      .max_input = lifecycle->options->max_input,
      .troubles = lifecycle->troubles,
  };
  lifecycle->control = pg_new(lifecycle->loop, &control, &control_events, lifecycle, err);
  if (!lifecycle->control) return false;
  lifecycle->work = work_new(lifecycle->loop, &work, &work_events, lifecycle, lifecycle->log, err);
  if (!lifecycle->work) return false;
  lifecycle->leftovers =
      leftovers_new(lifecycle->loop, lifecycle->control, on_leftovers_settled, lifecycle, lifecycle->log);
  if (!open_handlers(lifecycle, err)) return false;
  pg_start(lifecycle->control);
  work_connect(lifecycle->work);
  return true;
}
