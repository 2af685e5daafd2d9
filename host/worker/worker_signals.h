/* The signals of a worker. */
#ifndef LUAFLOW_WORKER_WORKER_SIGNALS_H
#define LUAFLOW_WORKER_WORKER_SIGNALS_H

#include <uv.h>

struct worker_signals;

struct worker_signal_events {
  void (*stop)(void *owner);    /* SIGTERM or SIGINT, each time */
  void (*hangup)(void *owner);  /* SIGHUP, each time, unless it was ignored when the program started (nohup) */
  void (*summary)(void *owner); /* SIGUSR1 */
};

/* Watches them; SIGPIPE is ignored from now on. */
struct worker_signals *worker_signals_new(uv_loop_t *loop, const struct worker_signal_events *events, void *owner);
void worker_signals_free(struct worker_signals *signals);

#endif
