/* The steps of a reload, one after the other, and what is done about each that fails. */
#include "worker/reload.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/control/statements.h"
#include "worker/lifecycle_inside.h"
#include "worker/source/changes.h"
#include "worker/tell_dev.h"

enum {
  OLD_MAX = 2, /* generations that finish what they have */
  RETRY_MS = 1000,
  RETRY_STEPS = 4,    /* each twice as long */
  PATIENCE_MS = 2000, /* with the load of bytes that are not the last ones */
};

static const struct {
  const char *name;
  unsigned moves;
} states[] = {
#define IN(name) (1u << RELOAD_##name)
#define X(name, text, moves) {text, moves},
    RELOAD_STATES(X)
#undef X
#undef IN
};

static void set_state(struct lifecycle *lifecycle, enum reload_state state) {
  struct reload *reload = &lifecycle->reload;
  CHECK(states[reload->state].moves & (1u << state));
  LOG(lifecycle->log, LOG_DEBUG, "reload_state", LOG_STR("from", states[reload->state].name),
      LOG_STR("to", states[state].name));
  reload->state = state;
}

const char *reload_state_text(const struct lifecycle *lifecycle) {
  return lifecycle->reload.state == RELOAD_IDLE ? NULL : states[lifecycle->reload.state].name;
}

static bool is_ending(const struct lifecycle *lifecycle) { return lifecycle->state >= LIFECYCLE_DRAINING; }

/* ---- how it ends ---- */

/* What was made for it goes, and claims go on. */
static void clear(struct lifecycle *lifecycle) {
  struct reload *reload = &lifecycle->reload;
  bool was_held = reload->state == RELOAD_HOLDING || reload->state == RELOAD_DEPLOYING;
  struct generation *generation = reload->generation;
  uv_timer_stop(&reload->patience);
  reload->generation = NULL;
  reload->worker = NULL;
  set_state(lifecycle, RELOAD_IDLE);
  if (generation) pool_discard(generation);
  if (was_held && !reload->stale && !is_ending(lifecycle)) work_start(lifecycle->work, lifecycle->generation);
}

static void on_reported(void *owner, struct pg_unit *unit, const struct err *err) {
  struct lifecycle *lifecycle = owner;
  (void)unit;
  if (err && !lifecycle->closing) LOG(lifecycle->log, LOG_WARN, "reload_not_reported", LOG_STR("error", err->message));
}

/* For those who look at the worker in the database. */
static void report(struct lifecycle *lifecycle) {
  if (lifecycle->generation == 0 || !lifecycle->control) return;
  struct pg_unit *unit = pg_unit_new(on_reported, lifecycle);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_REPORT_RELOAD]);
  pg_param_text(params, lifecycle->worker_id);
  pg_param_text(params, lifecycle->reload.error);
  pg_submit(lifecycle->control, unit);
}

static void set_error(struct lifecycle *lifecycle, const char *error) {
  struct reload *reload = &lifecycle->reload;
  free(reload->error);
  reload->error = xstrdup(error);
  report(lifecycle);
}

/* What was said is not said again of bytes that still cannot be read, or by an attempt that nobody but the worker itself has asked for. */
static bool is_said(const struct reload *reload, const char *error) {
  bool unasked = reload->cause == RELOAD_AGAIN || (reload->cause == RELOAD_CHANGED && !reload->generation);
  return unasked && reload->error && strcmp(reload->error, error) == 0;
}

/* The old generation goes on. Of bytes that cannot be loaded dev tells, once for all its workers. */
static void refuse(struct lifecycle *lifecycle, const char *error, const char *hint) {
  struct reload *reload = &lifecycle->reload;
  bool known = is_said(reload, error);
  bool told = reload->state < RELOAD_LOADED && tell_dev(lifecycle->options->dev, TELL_DEV_ERROR, error);
  LOG(lifecycle->log, known || told ? LOG_DEBUG : LOG_ERROR, "reload_refused", LOG_STR("error", error),
      LOG_STR("hint", hint && *hint ? hint : NULL), LOG_INT("generation", lifecycle->generation));
  set_error(lifecycle, error);
  source_free(&reload->refused);
  if (reload->generation) source_copy(&reload->refused, pool_source(reload->generation));
  clear(lifecycle);
}

static void on_retry(uv_timer_t *timer) { reload_go_on(timer->data); }

/* The reason may pass: the same is tried again by itself. */
static void retry_later(struct lifecycle *lifecycle) {
  struct reload *reload = &lifecycle->reload;
  uv_timer_start(&reload->retry, on_retry, (uint64_t)RETRY_MS << reload->failures, 0);
  if (reload->failures < RETRY_STEPS) reload->failures++;
}

static void want(struct lifecycle *lifecycle, enum reload_cause cause) {
  struct reload *reload = &lifecycle->reload;
  if (!reload->wanted || cause > reload->next_cause) reload->next_cause = cause;
  reload->wanted = true;
}

static void want_again(struct lifecycle *lifecycle) {
  want(lifecycle, RELOAD_AGAIN);
  retry_later(lifecycle);
}

/* ---- read ---- */

static void log_warnings(struct lifecycle *lifecycle, const struct buf *warnings) {
  struct cursor cursor = {.data = warnings->data, .len = warnings->len};
  while (cursor.pos < cursor.len && !cursor.bad) {
    char *path = cursor_strdup(&cursor), *why = cursor_strdup(&cursor);
    LOG(lifecycle->log, LOG_WARN, "not_loaded", LOG_STR("path", path), LOG_STR("reason", why));
    free(path);
    free(why);
  }
}

/* True if a load of these bytes would bring nothing: they serve, or were refused. */
static bool is_known(struct lifecycle *lifecycle, const struct source *source) {
  struct reload *reload = &lifecycle->reload;
  bool was_refused = reload->refused.snapshot >= 0 && source_same(source, &reload->refused);
  if (was_refused || !source_same(source, pool_source(lifecycle->serving))) return was_refused;
  source_free(&reload->refused);
  if (!reload->error) return true;
  bool told = lifecycle_tell_queues(lifecycle, pool_report(lifecycle->serving));
  LOG(lifecycle->log, told ? LOG_DEBUG : LOG_INFO, "reload_not_needed",
      LOG_STR("reason", "the files are again what serves"));
  set_error(lifecycle, NULL);
  return true;
}

static void on_read(void *owner, struct source_reading *reading) {
  struct lifecycle *lifecycle = owner;
  struct reload *reload = &lifecycle->reload;
  struct err err;
  if (reload->state != RELOAD_READING) return;
  if (lifecycle->watch && watch_update(lifecycle->watch, &reading->folders, reading->good))
    want(lifecycle, RELOAD_CHANGED);
  if (!reading->good) {
    refuse(lifecycle, reading->err.message, reading->err.hint);
    if (reading->err.kind == ERR_RETRY) want_again(lifecycle);
  } else if (reload->cause == RELOAD_CHANGED && is_known(lifecycle, &reading->source)) {
    clear(lifecycle);
  } else {
    log_warnings(lifecycle, &reading->warnings);
    set_state(lifecycle, RELOAD_LOADING);
    reload->generation = pool_load(lifecycle->pool, &reading->source, &err);
    if (!reload->generation) {
      refuse(lifecycle, err.message, err.hint);
      want_again(lifecycle);
    }
  }
  reload_go_on(lifecycle);
}

static void read_source(struct lifecycle *lifecycle) {
  struct reload *reload = &lifecycle->reload;
  reload->wanted = reload->fenced = false;
  reload->cause = reload->next_cause;
  reload->began_at = uv_now(lifecycle->loop);
  set_state(lifecycle, RELOAD_READING);
  source_read(lifecycle->loop, lifecycle->root, lifecycle->options->env_file, on_read, lifecycle);
}

/* ---- load ---- */

static void on_patience_over(uv_timer_t *timer) {
  struct lifecycle *lifecycle = timer->data;
  LOG(lifecycle->log, LOG_INFO, "load_given_up", LOG_STR("reason", "the files have changed again"));
  clear(lifecycle);
  reload_go_on(lifecycle);
}

/* Bytes that are not the last ones may load for ever. */
static void lose_patience(struct lifecycle *lifecycle) {
  struct reload *reload = &lifecycle->reload;
  uint64_t took = uv_now(lifecycle->loop) - reload->began_at;
  if (uv_is_active((uv_handle_t *)&reload->patience)) return;
  uv_timer_start(&reload->patience, on_patience_over, took < PATIENCE_MS ? PATIENCE_MS - took : 0, 0);
}

void reload_loaded(struct lifecycle *lifecycle, struct generation *generation) {
  struct reload *reload = &lifecycle->reload;
  const struct load_report *report = pool_report(generation);
  struct err err = {.message = "--handler-database has not answered yet: steps with transaction = true need it"};
  if (generation != reload->generation) return;
  uv_timer_stop(&reload->patience);
  reload->worker = load_report_worker(report, lifecycle->queue);
  if (reload->worker && report->transaction_count > 0 &&
      handlers_reach(lifecycle->handlers, &err) != HANDLER_REACH_HOME) {
    refuse(lifecycle, err.message, err.hint);
  } else if (reload->worker) {
    set_state(lifecycle, RELOAD_LOADED);
  } else if (lifecycle->options->dev >= 0) {
    clear(lifecycle); /* dev has been told of the queues, and ends this worker */
  } else {
    char *queues = load_report_queues(report);
    char *error = xasprintf("queue %s: the modules do not have it any more; they have %s", lifecycle->queue, queues);
    refuse(lifecycle, error, "a worker keeps its queue: start another one for another queue");
    free(error);
    free(queues);
  }
  reload_go_on(lifecycle);
}

void reload_not_loaded(struct lifecycle *lifecycle, struct generation *generation, const struct load_report *report,
                       const struct err *err) {
  struct reload *reload = &lifecycle->reload;
  struct buf lines = {0};
  if (generation != reload->generation) return;
  if (report) {
    load_report_put_problems(report, &lines);
    lines.data[lines.len - 1] = '\0'; /* for the last newline */
  }
  refuse(lifecycle, report ? lines.data : err->message, report ? NULL : err->hint);
  buf_free(&lines);
  reload_go_on(lifecycle);
}

/* ---- deploy ---- */

/* Files are changed for all workers of a dev alike: it tells that once, and each worker what is new about its own flows. */
static void log_reloaded(struct lifecycle *lifecycle, const char *of_flows) {
  struct reload *reload = &lifecycle->reload;
  struct buf changes = {0}, told = {0};
  changes_put_files(&changes, pool_source(lifecycle->serving), pool_source(reload->generation));
  buf_printf(&told, "%s\n%s", reload->worker->queue, changes.len ? changes.data : "");
  bool by_dev = tell_dev(lifecycle->options->dev, TELL_DEV_SERVES, told.data) && !*of_flows;
  if (*of_flows) buf_printf(&changes, "%s%s", changes.len ? "; " : "", of_flows);
  LOG(lifecycle->log, by_dev ? LOG_DEBUG : LOG_INFO, "reloaded", LOG_INT("generation", lifecycle->generation),
      LOG_INT("ms", (int64_t)(uv_now(lifecycle->loop) - reload->began_at)), LOG_STR("changes", changes.data));
  buf_free(&changes);
  buf_free(&told);
}

/* The generation has loaded, and is to serve under this number. of_flows: what its deployment has changed. */
static void serve(struct lifecycle *lifecycle, const char *of_flows) {
  struct reload *reload = &lifecycle->reload;
  log_reloaded(lifecycle, of_flows);
  pool_switch(lifecycle->pool, reload->generation);
  lifecycle->serving = reload->generation;
  lifecycle->worker = reload->worker;
  reload->generation = NULL;
  source_free(&reload->refused);
  set_error(lifecycle, NULL);
}

static void deployed(struct lifecycle *lifecycle, const struct deploy_answer *answer) {
  lifecycle->generation = answer->generation;
  lifecycle->reload.stale = false;
  lifecycle->reload.failures = 0;
  if (lifecycle->reload.generation) serve(lifecycle, answer->changes);
  clear(lifecycle);
}

static void not_deployed(struct lifecycle *lifecycle, const struct deploy_answer *answer) {
  struct reload *reload = &lifecycle->reload;
  struct err err = answer->err;
  bool again = answer->outcome == DEPLOY_FAILED && (!*err.sqlstate || sqlstate_may_pass(err.sqlstate));
  char *error = xasprintf("%s%s%s", err.message, *answer->details ? "\n" : "", answer->details);
  if (answer->outcome == DEPLOY_FAILED) complaint_add_hint_for(&err, pg_role(lifecycle->control));
  if (reload->generation) {
    refuse(lifecycle, error, err.hint);
    if (again) want_again(lifecycle);
    reload->fenced = answer->outcome == DEPLOY_FENCED;
  } else { /* it was the one that serves, and it cannot claim before */
    if (reload->failures == 0) LOG(lifecycle->log, LOG_ERROR, "not_deployed_again", LOG_STR("error", error));
    clear(lifecycle);
    retry_later(lifecycle);
  }
  free(error);
}

static void on_deployed(void *owner, const struct deploy_answer *answer) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->reload.state != RELOAD_DEPLOYING) return;
  if (answer->outcome == DEPLOY_DONE)
    deployed(lifecycle, answer);
  else
    not_deployed(lifecycle, answer);
  reload_go_on(lifecycle);
}

static bool is_deploying(void *owner) {
  const struct lifecycle *lifecycle = owner;
  return lifecycle->reload.state == RELOAD_DEPLOYING;
}

static void send_deployment(struct lifecycle *lifecycle) {
  static const struct deploy_events events = {.wanted = is_deploying, .done = on_deployed};
  struct reload *reload = &lifecycle->reload;
  set_state(lifecycle, RELOAD_DEPLOYING);
  deploy(lifecycle->control, lifecycle->worker_id, reload->generation ? reload->worker : lifecycle->worker,
         ++lifecycle->last_generation, lifecycle->log, &events, lifecycle);
}

/* Sends it once no claim is under way. */
static void hold(struct lifecycle *lifecycle) {
  if (lifecycle->reload.state != RELOAD_HOLDING) {
    set_state(lifecycle, RELOAD_HOLDING);
    work_hold(lifecycle->work);
  }
  if (!work_is_claiming(lifecycle->work) && pg_is_ready(lifecycle->control)) send_deployment(lifecycle);
}

/* ---- the order of it ---- */

/* The worker has not deployed yet: what it will deploy is the new one. */
static void serve_undeployed(struct lifecycle *lifecycle) {
  serve(lifecycle, "");
  clear(lifecycle);
}

static void on_loaded_state(struct lifecycle *lifecycle) {
  switch (lifecycle->state) {
    case LIFECYCLE_RUNNING:
      if (pg_is_ready(lifecycle->control)) hold(lifecycle);
      return;
    case LIFECYCLE_STARTING:
    case LIFECYCLE_FENCED:
      if (!lifecycle->checking) serve_undeployed(lifecycle);
      return;
    case LIFECYCLE_DEPLOYING: /* its answer is waited for */
    case LIFECYCLE_DRAINING:
    case LIFECYCLE_STOPPED:
      return;
  }
}

static void begin(struct lifecycle *lifecycle) {
  struct reload *reload = &lifecycle->reload;
  if (!lifecycle->serving || is_ending(lifecycle) || uv_is_active((uv_handle_t *)&reload->retry)) return;
  if (reload->stale) {
    if (pg_is_ready(lifecycle->control)) hold(lifecycle);
    return;
  }
  if (!reload->wanted) return;
  bool waits = pool_old_count(lifecycle->pool) >= OLD_MAX;
  if (waits && !reload->waits)
    LOG(lifecycle->log, LOG_INFO, "reload_waits", LOG_STR("for", "an old generation to finish its tasks"),
        LOG_INT("old_generations", OLD_MAX));
  reload->waits = waits;
  if (!waits) read_source(lifecycle);
}

void reload_go_on(struct lifecycle *lifecycle) {
  switch (lifecycle->reload.state) {
    case RELOAD_IDLE:
      begin(lifecycle);
      return;
    case RELOAD_LOADING:
      if (lifecycle->reload.wanted) lose_patience(lifecycle);
      return;
    case RELOAD_LOADED:
      on_loaded_state(lifecycle);
      return;
    case RELOAD_HOLDING:
      hold(lifecycle);
      return;
    case RELOAD_READING:
    case RELOAD_DEPLOYING:
      return;
  }
}

void reload_want(struct lifecycle *lifecycle, enum reload_cause cause) {
  struct reload *reload = &lifecycle->reload;
  if (is_ending(lifecycle)) {
    LOG(lifecycle->log, cause == RELOAD_ORDERED ? LOG_WARN : LOG_DEBUG, "reload_refused",
        LOG_STR("error", "the worker drains: nothing is deployed any more"));
    return;
  }
  want(lifecycle, cause);
  uv_timer_stop(&reload->retry);
  reload_go_on(lifecycle);
}

void reload_on_enabled(struct lifecycle *lifecycle) {
  if (lifecycle->reload.fenced) reload_want(lifecycle, RELOAD_ORDERED);
}

void reload_on_stale(struct lifecycle *lifecycle) {
  LOG(lifecycle->log, LOG_WARN, "stale_generation", LOG_INT("generation", lifecycle->generation));
  lifecycle->reload.stale = true;
  reload_go_on(lifecycle);
}

void reload_stop(struct lifecycle *lifecycle) {
  struct reload *reload = &lifecycle->reload;
  uv_timer_stop(&reload->retry);
  reload->wanted = reload->stale = false;
  if (reload->state == RELOAD_IDLE) return;
  LOG(lifecycle->log, reload->cause == RELOAD_ORDERED ? LOG_WARN : LOG_DEBUG, "reload_refused",
      LOG_STR("error", "the worker drains: nothing is deployed any more"));
  clear(lifecycle);
}

void reload_init(struct lifecycle *lifecycle) {
  struct reload *reload = &lifecycle->reload;
  reload->refused.snapshot = -1;
  uv_timer_init(lifecycle->loop, &reload->retry);
  uv_timer_init(lifecycle->loop, &reload->patience);
  reload->retry.data = reload->patience.data = lifecycle;
}

void reload_close(struct lifecycle *lifecycle) {
  uv_close((uv_handle_t *)&lifecycle->reload.retry, NULL);
  uv_close((uv_handle_t *)&lifecycle->reload.patience, NULL);
}

void reload_free(struct lifecycle *lifecycle) {
  source_free(&lifecycle->reload.refused);
  free(lifecycle->reload.error);
}
