/* Log lines that belong to a task: they carry its run, step, index and attempt. */
#ifndef LUAFLOW_WORKER_POOL_TASK_LOG_H
#define LUAFLOW_WORKER_POOL_TASK_LOG_H

#include "base/log.h"
#include "worker/pool/task.h"

/* verb, then the task's fields (task NULL: none), then message and fields, JSON text, where they are not NULL. */
void task_log(struct log *log, enum log_level level, const char *verb, const struct task *task, const char *message,
              const char *fields);
/* Of an attempt that failed, with the seconds until the next one as text; NULL: there is none. */
void task_log_failed(struct log *log, const struct task *task, const char *message, const char *retry_in_s);

#endif
