/* The steps of a reload, and what follows if one fails; reload_files.c has those before the database is asked. */
#include "worker/reload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/control/deploy_ask.h"
#include "worker/control/statements.h"
#include "worker/life.h"
#include "worker/reload_inside.h"
#include "worker/source/changes.h"
#include "worker/tell_dev.h"

enum {
  RETRY_MS = 1000,
  RETRY_STEPS = 4,    /* each twice as long */
  ASK_MS = 250,       /* after the first answer that others hold what the deployment needs */
  ASK_STEPS = 3,      /* each twice as long */
  PATIENCE_MS = 2000, /* with the load of bytes that are not the last ones */
  QUIET_MS = 5000,    /* of waiting for locks, before it is logged: another worker's deployment is soon done */
};

/* ---- what is noted ---- */

void reload_note_refusal(struct life *life, int step, const char *error, const char *hint) {
  struct reload *reload = &life->reload;
  *reload->refusal.sqlstate = '\0';
  free(reload->refusal.error);
  reload->refusal.step = step;
  reload->refusal.error = xstrdup(error);
  snprintf(reload->refusal.hint, sizeof reload->refusal.hint, "%s", hint ? hint : "");
}

void reload_note_source(struct life *life, const struct source *source) {
  source_free(&life->reload.refused);
  if (source) source_copy(&life->reload.refused, source);
}

/* What the database has answered; error may have more than its message. */
static void note_failure(struct life *life, const char *error, const struct err *err) {
  struct refusal *refusal = &life->reload.refusal;
  reload_note_refusal(life, REFUSED_DEPLOYMENT, error, err->hint);
  snprintf(refusal->sqlstate, sizeof refusal->sqlstate, "%s", err->sqlstate);
}

bool reload_is_moving(const struct life *life) {
  return !life->course.whole && life->watch && !watch_is_settled(life->watch);
}

/* ---- what others are told ---- */

static void on_reported(void *owner, struct pg_unit *unit, const struct err *err) {
  struct life *life = owner;
  (void)unit;
  if (err && !life_is_closing(life))
    LOG(life->log, LOG_WARN, "reload_not_reported", LOG_STR("error", err->message),
        LOG_STR("hint", *err->hint ? err->hint : "this log has the outcome, which `luaflow workers` does not show"));
}

/* For those who look at the worker in the database. */
static void report(struct life *life) {
  if (life->generation == 0 || !life->control) return;
  struct pg_unit *unit = pg_unit_new(on_reported, life);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_REPORT_RELOAD]);
  pg_param_text(params, life->worker_id);
  pg_param_text(params, life->reload.error);
  pg_param_int(params, life->reload.answers);
  pg_submit(life->control, unit);
  if (life->reload.answers > life->reload.answered) life->reload.answered = life->reload.answers;
}

void reload_set_error(struct life *life, const char *error) {
  struct reload *reload = &life->reload;
  free(reload->error);
  reload->error = xstrdup(error);
  report(life);
}

/* The same error is logged once only, if the files still cannot be read, or if the worker itself has tried again. */
static bool is_said(const struct life *life) {
  const struct refusal *refusal = &life->reload.refusal;
  enum wish cause = life->course.cause;
  bool unasked = cause == WISH_AGAIN || (cause == WISH_CHANGED && refusal->step == REFUSED_READ);
  return unasked && life->reload.error && strcmp(life->reload.error, refusal->error) == 0;
}

/* The old generation keeps serving. Dev reports files that cannot be loaded, once for all its workers. */
static void refuse(struct life *life) {
  const struct refusal *refusal = &life->reload.refusal;
  if (refusal->step != REFUSED_DEPLOYMENT && reload_is_moving(life)) {
    reload_note_source(life, NULL);
    return;
  }
  bool known = is_said(life);
  bool told = refusal->step != REFUSED_DEPLOYMENT && tell_dev(life->options->dev, TELL_DEV_ERROR, refusal->error);
  LOG(life->log, known || told ? LOG_DEBUG : LOG_ERROR, "reload_refused", LOG_STR("error", refusal->error),
      LOG_STR("hint", *refusal->hint ? refusal->hint : NULL), LOG_INT("generation", life->generation));
  reload_set_error(life, refusal->error);
}

void reload_refuse(struct life *life) { refuse(life); }

/* What was asked for is answered by a later attempt. That others came first is no failure. */
void reload_refuse_for_now(struct life *life) {
  const struct refusal *refusal = &life->reload.refusal;
  life->reload.answers = 0;
  if (sqlstate_is_conflict(refusal->sqlstate))
    LOG(life->log, LOG_DEBUG, "reload_put_off", LOG_STR("reason", refusal->error));
  else
    refuse(life);
}

void reload_lose_patience(struct life *life) {
  LOG(life->log, LOG_INFO, "load_given_up", LOG_STR("reason", "the files have changed again"));
}

void reload_drop(struct life *life) {
  static const char reason[] = "the worker drains: nothing is deployed any more";
  LOG(life->log, life->course.cause == WISH_ORDERED ? LOG_WARN : LOG_DEBUG, "reload_refused", LOG_STR("error", reason));
  if (life->reload.asked <= life->reload.answered) return;
  life->reload.answers = life->reload.asked;
  reload_set_error(life, reason);
}

/* ---- time ---- */

static void on_alarm(uv_timer_t *timer) {
  struct life *life = timer->data;
  if (life->course.reload_alarm != ALARM_RUNS) return;
  life->course.reload_alarm = ALARM_OVER;
  life_kick(life);
}

static void wait_for(struct life *life, uint64_t ms) {
  life->course.reload_alarm = ALARM_RUNS;
  uv_timer_start(&life->reload.timer, on_alarm, ms, 0);
}

void reload_pause(struct life *life) {
  struct reload *reload = &life->reload;
  wait_for(life, (uint64_t)RETRY_MS << reload->failures);
  if (reload->failures < RETRY_STEPS) reload->failures++;
}

void reload_expect(struct life *life) {
  uint64_t took = uv_now(life->loop) - life->reload.began_at;
  wait_for(life, took < PATIENCE_MS ? PATIENCE_MS - took : 0);
}

/* ---- ask ---- */

static void end_wait(struct life *life) {
  life->reload.waits = 0;
  complaint_end(&life->reload.waiting);
  troubles_set(life->troubles, TROUBLE_DEPLOYMENT, 0, NULL);
}

static void note_wait(struct life *life, const struct err *err) {
  struct reload *reload = &life->reload;
  if (reload->waits == 0) reload->waits_since = uv_now(life->loop);
  troubles_set(life->troubles, TROUBLE_DEPLOYMENT, 0, err->message);
  if (uv_now(life->loop) - reload->waits_since < QUIET_MS) return;
  if (complaint_is_new(&reload->waiting, err)) LOG(life->log, LOG_WARN, "reload_waits", LOG_ERR(err));
}

static void note_obstacle(struct life *life, const struct err *err) {
  struct err found = *err;
  complaint_add_hint_for(&found, pg_role(life->control));
  note_failure(life, found.message, &found);
  if (sqlstate_is_locked_out(err->sqlstate)) note_wait(life, &found);
}

enum answer reload_judge(const struct life *life, const struct err *err) {
  if (sqlstate_is_locked_out(err->sqlstate)) return ANSWER_HELD;
  if (sqlstate_is_conflict(err->sqlstate)) return ANSWER_OUTDATED;
  bool final = *err->sqlstate && !sqlstate_may_pass(err->sqlstate);
  return final && life->course.worker == WORKER_RUNNING ? ANSWER_REFUSED : ANSWER_FAILED;
}

static void on_asked(void *owner, const struct err *err) {
  struct life *life = owner;
  if (life->course.reload != RELOAD_ASKING) return;
  life->course.asked = err ? reload_judge(life, err) : ANSWER_GOOD;
  if (err) note_obstacle(life, err);
  if (life->course.asked == ANSWER_REFUSED) reload_note_source(life, pool_source(life->candidate));
  life_kick(life);
}

void reload_ask(struct life *life) {
  char *registries = deploy_registries(pool_report(life->candidate));
  const struct deploy_question question = {
      .worker_id = life->worker_id,
      .worker = life->reload.worker,
      .extent = life_extent(life, life->course.whole || !life_is_cautious(life)),
      .registries = registries,
      .read_from_ms = pool_source(life->candidate)->read_from_ms,
  };
  deploy_ask(life->control, &question, on_asked, life);
  free(registries);
}

/* The candidate waits; the old generation claims. */
void reload_held(struct life *life) {
  struct reload *reload = &life->reload;
  wait_for(life, (uint64_t)ASK_MS << reload->waits);
  if (reload->waits < ASK_STEPS) reload->waits++;
}

void reload_discard(struct life *life) {
  struct generation *generation = life->candidate;
  life->candidate = NULL;
  end_wait(life);
  pool_discard(generation);
}

/* ---- deploy ---- */

/* Files are changed for all workers of a dev alike: it tells that once, and each worker what is new about its own
 * flows. */
static void log_reloaded(struct life *life, const char *of_flows) {
  struct reload *reload = &life->reload;
  struct buf changes = {0}, told = {0};
  changes_put_files(&changes, pool_source(life->serving), pool_source(life->candidate));
  buf_printf(&told, "%s\n%s", reload->worker->queue, changes.len ? changes.data : "");
  bool by_dev = tell_dev(life->options->dev, TELL_DEV_SERVES, told.data) && !*of_flows;
  if (*of_flows) buf_printf(&changes, "%s%s", changes.len ? "; " : "", of_flows);
  LOG(life->log, by_dev ? LOG_DEBUG : LOG_INFO, "reloaded", LOG_INT("generation", life->generation),
      LOG_INT("ms", (int64_t)(uv_now(life->loop) - reload->began_at)), LOG_STR("changes", changes.data));
  buf_free(&changes);
  buf_free(&told);
}

/* What the files have, and an order has not brought into the database yet. */
static void hold_back(struct life *life, const char *what) {
  char **held_back = &life->reload.held_back;
  free(*held_back);
  *held_back = *what ? xstrdup(what) : NULL;
  troubles_set(life->troubles, TROUBLE_HELD_BACK, 0, *held_back);
}

/* of_flows: what its deployment has changed; held_back: what it did not bring. */
static void serve(struct life *life, const char *of_flows, const char *held_back) {
  log_reloaded(life, of_flows);
  struct generation *generation = life->candidate;
  life->candidate = NULL;
  end_wait(life);
  life->serving = generation;
  life->worker = life->reload.worker;
  source_free(&life->reload.refused);
  reload_set_error(life, NULL);
  hold_back(life, held_back);
  pool_switch(life->pool, generation);
  pool_set_number(generation, life->generation);
  if (life->old) old_generations_look(life->old);
}

void reload_serve(struct life *life) { serve(life, "", ""); }

static void take_number(struct life *life) {
  life->generation = life->deployment.generation;
  life->reload.failures = 0;
  if (complaint_end(&life->reload.again)) troubles_set(life->troubles, TROUBLE_CLAIM, 0, NULL);
}

void reload_deployed_again(struct life *life) {
  take_number(life);
  pool_set_number(life->serving, life->generation);
}

void reload_switch(struct life *life) {
  life->whole = life->course.whole || !life_is_cautious(life);
  take_number(life);
  serve(life, life->deployment.changes, life->deployment.held_back);
}

/* Nothing was wrong with the files where a later attempt may succeed. */
void reload_not_deployed(struct life *life, const struct deploy_answer *answer) {
  struct err err = answer->err;
  if (answer->outcome == DEPLOY_FAILED && life->candidate && sqlstate_is_locked_out(err.sqlstate)) {
    note_obstacle(life, &err);
    return;
  }
  char *error = xasprintf("%s%s%s", err.message, *answer->details ? "\n" : "", answer->details);
  if (answer->outcome == DEPLOY_FAILED) complaint_add_hint_for(&err, pg_role(life->control));
  note_failure(life, error, &err);
  bool later = answer->outcome == DEPLOY_FAILED && reload_judge(life, &err) != ANSWER_REFUSED;
  if (life->candidate) reload_note_source(life, later ? NULL : pool_source(life->candidate));
  free(error);
}

/* The serving generation cannot claim until this succeeds. */
void reload_not_deployed_again(struct life *life) {
  const struct refusal *refusal = &life->reload.refusal;
  struct err err;
  err_set(&err, ERR_RETRY, EXIT_FAILED,
          "the database has another generation of this worker, and the serving one could not be deployed again: %s",
          refusal->error);
  bool others = sqlstate_is_locked_out(refusal->sqlstate) || sqlstate_is_conflict(refusal->sqlstate);
  if (complaint_is_new(&life->reload.again, &err))
    LOG(life->log, others ? LOG_WARN : LOG_ERROR, "not_deployed_again", LOG_STR("error", refusal->error),
        LOG_STR("hint", "the worker claims nothing until then, and retries"));
  troubles_set(life->troubles, TROUBLE_CLAIM, 0, err.message);
  reload_pause(life);
}

/* ---- the whole ---- */

void reload_init(struct life *life) {
  struct reload *reload = &life->reload;
  reload->refused.snapshot = reload->found.snapshot = reload->seen.snapshot = -1;
  uv_timer_init(life->loop, &reload->timer);
  reload->timer.data = life;
}

void reload_close(struct life *life) { uv_close((uv_handle_t *)&life->reload.timer, NULL); }

void reload_free(struct life *life) {
  source_free(&life->reload.refused);
  source_free(&life->reload.found);
  source_free(&life->reload.seen);
  free(life->reload.held_back);
  free(life->reload.refusal.error);
  free(life->reload.error);
}
