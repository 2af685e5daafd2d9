/* The child process that runs Lua for a host: one Lua state, one coroutine for each task. */
#ifndef LUAFLOW_EXECUTOR_EXECUTOR_H
#define LUAFLOW_EXECUTOR_EXECUTOR_H

/* Runs until the channel on descriptor 3 closes or a script ends; a worker's snapshot is on descriptor 4. Returns the
 * process's exit code: 0, a script's own, or 1 when the channel carries what no host writes. */
int executor_main(void);

#endif
