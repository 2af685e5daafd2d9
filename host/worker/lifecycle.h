/* Runs a worker, from the start of its executors to the last row written. Wires the pool, the connections and the
 * steps of start-up, reload and drain together; each knows only its own part, and advance.c says what is due. */
#ifndef LUAFLOW_WORKER_LIFECYCLE_H
#define LUAFLOW_WORKER_LIFECYCLE_H

#include <uv.h>

#include "base/err.h"
#include "base/log.h"
#include "worker/pool/executor_process.h"
#include "worker/source/source.h"
#include "worker/worker_options.h"

struct life;

/* Spawns the executors of the first generation from the source, which it takes over; the rest happens on the loop,
 * which ends when the worker has stopped. executor, but for its source, is borrowed until lifecycle_free. NULL with
 * *err if an executor cannot be started. */
struct life *lifecycle_new(uv_loop_t *loop, const struct worker_options *options,
                           const struct executor_options *executor, struct source *source, struct log *log,
                           struct err *err) __attribute__((warn_unused_result));
/* SIGTERM or SIGINT: drains; the second time kills, reaps and releases. */
void lifecycle_stop(struct life *life);
/* SIGHUP: reloads once; a worker that drains goes on with it. */
void lifecycle_reload(struct life *life);
/* Its terminal has closed: drains, if it does not already. */
void lifecycle_hang_up(struct life *life);
/* Logs where it stands. */
void lifecycle_log_summary(const struct life *life);
/* Called once when everything is closed but for handles that close by themselves; signals are to be closed then. */
void lifecycle_on_end(struct life *life, void (*ended)(void *owner), void *owner);
/* After the loop has ended. Returns the exit code. */
int lifecycle_free(struct life *life);

#endif
