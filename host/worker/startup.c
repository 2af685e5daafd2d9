/* The steps to the first claim, and what follows if one fails. */
#include "worker/startup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/process_start.h"
#include "base/say.h"
#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/control/deploy.h"
#include "worker/control/schema_check.h"
#include "worker/control/statements.h"
#include "worker/life.h"

enum {
  RETRY_MS = 1000,
  RETRY_STEPS = 4 /* each twice as long */
};

void startup_not_loaded(struct life *life, const struct load_report *report, const struct err *err) {
  struct buf lines = {0};
  life->candidate = NULL;
  life->course.candidate = CANDIDATE_FAILED;
  if (!report) {
    life_fail(life, err, NULL);
    return;
  }
  load_report_put_problems(report, &lines);
  say_text(stderr, lines.data, lines.len);
  buf_free(&lines);
  life_fail_quietly(life, EXIT_MODULES);
}

/* ---- the worker ---- */

static const char *nearest_queue(const struct load_report *report, const char *queue) {
  const char **names = xcalloc(report->worker_count, sizeof *names);
  for (size_t i = 0; i < report->worker_count; i++) names[i] = report->workers[i].queue;
  const char *best = nearest(queue, names, report->worker_count);
  free(names);
  return best;
}

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
  char *told = queue ? load_report_lacks(report, queue, "") : load_report_queues(report);
  const char *meant = queue ? nearest_queue(report, queue) : NULL;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s%s", queue ? "--queue: " : "the modules have several queues: ", told);
  err_hint(err, "%s%s%s%s", meant ? "did you mean " : "", meant ? meant : "", meant ? "? " : "",
           queue ? "give one of these queues, or the path of the flows that use it" : "choose one with --queue");
  free(told);
  return NULL;
}

static void on_changed(void *owner) { life_reload(owner, WISH_CHANGED); }

static void watch(struct life *life) {
  const struct load_report *report = pool_report(life->serving);
  life->watch = watch_new(life->loop, life->root, life->options->env_file.path, life->options->watch_settle_ms,
                          on_changed, life, life->log);
  for (size_t i = 0; i < report->data_count; i++) watch_add_file(life->watch, report->data_files[i]);
}

bool startup_choose(struct life *life) {
  struct err err;
  life->worker = choose(pool_report(life->candidate), life->options->queue, &err);
  if (!life->worker) {
    life_fail(life, &err, NULL);
    return false;
  }
  const char *queue = life->queue = xstrdup(life->worker->queue);
  life->program = xasprintf("worker %s", queue);
  life->application_name = xasprintf("luaflow worker %s", queue);
  life->handler_name = xasprintf("luaflow handler %s", queue);
  life->listen = xasprintf("listen \"pgflow:%s\"", queue); /* a queue's name holds no quote: the load checked it */
  memcpy(life->control_session, control_settings, sizeof control_settings);
  life->control_session[SETTINGS_COUNT] = life->listen;
  life->log->program = life->program;
  pool_set_queue(life->pool, queue);
  pool_switch(life->pool, life->candidate);
  life->serving = life->candidate;
  life->candidate = NULL;
  LOG(life->log, LOG_INFO, "loaded", LOG_INT("executors", life->options->executors),
      LOG_STR("worker", life->worker_id));
  if (life->options->watch) watch(life);
  return true;
}

/* ---- check ---- */

/* Waiting for a lock costs nobody anything, so it is not waited for longer each time. */
static void retry(struct life *life, bool locked_out) {
  life_wait(life, locked_out ? RETRY_MS : (uint64_t)RETRY_MS << life->tries_failed);
  if (!locked_out && life->tries_failed < RETRY_STEPS) life->tries_failed++;
}

static void try_failed(struct life *life, const char *what) {
  struct err err = life->deployment.err;
  if (err.kind == ERR_CONFIG) {
    life_fail(life, &err, NULL);
    return;
  }
  if (*err.sqlstate && !sqlstate_may_pass(err.sqlstate)) {
    err.exit_code = sqlstate_lacks_object(err.sqlstate) ? EXIT_DATABASE : EXIT_REFUSED;
    life_fail(life, &err, NULL);
    return;
  }
  complaint_add_hint_for(&err, pg_role(life->control));
  if (complaint_is_new(&life->complaint, &err)) LOG(life->log, LOG_WARN, what, LOG_ERR(&err));
  retry(life, sqlstate_is_locked_out(err.sqlstate));
  if (sqlstate_is_read_only(err.sqlstate)) pg_reconnect(life->control, &err); /* it may reach another server */
}

static void on_checked(void *owner, bool development, const struct err *err) {
  struct life *life = owner;
  if (life->course.worker != WORKER_CHECKING) return;
  life->course.checked = err ? ANSWER_FAILED : ANSWER_GOOD;
  if (development && !life->development && life->options->dev < 0)
    LOG(life->log, LOG_WARN, "development_database",
        LOG_STR("message",
                "this database was made by luaflow dev: a deployment follows the files, moves "
                "aliases to them, and deletes a stored flow that differs, with its runs"));
  life->development = development;
  if (err) life->deployment.err = *err;
  life_kick(life);
}

void startup_check(struct life *life) { schema_check(life->control, on_checked, life); }

void startup_not_checked(struct life *life) { try_failed(life, "schema_check_failed"); }

/* Two connections, one server process: somebody in between hands it out by transaction. */
void startup_pooled(struct life *life) {
  struct err err;
  schema_set_pooled(&err);
  life_fail(life, &err, NULL);
}

void startup_elsewhere(struct life *life) {
  struct err err;
  if (handlers_reach(life->handlers, &err) == HANDLER_REACH_OTHER) life_fail(life, &err, NULL);
}

/* ---- after the deployment ---- */

static void each_task(void *owner, void (*visit)(void *beat, const struct task *task), void *beat) {
  const struct life *life = owner;
  work_each_task(life->work, visit, beat);
}

static void on_lost_task(void *owner, uint64_t number) {
  struct life *life = owner;
  pool_drop(life->pool, number);
}

static void on_cancelled_task(void *owner, uint64_t number) {
  struct life *life = owner;
  pool_cancel(life->pool, number);
}

static void on_deprecated(void *owner) { life_drain(owner, "deprecated", EXIT_DONE); }

static void on_unknown(void *owner) { life_forgotten(owner); }

static void on_enabled(void *owner) {
  struct life *life = owner;
  course_enabled(&life->course);
  life_kick(life);
}

/* By `luaflow reload`; the next look at the disk answers it. */
static void on_asked(void *owner, int64_t request) {
  struct life *life = owner;
  if (request <= life->reload.asked) return;
  life->reload.asked = request;
  LOG(life->log, LOG_INFO, "reload_requested");
  life_order_reload(life);
}

/* Whether the limit of open files allows the host two generations of executors, as in a reload, and each executor a
 * request of every task. */
static void check_files(struct life *life) {
  enum { HOST_FILES = 48, EXECUTOR_FILES = 4 };
  const struct worker_options *options = life->options;
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
  LOG(life->log, LOG_WARN, "few_descriptors", LOG_STR("reason", text),
      LOG_STR("hint", "raise the hard limit: `ulimit -Hn`, or LimitNOFILE of its systemd unit"));
  troubles_set(life->troubles, TROUBLE_DESCRIPTORS, 0, text);
}

void startup_run(struct life *life) {
  static const struct heartbeat_events events = {.each_task = each_task,
                                                 .lost = on_lost_task,
                                                 .cancelled = on_cancelled_task,
                                                 .deprecated = on_deprecated,
                                                 .unknown = on_unknown,
                                                 .enabled = on_enabled,
                                                 .asked = on_asked};
  life->generation = life->deployment.generation;
  LOG(life->log, LOG_INFO, "running", LOG_STR("queue", life->queue), LOG_STR("function", life->worker->name),
      LOG_STR("worker", life->worker_id), LOG_INT("concurrency", life->options->concurrency));
  check_files(life);
  troubles_start(life->troubles, life->control, life->worker_id);
  life->heartbeat = heartbeat_new(life->loop, life->control, life->worker_id, &events, life, life->troubles, life->log);
  const struct recovery_options recovery = {
      .conninfo = life->options->database,
      .source = life->options->database_source,
      .application_name = life->application_name,
      .worker_id = life->worker_id,
      .pg = life->control,
      .leftovers = life->leftovers,
      .troubles = life->troubles,
  };
  life->recovery = recovery_new(life->loop, &recovery, life->log);
  const struct old_options old = {.pg = life->control,
                                  .pool = life->pool,
                                  .worker_id = life->worker_id,
                                  .troubles = life->troubles,
                                  .memory = life->options->executors * life->options->executor_memory};
  life->old = old_generations_new(life->loop, &old, life->log);
  pool_set_number(life->serving, life->generation);
}

void startup_fenced(struct life *life) {
  life->last_generation--; /* nothing has come of it */
  if (complaint_is_new(&life->complaint, &life->deployment.err))
    LOG(life->log, LOG_WARN, "fenced", LOG_STR("function", life->worker->name));
  life_wait(life, RETRY_MS);
}

void startup_refused(struct life *life) {
  if (life->log->format == LOG_TEXT)
    life_fail(life, &life->deployment.err, life->deployment.details);
  else
    life_fail_quietly(life, life->deployment.err.exit_code);
}

void startup_not_deployed(struct life *life) { try_failed(life, "deployment_failed"); }
