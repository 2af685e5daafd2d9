/* Starts the program file again as an executor: descriptors, environment, session. */
#ifndef LUAFLOW_WORKER_POOL_EXECUTOR_SPAWN_H
#define LUAFLOW_WORKER_POOL_EXECUTOR_SPAWN_H

#include <uv.h>

#include "base/err.h"
#include "worker/pool/executor_options.h"

struct executor_streams {
  uv_stream_t *channel;
  int pulse;              /* descriptor from pulse_new */
  uv_stream_t *output[2]; /* stdout, stderr; NULL: the caller's own */
};

/* Opens the program file that this process runs, so that it can be spawned although its file is replaced. -1 with
 * *err. */
int executor_open_program(struct err *err) __attribute__((warn_unused_result));
/* Returns uv_spawn's status. The handle must be zeroed; it has to be closed if its type is set afterwards, whatever the
 * status. */
int executor_spawn(uv_loop_t *loop, uv_process_t *handle, const struct executor_options *options,
                   const struct executor_streams *streams, uv_exit_cb reaped) __attribute__((warn_unused_result));

#endif
