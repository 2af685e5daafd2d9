/* luaflow worker: one worker on one queue. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/dev/devworkers.h"
#include "worker/worker.h"

enum { TASKS_PER_EXECUTOR = 10, SETTLE_MS = 2000, SETTLE_IN_DEV_MS = 20 };

static int cpu_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
}

/* Of the dev that has started this worker. */
static int dev_socket(void) {
  const char *number = getenv(DEV_SOCKET_VARIABLE);
  int fd = number ? atoi(number) : -1;
  return fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
}

int command_worker(const struct call *call) {
  const struct settings *settings = call->settings;
  struct err err;
  if (!client_check_conninfo(settings, SET_handler_database, settings->handler_database, &err)) return cli_fail(&err);
  char source[64], handler_source[64], env_source[64];
  client_database_source(settings, source, sizeof source);
  setting_source(settings, SET_handler_database, handler_source, sizeof handler_source);
  char *database = client_find_database(settings, &err);
  if (!database) return cli_fail(&err);
  int executors = settings->executors ? (int)settings->executors : cpu_count();
  struct worker_options options = {
      .database = database,
      .database_source = source,
      .handler_source = handler_source,
      .queue = settings->queue,
      .root = settings->root,
      .paths = (const char *const *)call->argv,
      .path_count = (size_t)call->argc,
      .executors = executors,
      .concurrency = settings->concurrency ? (int)settings->concurrency : TASKS_PER_EXECUTOR * executors,
      .batch = (int)settings->batch,
      .grace_s = (double)settings->grace / 1000,
      .executor_memory = settings->executor_memory,
      .max_output = settings->max_output,
      .max_input = settings->max_input,
      .handler_connections = (int)settings->handler_connections,
      .handler_database = settings->handler_database,
      .env_file = client_env_file(settings, env_source, sizeof env_source),
      .development = settings->development,
      .watch = settings->watch,
      .watch_settle_ms = settings->watch_settle  ? (int)settings->watch_settle
                         : settings->development ? SETTLE_IN_DEV_MS
                                                 : SETTLE_MS,
      .dev = dev_socket(),
  };
  int code = worker_main(&options, call->log);
  free(database);
  return code;
}
