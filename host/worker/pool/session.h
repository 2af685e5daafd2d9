/* What the leader of a session leaves behind when it ends. */
#ifndef LUAFLOW_WORKER_POOL_SESSION_H
#define LUAFLOW_WORKER_POOL_SESSION_H

#include <sys/types.h>

/* The leader has just been reaped: kills its process group and whatever else is of its session. A process that has
 * begun its own session is not found. */
void session_kill(pid_t leader);

#endif
