/* What is wired to the two connections and those of handlers, and what the database tells over them. */
#include "worker/connections.h"

#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "worker/control/schema_check.h"
#include "worker/control/statements.h"
#include "worker/life.h"
#include "worker/pool/task_log.h"
#include "worker/work/record.h"

enum {
  CONTROL_DEADLINE_MS = 8000 /* with a beat every 2 s, silence is noticed within 10 s */
};

/* ---- outages ---- */

static void report_lost(struct life *life, const char *connection, const struct err *err, int retry_ms) {
  struct err found = *err;
  life_kick(life);
  if (life->course.worker >= WORKER_LEAVING) return;
  schema_explain(&found, pg_place(life->control));
  if (found.kind == ERR_CONFIG && life->course.worker < WORKER_RUNNING) {
    life_fail(life, &found, NULL);
    return;
  }
  const char *role = pg_role(life->control);
  complaint_add_hint_for(&found, *role ? role : work_role(life->work)); /* that of the one that connected first */
  bool said =
      *found.sqlstate && (life->course.worker >= WORKER_RUNNING ||
                          complaint_has(&life->complaint, &found)); /* a statement failed, and that was logged */
  bool tell = !said && outage_is_new(&life->lost, &found);
  if (!life->lost_at) life->lost_at = uv_now(life->loop);
  LOG(life->log, tell ? LOG_WARN : LOG_DEBUG, sqlstate_lacks_right(found.sqlstate) ? "rights_missing" : "database_lost",
      LOG_STR("connection", connection), LOG_ERR(&found), LOG_INT("retry_ms", retry_ms));
}

static void report_ready(struct life *life, const char *connection) {
  LOG(life->log, LOG_DEBUG, "connected", LOG_STR("connection", connection));
  life->course.reconnected = true;
  life_kick(life);
  if (!life->lost_at || !pg_is_ready(life->control) || !work_is_connected(life->work)) return;
  bool rights = sqlstate_lacks_right(outage_last(&life->lost));
  if (outage_end(&life->lost))
    LOG(life->log, LOG_INFO, rights ? "rights_given" : "database_back",
        LOG_F64("seconds", (double)(uv_now(life->loop) - life->lost_at) / 1000));
  life->lost_at = 0;
}

/* A process on the server that this worker has no connection to any more. */
static void leave(struct life *life, struct pg_backend *backend) {
  leftovers_add(life->leftovers, *backend);
  *backend = (struct pg_backend){0};
}

static void on_control_lost(void *owner, const struct err *err, int retry_ms) {
  struct life *life = owner;
  leave(life, &life->control_backend);
  report_lost(life, "control", err, retry_ms);
}

static void on_work_lost(void *owner, const struct err *err, int retry_ms) {
  struct life *life = owner;
  leave(life, &life->work_backend);
  report_lost(life, "work", err, retry_ms);
}

/* Notifications may have been missed before it. */
static void on_control_ready(void *owner) {
  struct life *life = owner;
  life->control_backend = pg_last_backend(life->control);
  report_ready(life, "control");
  troubles_go_on(life->troubles);
  handlers_look_home(life->handlers);
  work_wake(life->work);
}

static void on_work_ready(void *owner) {
  struct life *life = owner;
  life->work_backend = work_last_backend(life->work);
  report_ready(life, "work");
}

static void on_leftovers_settled(void *owner) {
  struct life *life = owner;
  handlers_old_is_gone(life->handlers);
  work_reconcile(life->work);
}

static bool old_is_gone(void *owner) {
  const struct life *life = owner;
  return leftovers_are_settled(life->leftovers);
}

static void in_flight(void *owner, void (*visit)(void *arrays, const struct task *task), void *arrays) {
  const struct life *life = owner;
  pool_each(life->pool, visit, arrays);
  handlers_each(life->handlers, visit, arrays);
}

/* ---- work ---- */

static void on_notified(void *owner, const char *channel, const char *payload) {
  struct life *life = owner;
  (void)channel; /* there is only one */
  if (strcmp(payload, "cancelled") == 0 || strcmp(payload, "reload") == 0)
    heartbeat_beat(life->heartbeat); /* its answer tells which tasks, and whether anybody may ask for a reload */
  else
    work_notify(life->work);
}

static int free_slots(void *owner) {
  struct life *life = owner;
  if (life->course.worker != WORKER_RUNNING || pool_ready_count(life->pool) == 0) return 0;
  int free_count = life->options->concurrency - life_in_flight(life);
  return free_count > 0 ? free_count : 0;
}

static void run_task(struct life *life, struct task *task) {
  if (life->course.worker == WORKER_RUNNING) {
    pool_submit(life->pool, task);
    return;
  }
  task_settle(task, VERDICT_RELEASED, NULL, 0, 0); /* it came when the drain had begun */
  work_record(life->work, task);
}

/* step: NULL for an ordinary one. */
static void set_kind(struct task *task, const struct load_step *step) {
  task->transaction = step && step->transaction;
  if (step && step->map) task_keep_element(task);
}

static void on_claimed(void *owner, struct task *task) {
  struct life *life = owner;
  if (life->course.worker == WORKER_RUNNING) /* a drain may have outlived every generation */
    set_kind(task, load_report_step(pool_report(life->serving), task->flow_slug, task->step_slug));
  run_task(life, task);
}

/* They may be steps of a version that was held back, which exists by now. */
static bool may_be_held_back(struct life *life, bool is_new) {
  if (!life->reload.held_back || !is_new) return false;
  work_pause_claims(life->work);
  life_reload(life, WISH_AGAIN);
  return true;
}

/* In development the other workers may only be ahead: it looks at the disk again, every 2 s. */
static void on_unknown(struct life *life, const char *steps) {
  struct err told;
  err_set(&told, ERR_CONFIG, EXIT_UNCOVERED, "%s", steps);
  bool is_new = complaint_is_new(&life->unknown, &told);
  if (may_be_held_back(life, is_new)) return;
  if (!life->development || is_new)
    LOG(life->log, life->development ? LOG_WARN : LOG_ERROR, "unknown_steps", LOG_STR("queue", life->queue),
        LOG_STR("steps", steps), LOG_STR("hint", "load these flows too, or wait until their runs have ended"));
  if (!life->development) {
    life_drain(life, "the queue holds work of steps that were not loaded", EXIT_UNCOVERED);
    return;
  }
  work_pause_claims(life->work);
  life_reload(life, WISH_CHANGED);
}

static void on_refused(void *owner, enum claim_status status, const char *unknown) {
  struct life *life = owner;
  switch (status) {
    case CLAIM_OK:
      return;
    case CLAIM_NOT_SUBSCRIBED:
      life_drain(life, "an operator has stopped or deprecated this worker", EXIT_DONE);
      return;
    case CLAIM_UNKNOWN_WORKER:
      life_forgotten(life);
      return;
    case CLAIM_STALE_GENERATION:
      LOG(life->log, LOG_WARN, "stale_generation", LOG_INT("generation", life->generation));
      life->course.standing = STANDING_STALE;
      return;
    case CLAIM_BROKEN:
      LOG(life->log, LOG_ERROR, "bug", LOG_STR("what", "unreadable claim"));
      life_drain(life, "its claim was refused", EXIT_FAILED);
      return;
    case CLAIM_UNKNOWN_PAIRS:
      on_unknown(life, unknown);
      return;
  }
}

static void on_kick(void *owner) { life_kick(owner); }

/* ---- handlers ---- */

static void on_reply(void *owner, uint64_t number, const struct buf *payload) {
  struct life *life = owner;
  pool_reply_query(life->pool, number, payload);
}

static void on_settled(void *owner, struct task *task) {
  struct life *life = owner;
  work_record(life->work, task);
}

static void on_restart(void *owner, struct task *task) {
  struct life *life = owner;
  task_log(life->log, LOG_INFO, "restarted_handler", task, task->shown ? task->shown : task->text, NULL);
  task_unsettle(task);
  run_task(life, task);
}

/* It may have created work on this queue. */
static void on_completed(void *owner, struct task *task) {
  struct life *life = owner;
  record_log(task, life->log);
  task_free(task);
  work_wake(life->work);
}

static void on_stale(void *owner, struct task *task) {
  struct life *life = owner;
  record_log_late(task, life->log);
  task_free(task);
  life_kick(life);
}

/* The worker may run already, where a host's name took long to be found. */
static void on_handlers_refused(void *owner, const struct err *err) {
  struct life *life = owner;
  if (life->course.worker < WORKER_RUNNING) {
    life_fail(life, err, NULL);
  } else if (life->course.worker == WORKER_RUNNING) {
    LOG(life->log, LOG_ERROR, "handler_database_refused", LOG_ERR(err));
    life_drain(life, "--handler-database is not valid", err->exit_code);
  }
}

static bool open_handlers(struct life *life, struct err *err) {
  static const struct handlers_events events = {.reply = on_reply,
                                                .settled = on_settled,
                                                .restart = on_restart,
                                                .completed = on_completed,
                                                .stale = on_stale,
                                                .checked = on_kick,
                                                .refused = on_handlers_refused};
  const char *elsewhere = life->options->handler_database;
  const struct handlers_options options = {
      .conninfo = elsewhere ? elsewhere : life->options->database,
      .source = elsewhere ? life->options->handler_source : life->options->database_source,
      .application_name = life->handler_name,
      .connections = life->options->handler_connections,
      .max_output = life->options->max_output,
      .patient = true,
      .troubles = life->troubles,
  };
  life->handlers = handlers_new(life->loop, &options, life->control, elsewhere ? NULL : life->leftovers, &events, life,
                                life->log, err);
  return life->handlers != NULL;
}

bool connections_open(struct life *life, struct err *err) {
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
      .kick = on_kick,
  };
  const struct pg_options control = {
      .conninfo = life->options->database,
      .source = life->options->database_source,
      .application_name = life->application_name,
      .session = life->control_session,
      .session_count = SETTINGS_COUNT + 1,
      .statements = control_statements,
      .statement_count = CONTROL_STATEMENT_COUNT,
      .deadline_ms = CONTROL_DEADLINE_MS,
  };
  const struct work_options work = {
      .conninfo = life->options->database,
      .source = life->options->database_source,
      .application_name = life->application_name,
      .worker_id = life->worker_id,
      .queue = life->queue,
      .batch = life->options->batch,
      .max_input = life->options->max_input,
      .troubles = life->troubles,
  };
  life->control = pg_new(life->loop, &control, &control_events, life, err);
  if (!life->control) return false;
  life->work = work_new(life->loop, &work, &work_events, life, life->log, err);
  if (!life->work) return false;
  life->leftovers = leftovers_new(life->loop, life->control, on_leftovers_settled, life, life->log);
  if (!open_handlers(life, err)) return false;
  pg_start(life->control);
  work_connect(life->work);
  return true;
}
