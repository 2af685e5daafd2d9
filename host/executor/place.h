/* Says where a handler is that does not yield, when the host asks by SIGPROF. */
#ifndef LUAFLOW_EXECUTOR_PLACE_H
#define LUAFLOW_EXECUTOR_PLACE_H

#include "executor/runtime.h"

/* From now on a SIGPROF of the host puts the place of the task that runs into the pulse. */
void place_listen(struct runtime *runtime);

#endif
