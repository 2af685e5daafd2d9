/* One attempt of one task, from its TASK frame to its RESULT. */
#ifndef LUAFLOW_EXECUTOR_TASK_H
#define LUAFLOW_EXECUTOR_TASK_H

#include "executor/runtime.h"

/* Makes the task ready; what keeps it from starting (an input that cannot be decoded) is its result. False when the
 * payload is not what the host writes. */
bool task_start(struct runtime *runtime, uint64_t number, struct cursor *payload) __attribute__((warn_unused_result));

#endif
