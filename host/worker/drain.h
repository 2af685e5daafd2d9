/* Ends a worker: wait for its tasks, record them, mark it stopped, close. */
#ifndef LUAFLOW_WORKER_DRAIN_H
#define LUAFLOW_WORKER_DRAIN_H

struct life;

void drain_begin(struct life *life);
/* Ends the grace: kills the executors. */
void drain_kill(struct life *life, const char *reason);
/* Logs that the last results are lost. */
void drain_give_up(struct life *life);
/* Marks the worker stopped in the database. */
void drain_leave(struct life *life);
/* Closes the connections and ends the executors. */
void drain_close(struct life *life);
/* Closes what is left. */
void drain_end(struct life *life);

#endif
