/* luaflow dev: runs the dev database and a worker for every queue of the flows, until a signal ends it. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/dev/devdb.h"
#include "cli/dev/devready.h"
#include "cli/dev/devsql.h"
#include "cli/dev/devworkers.h"
#include "pg/pg_environment.h"
#include "worker/pool/load.h"
#include "worker/source/root.h"
#include "worker/source/snapshot.h"

enum { READY_POLL_MS = 200, EMPTY_POLL_MS = 300, DATABASE_RESTARTS = 3 };

struct dev {
  const struct call *call;
  struct signals signals;
  struct devdb db;
  char *root; /* of the flows */
  const char *const *paths;
  size_t path_count;
  struct load_report report;
  struct devworkers *workers;
  char *started_at; /* by the database's clock, before the first worker */
  bool ready;       /* the ready line is out */
  bool hurry;       /* workers do not wait for their tasks */
  int restarts;     /* of the database */
  int seen;         /* the files when a worker had ended, while it waits to be started again; -1: none waits */
};

static const int stop_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, 0};

/* ---- the database alone ---- */

static bool database_lives(struct dev *dev) {
  int status;
  if (dev->db.server.pid == 0 || !child_ended(dev->db.server.pid, false, &status)) return true;
  dev->db.server.pid = 0;
  return false;
}

static bool serve_database(struct dev *dev, struct err *err) {
  say(stdout, "%s\n", dev->db.server.conninfo);
  fflush(stdout);
  for (;;) {
    int got = signals_wait(&dev->signals, -1);
    if (got != 0 && got != SIGCHLD) return true;
    if (!database_lives(dev)) {
      err_set(err, ERR_RETRY, EXIT_FAILED, "dev: the database has died");
      return err_hint(err, "see %s", dev->db.server.log_file);
    }
  }
}

static int run_database_only(struct dev *dev) {
  const struct settings *settings = dev->call->settings;
  struct err err;
  int signal = 0;
  if (!settings->data || dev->call->argc > 0) {
    err_set(&err, ERR_CONFIG, EXIT_USAGE, "dev: --database-only needs --data DIR and takes no PATH");
    return cli_fail(&err);
  }
  dev->signals = signals_open(stop_signals);
  bool ok = devdb_open(&dev->db, NULL, settings->data, &err) &&
            devdb_start(&dev->db, settings->reset, &dev->signals, &signal, dev->call->log, &err) &&
            (signal != 0 || serve_database(dev, &err));
  devdb_close(&dev->db, dev->call->log);
  return ok ? EXIT_DONE : cli_fail(&err);
}

/* ---- with workers ---- */

/* Runs one statement on the dev database; its first field, owned by the caller, or NULL. The server may just be
 * restarting. */
static char *ask(const struct dev *dev, enum db_statement statement, const char *parameter) {
  struct db db;
  struct err err;
  PGresult *result;
  char *answer = NULL;
  if (!db_open(&db, DEV_SOURCE, dev->db.server.conninfo, "dev", &err)) return NULL;
  if (db_run(&db, statement, &parameter, &result, &err)) {
    answer = xstrdup(db_text(result, 0, 0));
    PQclear(result);
  }
  db_close(&db);
  return answer;
}

static void print_ready(struct dev *dev) {
  char *live = ask(dev, DB_LIVE_QUEUES, dev->started_at);
  dev->ready = live && (size_t)atoll(live) >= devworkers_wanted(dev->workers);
  free(live);
  if (!dev->ready) return;
  devworkers_set_ready(dev->workers);
  struct err err;
  if (!devdb_set_ready(&dev->db, &err)) LOG(dev->call->log, LOG_WARN, "ready_not_told", LOG_STR("error", err.message));
  const char *other = getenv("LUAFLOW_DATABASE") ? getenv("LUAFLOW_DATABASE") : getenv("DATABASE_URL");
  struct buf lines = {0};
  devready_put(&lines, &dev->report, dev->db.server.conninfo, other && *other);
  say_text(stdout, lines.data, lines.len);
  fflush(stdout);
  clearerr(stdout); /* its reader may end; dev continues */
  buf_free(&lines);
}

/* Starts the database again after it died; workers wait for it meanwhile. */
static bool revive_database(struct dev *dev, int *signal, struct err *err) {
  LOG(dev->call->log, LOG_ERROR, "database_died", LOG_STR("log", dev->db.server.log_file));
  if (++dev->restarts > DATABASE_RESTARTS) {
    err_set(err, ERR_RETRY, EXIT_FAILED, "dev: the database died %d times", dev->restarts);
    return err_hint(err, "see %s", dev->db.server.log_file);
  }
  return devserver_start(&dev->db.server, &dev->signals, signal, dev->call->log, err);
}

/* A worker that cannot start has nobody to watch the files for it. */
static void look_at_files(struct dev *dev) {
  struct err err;
  int now = devworkers_wait(dev->workers) ? snapshot_take(dev->root, NULL, NULL, &err) : -1;
  if (now >= 0 && dev->seen >= 0 && !snapshot_same(dev->seen, now)) devworkers_start_soon(dev->workers);
  if (dev->seen >= 0) close(dev->seen);
  dev->seen = now;
}

/* Until a signal or a refused worker ends it. False: the database cannot be kept up (*err). */
static bool supervise(struct dev *dev, int *code, struct err *err) {
  for (;;) {
    *code = devworkers_tend(dev->workers);
    if (*code) return true;
    if (!dev->ready) print_ready(dev);
    look_at_files(dev);
    int wait_ms = devworkers_next_ms(dev->workers);
    if (dev->seen >= 0 && wait_ms > EMPTY_POLL_MS) wait_ms = EMPTY_POLL_MS;
    if (!dev->ready && (wait_ms < 0 || wait_ms > READY_POLL_MS)) wait_ms = READY_POLL_MS;
    int got = signals_wait_or_read(&dev->signals, devworkers_socket(dev->workers), wait_ms);
    devworkers_read(dev->workers);
    if (got == SIGCHLD && !database_lives(dev)) {
      got = 0;
      if (!revive_database(dev, &got, err)) return false;
    }
    dev->hurry = got == SIGQUIT;
    if (got != 0 && got != SIGCHLD) return true;
  }
}

/* Every worker gets one signal, and one more for every further signal. */
static void drain(struct dev *dev) {
  LOG(dev->call->log, LOG_INFO, "stopping", LOG_INT("workers", devworkers_running(dev->workers)));
  devworkers_stop(dev->workers);
  if (dev->hurry) devworkers_stop(dev->workers);
  while (devworkers_running(dev->workers) > 0) {
    int got = signals_wait(&dev->signals, -1);
    if (got != 0 && got != SIGCHLD) devworkers_stop(dev->workers);
    devworkers_tend(dev->workers);
  }
}

static bool run_workers(struct dev *dev, int *code, struct err *err) {
  struct devworkers_options options = {.settings = dev->call->settings,
                                       .conninfo = dev->db.server.conninfo,
                                       .root = dev->root,
                                       .paths = dev->paths,
                                       .path_count = dev->path_count};
  dev->started_at = ask(dev, DB_NOW, NULL);
  dev->workers = devworkers_new(&options, &dev->report, dev->call->log);
  bool ok = supervise(dev, code, err);
  if (dev->seen >= 0) close(dev->seen);
  drain(dev);
  devworkers_free(dev->workers);
  free(dev->started_at);
  return ok;
}

static void print_problems(const struct load_report *report) {
  struct buf lines = {0};
  load_report_put_problems(report, &lines);
  say_text(stderr, lines.data, lines.len);
  buf_free(&lines);
}

static bool load_once(struct dev *dev, struct err *err) {
  struct load_options options = {.command = "dev",
                                 .root = dev->call->settings->root ? dev->root : NULL,
                                 .paths = dev->paths,
                                 .path_count = dev->path_count,
                                 .development = true,
                                 .executor_memory = dev->call->settings->executor_memory};
  return load_flows(&options, &dev->report, err);
}

/* True if there is no Lua file at all. */
static bool is_empty(const struct load_report *report) {
  for (size_t i = 0; i < report->problem_count; i++)
    if (strcmp(report->problems[i].code, "missing_file") != 0) return false;
  return report->problem_count > 0;
}

/* Until files are there that load; problems of those that do not are logged. */
static bool await_flows(struct dev *dev, struct err *err) {
  bool ok = true;
  int seen = -1;
  LOG(dev->call->log, LOG_INFO, "waiting_for_flows", LOG_STR("root", dev->root), LOG_STR("path", dev->paths[0]),
      LOG_STR("message", "there is no Lua file yet; save one, and dev starts its workers"));
  while (ok && dev->report.problem_count > 0) {
    int now = snapshot_take(dev->root, NULL, NULL, err);
    bool is_new = now >= 0 && (seen < 0 || !snapshot_same(seen, now));
    if (seen >= 0) close(seen);
    seen = now;
    ok = now >= 0;
    if (ok && is_new) {
      load_report_free(&dev->report);
      ok = load_once(dev, err);
      if (ok && dev->report.problem_count > 0 && !is_empty(&dev->report)) print_problems(&dev->report);
    } else if (ok) {
      poll(NULL, 0, EMPTY_POLL_MS);
    }
  }
  if (seen >= 0) close(seen);
  return ok;
}

/* Loads, to know the queues. */
static bool load(struct dev *dev, struct err *err) {
  if (!load_once(dev, err) || (is_empty(&dev->report) && !await_flows(dev, err))) return false;
  if (dev->report.problem_count > 0) {
    print_problems(&dev->report);
    return err_set(err, ERR_CONFIG, EXIT_MODULES, "dev: the flows have %zu problem%s", dev->report.problem_count,
                   dev->report.problem_count == 1 ? "" : "s");
  }
  if (dev->report.worker_count > 0) return true;
  return err_set(err, ERR_CONFIG, EXIT_MODULES, "dev: there is no flow in %s", dev->paths[0]);
}

static int run_all(struct dev *dev, const char *folder) {
  const struct settings *settings = dev->call->settings;
  struct err err;
  int signal = 0, code = EXIT_DONE;
  bool ok = devdb_open(&dev->db, folder, settings->data, &err) && load(dev, &err);
  dev->signals = signals_open(stop_signals); /* after the load, whose loop wants SIGCHLD itself */
  ok = ok && devdb_start(&dev->db, settings->reset, &dev->signals, &signal, dev->call->log, &err);
  ok = ok && (signal != 0 || devsql_apply(&dev->db.server, folder, dev->call->log, &err));
  ok = ok && (signal != 0 || run_workers(dev, &code, &err));
  devdb_close(&dev->db, dev->call->log);
  load_report_free(&dev->report);
  return ok ? code : cli_fail(&err);
}

/* Before the database is started for workers that would all refuse them. */
static bool check_options(const struct settings *settings, struct err *err) {
  char source[64];
  struct env_file variables;
  const struct env_place env_file = client_env_file(settings, source, sizeof source);
  bool good = env_file_read(&variables, &env_file, err) &&
              client_check_conninfo(settings, SET_handler_database, settings->handler_database, err);
  env_file_free(&variables);
  return good;
}

static void leave(int number) {
  (void)number;
  _exit(EXIT_DONE);
}

/* Until signals are waited for there is nothing to end but the executor that loads, which dies with this process. */
static void leave_at_signals(void) {
  for (const int *number = stop_signals; *number != SIGCHLD; number++)
    if (signal(*number, leave) == SIG_IGN) signal(*number, SIG_IGN);
}

int command_dev(const struct call *call) {
  struct dev dev = {.call = call, .db = {.data_lock.fd = -1, .root_lock.fd = -1}, .seen = -1};
  struct err err;
  leave_at_signals();
  pg_environment_clear();
  signal(SIGPIPE, SIG_IGN); /* a reader of the log may end; dev continues */
  if (call->settings->database_only) return run_database_only(&dev);
  if (!check_options(call->settings, &err)) return cli_fail(&err);
  char *folder = client_root(call->settings, &err);
  if (!folder) return cli_fail(&err);
  char *flows = xasprintf("%s/flows", folder);
  const char *default_path = flows;
  dev.paths = call->argc > 0 ? (const char *const *)call->argv : &default_path;
  dev.path_count = call->argc > 0 ? (size_t)call->argc : 1;
  dev.root = call->settings->root ? xstrdup(folder) : root_find(dev.paths[0]);
  int code;
  if (call->argc == 0 && access(flows, F_OK) != 0) {
    err_set(&err, ERR_CONFIG, EXIT_USAGE, "dev: there is no folder %s", flows);
    err_hint(&err, "give the path of the flows: luaflow dev PATH...");
    code = cli_fail(&err);
  } else {
    code = run_all(&dev, folder);
  }
  free(dev.root);
  free(flows);
  free(folder);
  return code;
}
