/* Says where a handler is: one that does not yield when the host asks by SIGPROF, one that waits at any time. */
#ifndef LUAFLOW_EXECUTOR_PLACE_H
#define LUAFLOW_EXECUTOR_PLACE_H

#include "executor/runtime.h"

/* From now on a SIGPROF of the host puts the place of the task that runs into the pulse. */
void place_listen(struct runtime *runtime);

/* Appends ", waiting in CALL at FILE:LINE" of a coroutine that is suspended in a call of luaflow's; else nothing. */
void place_of_wait(lua_State *co, struct buf *out);

#endif
