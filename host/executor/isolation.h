/* Keeps what handlers do to the process from the other tasks of the executor: looks from time to time, puts back what
 * has changed, and reports it to the host with the task that ran. */
#ifndef LUAFLOW_EXECUTOR_ISOLATION_H
#define LUAFLOW_EXECUTOR_ISOLATION_H

#include <stdint.h>

#include "executor/runtime.h"

struct isolation;

/* The process as it is now is what handlers are to find. Owned by the caller. */
struct isolation *isolation_new(void);
void isolation_free(struct isolation *isolation); /* NULL is ignored */
/* The task has run and now waits or ends. Looks unless it has just done so. */
void isolation_turn_over(struct runtime *runtime, uint64_t task);
/* The task is about to fail, possibly since another has changed something. Looks if any has run since the last look. */
void isolation_before_failure(struct runtime *runtime, uint64_t task);

#endif
