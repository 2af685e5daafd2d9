/* Run, step, index and claim number of each task. */
#include "worker/control/task_arrays.h"

#include <string.h>

struct task_arrays task_arrays_begin(struct pg_params *params) {
  struct task_arrays arrays;
  arrays.runs = pg_param_array(params, PG_UUID);
  arrays.steps = pg_param_array(params, PG_TEXT);
  arrays.indexes = pg_param_array(params, PG_INT4);
  arrays.claims = pg_param_array(params, PG_INT8);
  return arrays;
}

void task_arrays_add(const struct task_arrays *arrays, const struct task *task) {
  pg_array_uuid(arrays->runs, task->run_id);
  pg_array_text(arrays->steps, task->step_slug, strlen(task->step_slug));
  pg_array_int4(arrays->indexes, task->task_index);
  pg_array_int8(arrays->claims, task->claim_no);
}
