/* Tasks with their claims as four array parameters, the way every function that takes several tasks has them. */
#ifndef LUAFLOW_WORKER_CONTROL_TASK_ARRAYS_H
#define LUAFLOW_WORKER_CONTROL_TASK_ARRAYS_H

#include "pg/pg_params.h"
#include "worker/pool/task.h"

struct task_arrays {
  struct pg_array *runs, *steps, *indexes, *claims;
};

/* Adds the four, empty, as the next parameters. */
struct task_arrays task_arrays_begin(struct pg_params *params);
void task_arrays_add(const struct task_arrays *arrays, const struct task *task);

#endif
