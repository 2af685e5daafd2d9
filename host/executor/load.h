/* What a LOAD frame starts: the modules of a worker, or a script. */
#ifndef LUAFLOW_EXECUTOR_LOAD_H
#define LUAFLOW_EXECUTOR_LOAD_H

#include "executor/runtime.h"

/* Handles the payload, once in the executor's life. False when it is not what the host writes. */
bool executor_load(struct runtime *runtime, struct cursor *payload) __attribute__((warn_unused_result));

/* Loads and validates the entries (count texts in payload); answers with LOADED or PROBLEMS. */
void executor_load_flows(struct runtime *runtime, struct cursor *payload, uint32_t count);
/* Makes the script (count texts: its path and arguments) the one task, which ends the executor with EXIT. */
void executor_load_script(struct runtime *runtime, struct cursor *payload, uint32_t count);

#endif
