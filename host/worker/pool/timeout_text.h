/* What is said of a task whose time is over. */
#ifndef LUAFLOW_WORKER_POOL_TIMEOUT_TEXT_H
#define LUAFLOW_WORKER_POOL_TIMEOUT_TEXT_H

#include "worker/pool/executor_process.h"

/* "timed out after 3 s", and if the process was still running the task: that it did not yield, and where it was, if it
 * was asked. Terminated, owned by the caller. */
char *timeout_text(const struct executor_process *process, uint64_t task, int64_t timeout_s);

#endif
