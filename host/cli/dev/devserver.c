/* Starts and stops the private server. Its data is created under another name and renamed, so that a broken initdb
 * leaves nothing half done. */
#include "cli/dev/devserver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "cli/dev/devfiles.h"
#include "cli/dev/devplace.h"

enum { STOP_SECONDS = 60, START_SECONDS = 300, ORPHAN_SECONDS = 20, POLL_MS = 30 };

static void pause_ms(long ms) {
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool choose_account(struct devserver *server, struct err *err) {
  static const char *const names[] = {"postgres", "daemon", "nobody", NULL};
  server->has_account = geteuid() == 0;
  if (!server->has_account || account_find(names, &server->account)) return true;
  err_set(err, ERR_CONFIG, EXIT_FAILED,
          "dev: Postgres refuses to run as root, and there is no other account to run it");
  return err_hint(err, "create one: useradd --system postgres");
}

/* A server that a killed dev left behind on this data, or 0. */
static pid_t find_leftover(const struct devserver *server) {
  char *path = xasprintf("%s/postmaster.pid", server->data);
  pid_t pid = devfiles_read_pid(path);
  free(path);
  if (pid <= 0) return 0;
  char *link = xasprintf("/proc/%d/cwd", (int)pid);
  bool ours = devfiles_same(link, server->data);
  free(link);
  return ours ? pid : 0;
}

static bool end_leftover(const struct devserver *server, struct log *log, struct err *err) {
  pid_t pid = find_leftover(server);
  if (pid == 0) return true;
  LOG(log, LOG_INFO, "database_leftover_stopping", LOG_INT("pid", pid));
  kill(pid, SIGINT);
  double end = seconds_now() + STOP_SECONDS;
  while (find_leftover(server) == pid) {
    if (seconds_now() > end)
      return err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: the database of an earlier dev does not stop (process %d)",
                     (int)pid);
    pause_ms(POLL_MS);
  }
  return true;
}

/* A dead process that nobody has waited for yet; the server takes the id in its postmaster.pid for one that runs. */
static bool is_unreaped(pid_t pid) {
  char *path = xasprintf("/proc/%d/stat", (int)pid);
  FILE *in = pid > 0 ? fopen(path, "re") : NULL;
  char text[256] = "";
  if (in && !fgets(text, sizeof text, in)) text[0] = '\0';
  if (in) fclose(in);
  free(path);
  const char *name_end = strrchr(text, ')');
  return name_end && strncmp(name_end, ") Z", 3) == 0;
}

/* Asks every server process on this data to end; returns whether there was one. */
static bool end_orphans(const struct devserver *server) {
  char *program = xasprintf("%s/postgres", server->programs);
  DIR *processes = opendir("/proc");
  bool found = false;
  for (struct dirent *entry; processes && (entry = readdir(processes));) {
    pid_t pid = (pid_t)atoi(entry->d_name);
    if (pid <= 0) continue;
    char *folder = xasprintf("/proc/%d/cwd", (int)pid);
    char *running = xasprintf("/proc/%d/exe", (int)pid);
    if (devfiles_same(folder, server->data) && devfiles_same(running, program)) {
      found = true;
      kill(pid, SIGTERM);
    }
    free(folder);
    free(running);
  }
  if (processes) closedir(processes);
  free(program);
  return found;
}

/* The processes of a server that was killed live a little longer than it, and no new one starts while they live. */
static bool await_orphans(const struct devserver *server, struct err *err) {
  char *path = xasprintf("%s/postmaster.pid", server->data);
  double end = seconds_now() + ORPHAN_SECONDS;
  bool waiting = true;
  while ((waiting = end_orphans(server) || is_unreaped(devfiles_read_pid(path))) && seconds_now() < end)
    pause_ms(POLL_MS);
  free(path);
  if (!waiting) return true;
  err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: processes of an earlier database still use %s", server->data);
  return err_hint(err, "end them; a dead one must be reaped by its parent");
}

static const struct account *account_of(const struct devserver *server) {
  return server->has_account ? &server->account : NULL;
}

bool devserver_prepare(struct devserver *server, const char *folder, struct err *err) {
  *server = (struct devserver){.folder = xstrdup(folder),
                               .data = xasprintf("%s/pgdata", folder),
                               .log_file = xasprintf("%s/postgres.log", folder),
                               .socket_folder = devplace_socket_folder(folder)};
  server->conninfo = xasprintf("host=%s port=5432 user=luaflow dbname=luaflow", server->socket_folder);
  server->admin_conninfo = xasprintf("host=%s port=5432 user=luaflow dbname=postgres", server->socket_folder);
  return choose_account(server, err) && devfiles_open_folder(folder, account_of(server), err);
}

bool devserver_clear(struct devserver *server, bool reset, struct log *log, struct err *err) {
  if (!end_leftover(server, log, err) || (reset && !devfiles_remove(server->data, err))) return false;
  server->programs = devfiles_find_programs(server->data, err);
  return server->programs && devfiles_make_private(server->socket_folder, account_of(server), err);
}

/* A stop signal that has already come; 0: none. */
static int pending_stop(const struct signals *signals) {
  int got;
  do {
    got = signals_wait(signals, 0);
  } while (got == SIGCHLD);
  return got;
}

/* Waits for the end of a child that leads a group, or is about to: Ctrl-C may have ended it before it did. A stop
 * signal ends the whole group first, and is returned. */
static int await_group(pid_t pid, const struct signals *signals, int *status) {
  while (!child_ended(pid, false, status)) {
    int got = signals_wait(signals, POLL_MS);
    if (got == 0 || got == SIGCHLD) continue;
    kill(-pid, SIGKILL);
    child_ended(pid, true, status);
    return got;
  }
  return *status == 0 ? 0 : pending_stop(signals);
}

static bool make_data(const struct devserver *server, const struct signals *signals, int *signal, struct log *log,
                      struct err *err) {
  char *half_made = xasprintf("%s.new", server->data);
  char *output = xasprintf("%s/initdb.log", server->folder);
  char *program = xasprintf("%s/initdb", server->programs);
  /* By its path, since it looks for the server's program in its own folder. */
  const char *argv[] = {program,      "--pgdata", half_made,  "--username", "luaflow",           "--auth", "trust",
                        "--encoding", "UTF8",     "--locale", "C.UTF-8",    "--no-instructions", NULL};
  const struct account *account = account_of(server);
  struct child_options options = {.program = program,
                                  .argv = argv,
                                  .account = account,
                                  .folder = "/",
                                  .output = -1,
                                  .death_signal = SIGKILL,
                                  .without_pg = true};
  LOG(log, LOG_INFO, "database_creating", LOG_STR("data", server->data));
  int status = -1;
  pid_t pid = -1;
  bool ok = devfiles_remove(half_made, err) && devfiles_make_private(half_made, account, err) &&
            (options.output = devfiles_open_log(output, account, err)) >= 0 && (pid = child_start(&options, err)) > 0;
  if (ok) *signal = await_group(pid, signals, &status);
  if (ok && *signal) {
    ok = devfiles_remove(half_made, err);
  } else if (ok && status != 0) {
    ok = devfiles_explain(output, "dev: the database cannot be created", err);
    if (account)
      err_hint(err, "dev was started as root, so the server runs as user %s, which must be able to reach %s",
               account->name, server->folder);
  }
  if (ok && !*signal && rename(half_made, server->data) != 0)
    ok = err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s: %s", server->data, strerror(errno));
  if (options.output >= 0) close(options.output);
  free(half_made);
  free(output);
  free(program);
  return ok;
}

static bool spawn_server(struct devserver *server, struct err *err) {
  char *program = xasprintf("%s/postgres", server->programs);
  char *sockets = xasprintf("unix_socket_directories=%s", server->socket_folder);
  bool statistics = devfiles_has_library(server->programs, "pg_stat_statements");
  const char *argv[] = {
      program, /* by its path: it looks for its libraries from there */
      "-D",    server->data,
      "-p",    "5432",
      "-c",    "listen_addresses=",
      "-c",    sockets,
      "-c",    "unix_socket_permissions=0700",
      "-c",    "logging_collector=off",
      "-c",    "max_connections=200",
      "-c",    statistics ? "shared_preload_libraries=pg_stat_statements" : "shared_preload_libraries=",
      NULL};
  const struct account *account = account_of(server);
  int output = devfiles_open_log(server->log_file, account, err);
  if (output < 0) return false;
  /* SIGINT is the server's fast shutdown: if dev is killed, its database ends with it, in good order. */
  struct child_options options = {.program = program,
                                  .argv = argv,
                                  .account = account,
                                  .folder = "/",
                                  .output = output,
                                  .death_signal = SIGINT,
                                  .without_pg = true};
  pid_t pid = child_start(&options, err);
  close(output);
  free(program);
  free(sockets);
  server->pid = pid > 0 ? pid : 0;
  return pid > 0;
}

bool devserver_start(struct devserver *server, const struct signals *signals, int *signal, struct log *log,
                     struct err *err) {
  char *version = xasprintf("%s/PG_VERSION", server->data);
  bool exists = access(version, F_OK) == 0;
  free(version);
  *signal = 0;
  if (!exists && !make_data(server, signals, signal, log, err)) return false;
  if (*signal) return true;
  if (!await_orphans(server, err) || !spawn_server(server, err)) return false;
  double end = seconds_now() + START_SECONDS;
  while (PQping(server->admin_conninfo) != PQPING_OK) {
    int status;
    if (child_ended(server->pid, false, &status)) {
      server->pid = 0;
      return devfiles_explain(server->log_file, "dev: the database does not start", err);
    }
    if (seconds_now() > end)
      return err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: the database does not answer; see %s", server->log_file);
    int got = signals_wait(signals, POLL_MS);
    if (got == 0 || got == SIGCHLD) continue;
    *signal = got;
    return true;
  }
  return true;
}

void devserver_stop(struct devserver *server, struct log *log) {
  int status;
  double end = seconds_now() + STOP_SECONDS;
  if (server->pid > 0) kill(server->pid, SIGINT);
  while (server->pid > 0 && !child_ended(server->pid, false, &status)) {
    pause_ms(POLL_MS);
    if (seconds_now() < end) continue;
    LOG(log, LOG_WARN, "database_stopping_hard", LOG_INT("pid", server->pid));
    kill(server->pid, SIGQUIT);
    end = seconds_now() + STOP_SECONDS;
  }
  server->pid = 0;
  if (server->programs)
    rmdir(server->socket_folder); /* ours by the lock, and empty now; the next start creates it again */
}

void devserver_free(struct devserver *server) {
  free(server->folder);
  free(server->data);
  free(server->log_file);
  free(server->socket_folder);
  free(server->programs);
  free(server->conninfo);
  free(server->admin_conninfo);
  *server = (struct devserver){0};
}
