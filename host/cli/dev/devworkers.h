/* The workers of a dev: one child process for each queue, which reloads on save, and is started again when it dies
 * unasked. The workers report added and removed queues after each load. */
#ifndef LUAFLOW_CLI_DEV_DEVWORKERS_H
#define LUAFLOW_CLI_DEV_DEVWORKERS_H

#include "base/log.h"
#include "base/settings.h"
#include "worker/source/load_report.h"

/* In a worker's environment: the number of the socket that it reports to dev with; see worker/tell_dev.h. */
#define DEV_SOCKET_VARIABLE "LUAFLOW_DEV_SOCKET"

struct devworkers;

/* What every worker is started with; borrowed for the workers' life. */
struct devworkers_options {
  const struct settings *settings; /* flags that a worker takes too are passed on */
  const char *conninfo;
  const char *root;
  const char *const *paths;
  size_t path_count;
};

/* One for each queue of the report; none is started yet. Sets DEV_SOCKET_VARIABLE in the environment. */
struct devworkers *devworkers_new(const struct devworkers_options *options, const struct load_report *report,
                                  struct log *log);
/* Starts those that are due and notes those that have ended; to be called after SIGCHLD and when devworkers_next_ms
 * is over. Returns the exit code of a worker that was refused for good (2, 3 or 4: starting it again would not help),
 * else 0; once all have run only 0, since files can be corrected. */
int devworkers_tend(struct devworkers *workers);
/* All of the first ones run. */
void devworkers_set_ready(struct devworkers *workers);
/* Readable when a worker has reported something: devworkers_read is due. */
int devworkers_socket(const struct devworkers *workers);
/* Starts the workers of queues that are new, and stops those of queues that were removed. Logs, once for all workers,
 * why files cannot be loaded, and that changed ones serve. */
void devworkers_read(struct devworkers *workers);
/* True while one that has ended waits to be started again. */
bool devworkers_wait(const struct devworkers *workers);
/* The files have changed, so what such a worker has stumbled over may be mended: it is started at once. */
void devworkers_start_soon(struct devworkers *workers);
/* How many queues the files have. */
size_t devworkers_wanted(const struct devworkers *workers);
/* Milliseconds until one is due to be started again; -1: none is. */
int devworkers_next_ms(const struct devworkers *workers);
/* Sends SIGTERM to all that run: the first time they drain, the second time they stop at once. None is started from
 * now on. */
void devworkers_stop(struct devworkers *workers);
/* How many run. */
int devworkers_running(const struct devworkers *workers);
/* All must have ended. */
void devworkers_free(struct devworkers *workers);

#endif
