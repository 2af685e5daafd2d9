/* From the loaded modules to the first claim: choose the worker, connect, check, deploy. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process_start.h"
#include "base/say.h"
#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/control/deploy.h"
#include "worker/control/schema_check.h"
#include "worker/control/statements.h"
#include "worker/lifecycle_inside.h"

enum {
  RETRY_MS = 1000,
  RETRY_STEPS = 4 /* each twice as long */
};

static void startup_end(struct lifecycle *lifecycle, enum exit_code exit_code) {
  lifecycle->exit_code = exit_code;
  drain_finish(lifecycle);
}

/* details: further lines, or NULL. */
static void startup_fail_with(struct lifecycle *lifecycle, const struct err *err, const char *details) {
  say_err(err);
  if (details) say(stderr, "%s\n", details);
  startup_end(lifecycle, err->exit_code);
}

void startup_fail(struct lifecycle *lifecycle, const struct err *err) { startup_fail_with(lifecycle, err, NULL); }

void startup_not_loaded(struct lifecycle *lifecycle, const struct load_report *report, const struct err *err) {
  struct buf lines = {0};
  if (lifecycle->state == LIFECYCLE_STOPPED) return;
  if (!report) {
    startup_fail(lifecycle, err);
    return;
  }
  load_report_put_problems(report, &lines);
  say_text(stderr, lines.data, lines.len);
  buf_free(&lines);
  startup_end(lifecycle, EXIT_MODULES);
}

/* ---- the worker ---- */

static const struct load_worker *choose(const struct load_report *report, const char *queue, struct err *err) {
  if (queue) {
    const struct load_worker *worker = load_report_worker(report, queue);
    if (worker) return worker;
  }
  if (report->worker_count == 0) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "the modules define no flow");
    return NULL;
  }
  if (!queue && report->worker_count == 1) return &report->workers[0];
  char *queues = load_report_queues(report);
  if (queue)
    err_set(err, ERR_CONFIG, EXIT_USAGE, "--queue %s: the modules do not have it; they have %s", queue, queues);
  else
    err_set(err, ERR_CONFIG, EXIT_USAGE, "the modules have several queues: %s", queues);
  if (!queue) err_hint(err, "choose one with --queue");
  free(queues);
  return NULL;
}

static void on_changed(void *owner) { reload_want(owner, RELOAD_CHANGED); }

void startup_loaded(struct lifecycle *lifecycle, struct generation *generation) {
  struct err err;
  if (lifecycle->state != LIFECYCLE_STARTING) return;
  lifecycle->worker = choose(pool_report(generation), lifecycle->options->queue, &err);
  if (!lifecycle->worker) {
    startup_fail(lifecycle, &err);
    return;
  }
  const char *queue = lifecycle->queue = xstrdup(lifecycle->worker->queue);
  lifecycle->program = xasprintf("worker %s", queue);
  lifecycle->application_name = xasprintf("luaflow worker %s", queue);
  lifecycle->handler_name = xasprintf("luaflow handler %s", queue);
  lifecycle->listen = xasprintf("listen \"pgflow:%s\"", queue); /* a queue's name holds no quote: the load checked it */
  memcpy(lifecycle->control_session, control_settings, sizeof control_settings);
  lifecycle->control_session[SETTINGS_COUNT] = lifecycle->listen;
  lifecycle->log->program = lifecycle->program;
  pool_set_queue(lifecycle->pool, queue);
  pool_switch(lifecycle->pool, generation);
  lifecycle->serving = generation;
  LOG(lifecycle->log, LOG_INFO, "loaded", LOG_INT("executors", lifecycle->options->executors),
      LOG_STR("worker", lifecycle->worker_id));
  if (!connections_open(lifecycle, &err)) {
    startup_fail(lifecycle, &err);
    return;
  }
  if (lifecycle->options->watch)
    lifecycle->watch = watch_new(lifecycle->loop, lifecycle->root, lifecycle->options->env_file, on_changed, lifecycle,
                                 lifecycle->log);
  reload_go_on(lifecycle);
}

/* ---- check and deploy ---- */

static void on_retry(uv_timer_t *timer) { startup_go_on(timer->data); }

static void retry_in(struct lifecycle *lifecycle, uint64_t ms) { uv_timer_start(&lifecycle->timer, on_retry, ms, 0); }

static void each_task(void *owner, void (*visit)(void *beat, const struct task *task), void *beat) {
  const struct lifecycle *lifecycle = owner;
  work_each_task(lifecycle->work, visit, beat);
}

static void on_lost_task(void *owner, uint64_t number) {
  struct lifecycle *lifecycle = owner;
  pool_drop(lifecycle->pool, number);
}

static void on_cancelled_task(void *owner, uint64_t number) {
  struct lifecycle *lifecycle = owner;
  pool_cancel(lifecycle->pool, number);
}

static void on_deprecated(void *owner) { drain_begin(owner, "deprecated", EXIT_DONE); }

static void on_unknown(void *owner) { drain_forgotten(owner); }

static void on_enabled(void *owner) { reload_on_enabled(owner); }

/* Whether the limit of open files allows the host two generations of executors, as in a reload, and each executor a request of every task. */
static void check_files(struct lifecycle *lifecycle) {
  enum { HOST_FILES = 48, EXECUTOR_FILES = 4 };
  const struct worker_options *options = lifecycle->options;
  int host = HOST_FILES + 2 * EXECUTOR_FILES * options->executors + options->handler_connections;
  int tasks = (options->concurrency + options->executors - 1) / options->executors;
  int executor = PROCESS_OWN_FILES + PROCESS_REQUEST_FILES * tasks;
  int needed = host > executor ? host : executor;
  int limit = process_files();
  char text[256];
  if (limit >= needed) return;
  snprintf(
      text, sizeof text,
      "the limit of open files is %d, and %d are needed: by the host %d (--executors %d, --handler-connections %d), "
      "by each executor %d (--concurrency %d)",
      limit, needed, host, options->executors, options->handler_connections, executor, options->concurrency);
  LOG(lifecycle->log, LOG_WARN, "few_descriptors", LOG_STR("reason", text),
      LOG_STR("hint", "raise the hard limit: `ulimit -Hn`, or LimitNOFILE of its systemd unit"));
  troubles_set(lifecycle->troubles, TROUBLE_DESCRIPTORS, 0, text);
}

static void run(struct lifecycle *lifecycle, int64_t generation) {
  static const struct heartbeat_events events = {.each_task = each_task,
                                                 .lost = on_lost_task,
                                                 .cancelled = on_cancelled_task,
                                                 .deprecated = on_deprecated,
                                                 .unknown = on_unknown,
                                                 .enabled = on_enabled};
  lifecycle_set_state(lifecycle, LIFECYCLE_RUNNING);
  lifecycle->generation = generation;
  LOG(lifecycle->log, LOG_INFO, "running", LOG_STR("queue", lifecycle->queue),
      LOG_STR("function", lifecycle->worker->name), LOG_STR("worker", lifecycle->worker_id),
      LOG_INT("concurrency", lifecycle->options->concurrency));
  check_files(lifecycle);
  troubles_start(lifecycle->troubles, lifecycle->control, lifecycle->worker_id);
  lifecycle->heartbeat = heartbeat_new(lifecycle->loop, lifecycle->control, lifecycle->worker_id, &events, lifecycle,
                                       lifecycle->troubles, lifecycle->log);
  lifecycle->recovery =
      recovery_new(lifecycle->loop, lifecycle->control, lifecycle->worker_id, lifecycle->troubles, lifecycle->log);
  work_start(lifecycle->work, generation);
}

static void try_failed(struct lifecycle *lifecycle, const char *what, const struct err *err) {
  struct err found = *err;
  if (found.kind == ERR_CONFIG) {
    startup_fail(lifecycle, &found);
    return;
  }
  if (*found.sqlstate && !sqlstate_may_pass(found.sqlstate)) {
    found.exit_code = sqlstate_lacks_object(found.sqlstate) ? EXIT_DATABASE : EXIT_REFUSED;
    startup_fail(lifecycle, &found);
    return;
  }
  complaint_add_hint_for(&found, pg_role(lifecycle->control));
  if (complaint_is_new(&lifecycle->complaint, &found))
    LOG(lifecycle->log, LOG_WARN, what, LOG_STR("sqlstate", found.sqlstate), LOG_STR("error", found.message),
        LOG_STR("hint", *found.hint ? found.hint : NULL));
  if (sqlstate_is_read_only(found.sqlstate)) pg_reconnect(lifecycle->control, &found); /* perhaps to another server */
  retry_in(lifecycle, (uint64_t)RETRY_MS << lifecycle->tries_failed);
  if (lifecycle->tries_failed < RETRY_STEPS) lifecycle->tries_failed++;
}

static void take_answer(struct lifecycle *lifecycle, const struct deploy_answer *answer) {
  switch (answer->outcome) {
    case DEPLOY_DONE:
      run(lifecycle, answer->generation);
      return;
    case DEPLOY_FENCED:
      lifecycle->last_generation--; /* nothing has come of it */
      lifecycle_set_state(lifecycle, LIFECYCLE_FENCED);
      if (!lifecycle->fenced) LOG(lifecycle->log, LOG_WARN, "fenced", LOG_STR("function", lifecycle->worker->name));
      lifecycle->fenced = true;
      retry_in(lifecycle, RETRY_MS);
      return;
    case DEPLOY_REFUSED:
      if (lifecycle->log->format == LOG_TEXT)
        startup_fail_with(lifecycle, &answer->err, answer->details);
      else
        startup_end(lifecycle, answer->err.exit_code);
      return;
    case DEPLOY_FAILED:
      lifecycle_set_state(lifecycle, LIFECYCLE_STARTING);
      try_failed(lifecycle, "deployment_failed", &answer->err);
      return;
  }
}

static void on_deployed(void *owner, const struct deploy_answer *answer) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->state != LIFECYCLE_DEPLOYING) return;
  take_answer(lifecycle, answer);
  reload_go_on(lifecycle);
}

static bool is_deploying(void *owner) {
  const struct lifecycle *lifecycle = owner;
  return lifecycle->state == LIFECYCLE_DEPLOYING;
}

static void deploy_now(struct lifecycle *lifecycle) {
  static const struct deploy_events events = {.wanted = is_deploying, .done = on_deployed};
  lifecycle_set_state(lifecycle, LIFECYCLE_DEPLOYING);
  lifecycle->deploy_sent = true;
  deploy(lifecycle->control, lifecycle->worker_id, lifecycle->worker, ++lifecycle->last_generation, lifecycle->log,
         &events, lifecycle);
}

static void on_checked(void *owner, bool development, const struct err *err) {
  struct lifecycle *lifecycle = owner;
  lifecycle->checking = false;
  if (lifecycle->state != LIFECYCLE_STARTING) return;
  if (err) {
    try_failed(lifecycle, "schema_check_failed", err);
    return;
  }
  lifecycle->checked = true;
  lifecycle->development = development;
  startup_go_on(lifecycle);
}

/* Transactions of steps need handlers' connections in this very database. False: that is not known yet, or it has failed. */
static bool reaches_home(struct lifecycle *lifecycle) {
  struct err err;
  if (pool_report(lifecycle->serving)->transaction_count == 0) return true;
  switch (handlers_reach(lifecycle->handlers, &err)) {
    case HANDLER_REACH_UNKNOWN:
      return false;
    case HANDLER_REACH_HOME:
      return true;
    case HANDLER_REACH_OTHER:
      startup_fail(lifecycle, &err);
      return false;
  }
  return false;
}

/* Two connections, one server process: somebody in between hands it out by transaction. */
static bool is_pooled(const struct lifecycle *lifecycle) {
  return pg_last_backend(lifecycle->control).pid == work_last_backend(lifecycle->work).pid;
}

void startup_go_on(struct lifecycle *lifecycle) {
  if (lifecycle->state != LIFECYCLE_STARTING && lifecycle->state != LIFECYCLE_FENCED) return;
  if (lifecycle->checking || !pg_is_ready(lifecycle->control) || !work_is_connected(lifecycle->work)) return;
  if (is_pooled(lifecycle)) {
    struct err err;
    schema_set_pooled(&err);
    startup_fail(lifecycle, &err);
  } else if (lifecycle->checked) {
    if (reaches_home(lifecycle)) deploy_now(lifecycle);
  } else {
    lifecycle->checking = true;
    schema_check(lifecycle->control, on_checked, lifecycle);
  }
}
