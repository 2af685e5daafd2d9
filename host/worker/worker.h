/* One worker on one queue: the host process. */
#ifndef LUAFLOW_WORKER_WORKER_H
#define LUAFLOW_WORKER_WORKER_H

#include "base/log.h"
#include "worker/worker_options.h"

/* Runs until the worker has stopped; returns the exit code of the command. Errors and problems of modules have been
 * printed to stderr. Takes over SIGTERM, SIGINT, SIGUSR1 and SIGPIPE of the process. */
int worker_main(const struct worker_options *options, struct log *log);

#endif
