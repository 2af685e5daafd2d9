/* The worker's process: what it needs from the disk, its loop, its signals. */
#include "worker/worker.h"

#include <stdio.h>
#include <unistd.h>
#include <uv.h>

#include "base/say.h"
#include "worker/lifecycle.h"
#include "worker/pool/executor_spawn.h"
#include "worker/source/root.h"
#include "worker/source/source.h"
#include "worker/worker_signals.h"

struct worker {
  struct life *life;
  struct worker_signals *signals;
};

static void on_stop(void *owner) {
  struct worker *worker = owner;
  lifecycle_stop(worker->life);
}

static void on_reload(void *owner) {
  struct worker *worker = owner;
  lifecycle_reload(worker->life);
}

static void on_terminal_closed(void *owner) {
  struct worker *worker = owner;
  lifecycle_hang_up(worker->life);
}

static void on_summary(void *owner) {
  struct worker *worker = owner;
  lifecycle_log_summary(worker->life);
}

static void on_end(void *owner) {
  struct worker *worker = owner;
  worker_signals_free(worker->signals);
}

static bool run(const struct worker_options *options, const struct executor_options *executor, struct source *source,
                struct log *log, int *exit_code, struct err *err) {
  static const struct worker_signal_events events = {
      .stop = on_stop, .reload = on_reload, .terminal_closed = on_terminal_closed, .summary = on_summary};
  struct worker worker;
  uv_loop_t loop;
  uv_loop_init(&loop);
  worker.life = lifecycle_new(&loop, options, executor, source, log, err);
  if (worker.life) {
    worker.signals = worker_signals_new(&loop, &events, &worker);
    lifecycle_on_end(worker.life, on_end, &worker);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  if (!worker.life) return false;
  *exit_code = lifecycle_free(worker.life);
  return true;
}

static void on_unreadable(void *owner, const char *path, const char *why) {
  struct log *log = owner;
  LOG(log, LOG_WARN, "not_loaded", LOG_STR("path", path), LOG_STR("reason", why));
}

static int fail(const struct err *err) {
  say_err(err);
  return err->exit_code;
}

int worker_main(const struct worker_options *options, struct log *log) {
  static const struct snapshot_events events = {.warn = on_unreadable};
  struct entries entries;
  struct source source;
  struct err err;
  int exit_code = EXIT_DONE;
  bool good = false;
  worker_signals_hold();
  if (!entries_find(&entries, "worker", options->root, options->paths, options->path_count, &err)) return fail(&err);
  bool taken = source_take(&source, entries.root, &options->env_file, &events, log, &err);
  int program = taken ? executor_open_program(&err) : -1;
  if (program >= 0) {
    const struct executor_options executor = {
        .program = program,
        .mode = LOAD_FLOWS,
        .root = entries.root,
        .development = options->development,
        .max_output = options->max_output,
        .entries = (const char *const *)entries.paths,
        .entry_count = entries.count,
    };
    good = run(options, &executor, &source, log, &exit_code, &err);
    close(program);
  }
  if (taken) source_free(&source);
  entries_free(&entries);
  return good ? exit_code : fail(&err);
}
