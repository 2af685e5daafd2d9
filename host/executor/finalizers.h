/* Finalizers (__gc of userdata, ffi.gc, those of C libraries) run in whatever task allocates when the collector finds
 * them due, also once their own task has ended. */
#ifndef LUAFLOW_EXECUTOR_FINALIZERS_H
#define LUAFLOW_EXECUTOR_FINALIZERS_H

#include "executor/runtime.h"

/* From now on a finalizer's error does not reach the task that runs, a hook that it sets ends with it, and the pulse
 * tells when one runs. Without it errors go where LuaJIT lets them out. */
void finalizers_guard(struct runtime *runtime);
/* True if one that is written in Lua has run since the last call. */
bool finalizers_have_run(void);
/* Logs the first error and the number of those since the last line, at most one line a minute. Not while Lua runs. */
void finalizers_tell_errors(struct runtime *runtime);

#endif
