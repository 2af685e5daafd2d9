/* From RUNNING to the end: stop claiming, wait for what runs, record it, say good-bye, close. */
#include <stdlib.h>

#include "worker/control/statements.h"
#include "worker/lifecycle_inside.h"

enum {
  RECORD_MS = 10000, /* after a kill, for the database to take the last results */
  GOODBYE_MS = 3000,
};

static void on_record_over(uv_timer_t *timer) {
  struct lifecycle *lifecycle = timer->data;
  LOG(lifecycle->log, LOG_ERROR, "gave_up", LOG_STR("reason", "the database does not take the results"),
      LOG_INT("unrecorded", work_unrecorded(lifecycle->work)));
  lifecycle->exit_code = EXIT_FAILED;
  drain_finish(lifecycle);
}

void drain_kill(struct lifecycle *lifecycle, const char *reason) {
  if (lifecycle->killed) return;
  lifecycle->killed = true;
  LOG(lifecycle->log, LOG_WARN, "killing_executors", LOG_STR("reason", reason),
      LOG_INT("tasks", lifecycle_in_flight(lifecycle)));
  uv_timer_start(&lifecycle->timer, on_record_over, RECORD_MS, 0);
  pool_kill(lifecycle->pool);
  drain_check(lifecycle);
}

static void on_grace_over(uv_timer_t *timer) { drain_kill(timer->data, "the grace is over"); }

void drain_begin(struct lifecycle *lifecycle, const char *reason, int exit_code) {
  if (lifecycle->state != LIFECYCLE_RUNNING) return;
  lifecycle_set_state(lifecycle, LIFECYCLE_DRAINING);
  lifecycle->exit_code = exit_code;
  LOG(lifecycle->log, LOG_INFO, "draining", LOG_STR("reason", reason),
      LOG_INT("in_flight", lifecycle_in_flight(lifecycle)));
  reload_stop(lifecycle);
  work_stop_claiming(lifecycle->work);
  uv_timer_start(&lifecycle->timer, on_grace_over, (uint64_t)(lifecycle->options->grace_s * 1000), 0);
  pool_drain(lifecycle->pool);
  drain_check(lifecycle);
}

void drain_forgotten(struct lifecycle *lifecycle) {
  if (lifecycle->state != LIFECYCLE_RUNNING) return;
  LOG(lifecycle->log, LOG_ERROR, "worker_unknown", LOG_STR("worker", lifecycle->worker_id),
      LOG_STR("reason", "its row is gone: the database was created anew, or the row was deleted"),
      LOG_STR("hint", "start the worker again"));
  drain_begin(lifecycle, "the database does not know this worker", EXIT_FAILED);
}

void drain_check(struct lifecycle *lifecycle) {
  if (lifecycle->state != LIFECYCLE_DRAINING) return;
  if (lifecycle_in_flight(lifecycle) == 0 && work_is_idle(lifecycle->work)) drain_finish(lifecycle);
}

/* ---- the end ---- */

static void close_all(struct lifecycle *lifecycle) {
  if (lifecycle->closing) return;
  lifecycle->closing = true;
  watch_free(lifecycle->watch);
  reload_close(lifecycle);
  heartbeat_stop(lifecycle->heartbeat);
  recovery_stop(lifecycle->recovery);
  handlers_close(lifecycle->handlers);
  lifecycle->handlers = NULL;
  troubles_stop(lifecycle->troubles);
  leftovers_free(lifecycle->leftovers);
  pg_close(lifecycle->control);
  work_close(lifecycle->work);
  lifecycle->control = NULL;
  lifecycle->work = NULL;
  pool_stop(lifecycle->pool);
}

static void on_goodbye_over(uv_timer_t *timer) { close_all(timer->data); }

static void on_goodbye(void *owner, struct pg_unit *unit, const struct err *err) {
  struct lifecycle *lifecycle = owner;
  (void)unit;
  if (err && !lifecycle->closing) LOG(lifecycle->log, LOG_WARN, "not_marked_stopped", LOG_STR("error", err->message));
  uv_timer_start(&lifecycle->timer, on_goodbye_over, 0, 0);
}

void drain_finish(struct lifecycle *lifecycle) {
  if (lifecycle->state == LIFECYCLE_STOPPED) return;
  if (lifecycle->state == LIFECYCLE_RUNNING) lifecycle_set_state(lifecycle, LIFECYCLE_DRAINING);
  lifecycle_set_state(lifecycle, LIFECYCLE_STOPPED);
  reload_stop(lifecycle);
  if (!lifecycle->deploy_sent || !pg_is_ready(lifecycle->control)) {
    uv_timer_start(&lifecycle->timer, on_goodbye_over, 0, 0);
    return;
  }
  struct pg_unit *unit = pg_unit_new(on_goodbye, lifecycle);
  pg_param_text(pg_unit_add(unit, &control_statements[STMT_STOP]), lifecycle->worker_id);
  pg_submit(lifecycle->control, unit);
  uv_timer_start(&lifecycle->timer, on_goodbye_over, GOODBYE_MS, 0);
}

void drain_pool_ended(struct lifecycle *lifecycle) {
  drain_check(lifecycle);
  if (!lifecycle->closing || !lifecycle->pool) return;
  LOG(lifecycle->log, lifecycle->deploy_sent ? LOG_INFO : LOG_DEBUG, "stopped", LOG_INT("exit", lifecycle->exit_code));
  pool_free(lifecycle->pool);
  lifecycle->pool = NULL;
  uv_close((uv_handle_t *)&lifecycle->timer, NULL);
  lifecycle->ended(lifecycle->ended_owner);
}
