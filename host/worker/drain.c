/* The steps to the end. */
#include "worker/drain.h"

#include <stdlib.h>

#include "worker/control/statements.h"
#include "worker/life.h"

enum {
  RECORD_MS = 10000,        /* after a kill, for a database that cannot be reached to take the last results */
  RECORD_SLOWLY_MS = 40000, /* for one that can be: a statement that was cut after 15 s is given 30 s the next time */
  GOODBYE_MS = 3000,
};

void drain_begin(struct life *life) {
  LOG(life->log, LOG_INFO, "draining", LOG_STR("reason", life->reason ? life->reason : "signal"),
      LOG_INT("in_flight", life_in_flight(life)));
  life_wait(life, (uint64_t)(life->options->grace_s * 1000));
  pool_drain(life->pool);
}

void drain_kill(struct life *life, const char *reason) {
  LOG(life->log, LOG_WARN, "killing_executors", LOG_STR("reason", reason), LOG_INT("tasks", life_in_flight(life)));
  life_wait(life, pg_is_ready(life->control) ? RECORD_SLOWLY_MS : RECORD_MS);
  pool_kill(life->pool);
}

void drain_give_up(struct life *life) {
  LOG(life->log, LOG_ERROR, "gave_up", LOG_STR("reason", "the database does not take the results"),
      LOG_INT("unrecorded", work_unrecorded(life->work)));
  life->exit_code = EXIT_FAILED;
}

static void on_goodbye(void *owner, struct pg_unit *unit, const struct err *err) {
  struct life *life = owner;
  (void)unit;
  if (life->course.worker != WORKER_LEAVING) return;
  if (err)
    LOG(life->log, LOG_WARN, "not_marked_stopped", LOG_STR("error", err->message),
        LOG_STR("hint", *err->hint ? err->hint : "nothing is lost: `luaflow workers` shows it as dead after 30 s"));
  life->course.alarm = ALARM_OVER;
  life_kick(life);
}

void drain_leave(struct life *life) {
  if (life->course.standing == STANDING_UNKNOWN || !pg_is_ready(life->control)) return;
  struct pg_unit *unit = pg_unit_new(on_goodbye, life);
  pg_param_text(pg_unit_add(unit, &control_statements[STMT_STOP]), life->worker_id);
  pg_submit(life->control, unit);
  life_wait(life, GOODBYE_MS);
}

void drain_close(struct life *life) {
  watch_free(life->watch);
  heartbeat_stop(life->heartbeat);
  recovery_stop(life->recovery);
  old_generations_stop(life->old);
  handlers_close(life->handlers);
  life->handlers = NULL;
  troubles_stop(life->troubles);
  leftovers_free(life->leftovers);
  pg_close(life->control);
  work_close(life->work);
  life->control = NULL;
  life->work = NULL;
  pool_stop(life->pool);
}

void drain_end(struct life *life) {
  bool asked = life->course.standing != STANDING_UNKNOWN;
  LOG(life->log, asked ? LOG_INFO : LOG_DEBUG, "stopped", LOG_INT("exit", life->exit_code));
  pool_free(life->pool);
  life->pool = NULL;
  uv_close((uv_handle_t *)&life->timer, NULL);
  uv_close((uv_handle_t *)&life->turn, NULL);
}
